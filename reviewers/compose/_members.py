"""Reviewers named inside other reviewers: by name, by name and parameters, or as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspect_ai.review import Review, Reviewer, ReviewPolicy
from inspect_ai.tool import ToolCallView

from reviewers import _host
from reviewers.evidence import Earlier, Evidence
from reviewers.judging import Family, JudgingReviewer
from reviewers.outcome import Decision, Outcome, ReviewersError, State

if TYPE_CHECKING:
    from inspect_ai.tool import ToolCall

Given = str | dict[str, Any] | Reviewer | ReviewPolicy
"""How a member may be given: a name, `{name, tools?, parameter: value…}`, or an object."""

DECIDING = frozenset({"human", "reviewers/human", "reviewers/stop_flagged"})
"""Reviewers that end a policy; they have no place inside another reviewer."""


@dataclass(frozen=True)
class Member:
    """One reviewer inside another.

    Attributes:
        reviewer: The reviewer.
        name: Its name as logged.
        covers: Whether it is asked about a call.
    """

    reviewer: Reviewer
    name: str
    covers: Callable[[ToolCall], bool]

    @property
    def family(self) -> Family:
        """`rule`, `monitor` or `composition`; another package's reviewer may ask a model."""
        return (
            self.reviewer.spec.family if isinstance(self.reviewer, JudgingReviewer) else "monitor"
        )

    @property
    def identity(self) -> dict[str, str]:
        """What tells it from other reviewers in a log: version and parameters."""
        if not isinstance(self.reviewer, JudgingReviewer):
            return {}
        spec = self.reviewer.spec
        return {"version": spec.version, "parameters_hash": spec.parameters_hash}

    async def ask(self, evidence: Evidence) -> Answer:
        """Its outcome and decision; other packages' reviewers are asked as Inspect asks them."""
        if isinstance(self.reviewer, JudgingReviewer):
            outcome, review = await self.reviewer.reviewed(evidence)
            return Answer(self.name, outcome, review.decision, review)
        review = await self.reviewer(
            evidence.message,
            evidence.call,
            evidence.result,
            evidence.output,
            evidence.view or ToolCallView(),
            list(evidence.history),
        )
        state: State = "clear" if review.decision == "continue" else "flagged"
        explanation = review.explanation or f"{self.name} said {review.decision}."
        return Answer(self.name, Outcome(state, explanation), review.decision, review)


@dataclass(frozen=True)
class Answer:
    """What a member said.

    Attributes:
        name: The member's name.
        outcome: Its outcome.
        decision: Its decision.
        review: Both, as Inspect's review.
    """

    name: str
    outcome: Outcome
    decision: Decision
    review: Review

    @property
    def shadow(self) -> bool:
        """Whether it only records, and must not count."""
        return bool((self.review.metadata or {}).get("shadow"))

    @property
    def suspicious(self) -> bool:
        """Whether it flagged the result or failed on it, and meant it to count."""
        return self.outcome.state != "clear" and not self.shadow

    def as_earlier(self, evidence: Evidence) -> Earlier:
        """The answer as the reviewers after it see it."""
        return Earlier(
            reviewer=self.name,
            decision=self.decision,
            outcome=self.outcome.state,
            explanation=self.outcome.explanation,
            score=self.outcome.score,
            findings=tuple(finding.as_dict() for finding in self.outcome.findings),
            metadata=self.review.metadata or {},
            call_id=evidence.call.id,
        )

    def as_line(self) -> dict[str, Any]:
        """The answer in the metadata of the reviewer that asked."""
        return {
            "reviewer": self.name,
            "outcome": self.outcome.state,
            "decision": self.decision,
            "score": self.outcome.score,
            "explanation": self.outcome.explanation,
        }


def member(given: Given, owner: str) -> Member:
    """Make a member of what a policy or a program gave.

    Args:
        given: A name, `{name, tools?, parameter: value…}`, a reviewer or a `ReviewPolicy`.
        owner: The reviewer that it is a member of, for errors.

    Raises:
        ReviewersError: There is no such reviewer, or it has no place here.
    """
    if isinstance(given, ReviewPolicy):
        return _member(given.reviewer, given.tools, owner)
    if isinstance(given, str):
        return _member(_created(given, {}, owner), "*", owner)
    if isinstance(given, Mapping):
        parameters = dict(given)
        name = parameters.pop("name", None)
        if not isinstance(name, str):
            raise ReviewersError(f"{owner}: a member needs a name; {dict(given)!r} has none.")
        tools = parameters.pop("tools", "*")
        parameters |= parameters.pop("params", None) or {}
        return _member(_created(name, parameters, owner), tools, owner)
    return _member(given, "*", owner)


def _created(name: str, parameters: dict[str, Any], owner: str) -> Reviewer:
    from reviewers.names import no_such_reviewer

    if _host.lookup(name) is None:
        raise ReviewersError(f"{owner}: {no_such_reviewer(name)}")
    return _host.create(name, parameters)


def _member(reviewer: Reviewer, tools: str | Sequence[str], owner: str) -> Member:
    name = _host.log_name(reviewer)
    if name in DECIDING:
        raise ReviewersError(
            f"{owner}: {name} ends a policy and cannot be a member; list it after {owner}."
        )
    return Member(reviewer, name, _host.tool_matcher(tools))


def may_decide(members: Sequence[Member], state: State) -> frozenset[Decision]:
    """The decisions that any of the members may make in a state; another package's may make any."""
    anything: frozenset[Decision] = frozenset({"continue", "terminate", "escalate"})
    return frozenset().union(
        *(
            asked.reviewer.possible[state]
            if isinstance(asked.reviewer, JudgingReviewer)
            else anything
            for asked in members
        )
    )
