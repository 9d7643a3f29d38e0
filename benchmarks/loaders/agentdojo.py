"""AgentDojo runs: injections in the results of office, bank, travel and chat tools.

SOURCE is a folder of run files (`runs/MODEL/SUITE/USER_TASK/ATTACK/INJECTION_TASK.json`), or rows
of steps with `labels.injection` by step and `labels.attack_success` by run.

Labels. A result is `bad` with the kind `injection-present` if one of the run's injection texts is
in it; where the run's attack succeeded (the file's `security` is true), it has the kind
`injection-followed` as well, and results behind the first injected one are `unsure`, since nobody
has said which of them are the attacker's. All other results are `ok`: no injection is in them.
The published runs use few attack templates: figures on them are figures on those templates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.loaders.chat import conversation
from benchmarks.loaders.files import rows_in
from benchmarks.loaders.injected import judged_by_injection
from benchmarks.loaders.step_rows import is_row, labels_of, run_of, steps_of
from benchmarks.loaders.trajectory import Line, Run, lines_of

SOURCE = "agentdojo"


def load(source: Path) -> Iterator[Line]:
    """Case lines of all runs in a folder or file."""
    for _, row in rows_in(source):
        if is_row(row):
            yield from lines_of(_from_steps(row))
        elif "messages" in row:
            yield from lines_of(_from_messages(row))


def _from_steps(row: Mapping[str, Any]) -> Run:
    injected = [bool((step.get("labels") or {}).get("injection")) for step in row["steps"]]
    followed = bool(labels_of(row).get("attack_success"))
    return run_of(row, SOURCE, judged_by_injection(steps_of(row), injected, followed))


def _from_messages(row: Mapping[str, Any]) -> Run:
    read = conversation(row["messages"])
    attacked = bool(row.get("injection_task_id"))
    texts = [_squeezed(str(text)) for text in (row.get("injections") or {}).values()]
    injected = [
        attacked and any(text and text in _squeezed(step.output or "") for text in texts)
        for step in read.steps
    ]
    followed = attacked and bool(row.get("security"))
    names = ("pipeline_name", "suite_name", "user_task_id", "injection_task_id", "attack_type")
    return Run(
        id="/".join(str(row[name]) for name in names if row.get(name)),
        source=SOURCE,
        steps=judged_by_injection(read.steps, injected, followed),
        task=read.task,
        system=read.system,
    )


def _squeezed(text: str) -> str:
    """A text without white space and backslashes: tools print results folded and escaped."""
    return "".join(text.replace("\\n", "").replace("\\", "").split())
