"""One reviewer's outcome on one case, and its line of JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from reviewers.case import Case, Label
from reviewers.outcome import Decision, State

STATES: Mapping[str, int] = {"clear": 0, "failed": 1, "flagged": 2}
"""Outcomes from the mildest to the strictest."""

WOULD_ASK = "would ask"
"""Reason of a human step that has no recorded decision."""


# Not frozen: one is made for every reviewer of every case, and freezing takes four times as long.
@dataclass(slots=True)
class OutcomeLine:
    """What one reviewer concluded about one case.

    Attributes:
        id: The case's key.
        reviewer: Alias, else name; a second one of the same name is `NAME#2`.
        outcome: `clear`, `flagged` or `failed`.
        decision: Inspect's decision.
        score: 0 to 1, or None.
        explanation: One sentence.
        findings: What was seen, as plain JSON values.
        fidelity: How the case differs from what a reviewer saw live; empty if it is the same.
        seconds: Time that judging took.
        reason: Short name of a failure.
        usage: What asking models cost.
        version: Version of the reviewer.
        parameters_hash: Hash of its name and parameters.
        part_of: The policy that asked it; empty for a policy itself, and for a reviewer alone.
        would_ask: Whether a person would have had to be asked.
        covered: Whether any reviewer of the policy covers the call.
        tool: The tool that was called.
        sample: The sample that the case belongs to.
        source: The log or case file.
        label: What a person said of the case, where its file does.
        kinds: What it is bad for.
    """

    id: str
    reviewer: str
    outcome: State
    decision: Decision
    score: float | None = None
    explanation: str = ""
    findings: Sequence[Mapping[str, Any]] = ()
    fidelity: tuple[str, ...] = ()
    seconds: float = 0.0
    reason: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    parameters_hash: str = ""
    part_of: str = ""
    would_ask: bool = False
    covered: bool = True
    tool: str = ""
    sample: str = ""
    source: str = ""
    label: Label | None = None
    kinds: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The line as plain JSON values; beyond the fixed keys only what says something."""
        line: dict[str, Any] = {name: _plain(getattr(self, name)) for name in FIXED}
        for name in OPTIONAL:
            value = getattr(self, name)
            if value != DEFAULTS[name]:
                line[name] = _plain(value)
        return line


FIXED = (
    "id",
    "reviewer",
    "outcome",
    "decision",
    "score",
    "explanation",
    "findings",
    "fidelity",
    "seconds",
)
OPTIONAL = (
    "reason",
    "usage",
    "version",
    "parameters_hash",
    "part_of",
    "would_ask",
    "covered",
    "tool",
    "sample",
    "source",
    "label",
    "kinds",
)
DEFAULTS = {name: getattr(OutcomeLine("", "", "clear", "continue"), name) for name in OPTIONAL}


def line_from_dict(line: Mapping[str, Any]) -> OutcomeLine:
    """The line that `OutcomeLine.as_dict` gave."""
    fields = {name: line[name] for name in (*FIXED, *OPTIONAL) if name in line}
    for name in ("fidelity", "kinds", "findings"):
        fields[name] = tuple(fields.get(name, ()))
    return OutcomeLine(**fields)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def line_of(
    case: Case,
    reviewer: str,
    decision: Decision,
    explanation: str,
    metadata: Mapping[str, Any],
    **more: Any,
) -> OutcomeLine:
    """The line for a review, also of another package's reviewer.

    Args:
        case: The case.
        reviewer: Its name in figures.
        decision: What it decided.
        explanation: Its sentence.
        metadata: The review's metadata. Without an outcome in it, terminate and escalate count as
            flagged.
        more: Further fields.
    """
    state = metadata.get("outcome")
    if state not in STATES:
        state = "clear" if decision == "continue" else "flagged"
    score = metadata.get("score")
    return OutcomeLine(
        id=case.id,
        reviewer=reviewer,
        outcome=cast("State", state),
        decision=decision,
        score=score if isinstance(score, int | float) else None,
        explanation=explanation,
        findings=tuple(metadata.get("findings") or ()),
        fidelity=more.pop("fidelity", case.fidelity),
        seconds=float(metadata.get("seconds") or 0.0),
        reason=str(metadata.get("reason") or ""),
        usage=metadata.get("usage") or {},
        version=str(metadata.get("version") or ""),
        parameters_hash=str(metadata.get("parameters_hash") or ""),
        would_ask=metadata.get("reason") == WOULD_ASK,
        tool=case.evidence.tool,
        sample=case.sample,
        source=case.source,
        label=case.label,
        kinds=case.kinds,
        **more,
    )


def policy_line(
    case: Case, policy: str, decision: Decision, members: Sequence[OutcomeLine], seconds: float
) -> OutcomeLine:
    """A policy's line: the strictest outcome of the reviewers that it asked.

    Args:
        case: The case.
        policy: The policy's name.
        decision: What the policy decided.
        members: The lines of the reviewers that were asked.
        seconds: Time that all took together.
    """
    covered = bool(members)
    if not covered:
        return replace(
            line_of(case, policy, decision, "No reviewer of the policy covers this call.", {}),
            outcome="clear",
            covered=False,
            seconds=seconds,
        )
    judging = [line for line in members if not line.would_ask] or list(members)
    first = max(judging, key=lambda line: STATES[line.outcome])
    return replace(
        first,
        reviewer=policy,
        decision=decision,
        score=max((line.score for line in members if line.score is not None), default=None),
        fidelity=tuple(dict.fromkeys(name for line in members for name in line.fidelity)),
        seconds=seconds,
        usage=total_usage(members),
        version="",
        parameters_hash="",
        part_of="",
        would_ask=any(line.would_ask for line in members),
    )


def total_usage(lines: Iterable[OutcomeLine]) -> dict[str, Any]:
    """Numbers of several usages added up by name."""
    total: dict[str, Any] = {}
    for line in lines:
        for name, value in line.usage.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                total[name] = total.get(name, 0) + value
    return total
