"""A monitor: a reviewer that asks a model about one tool result."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from reviewers.evidence import Evidence
from reviewers.hiding import make_ready, without_secrets
from reviewers.judging import JudgingReviewer
from reviewers.monitors import failures
from reviewers.monitors.asking import Asked, Budget, Question, as_line, ask
from reviewers.monitors.failures import Failure
from reviewers.monitors.material import Material, material
from reviewers.monitors.memory import Spent, memory_of
from reviewers.monitors.models import forms, monitor_model
from reviewers.monitors.prompt import Prompt
from reviewers.monitors.quotes import findings_of
from reviewers.monitors.recorded import Asking, asking, not_asked, outcome_from, reusable
from reviewers.monitors.settings import Combine, Settings
from reviewers.monitors.verdict import Verdict, combined
from reviewers.outcome import Decision, Outcome
from reviewers.version import VERSION

if TYPE_CHECKING:
    from inspect_ai.model import Model

FIRST, MAIN = "first", "main"

AT_ONCE = 8
"""Requests of one review that are under way at the same time."""


@dataclass(frozen=True)
class Thresholds:
    """How a monitor's outcome becomes a decision.

    Attributes:
        escalate_at: Score from which a result goes to the next reviewer.
        terminate_at: Score from which the sample ends; None for never.
        on_clear: Decision below `escalate_at`.
        on_failure: Decision when it could not judge.
    """

    escalate_at: float
    terminate_at: float | None = None
    on_clear: Decision = "continue"
    on_failure: Decision = "escalate"

    def __call__(self, outcome: Outcome) -> Decision:
        """The decision for an outcome."""
        if outcome.state == "failed":
            return self.on_failure
        if outcome.state == "clear":
            return self.on_clear
        if self.terminate_at is not None and (outcome.score or 0.0) >= self.terminate_at:
            return "terminate"
        return "escalate"


class Monitor(JudgingReviewer):
    """An Inspect reviewer that asks a model.

    Args:
        prompt: What to ask.
        settings: How to ask it.
    """

    def __init__(self, prompt: Prompt, settings: Settings) -> None:
        decide = Thresholds(
            settings.escalate_at, settings.terminate_at, settings.on_clear, settings.on_failure
        )
        # The time limit is kept inside, so that what was spent until then is still accounted for.
        super().__init__(self._ask, decide, None, f"{VERSION}+{prompt.version}")
        self.prompt = prompt
        self.settings = settings

    async def _ask(self, evidence: Evidence) -> Outcome:
        allowed = asking.get()
        if allowed is None:
            return await self._asked_now(evidence)
        if allowed.when != "always":
            recorded = allowed.recorded(evidence, self.spec)
            if recorded is not None and reusable(recorded, self.spec, self._bound()):
                return outcome_from(recorded)
        return await self._asked_in_replay(evidence, allowed)

    async def _asked_in_replay(self, evidence: Evidence, allowed: Asking) -> Outcome:
        if allowed.when == "never":
            return not_asked("no recorded verdict fits, and asking models was not allowed.")
        if not allowed.may_spend():
            return not_asked("the budget for this replay is spent.")
        outcome = await self._asked_now(evidence)
        allowed.spent(outcome.usage)
        return outcome

    def _bound(self) -> tuple[str, ...] | None:
        """Names of the models that would be asked; None where one is not bound."""
        from reviewers.outcome import ReviewersError

        try:
            return tuple(str(model) for model in self._models())
        except ReviewersError:
            return None

    def _models(self) -> list[Model]:
        settings, owner = self.settings, self.spec.name
        given = [settings.model] if settings.first is None else [settings.first, settings.model]
        return [monitor_model(one, owner, settings.allow_agent_model) for one in given]

    async def _asked_now(self, evidence: Evidence) -> Outcome:
        models = self._models()
        memory = memory_of(f"{evidence.sample}/{evidence.epoch}" if evidence.sample else "")
        shown = material(evidence, self.prompt, self.settings, memory)
        spent = memory.spent.setdefault(self.spec.parameters_hash, Spent())
        budget = Budget(self.spec.name, self.settings, spent)
        account = await self._rounds(models, shown.questions, budget)
        if not make_ready.cache_info().currsize:
            await anyio.to_thread.run_sync(make_ready)
        outcome = conclude(account, shown, self.settings, evidence)
        details = {
            **outcome.details,
            "models": [str(model) for model in models],
            "prompt": self.prompt.version,
        }
        return replace(outcome, usage=usage_of(account, self.spec.name), details=details)

    async def _rounds(
        self, models: list[Model], questions: Sequence[Question], budget: Budget
    ) -> list[Asked]:
        """Ask the first model about everything, the main one about what it does not clear."""
        account: list[Asked] = []
        seconds = self.settings.timeout_s
        with anyio.move_on_after(seconds):
            if len(models) == 2:
                await self._round(FIRST, models[0], questions, 1, budget, account)
                if _is_cleared(account, self.settings):
                    return account
            votes = self.settings.votes
            await self._round(MAIN, models[-1], questions, votes, budget, account)
        for asked in account:
            if asked.verdict is None and asked.failure is None:
                sentence = f"There was no verdict within {seconds:g} seconds."
                asked.failure = Failure(failures.TIMED_OUT, sentence)
        return account

    async def _round(
        self,
        stage: str,
        model: Model,
        questions: Sequence[Question],
        votes: int,
        budget: Budget,
        account: list[Asked],
    ) -> None:
        """Ask every question so many times, the first alone: it fills the provider's cache."""
        settings = self.settings
        chosen = forms(model, settings.answer, settings.logprobs)
        todo = [
            (Asked(window, stage, str(model)), question)
            for window, question in enumerate(questions)
            for _ in range(votes)
        ]
        account += [asked for asked, _ in todo]
        (asked, question), *rest = todo
        await ask(asked, model, question, chosen, budget)
        limiter = anyio.CapacityLimiter(AT_ONCE)
        raised: list[Exception] = []

        async def later(asked: Asked, question: Question) -> None:
            async with limiter:
                try:
                    await ask(asked, model, question, chosen, budget)
                # Raised below as it is: a task group would wrap it into a group of errors.
                except Exception as error:
                    raised.append(error)
                    group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            for asked, question in rest:
                group.start_soon(later, asked, question)
        if raised:
            raise raised[0]


def _is_cleared(account: Sequence[Asked], settings: Settings) -> bool:
    """Whether the first model found nothing in any window."""
    return all(
        asked.verdict is not None and asked.verdict.score < settings.first_at for asked in account
    )


@dataclass(frozen=True)
class Judged:
    """One window's verdict after its votes, or why there is none."""

    window: int
    verdict: Verdict | None
    failure: Failure | None


def judged(window: int, asked: Sequence[Asked], combine: Combine) -> Judged:
    """Put a window's votes together; more than half of them must have been given."""
    verdicts = [one.verdict for one in asked if one.verdict is not None]
    if len(verdicts) * 2 > len(asked):
        return Judged(window, combined(verdicts, combine), None)
    reasons = Counter(one.failure.reason for one in asked if one.failure is not None)
    ((most, _),) = reasons.most_common(1)
    failure = next(f.failure for f in asked if f.failure and f.failure.reason == most)
    return Judged(window, None, failure)


def conclude(
    account: Sequence[Asked], shown: Material, settings: Settings, evidence: Evidence
) -> Outcome:
    """What the verdicts say together: the worst window counts, and a gap is never clear."""
    stage = account[-1].stage
    asked = [one for one in account if one.stage == stage]
    windows = [
        judged(number, [one for one in asked if one.window == number], settings.combine)
        for number in range(len(shown.questions))
    ]
    given = [one for one in windows if one.verdict is not None]
    worst = max(given, key=lambda one: _score(one.verdict), default=None)
    details = _details(account, shown, windows, worst, stage)
    if worst is not None and _score(worst.verdict) >= settings.escalate_at:
        return _flagged(worst, shown, evidence, details)
    failure = _gap(windows, shown, settings)
    if failure is not None:
        sentence = without_secrets(failure.sentence)
        return Outcome("failed", sentence, reason=failure.reason, details=details)
    assert worst is not None
    assert worst.verdict is not None
    sentence = f"Score {_score(worst.verdict):.2f}: {worst.verdict.reason}"
    return Outcome("clear", without_secrets(sentence), _score(worst.verdict), details=details)


def _score(verdict: Verdict | None) -> float:
    return -math.inf if verdict is None else verdict.score


def _gap(windows: Sequence[Judged], shown: Material, settings: Settings) -> Failure | None:
    """Why a result in which nothing was found cannot be called clear."""
    failed = next((one.failure for one in windows if one.failure is not None), None)
    if failed is not None:
        return failed
    if not shown.complete and not settings.sample_long:
        return Failure(
            failures.NOT_ALL_READ,
            f"Nothing was found in the parts that were read, but {shown.plan.size:,} characters "
            "are more than the budget of windows reaches.",
        )
    if shown.unshown and settings.on_unshowable == "fail":
        kinds = ", ".join(sorted(shown.unshown))
        return Failure(
            failures.UNSHOWABLE,
            f"Nothing was found in what could be shown, but the result has parts that could not "
            f"({kinds}).",
        )
    return None


def _flagged(worst: Judged, shown: Material, evidence: Evidence, details: Any) -> Outcome:
    verdict = worst.verdict
    assert verdict is not None
    where = ""
    if len(shown.plan.windows) > 1:
        where = f", in {shown.plan.windows[worst.window]}"
    sentence = f"Score {verdict.score:.2f} ({verdict.category}{where}): {verdict.reason}"
    return Outcome(
        "flagged",
        without_secrets(sentence),
        score=verdict.score,
        findings=findings_of(verdict, evidence, shown.plan.windows[worst.window]),
        details=details,
    )


def _details(
    account: Sequence[Asked],
    shown: Material,
    windows: Sequence[Judged],
    worst: Judged | None,
    stage: str,
) -> dict[str, Any]:
    details: dict[str, Any] = {"stage": stage}
    if worst is not None and worst.verdict is not None:
        details["category"] = worst.verdict.category
        details["score_from"] = "log-probabilities" if worst.verdict.expected else "answer"
    if len(windows) > 1:
        details["windows"] = [_window_line(one, shown) for one in windows]
        if worst is not None:
            details["worst_window"] = worst.window
    if not shown.complete:
        details["read_in_part"] = True
    if shown.unshown:
        details["unshown"] = dict(shown.unshown)
    if not shown.exact:
        details["fidelity"] = ["history"]
    first = [one.verdict.score for one in account if one.stage == FIRST and one.verdict]
    if first:
        details["first_score"] = max(first)
    votes = [a.verdict.score for a in account if a.stage == stage and a.verdict is not None]
    if len(votes) > len(windows):
        details["votes"] = [round(score, 6) for score in votes]
    return details


def _window_line(one: Judged, shown: Material) -> dict[str, Any]:
    window = shown.plan.windows[one.window]
    line: dict[str, Any] = {"start": window.start, "end": window.end}
    if one.verdict is not None:
        line["score"] = one.verdict.score
    if one.failure is not None:
        line["failure"] = one.failure.reason
    return line


def usage_of(account: Sequence[Asked], reviewer: str) -> dict[str, Any]:
    """The account of a review: sums, and a line for each verdict that was asked for."""
    costs = [asked.cost for asked in account if asked.cost is not None]
    return {
        "input_tokens": sum(asked.input_tokens for asked in account),
        "output_tokens": sum(asked.output_tokens for asked in account),
        "total_tokens": sum(asked.total_tokens for asked in account),
        "cache_read_tokens": sum(asked.cache_read_tokens for asked in account),
        "cache_write_tokens": sum(asked.cache_write_tokens for asked in account),
        "cost": math.fsum(costs) if costs else None,
        "requests": sum(len(asked.spans) for asked in account),
        "seconds": round(math.fsum(asked.seconds for asked in account), 4),
        "calls": [as_line(asked, reviewer) for asked in account],
    }
