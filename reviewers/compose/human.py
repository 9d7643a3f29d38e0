"""The person at the end of a policy, who sees why they are asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Literal

from inspect_ai.review import Review, Reviewer, human_reviewer
from inspect_ai.tool import ToolCallContent, ToolCallView

from reviewers.evidence import Earlier, Evidence
from reviewers.judging import JudgingReviewer, reviewer
from reviewers.outcome import Decision, Outcome, ReviewersError

NOBODY_WAS_ASKED = "Nobody was asked: nothing was flagged."

replayed_decision: ContextVar[Callable[[Evidence], Outcome] | None] = ContextVar(
    "reviewers_replayed_decision", default=None
)
"""Set by a replay, which must not ask anybody: gives what the person decided live."""


@reviewer(family="composition")
def human(
    when: Literal["flagged", "always"] = "flagged",
    choices: list[Decision] | None = None,
) -> Reviewer:
    """Ask a person about what was flagged or could not be judged, and show them why.

    Belongs at the end of a policy. The person sees the call, its result and what every earlier
    reviewer of this call said, with scores and reasons, on Inspect's own surfaces (an attached
    ACP client, the panel, the console). Leaves alone what nobody flagged or failed on: it
    continues without asking, and says so (`metadata.asked` is false).

    Args:
        when: `flagged` asks only where an earlier reviewer flagged the call or failed on it;
            `always` asks about every result.
        choices: What the person may choose from; `continue` and `terminate` by default.
    """
    offered: list[Decision] = choices or ["continue", "terminate"]
    if not set(offered) & {"continue", "terminate"}:
        raise ReviewersError(
            "reviewers/human: choices has neither 'continue' nor 'terminate'; "
            "the person could not decide."
        )
    ask = human_reviewer(choices=offered)

    async def judge(evidence: Evidence) -> Outcome:
        if when == "flagged" and not any(earlier.suspicious for earlier in evidence.earlier):
            return Outcome("clear", NOBODY_WAS_ASKED, details={"asked": False}, decision="continue")
        replayed = replayed_decision.get()
        if replayed is not None:
            return replayed(evidence)
        review = await ask(
            evidence.message,
            evidence.call,
            evidence.result,
            evidence.output,
            view_with_reasons(evidence.view or ToolCallView(), evidence.earlier),
            list(evidence.history),
        )
        return outcome_of(review)

    decided = frozenset(offered)
    return JudgingReviewer(
        judge,
        lambda outcome: "terminate",
        possible={"clear": frozenset({"continue"}), "flagged": decided, "failed": decided},
    )


def outcome_of(review: Review) -> Outcome:
    """A person's decision as an outcome: what they stopped counts as flagged, the rest clear."""
    return Outcome(
        "clear" if review.decision == "continue" else "flagged",
        review.explanation or f"A person chose {review.decision}.",
        details={"asked": True},
        decision=review.decision,
    )


def view_with_reasons(view: ToolCallView, earlier: Sequence[Earlier]) -> ToolCallView:
    """The call's view with what earlier reviewers said in its context; a context there is kept.

    The reasons are text that agents and tools can influence: placeholders, which the surfaces
    would fill from the call's arguments, are broken, and control characters are made visible.
    """
    # A panel only repeats what its members' own reviews say.
    single = [said for said in earlier if "members" not in said.metadata]
    reasons = harmless("\n".join(reason(said) for said in single) or "No reviewer looked.")
    if view.context is None:
        context = ToolCallContent(title="Reviewers", format="text", content=reasons)
    elif view.context.format == "markdown":
        fence = "`" * max(3, longest_run(reasons, "`") + 1)
        context = view.context.model_copy(
            update={"content": f"{view.context.content}\n\n{fence}\n{reasons}\n{fence}"}
        )
    else:
        context = view.context.model_copy(
            update={"content": f"{view.context.content}\n\n{reasons}"}
        )
    return ToolCallView(context=context, call=view.call)


def reason(said: Earlier) -> str:
    """One line: who said what, how sure, and why."""
    verb = {"flagged": "flagged it", "failed": "could not judge it", "clear": "found nothing"}
    score = "" if said.score is None else f", score {said.score:.2f}"
    shadow = ", on trial" if said.metadata.get("shadow") else ""
    explanation = f": {said.explanation}" if said.explanation else "."
    return f"{said.reviewer} {verb[said.outcome]}{score}{shadow}{explanation}"


CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def harmless(text: str) -> str:
    """Text that can neither be filled in, nor move a cursor, nor hide a part of itself."""
    visible = CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    visible = visible.encode("utf-8", "backslashreplace").decode("utf-8")
    return re.sub(r"\{(?=\{)", "{ ", visible)


def longest_run(text: str, character: str) -> int:
    """Length of the longest run of a character."""
    return max((len(run) for run in re.findall(f"{re.escape(character)}+", text)), default=0)
