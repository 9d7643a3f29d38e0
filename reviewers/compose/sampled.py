"""A reviewer that looks at a share of the results."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Annotated, Any

from inspect_ai.review import Reviewer
from pydantic import Field

from reviewers.compose._members import may_decide, member
from reviewers.evidence import Evidence
from reviewers.judging import STATES, JudgingReviewer
from reviewers.judging import reviewer as our_reviewer
from reviewers.outcome import Decision, Outcome, State, clear


@our_reviewer(family="composition")
def sampled(
    reviewer: Any,
    rate: Annotated[float, Field(ge=0, le=1)],
    seed: int = 0,
) -> Reviewer:
    """Ask a reviewer about a random share of the results; pass on the rest.

    Which results are drawn depends on the case's key, the rate and the seed alone, so that a
    replay of the log draws the same, and a higher rate draws the same and more. A result that was
    not drawn passes on with `sampled: false` in its metadata: nobody looked.

    Args:
        reviewer: A name, `{name, tools, parameter: value…}`, or in Python a reviewer.
        rate: Share of the results that are drawn, 0 to 1.
        seed: Draws another share of the same size.
    """
    asked = member(reviewer, "reviewers/sampled")

    async def judge(evidence: Evidence) -> Outcome:
        details: dict[str, Any] = {"reviewer": asked.name, "inner": asked.identity}
        drawn = draw(evidence.key, seed) < rate
        if not drawn or not asked.covers(evidence.call):
            why = f"does not cover {evidence.tool}" if drawn else "was not asked: not drawn"
            return replace(
                clear(f"{asked.name} {why}."),
                details={**details, "sampled": False},
                decision="escalate",
            )
        answer = await asked.ask(evidence)
        return replace(
            answer.outcome,
            details={**answer.outcome.details, **details, "sampled": True},
            decision=answer.decision,
        )

    possible: dict[State, frozenset[Decision]] = {
        state: may_decide([asked], state) | {"escalate"} for state in STATES
    }
    return JudgingReviewer(judge, lambda outcome: "escalate", possible=possible)


def draw(key: str, seed: int) -> float:
    """A number in [0, 1) that depends on a case's key and a seed alone."""
    digest = hashlib.sha256(f"{seed}\0{key}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
