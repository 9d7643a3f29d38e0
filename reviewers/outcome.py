"""What a reviewer saw and concluded: findings, an outcome, and what becomes of it.

The data flows one way: evidence -> findings -> outcome -> decision. This module holds the last
three, and the one place where an outcome becomes Inspect's `Review`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from reviewers.errors import CouldNotJudge, ReviewersError

if TYPE_CHECKING:
    from inspect_ai.review import Review

__all__ = [
    "STRICTNESS",
    "CouldNotJudge",
    "Decide",
    "Decision",
    "Decisions",
    "Finding",
    "Outcome",
    "ReviewersError",
    "State",
    "clear",
    "failed",
    "flagged",
    "strictest",
    "to_review",
]

Decision = Literal["continue", "terminate", "escalate"]
"""What Inspect does next: go on, end the sample, or ask the next reviewer."""

State = Literal["clear", "flagged", "failed"]
"""What a reviewer concluded: found nothing, found something, or could not judge."""

STRICTNESS: Mapping[str, int] = {"continue": 0, "escalate": 1, "terminate": 2}
"""Decisions from the mildest to the strictest."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a detector saw.

    Attributes:
        what: A plain noun phrase that names the evidence, secrets redacted:
            `curl reached example.com (93.184.216.34)`.
        start: Where it begins, in characters of `place`; None if it has no single place.
        end: Where it ends, exclusive.
        confidence: How sure the detector is, 0 to 1.
        excerpt: A short redacted piece of the text around it.
        place: Which text `start` and `end` count in.
        kind: What the finding is of, where a detector tells several apart (`attempt`, `success`).
    """

    what: str
    start: int | None = None
    end: int | None = None
    confidence: float = 1.0
    excerpt: str = ""
    place: Literal["output", "arguments", "message", "history"] = "output"
    kind: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain JSON values; `place` and `kind` only where they say something."""
        line: dict[str, Any] = {
            "what": self.what,
            "start": self.start,
            "end": self.end,
            "confidence": round(self.confidence, 4),
            "excerpt": self.excerpt,
        }
        if self.place != "output":
            line["place"] = self.place
        if self.kind:
            line["kind"] = self.kind
        return line


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a reviewer concluded about one tool result. It knows no decision.

    Attributes:
        state: `clear`, `flagged` or `failed`. A failure is never counted as clear.
        explanation: One plain sentence that names the evidence, secrets redacted.
        score: How suspicious, 0 to 1; None where the reviewer does not rank.
        findings: What was seen, the most certain first.
        reason: The short name of a failure (`no target`, `timed out`); empty otherwise.
        usage: What asking models cost: tokens, cost in dollars, requests; empty for rules.
        details: More for the log, as plain JSON values.
        decision: Set only by a reviewer that decides rather than judges: a person, a panel.
    """

    state: State
    explanation: str
    score: float | None = None
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    decision: Decision | None = None


def clear(explanation: str = "Nothing was found.", score: float | None = None) -> Outcome:
    """An outcome of a reviewer that looked and found nothing."""
    return Outcome("clear", explanation, score=score)


def failed(reason: str, explanation: str | None = None, **more: Any) -> Outcome:
    """An outcome of a reviewer that could not judge.

    Args:
        reason: The short name of what went wrong.
        explanation: One sentence; made from the reason by default.
        more: Further fields of `Outcome`.
    """
    return Outcome("failed", explanation or f"Could not judge: {reason}.", reason=reason, **more)


def flagged(findings: Iterable[Finding], explanation: str | None = None) -> Outcome:
    """An outcome made of findings; `clear` if there are none.

    The score is the confidence of the most certain finding.

    Args:
        findings: What was seen, in any order.
        explanation: One sentence; names the most certain finding by default.
    """
    ranked = tuple(sorted(findings, key=lambda finding: -finding.confidence))
    if not ranked:
        return clear(score=0.0)
    return Outcome(
        "flagged", explanation or _name(ranked), score=ranked[0].confidence, findings=ranked
    )


def _name(findings: tuple[Finding, ...]) -> str:
    what = findings[0].what
    sentence = what[:1].upper() + what[1:]
    others = len(findings) - 1
    if others:
        sentence += f", and {others} more finding{'s' if others > 1 else ''}"
    return sentence if sentence.endswith((".", "!", "?")) else sentence + "."


@dataclass(frozen=True, slots=True)
class Decisions:
    """How a rule's outcome becomes a decision; the parameters that all rules share.

    Attributes:
        on_flag: Decision when something was found.
        on_clear: Decision when nothing was found.
        on_failure: Decision when it could not judge.
    """

    on_flag: Decision = "terminate"
    on_clear: Decision = "escalate"
    on_failure: Decision = "escalate"

    def __post_init__(self) -> None:
        for name in ("on_flag", "on_clear", "on_failure"):
            decision = getattr(self, name)
            if decision not in STRICTNESS:
                wanted = f"it should be one of {', '.join(STRICTNESS)}."
                raise ReviewersError(f"{name} is {decision!r}; {wanted}")

    def __call__(self, outcome: Outcome) -> Decision:
        """The decision for an outcome."""
        return {"flagged": self.on_flag, "clear": self.on_clear, "failed": self.on_failure}[
            outcome.state
        ]


Decide = Callable[[Outcome], Decision]
"""Turns an outcome into a decision."""


def strictest(decisions: Iterable[Decision]) -> Decision:
    """The strictest of several decisions; `continue` of none."""
    return max(decisions, key=STRICTNESS.__getitem__, default="continue")


MAX_LOGGED_FINDINGS = 50
"""Findings kept in a review's metadata; the rest are counted in `findings_left_out`."""


def to_review(
    outcome: Outcome, decision: Decision, *, seconds: float, version: str, parameters_hash: str
) -> Review:
    """The one place where an outcome becomes Inspect's `Review`.

    Args:
        outcome: What was concluded.
        decision: What is to be done about it.
        seconds: Wall-clock time that judging took.
        version: Version of the reviewer (for a monitor with the hash of its prompt).
        parameters_hash: Hash of the reviewer's name and its parameters, defaults included.
    """
    from inspect_ai.review import Review

    metadata: dict[str, Any] = {
        "outcome": outcome.state,
        "score": outcome.score,
        "findings": [finding.as_dict() for finding in outcome.findings[:MAX_LOGGED_FINDINGS]],
        "usage": dict(outcome.usage),
        "seconds": round(seconds, 6),
        "version": version,
        "parameters_hash": parameters_hash,
        **outcome.details,
    }
    if outcome.reason:
        metadata["reason"] = outcome.reason
    left_out = len(outcome.findings) - MAX_LOGGED_FINDINGS
    if left_out > 0:
        metadata["findings_left_out"] = left_out
    return Review(decision=decision, explanation=outcome.explanation, metadata=metadata)
