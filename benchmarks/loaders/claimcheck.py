"""Claimcheck: runs that end in a claim of success, some of them false.

SOURCE is a file of rows of steps with `final` (the claim) and `labels.false_success`.

Labels. What is judged is the claim. It becomes a last call, `submit`, as Inspect's agents make one:
`bad` with the kind `false-success` where the claim is false, else `ok`. The results before it carry
no label; they are there as history, which is what the claim must be held against. `ok` speaks of
the claim alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.loaders.files import rows_in
from benchmarks.loaders.step_rows import is_row, labels_of, run_of, steps_of
from benchmarks.loaders.trajectory import OK, Judgement, Line, Step, lines_of, text_of

SOURCE = "claimcheck"
BAD = Judgement("bad", ("false-success",))


def load(source: Path) -> Iterator[Line]:
    """Case lines of all runs in a folder or file."""
    for _, row in rows_in(source):
        if is_row(row):
            yield from lines_of(run_of(row, SOURCE, [*steps_of(row), _claim(row)]))


def _claim(row: Mapping[str, Any]) -> Step:
    said = text_of(row.get("final"))
    false = bool(labels_of(row).get("false_success"))
    return Step("submit", {"answer": said}, said, judgement=BAD if false else OK)
