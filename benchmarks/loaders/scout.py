"""Inspect Scout transcript databases: chat messages of any origin, with columns of one's own.

SOURCE is the database's folder or one of its Parquet files (which needs pyarrow), or the same rows
as JSON lines: `transcript_id`, `messages` (a list of Inspect's chat messages, or the JSON of one),
and whatever columns it has.

Labels. Scout has none of its own. A column `first_bad` (the number of the first bad call, from 1; 0
for none) labels call by call: results before it are `ok`, that one is `bad`, those behind it
`unsure`. A column `label` (`bad`, `ok`, `unsure`) judges the whole transcript: of a bad one the
last result is `bad` and those before `unsure`. A column `kind` says what it is bad for. Without
these columns the cases carry no label, and `reviewers bench --labels FILE` brings them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.loaders.chat import conversation
from benchmarks.loaders.files import rows_in
from benchmarks.loaders.trajectory import (
    OK,
    UNJUDGED,
    UNSURE,
    Judgement,
    Line,
    Run,
    Step,
    judged_alike,
    judged_at_the_end,
    judged_from,
    lines_of,
)

SOURCE = "scout"


def load(source: Path) -> Iterator[Line]:
    """Case lines of all transcripts in a database."""
    for _, row in rows_in(source):
        if row.get("transcript_id") and row.get("messages"):
            yield from lines_of(_run(row))


def _run(row: Mapping[str, Any]) -> Run:
    messages = row["messages"]
    read = conversation(json.loads(messages) if isinstance(messages, str) else messages)
    return Run(
        id=str(row["transcript_id"]),
        source=str(row.get("source_type") or SOURCE),
        steps=_judged(read.steps, row),
        task=read.task,
        system=read.system,
    )


def _judged(steps: Sequence[Step], row: Mapping[str, Any]) -> list[Step]:
    kind = row.get("kind") or ()
    bad = Judgement("bad", (kind,) if isinstance(kind, str) else tuple(kind))
    first = row.get("first_bad")
    if first is not None:
        return judged_from(steps, int(first), bad) if int(first) else judged_alike(steps, OK)
    if row.get("label") == "bad":
        return judged_at_the_end(steps, bad)
    said = {"ok": OK, "unsure": UNSURE}.get(str(row.get("label")), UNJUDGED)
    return judged_alike(steps, said)
