"""One reviewer made of several that all look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
from inspect_ai.review import Reviewer

from reviewers import _host
from reviewers.compose._members import Answer, Given, Member, may_decide, member
from reviewers.evidence import Evidence
from reviewers.judging import JudgingReviewer, reviewer
from reviewers.outcome import Decision, Outcome, ReviewersError, State, strictest
from reviewers.parameters import Seconds


@reviewer(family="composition")
def panel(
    reviewers: list[Any] | None = None,
    pack: str | None = None,
    on_flag: Decision | None = None,
    on_clear: Decision = "continue",
    on_failure: Decision | None = None,
    timeout_s: Seconds | None = None,
) -> Reviewer:
    """Let several reviewers look at the same result; the strictest decision wins.

    Rules look first, one after the other; models are asked, all at once, only if no rule has
    terminated. Each member's decision is recorded as a review of its own. A member that found
    nothing does not count, whatever its own `on_clear`: only if all are clear is the panel clear.
    Leaves alone what its members leave alone, and asks nobody about a tool that no member covers.

    Args:
        reviewers: Members: names, or `{name, tools, parameter: value…}`; in Python also reviewers
            and `ReviewPolicy` objects. Reviewers that end a policy cannot be members.
        pack: Name of a pack whose reviewers are the members; instead of `reviewers`.
        on_flag: Decision when a member flagged; by default the strictest of those that did.
        on_clear: Decision when every member was clear.
        on_failure: Decision when none flagged and a member could not judge; by default the
            strictest of those that failed.
        timeout_s: Wall-clock backstop in seconds for all together; none by default, since each
            member has its own.
    """
    members = [member(given, "reviewers/panel") for given in _given(reviewers, pack)]

    async def judge(evidence: Evidence) -> Outcome:
        answers = await ask_all(members, evidence)
        for answer in answers:
            _host.record_review(answer.name, evidence.message, evidence.call, answer.review)
        return combine(answers, on_flag, on_failure)

    possible: dict[State, frozenset[Decision]] = {
        "clear": frozenset({on_clear}),
        "flagged": frozenset({on_flag}) if on_flag else may_decide(members, "flagged"),
        "failed": frozenset({on_failure}) if on_failure else may_decide(members, "failed"),
    }
    return JudgingReviewer(judge, lambda outcome: on_clear, timeout_s, possible=possible)


def _given(reviewers: list[Any] | None, pack: str | None) -> Sequence[Given]:
    if (reviewers is None) == (pack is None):
        raise ReviewersError("reviewers/panel: give either reviewers or pack, and not both.")
    if pack is not None:
        from reviewers.packs import pack_members

        return pack_members(pack)
    if not reviewers:
        raise ReviewersError("reviewers/panel: reviewers is empty; name at least one.")
    return reviewers


async def ask_all(members: Sequence[Member], evidence: Evidence) -> list[Answer]:
    """Ask the members that cover the call: rules first, then models unless a rule terminated.

    Models see what the rules found. Answers come in the order of the members.
    """
    covering = [member for member in members if member.covers(evidence.call)]
    answers: dict[int, Answer] = {}
    for place, asked in enumerate(covering):
        if asked.family != "monitor":
            answers[place] = await asked.ask(evidence)
    rules = list(answers.values())
    if not any(answer.decision == "terminate" for answer in rules):
        said = [answer.as_earlier(evidence) for answer in rules]
        informed = evidence.with_earlier([*evidence.earlier, *said])

        async def ask(place: int, asked: Member) -> None:
            answers[place] = await asked.ask(informed)

        async with anyio.create_task_group() as group:
            for place, asked in enumerate(covering):
                if asked.family == "monitor":
                    group.start_soon(ask, place, asked)
    return [answers[place] for place in sorted(answers)]


def combine(
    answers: Sequence[Answer],
    on_flag: Decision | None = None,
    on_failure: Decision | None = None,
) -> Outcome:
    """What a panel concludes from its members' answers.

    Args:
        answers: What the members said.
        on_flag: Decision when one flagged; None: the strictest of those that did.
        on_failure: Decision when none flagged and one failed; None: the strictest of those.
    """
    counting = [answer for answer in answers if answer.suspicious]
    details = {"members": [answer.as_line() for answer in answers]}
    scores = [a.outcome.score for a in answers if a.outcome.score is not None and not a.shadow]
    score = max(scores, default=None)
    if not counting:
        looked = f"{len(answers)} reviewer{'' if len(answers) == 1 else 's'} looked"
        return Outcome("clear", f"Nothing was found; {looked}.", score=score, details=details)
    states = {answer.outcome.state for answer in counting}
    state: State = "flagged" if "flagged" in states else "failed"
    chosen = on_flag if state == "flagged" else on_failure
    decision = chosen or strictest(answer.decision for answer in counting)
    counting.sort(key=lambda answer: answer.outcome.state != "flagged")
    return Outcome(
        state,
        " ".join(f"{answer.name}: {answer.outcome.explanation}" for answer in counting),
        score=score,
        findings=tuple(f for answer in counting for f in answer.outcome.findings),
        reason=", ".join(a.outcome.reason for a in counting) if state == "failed" else "",
        details=details,
        decision=decision,
    )
