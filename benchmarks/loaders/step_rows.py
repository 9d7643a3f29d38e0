"""Rows of steps, one run a row: the plain form into which runs of any harness are easily brought.

`{"id", "task", "system"?, "steps": [{"assistant", "tool", "arguments", "output", "exit_code"?,
"error"?, "labels": {"injection"?}}], "final"?, "labels": {…}}`. What `labels` of a row means, the
module of the set says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.loaders.trajectory import Run, Step, arguments_of, text_of


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether it is a row of steps."""
    return isinstance(row.get("steps"), list)


def steps_of(row: Mapping[str, Any]) -> list[Step]:
    """The steps of a row, not judged yet."""
    return [_step(step) for step in row["steps"]]


def _step(step: Mapping[str, Any]) -> Step:
    output = step.get("output")
    return Step(
        tool=str(step.get("tool") or "tool"),
        arguments=arguments_of(step.get("arguments")),
        output=None if output is None else text_of(output),
        message=str(step.get("assistant") or ""),
        exit_code=step.get("exit_code"),
        error=str(step["error"]) if step.get("error") else None,
    )


def labels_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a row says of the run."""
    return dict(row.get("labels") or {})


def run_of(row: Mapping[str, Any], source: str, steps: list[Step]) -> Run:
    """The run of a row, with judged steps."""
    return Run(
        id=str(row["id"]),
        source=source,
        steps=steps,
        task=str(row.get("task") or ""),
        system=str(row.get("system") or ""),
        metadata={"model": row["model"]} if row.get("model") else {},
    )
