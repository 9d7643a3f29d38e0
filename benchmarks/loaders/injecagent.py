"""InjecAgent: one tool result with an injection in it, for each of its test cases.

SOURCE is the set's `data` folder or one of its files: `test_cases_dh_base.json`,
`test_cases_ds_base.json` (also `_enhanced`), and `user_cases.jsonl`.

Labels. The result of a test case is `bad` with the kind `injection-present`: the set says what the
attacker wants, and nothing was run, so whether it would be followed is not known. The negatives
(`ok`) are the same tools' results with nothing where the injection stands: from `user_cases.jsonl`,
and from each distinct template of the test cases. They are few, so its false alarms say little.
All cases of one user tool are one sample, because their results differ in the injection only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.loaders.files import rows_in
from benchmarks.loaders.injected import PRESENT
from benchmarks.loaders.trajectory import (
    OK,
    Judgement,
    Line,
    Run,
    Step,
    arguments_of,
    lines_of,
    text_of,
)

SOURCE = "injecagent"
PLACEHOLDER = "<Attacker Instruction>"


def load(source: Path) -> Iterator[Line]:
    """Case lines of the test cases, and one clean result of each user tool's template."""
    clean: set[tuple[str, str]] = set()
    for number, (path, row) in enumerate(rows_in(source), start=1):
        if "User Tool" not in row:
            continue
        if row.get("Attacker Instruction") and row.get("Tool Response"):
            name = f"{path.name.split('.')[0]}/{number}"
            yield _line(row, name, row["Tool Response"], PRESENT)
        template = text_of(row.get("Tool Response Template"))
        key = (str(row["User Tool"]), template)
        if PLACEHOLDER in template and key not in clean:
            clean.add(key)
            yield _line(row, f"clean/{len(clean)}", template.replace(PLACEHOLDER, ""), OK)


def _line(row: Mapping[str, Any], name: str, response: Any, judgement: Judgement) -> Line:
    tool = str(row["User Tool"])
    step = Step(
        tool,
        arguments_of(row.get("Tool Parameters")),
        text_of(response),
        message=str(row.get("Thought") or ""),
        judgement=judgement,
    )
    attack = row.get("Attack Type")
    run = Run(
        tool,
        SOURCE,
        [step],
        str(row.get("User Instruction") or ""),
        metadata={"attack": attack} if attack else {},
    )
    return next(lines_of(run)) | {"id": name}
