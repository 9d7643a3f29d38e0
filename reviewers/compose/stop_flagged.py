"""The brake at the end of a policy without a person."""

from __future__ import annotations

from inspect_ai.review import Reviewer

from reviewers.evidence import Evidence
from reviewers.judging import JudgingReviewer, reviewer
from reviewers.outcome import Decision, Outcome, State

STOPS: dict[State, frozenset[Decision]] = {
    "clear": frozenset({"continue"}),
    "flagged": frozenset({"terminate"}),
    "failed": frozenset({"terminate"}),
}


@reviewer(family="composition")
def stop_flagged() -> Reviewer:
    """Stop what an earlier reviewer of this call flagged or failed on and nobody decided.

    Belongs at the end of a policy: Inspect lets an escalation that nobody takes continue. Leaves
    alone what every earlier reviewer found clear, and what was only recorded by `shadow`.
    """

    async def judge(evidence: Evidence) -> Outcome:
        return outcome_of(evidence)

    return JudgingReviewer(judge, lambda outcome: "continue", possible=STOPS)


def outcome_of(evidence: Evidence) -> Outcome:
    """The strictest earlier outcome of this call, and the decision that follows."""
    open_ = [earlier for earlier in evidence.earlier if earlier.suspicious]
    if not open_:
        return Outcome("clear", "No earlier reviewer flagged this result or failed on it.")
    open_.sort(key=lambda earlier: earlier.outcome != "flagged")
    first = open_[0]
    verb = "flagged this result" if first.outcome == "flagged" else "could not judge this result"
    more = f" ({len(open_)} reviewers in all.)" if len(open_) > 1 else ""
    return Outcome(
        "flagged" if first.outcome == "flagged" else "failed",
        f"Stopped: {first.reviewer} {verb} and nobody decided. {first.explanation}{more}".strip(),
        score=max((e.score for e in open_ if e.score is not None), default=None),
        reason="" if first.outcome == "flagged" else "an earlier reviewer failed",
        details={"because_of": [earlier.reviewer for earlier in open_]},
        decision="terminate",
    )
