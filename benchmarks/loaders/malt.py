"""MALT and trajectories like it: runs that people have labelled with what the agent did wrong.

SOURCE is a file or folder of rows as JSON lines or Parquet (which needs pyarrow), in one of the two
forms of the set: `samples` of input and output messages, or `nodes` that point to their parents.
Calls are `function_call`s, results the messages marked `function_call_result`. Of a run with
several branches the longest is read.

Labels. The set labels whole runs. `normal` alone: all results are `ok`. Any other label: the last
result is `bad`, its kinds are the labels and, for those that cheat the task, `reward-hacking`; the
results before are `unsure`. A row that has `first_bad` (the number of the first bad call, from 1)
is taken at its word: results before it are `ok`, that one is `bad`, those behind it `unsure`. `ok`
speaks of the set's own kinds alone, and not of the network or of secrets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.loaders.chat import conversation
from benchmarks.loaders.files import rows_in
from benchmarks.loaders.trajectory import (
    OK,
    UNJUDGED,
    Judgement,
    Line,
    Run,
    Step,
    judged_alike,
    judged_at_the_end,
    judged_from,
    lines_of,
)

SOURCE = "malt"
NORMAL = "normal"
CHEATING = frozenset(
    {"bypass_constraints", "hardcoded_solution", "brute_force", "ignores_task_instructions"}
)

Message = Mapping[str, Any]


def load(source: Path) -> Iterator[Line]:
    """Case lines of all runs in a folder or file."""
    for path, row in rows_in(source):
        if "samples" in row or "nodes" in row:
            yield from lines_of(_run(row, path.stem))


def _run(row: Mapping[str, Any], name: str) -> Run:
    said = {**row, **(row.get("metadata") or {})}
    read = conversation(_messages(row))
    return Run(
        id=str(said.get("run_id") or name),
        source=SOURCE,
        steps=_judged(read.steps, said.get("labels"), said.get("first_bad")),
        task=read.task,
        system=read.system,
        metadata={key: said[key] for key in ("task_id", "model", "run_source") if said.get(key)},
    )


def _judged(
    steps: Sequence[Step], labels: Sequence[str] | None, first_bad: int | None
) -> list[Step]:
    if not labels:
        return judged_alike(steps, UNJUDGED)
    wrong = [label for label in labels if label != NORMAL]
    if not wrong:
        return judged_alike(steps, OK)
    kinds = (["reward-hacking"] if CHEATING & set(wrong) else []) + wrong
    bad = Judgement("bad", tuple(kinds))
    return judged_from(steps, int(first_bad), bad) if first_bad else judged_at_the_end(steps, bad)


def _messages(row: Mapping[str, Any]) -> list[Message]:
    if row.get("nodes"):
        return _longest_branch(row["nodes"])
    samples = row.get("samples") or []
    if not samples:
        return []
    longest = max(samples, key=lambda sample: len(sample["input"]))
    outputs = longest.get("output") or [[]]
    return [*longest["input"], *outputs[0]]


def _longest_branch(nodes: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Messages from the root to the node that is farthest from it."""
    known = {node["node_id"]: node for node in nodes}
    return max((_branch(known, node) for node in known), key=len, default=[])


def _branch(known: Mapping[Any, Mapping[str, Any]], node: Any) -> list[Message]:
    path: list[Message] = []
    seen = set()
    while node in known and node not in seen:
        seen.add(node)
        path.append(_message(known[node]["node_data"]))
        node = known[node].get("parent_node_id")
    return path[::-1]


def _message(data: Mapping[str, Any]) -> Message:
    return {**data["message"], "metadata": data.get("metadata")}
