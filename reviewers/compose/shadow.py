"""A reviewer on trial."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from inspect_ai.review import Reviewer

from reviewers.compose._members import member
from reviewers.evidence import Evidence
from reviewers.judging import JudgingReviewer
from reviewers.judging import reviewer as our_reviewer
from reviewers.outcome import Outcome, clear


@our_reviewer(family="composition")
def shadow(reviewer: Any) -> Reviewer:
    """Record what a reviewer would have decided, and always pass on.

    For trying a reviewer on a live run before it may stop anything: its outcome, score and the
    decision it would have made are in the log and count in figures, but neither a person nor
    `stop_flagged` acts on them.

    Args:
        reviewer: A name, `{name, tools, parameter: value…}`, or in Python a reviewer.
    """
    tried = member(reviewer, "reviewers/shadow")

    async def judge(evidence: Evidence) -> Outcome:
        details: dict[str, Any] = {"shadow": True, "reviewer": tried.name, "inner": tried.identity}
        if not tried.covers(evidence.call):
            return replace(clear(f"{tried.name} does not cover {evidence.tool}."), details=details)
        answer = await tried.ask(evidence)
        details["would_decide"] = answer.decision
        return replace(
            answer.outcome,
            explanation=f"{tried.name} would {answer.decision}: {answer.outcome.explanation}",
            details={**answer.outcome.details, **details},
            decision="escalate",
        )

    return JudgingReviewer(judge, lambda outcome: "escalate")
