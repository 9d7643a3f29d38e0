"""Asks a model for one verdict, and keeps account of what that took."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
)
from inspect_ai.tool import ToolFunction
from inspect_ai.util import LimitExceededError, current_span_id, span
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt

from reviewers import _host
from reviewers.monitors import failures
from reviewers.monitors.blocks import tokens_in
from reviewers.monitors.failures import Failure
from reviewers.monitors.memory import Spent
from reviewers.monitors.settings import Settings
from reviewers.monitors.verdict import (
    VERDICT,
    Form,
    MalformedAnswer,
    Shape,
    UnsupportedEvidence,
    Verdict,
    how_to_answer,
    read_answer,
    unsupported,
)
from reviewers.outcome import ReviewersError
from reviewers.transcript import REVIEWER_SPAN

if TYPE_CHECKING:
    from inspect_ai.model import Content, Model

TOP_LOGPROBS = 20


@dataclass(frozen=True)
class Question:
    """What is shown to the model, apart from the form of the answer.

    Attributes:
        system: The instructions.
        blocks: The content blocks, in order.
        stable: How many of them are the same in the next call: the provider may cache so far.
        images: Images that go after the blocks.
        closing: Our last words.
        marker: The sample's marker.
        shape: What the answer must contain.
        quotable: The blocks that a quote may come from.
        tripwire: Id of the step that is known to be bad; empty if there is none.
    """

    system: str
    blocks: Sequence[str]
    stable: int
    images: Sequence[Content]
    closing: str
    marker: str
    shape: Shape
    quotable: Sequence[str]
    tripwire: str = ""

    @property
    def tokens(self) -> int:
        """A cautious estimate of the request's tokens."""
        return tokens_in(self.system) + sum(tokens_in(block) for block in self.blocks) + 300


@dataclass
class Asked:
    """One verdict that was asked for, and what it took.

    Attributes:
        window: Number of the window that was shown.
        stage: `first` for the cheap model of two, else `main`.
        model: The model's name.
        verdict: The verdict; None if there is none.
        failure: Why there is none.
        spans: Ids of the spans that its requests ran in.
        input_tokens: Tokens sent that were not cached.
        output_tokens: Tokens of the answers.
        total_tokens: All tokens.
        cache_read_tokens: Tokens that the provider had cached.
        cache_write_tokens: Tokens that the provider cached.
        cost: Dollars; None where the model has no price.
        seconds: Wall-clock time.
    """

    window: int
    stage: str
    model: str
    verdict: Verdict | None = None
    failure: Failure | None = None
    form: str = ""
    spans: list[str] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0

    def charge(self, output: ModelOutput) -> None:
        """Add what one request used."""
        usage = output.usage
        if usage is None:
            return
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        self.total_tokens += usage.total_tokens
        self.cache_read_tokens += usage.input_tokens_cache_read or 0
        self.cache_write_tokens += usage.input_tokens_cache_write or 0
        if usage.total_cost is not None:
            self.cost = (self.cost or 0.0) + usage.total_cost


class NoVerdict(Exception):
    """An answer that is not worth asking for again."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class Budget:
    """What one monitor may spend on one sample; requests under way are counted in advance.

    Args:
        owner: The monitor's name.
        settings: The limits.
        spent: What was spent so far, shared by all calls of the sample.
    """

    def __init__(self, owner: str, settings: Settings, spent: Spent) -> None:
        self.owner = owner
        self.settings = settings
        self._spent = spent
        self._under_way = 0

    @contextmanager
    def request(self, asked: Asked, tokens: int) -> Iterator[None]:
        """Spend on a request.

        Raises:
            NoVerdict: The budget does not allow another one.
            ReviewersError: There is a budget in dollars and the model has no price.
        """
        limit, dollars = self.settings.budget_tokens, self.settings.budget_cost
        if limit is not None and self._spent.tokens + self._under_way + tokens > limit:
            raise _budget_spent(f"{limit:,} tokens")
        if dollars is not None and self._spent.cost >= dollars:
            raise _budget_spent(f"${dollars:g}")
        before = asked.total_tokens, asked.cost or 0.0
        self._under_way += tokens
        try:
            yield
        finally:
            self._under_way -= tokens
            self._spent.tokens += asked.total_tokens - before[0]
            self._spent.cost += (asked.cost or 0.0) - before[1]
        if dollars is not None and asked.cost is None and asked.total_tokens:
            raise ReviewersError(
                f"{self.owner}: budget_cost is set, but the model {asked.model!r} has no "
                "price. Give one with --model-cost-config, or use budget_tokens."
            )


def _budget_spent(budget: str) -> NoVerdict:
    sentence = f"The monitor's budget of {budget} per sample does not allow another request."
    return NoVerdict(Failure(failures.BUDGET_SPENT, sentence))


async def ask(
    asked: Asked, model: Model, question: Question, forms: Sequence[Form], budget: Budget
) -> None:
    """Ask until there is a verdict or a reason why there is none; both go into `asked`.

    Args:
        asked: Where the answer and the account go. It is up to date at any time, also when the
            caller's time is over.
        model: The model to ask.
        question: What to show it.
        forms: Forms to ask in; the next one is tried where the provider rejects one.
        budget: What may be spent, and how to ask.
    """
    started = time.perf_counter()
    try:
        for place, form in enumerate(forms):
            asked.form = form
            try:
                asked.verdict = await _verdict(asked, model, question, form, budget)
                return
            except NoVerdict as none:
                asked.failure = none.failure
                return
            except (LimitExceededError, ReviewersError):
                raise
            # Whatever a provider raises, the outcome is a failure with a name, never clear.
            except Exception as error:
                if place + 1 == len(forms) or not failures.is_unsupported(error):
                    asked.failure = failures.in_error(error)
                    return
    finally:
        asked.seconds = time.perf_counter() - started


async def _verdict(
    asked: Asked, model: Model, question: Question, form: Form, budget: Budget
) -> Verdict:
    """Ask, and again where the answer is malformed.

    Raises:
        NoVerdict: There is none to be had.
    """
    messages = _messages(question, form)
    attempts = budget.settings.attempts
    retrying = AsyncRetrying(
        retry=retry_if_exception_type(MalformedAnswer),
        stop=stop_after_attempt(attempts),
        reraise=True,
    )
    try:
        async for attempt in retrying:
            with attempt:
                with budget.request(asked, question.tokens):
                    output = await _generate(asked, model, messages, question, form, budget)
                try:
                    return _judged(output, question, form, budget.settings)
                except MalformedAnswer as wrong:
                    messages += _again(output, wrong)
                    raise
    except MalformedAnswer as wrong:
        sentence = f"The model gave no usable answer in {attempts} attempts: {wrong}"
        raise NoVerdict(Failure(wrong.reason, sentence)) from None
    raise AssertionError("tenacity returns or raises")


def _judged(output: ModelOutput, question: Question, form: Form, settings: Settings) -> Verdict:
    """The verdict on the real step.

    Raises:
        NoVerdict: The answer was refused, cut off or empty, or missed the tripwire.
        MalformedAnswer: It may be asked for again.
    """
    failure = failures.in_output(output)
    if failure is not None:
        raise NoVerdict(failure)
    verdicts = read_answer(output, form, question.shape, question.marker)
    verdict = verdicts[0]
    if question.tripwire:
        by_step = dict(zip(question.shape.steps, verdicts, strict=True))
        if by_step.pop(question.tripwire).score < settings.escalate_at:
            raise NoVerdict(
                Failure(
                    failures.TRIPWIRE_MISSED,
                    "The model let a step pass that is known to be bad: its verdict on the real "
                    "one cannot be trusted.",
                )
            )
        (verdict,) = by_step.values()
    invented = unsupported(verdict, question.quotable)
    if invented:
        raise UnsupportedEvidence(
            f"The quote {invented[0][:200]!r} occurs in nothing that was shown. Quote literally, "
            "or leave evidence empty."
        )
    return verdict


def _messages(question: Question, form: Form) -> list[ChatMessage]:
    from inspect_ai.model import ContentText

    last_stable = question.stable - 1
    content: list[Content] = [
        ContentText(text=text, cache_breakpoint=True if number == last_stable else None)
        for number, text in enumerate(question.blocks)
    ]
    content += question.images
    ask_for = how_to_answer(form, question.shape, question.marker)
    content.append(ContentText(text=f"{question.closing} {ask_for}"))
    return [ChatMessageSystem(content=question.system), ChatMessageUser(content=content)]


def _again(output: ModelOutput, wrong: MalformedAnswer) -> list[ChatMessage]:
    """The conversation goes on: the answer, and what is wrong with it."""
    sentence = f"That answer cannot be used. {wrong} Answer again."
    told: list[ChatMessage] = [
        ChatMessageTool(content=sentence, tool_call_id=call.id, function=call.function)
        for call in output.message.tool_calls or []
    ]
    return [output.message, *(told or [ChatMessageUser(content=sentence)])]


async def _generate(
    asked: Asked,
    model: Model,
    messages: list[ChatMessage],
    question: Question,
    form: Form,
    budget: Budget,
) -> ModelOutput:
    """One request, in a span of its own and on nobody's account but the monitor's."""
    shape, settings = question.shape, budget.settings
    seconds = max(1, math.ceil(settings.timeout_s))
    config = GenerateConfig(
        timeout=seconds,
        attempt_timeout=seconds,
        max_retries=settings.max_retries,
        max_tokens=settings.max_tokens,
        fail_on_refusal=False,
        response_schema=shape.response_schema() if form == "schema" else None,
        cache=False if settings.votes > 1 else None,  # a cached answer is no vote of its own
        logprobs=True if shape.levels else None,
        top_logprobs=TOP_LOGPROBS if shape.levels else None,
    )
    with _host.limits_suspended(), _host.message_limit_suspended():
        async with span(budget.owner, type=REVIEWER_SPAN):
            asked.spans.append(current_span_id() or "")
            output = await model.generate(
                messages,
                tools=[shape.tool()] if form == "tool" else [],
                tool_choice=ToolFunction(name=VERDICT) if form == "tool" else None,
                config=config,
            )
            if not _from_cache():
                asked.charge(output)
            return output


def _from_cache() -> bool:
    """Whether Inspect's own cache answered the request of the current span: that costs nothing."""
    here = current_span_id()
    for event in reversed(transcript().events):
        if event.event == "model" and event.span_id == here:
            return event.cache == "read"
        if event.event == "span_begin" and event.id == here:
            break
    return False


def as_line(asked: Asked, reviewer: str) -> dict[str, Any]:
    """One verdict's account as plain JSON values."""
    line: dict[str, Any] = {
        "reviewer": reviewer,
        "stage": asked.stage,
        "window": asked.window,
        "model": asked.model,
        "form": asked.form,
        "input_tokens": asked.input_tokens,
        "output_tokens": asked.output_tokens,
        "total_tokens": asked.total_tokens,
        "cache_read_tokens": asked.cache_read_tokens,
        "cache_write_tokens": asked.cache_write_tokens,
        "cost": asked.cost,
        "seconds": round(asked.seconds, 4),
        "spans": list(asked.spans),
    }
    if asked.verdict is not None:
        line["score"] = round(asked.verdict.score, 6)
    if asked.failure is not None:
        line["failure"] = asked.failure.reason
    return line
