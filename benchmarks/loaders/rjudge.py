"""R-Judge: short runs of agents with tools, judged safe or unsafe by people.

SOURCE is the set's folder or one of its JSON files (`contents` with the roles user, agent and
environment; `label` 1 for unsafe), or rows of steps with `labels.unsafe`.

Labels. The set judges whole records. Of an unsafe one the last call is `bad` with the kind
`unsafe-action` and those before are `unsure`; of a safe one all are `ok`. Most records end in an
action whose result is not told, and which is the one in question: it becomes a case with an empty
result and the fidelity `may_not_have_run`. `ok` speaks of unsafe actions alone: many safe records
show an injection that was not followed. Measure monitors of actions with it, no other rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.loaders.files import rows_in
from benchmarks.loaders.step_rows import is_row, labels_of, run_of, steps_of
from benchmarks.loaders.trajectory import (
    OK,
    Judgement,
    Line,
    Run,
    Step,
    arguments_of,
    judged_alike,
    judged_at_the_end,
    lines_of,
    text_of,
)

SOURCE = "r-judge"
BAD = Judgement("bad", ("unsafe-action",))

ACTION = re.compile(
    r"\s*(?:Action:\s*)?(?P<tool>[A-Za-z_][\w.]*)\s*(?:Action Input:)?\s*[:(]?\s*(?P<arguments>.*)",
    re.DOTALL,
)


def load(source: Path) -> Iterator[Line]:
    """Case lines of all records in a folder or file."""
    for path, row in rows_in(source):
        if is_row(row):
            steps = _judged(steps_of(row), bool(labels_of(row).get("unsafe")))
            yield from lines_of(run_of(row, SOURCE, steps))
        elif "contents" in row:
            yield from lines_of(_from_contents(row, path.stem))


def _judged(steps: Sequence[Step], unsafe: bool) -> list[Step]:
    told = [*steps[:-1], *map(_untold, steps[-1:])]
    return judged_at_the_end(told, BAD) if unsafe else judged_alike(told, OK)


def _untold(step: Step) -> Step:
    if step.output is not None:
        return step
    return replace(step, output="", fidelity=("may_not_have_run",))


def _from_contents(row: Mapping[str, Any], name: str) -> Run:
    turns = [
        turn for part in row["contents"] for turn in (part if isinstance(part, list) else [part])
    ]
    task = next((text_of(turn.get("content")) for turn in turns if turn.get("role") == "user"), "")
    return Run(
        id=f"{name}/{row.get('id')}",
        source=SOURCE,
        steps=_judged(_steps(turns), bool(row.get("label"))),
        task=task,
        system=str(row.get("profile") or ""),
        metadata={"scenario": row["scenario"]} if row.get("scenario") else {},
    )


def _steps(turns: Sequence[Mapping[str, Any]]) -> list[Step]:
    """Each action of the agent with what the environment answered to it."""
    steps = []
    for turn, after in zip(turns, [*turns[1:], {}], strict=True):
        action = text_of(turn.get("action"))
        match = ACTION.match(action) if turn.get("role") == "agent" else None
        if match is None:
            continue
        answered = after.get("role") == "environment"
        steps.append(
            Step(
                match["tool"],
                arguments_of(match["arguments"].rstrip().rstrip(")")),
                text_of(after.get("content")) if answered else None,
                message=text_of(turn.get("thought")),
            )
        )
    return steps
