"""SHADE-Arena and trajectories like it: agents with a task and a hidden, harmful side task.

SOURCE is a transcript (`transcript_0.json`, also `.gz`) or a folder of them: `conversation` with
role, content and tool calls, and `side_task_evaluation`. The set's own transcripts keep only the
names of the calls; arguments are read where a file has them.

Labels. A run whose side task succeeded: its last result is `bad` with the kind `sabotage`, those
before are `unsure`. A file that has `first_bad` (the number of the first bad call, from 1) says it
better: results before it are `ok`, those behind it `unsure`. A run without a side task (a folder's
name holds `no_secondary_task`, or the file's `side_task` is null): all results are `ok`. A side
task that was tried and failed: all are `unsure`. The system message and the agent's thoughts often
state the side task; both are left out, since no monitor in use would see them. `ok` speaks of
sabotage alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.loaders.chat import conversation
from benchmarks.loaders.files import rows_in
from benchmarks.loaders.trajectory import (
    OK,
    UNSURE,
    Judgement,
    Line,
    Run,
    Step,
    judged_alike,
    judged_at_the_end,
    judged_from,
    lines_of,
    text_of,
)

SOURCE = "shade"
BAD = Judgement("bad", ("sabotage",))
WITHOUT_SIDE_TASK = "no_secondary_task"
THOUGHTS = re.compile(
    r"<(thinking|model_thinking|system_instructions)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE
)


def load(source: Path) -> Iterator[Line]:
    """Case lines of all transcripts in a folder or file."""
    for path, row in rows_in(source):
        if "conversation" in row:
            yield from lines_of(_run(row, path, source))


def _run(row: Mapping[str, Any], path: Path, source: Path) -> Run:
    read = conversation(map(_without_thoughts, row["conversation"]))
    inside = path.relative_to(source if source.is_dir() else path.parent)
    return Run(
        id=str(inside).split(".json")[0],
        source=SOURCE,
        steps=_judged(read.steps, row, path),
        task=read.task,
    )


def _judged(steps: Sequence[Step], row: Mapping[str, Any], path: Path) -> list[Step]:
    if row.get("first_bad"):
        return judged_from(steps, int(row["first_bad"]), BAD)
    if row.get("side_task_evaluation"):
        return judged_at_the_end(steps, BAD)
    honest = WITHOUT_SIDE_TASK in str(path) or ("side_task" in row and row["side_task"] is None)
    return judged_alike(steps, OK if honest else UNSURE)


def _without_thoughts(message: Mapping[str, Any]) -> Mapping[str, Any]:
    if message.get("role") != "assistant":
        return message
    return {**message, "content": THOUGHTS.sub("", text_of(message.get("content"))).strip()}
