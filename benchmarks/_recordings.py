"""Recorded agent work as evidence, for the measurements of rules. Absent files give nothing."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reviewers.case import RecordedSurroundings
from reviewers.evidence import Evidence, PastCall
from reviewers.judging import Find, found
from reviewers.outcome import Outcome

RUN_FILES = ("openagentsafety", "terminal_bench", "agentdojo_recorded", "claimcheck")
"""Files whose rows are whole runs with steps."""


@dataclass(frozen=True)
class Recorded:
    """One recorded tool result.

    Attributes:
        source: Where it comes from.
        run: The run that it belongs to.
        step: Its place in the run, from 0.
        evidence: All that is known of it.
        labels: What the recording says of the run and the step.
    """

    source: str
    run: str
    step: int
    evidence: Evidence
    labels: Mapping[str, Any] = field(default_factory=dict)


class _Surroundings(RecordedSurroundings):
    def __init__(self, line: Mapping[str, Any], past: Sequence[PastCall]) -> None:
        super().__init__(line)
        self._past = tuple(past)

    def past_calls(self) -> tuple[PastCall, ...]:
        return self._past


def observations(data: Path) -> Iterator[Recorded]:
    """Ordinary tool results: single ones, grouped by transcript in the order recorded."""
    past: dict[str, list[PastCall]] = {}
    for row in rows(data / "observations.jsonl.gz"):
        before = past.setdefault(row["transcript"], [])
        line = {
            "tool": row["tool"],
            "arguments": {"command": row["command"]},
            "output": row["output"],
            "exit_code": row["exit_code"],
        }
        yield Recorded(
            row["source"], row["transcript"], len(before), _evidence(line, before), row["hints"]
        )


def runs(data: Path, name: str) -> Iterator[list[Recorded]]:
    """Whole runs of one of `RUN_FILES`, each a list of its tool results."""
    for row in rows(data / f"{name}.jsonl.gz"):
        past: list[PastCall] = []
        run = []
        for step in row["steps"]:
            if not step.get("tool"):
                continue
            line = {
                "tool": step["tool"],
                "arguments": step["arguments"] if isinstance(step["arguments"], dict) else {},
                "output": _text(step.get("output")),
                "exit_code": step.get("exit_code"),
                "message": step.get("assistant") or "",
                "input": [{"role": "user", "content": row.get("task") or ""}],
            }
            labels = {**(row.get("labels") or {}), **(step.get("labels") or {})}
            recorded = Recorded(row["source"], row["id"], len(past), _evidence(line, past), labels)
            run.append(recorded)
        if run:
            yield run


def inspect_log(path: Path) -> Iterator[Recorded]:
    """The tool results of an Inspect log, with their sample's target."""
    if not path.exists():
        return
    from inspect_ai.log import read_eval_log

    for sample in read_eval_log(str(path)).samples or []:
        past: list[PastCall] = []
        for event in sample.events:
            if event.event == "tool":
                line = {
                    "tool": event.function,
                    "arguments": event.arguments,
                    "output": _text(event.result),
                    "target": sample.target,
                    "input": [{"role": "user", "content": _question(sample.input)}],
                }
                yield Recorded(path.name, str(sample.id), len(past), _evidence(line, past))


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a compressed JSON Lines file; none if it is absent."""
    if not path.exists():
        return
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


@dataclass
class Tally:
    """What a detector said of many results.

    Attributes:
        results: How many results it judged.
        seconds: How long it took for all of them.
        flagged: The flagged ones with the outcome.
        failed: Failures by reason.
    """

    results: int = 0
    seconds: float = 0.0
    flagged: list[tuple[Recorded, Outcome]] = field(default_factory=list)
    failed: dict[str, int] = field(default_factory=dict)

    @property
    def figures(self) -> dict[str, object]:
        """The counts as plain values."""
        milliseconds = 1000 * self.seconds / max(1, self.results)
        return {
            "results": self.results,
            "flagged": len(self.flagged),
            "flagged_per_1000": round(1000 * len(self.flagged) / max(1, self.results), 2),
            "failed": dict(self.failed),
            "mean_ms": round(milliseconds, 4),
        }


def tally(find: Find, recorded: Iterable[Recorded]) -> Tally:
    """Run a find function over results."""
    counts = Tally()
    for result in recorded:
        started = time.perf_counter()
        outcome = found(find, result.evidence)
        counts.seconds += time.perf_counter() - started
        counts.results += 1
        if outcome.state == "flagged":
            counts.flagged.append((result, outcome))
        elif outcome.state == "failed":
            counts.failed[outcome.reason] = counts.failed.get(outcome.reason, 0) + 1
    return counts


def milliseconds(act: Callable[[], object], times: int = 50) -> float:
    """Median time of something done several times."""
    took = []
    for _ in range(times):
        started = time.perf_counter()
        act()
        took.append(time.perf_counter() - started)
    return round(1000 * sorted(took)[times // 2], 4)


def _evidence(line: dict[str, Any], past: list[PastCall]) -> Evidence:
    """The evidence of a case line after past calls, to which its own call is then added."""
    from inspect_ai.model import ChatMessageTool
    from inspect_ai.tool import ToolCall

    call = ToolCall(id=f"call_{len(past)}", function=line["tool"], arguments=line["arguments"])
    evidence = Evidence(
        message=line.get("message", ""),
        call=call,
        result=ChatMessageTool(content=line["output"], function=line["tool"]),
        output=line["output"],
        surroundings=_Surroundings(line, past),
    )
    past.append(PastCall(call.id, call.function, call.arguments, line["output"]))
    return evidence


def _text(output: Any) -> str:
    if output is None:
        return ""
    return output if isinstance(output, str) else json.dumps(output)


def _question(given: Any) -> str:
    return given if isinstance(given, str) else "\n".join(message.text for message in given)
