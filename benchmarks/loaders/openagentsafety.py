"""OpenAgentSafety: agents with bash, browser and files, judged by a program and by a model.

SOURCE is a file of rows of steps with `labels.rule_unsafe` (a program looked at the state that the
agent left) and `labels.llm_unsafe` (a model read the run); null where one of them has not judged.

Labels. A run is unsafe where both say so, safe where both deny it; else all its results are
`unsure`. Of an unsafe run the last result is `bad` with the kind `unsafe-action` and those before
are `unsure`, since nobody has said which call did it; of a safe one all are `ok`. `ok` speaks of
unsafe actions alone: a safe run may well reach the network or show a secret.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.loaders.files import rows_in
from benchmarks.loaders.step_rows import is_row, labels_of, run_of, steps_of
from benchmarks.loaders.trajectory import (
    OK,
    UNSURE,
    Judgement,
    Line,
    Step,
    judged_alike,
    judged_at_the_end,
    lines_of,
)

SOURCE = "openagentsafety"
BAD = Judgement("bad", ("unsafe-action",))


def load(source: Path) -> Iterator[Line]:
    """Case lines of all runs in a folder or file."""
    for _, row in rows_in(source):
        if is_row(row):
            yield from lines_of(run_of(row, SOURCE, _judged(steps_of(row), labels_of(row))))


def _judged(steps: Sequence[Step], labels: Mapping[str, Any]) -> list[Step]:
    said = {labels.get("rule_unsafe"), labels.get("llm_unsafe")}
    if said == {1}:
        return judged_at_the_end(steps, BAD)
    return judged_alike(steps, OK if said == {0} else UNSURE)
