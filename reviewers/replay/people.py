"""Persons in a replay: what they decided live is replayed, and nobody is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reviewers import _host
from reviewers.evidence import Earlier, Evidence
from reviewers.outcome import Outcome, failed, to_review
from reviewers.replay.outcomes import WOULD_ASK
from reviewers.transcript import evidence_of, said
from reviewers.version import VERSION

if TYPE_CHECKING:
    from inspect_ai.review import Review, Reviewer


def recorded_decision(evidence: Evidence) -> Outcome:
    """What a person decided about this call live; else `failed: would ask`."""
    decided = person_of(evidence)
    if decided is None:
        return failed(
            WOULD_ASK,
            "A person would be asked; the log has no decision of theirs.",
            details={"asked": False},
            decision="escalate",
        )
    return Outcome(
        "clear" if decided.decision == "continue" else "flagged",
        decided.explanation,
        details={"asked": True},
        decision=decided.decision,  # type: ignore[arg-type]
    )


def person_of(evidence: Evidence) -> Earlier | None:
    """A person's recorded decision about a call."""
    reviews = getattr(evidence.surroundings, "reviews", None)
    if reviews is None:
        return None
    return next((decided for event in reviews() if (decided := said(event)).asked), None)


def without_people(reviewer: Reviewer) -> Reviewer:
    """The same reviewer; Inspect's own `human` as one that replays what was decided live."""
    if _host.log_name(reviewer) != "human":
        return reviewer
    stand_in = RecordedPerson()
    _host.tag(RecordedPerson, stand_in, "human", (), {})
    return stand_in


class RecordedPerson:
    """Stands in for Inspect's `human`."""

    async def __call__(
        self, message: str, call: Any, result: Any, output: Any, view: Any, history: Any
    ) -> Review:
        """Inspect's reviewer protocol."""
        outcome = recorded_decision(evidence_of(message, call, result, output, view, history))
        decision = outcome.decision or "escalate"
        return to_review(outcome, decision, seconds=0.0, version=VERSION, parameters_hash="")
