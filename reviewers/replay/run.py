"""Asks reviewers and policies about cases, with everything as it was live."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from reviewers import _host
from reviewers.case import Case
from reviewers.compose.human import replayed_decision
from reviewers.evidence import Earlier, Evidence, Execution, PastCall, Surroundings
from reviewers.monitors.recorded import Asking, asking
from reviewers.replay.agreement import Agreement, compare
from reviewers.replay.asked import Asked, identity, named_apart
from reviewers.replay.cases import CLOCK_REASONS
from reviewers.replay.models import recorded_only
from reviewers.replay.outcomes import OutcomeLine, line_of, policy_line
from reviewers.replay.people import recorded_decision
from reviewers.replay.samples import RecordedSample
from reviewers.transcript import current_evidence, said, surroundings_for

if TYPE_CHECKING:
    from inspect_ai.event import Event, ReviewEvent
    from inspect_ai.model import ChatMessage
    from inspect_ai.review import Review
    from inspect_ai.solver import TaskState
    from inspect_ai.tool import ToolInfo


BATCH = 32
"""Cases of one sample that are asked about in one run of the event loop."""


class Replaying(Surroundings):
    """A case's surroundings, with what reviewers have said of it in this replay.

    Args:
        recorded: The case's own.
        reviews: The reviews written so far; grows while reviewers are asked.
    """

    def __init__(self, recorded: Surroundings, reviews: Sequence[ReviewEvent]) -> None:
        self._recorded = recorded
        self._reviews = reviews

    def earlier(self) -> tuple[Earlier, ...]:
        """What the case says of earlier reviewers, then what the replayed ones said."""
        replayed = (said(event) for event in self._reviews if event.reviewer != "policy")
        return (*self._recorded.earlier(), *replayed)

    def reviews(self) -> Sequence[ReviewEvent]:
        """What reviewers said live."""
        return live_reviews(self._recorded)

    def executions(self) -> tuple[Execution, ...]:
        """The case's."""
        return self._recorded.executions()

    def model_input(self) -> Sequence[ChatMessage] | None:
        """The case's."""
        return self._recorded.model_input()

    def tools(self) -> Sequence[ToolInfo] | None:
        """The case's."""
        return self._recorded.tools()

    def people(self) -> tuple[Earlier, ...]:
        """The case's."""
        return self._recorded.people()

    def past_calls(self) -> tuple[PastCall, ...] | None:
        """The case's."""
        return self._recorded.past_calls()

    def truncated(self) -> tuple[int, int] | None:
        """The case's."""
        return self._recorded.truncated()

    def target(self) -> tuple[str, ...] | None:
        """The case's."""
        return self._recorded.target()

    def metadata(self) -> Mapping[str, Any]:
        """The case's."""
        return self._recorded.metadata()

    def sample(self) -> str:
        """The case's."""
        return self._recorded.sample()

    def epoch(self) -> int:
        """The case's."""
        return self._recorded.epoch()

    def key(self) -> str:
        """The case's."""
        return self._recorded.key()


def live_reviews(surroundings: Surroundings) -> Sequence[ReviewEvent]:
    """What reviewers said of a recorded call live; nothing for a case line."""
    reviews = getattr(surroundings, "reviews", None)
    return () if reviews is None else reviews()


@dataclass
class Reviewed:
    """What came of one case.

    Attributes:
        case: The case.
        lines: Everybody's lines, in order.
        agreement: How they compare with what was decided live, where that was asked for.
    """

    case: Case
    lines: list[OutcomeLine]
    agreement: Agreement


def outcomes(
    cases: Iterable[Case],
    asked: Sequence[Asked],
    *,
    allowed: Asking | None = None,
    at_once: int = 1,
) -> Iterator[OutcomeLine]:
    """Ask about every case, in order.

    For a policy the reviewers that it asked come first (`part_of` names it), then its own line.

    Args:
        cases: The cases.
        asked: Whom to ask.
        allowed: What monitors may do; by default they repeat recorded verdicts and ask no model.
        at_once: Cases that are under way at the same time; more than one helps only with models.
    """
    for reviewed in review_cases(cases, asked, allowed=allowed, at_once=at_once):
        yield from reviewed.lines


def review_cases(
    cases: Iterable[Case],
    asked: Sequence[Asked],
    *,
    allowed: Asking | None = None,
    check: bool = False,
    at_once: int = 1,
) -> Iterator[Reviewed]:
    """Ask about every case, in order; see `outcomes`.

    Args:
        cases: The cases.
        asked: Whom to ask.
        allowed: What monitors may do.
        check: Whether to compare with what was decided live.
        at_once: Cases that are under way at the same time.
    """
    everybody = named_apart(asked)
    granted = allowed or recorded_only()
    one = partial(ask_all, asked=everybody, allowed=granted, check=check)
    loop = asyncio.new_event_loop()
    try:
        if at_once > 1:
            yield from _overlapping(loop, map(one, cases), at_once)
        else:
            # One run of the loop for many cases: starting it costs more than many a rule.
            for _, of_sample in groupby(cases, key=lambda case: case.sample):
                while batch := list(islice(of_sample, BATCH)):
                    yield from loop.run_until_complete(_in_turn(map(one, batch)))
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


async def _in_turn(reviews: Iterable[Coroutine[Any, Any, Reviewed]]) -> list[Reviewed]:
    return [await review for review in reviews]


def _overlapping(
    loop: asyncio.AbstractEventLoop,
    reviews: Iterable[Coroutine[Any, Any, Reviewed]],
    at_once: int,
) -> Iterator[Reviewed]:
    """The reviews in their order, several of them under way at the same time."""
    under_way: deque[asyncio.Task[Reviewed]] = deque()
    try:
        for review in reviews:
            under_way.append(loop.create_task(review))
            if len(under_way) >= at_once:
                yield loop.run_until_complete(under_way.popleft())
        while under_way:
            yield loop.run_until_complete(under_way.popleft())
    finally:
        for task in under_way:
            task.cancel()
        if under_way:
            loop.run_until_complete(asyncio.wait(under_way))


async def ask_all(
    case: Case, asked: Sequence[Asked], allowed: Asking, check: bool = False
) -> Reviewed:
    """What everybody says of one case."""
    reviewed = Reviewed(case, [], Agreement())
    for each in asked:
        await ask(reviewed, each, allowed, check)
    return reviewed


async def ask(reviewed: Reviewed, asked: Asked, allowed: Asking, check: bool) -> None:
    """Add what one reviewer or policy says of a case."""
    case = reviewed.case
    started = time.perf_counter()
    review, written = await replayed(case, asked, allowed)
    seconds = time.perf_counter() - started
    if check:
        live = live_reviews(case.evidence.surroundings)
        if asked.kind == "policy":
            reviewed.agreement.add(compare(case, live, written))
        else:
            own = _review_event(_host.log_name(asked.reviewer), case, review)
            reviewed.agreement.add(compare(case, live, [own], [identity(asked.reviewer)]))
    metadata = review.metadata or {}
    if asked.kind == "policy":
        members = member_lines(case, asked, written)
        reviewed.lines += members
        reviewed.lines.append(policy_line(case, asked.name, review.decision, members, seconds))
        return
    reviewed.lines.append(
        line_of(
            case,
            asked.name,
            review.decision,
            review.explanation or "",
            {"seconds": seconds, **metadata},
            fidelity=fidelity(case, metadata, asked.name in asked.outside),
        )
    )


def _review_event(name: str, case: Case, review: Review) -> ReviewEvent:
    """A review as the event that Inspect would write for it."""
    from inspect_ai.event import ReviewEvent

    return ReviewEvent(
        message="",
        call=case.evidence.call,
        reviewer=name,
        decision=review.decision,
        explanation=review.explanation,
        metadata=review.metadata,
    )


def member_lines(case: Case, asked: Asked, written: Sequence[ReviewEvent]) -> list[OutcomeLine]:
    """The lines of the reviewers that a policy asked, panels' members included."""
    lines = []
    for event in written:
        if event.reviewer == "policy":
            continue
        metadata = event.metadata or {}
        name = asked.names.get(
            (event.reviewer, str(metadata.get("parameters_hash") or "")), event.reviewer
        )
        lines.append(
            line_of(
                case,
                name,
                event.decision,
                event.explanation or "",
                metadata,
                fidelity=fidelity(case, metadata, name in asked.outside),
                part_of=asked.name,
            )
        )
    return lines


def fidelity(case: Case, metadata: Mapping[str, Any], outside: bool) -> tuple[str, ...]:
    """How what a reviewer looked at differs from what it saw live.

    Args:
        case: The case.
        metadata: The replayed review's.
        outside: Whether the reviewer reads this machine's environment or files.
    """
    values = list(case.fidelity)
    live = live_reviews(case.evidence.surroundings)
    if outside or any(found_outside(said) for said in (metadata, *(e.metadata for e in live))):
        values.append("environment")
    if metadata.get("reason") in CLOCK_REASONS and "time" not in values:
        values.append("time")
    return tuple(values)


def found_outside(metadata: Mapping[str, Any] | None) -> bool:
    """Whether a review says that what it found is a value of the machine's environment."""
    return bool((metadata or {}).get("environment"))


async def replayed(case: Case, asked: Asked, allowed: Asking) -> tuple[Review, list[ReviewEvent]]:
    """The review of a case, and every review event that was written on the way."""
    written: list[ReviewEvent] = []

    def record(event: Event) -> None:
        if event.event == "review":
            written.append(event)

    evidence = case.evidence.looked_up_in(Replaying(case.evidence.surroundings, written))
    sample = recorded_sample_of(case)
    state = sample.state if sample is not None else _state_of_line(case)
    history: Any = evidence.history if asked.is_ours else list(evidence.history)
    with (
        _as_live(evidence, allowed),
        _host.recorded_sample(state, partial(_events_of, case), record),
    ):
        review = await asked.reviewer(
            evidence.message,
            evidence.call,
            evidence.result,
            evidence.output,
            evidence.view or _host.recorded_view(evidence.call),
            history,
        )
    return review, written


@contextmanager
def _as_live(evidence: Evidence, allowed: Asking) -> Iterator[None]:
    """Let reviewers look up evidence, and persons' decisions, in the log."""
    settings: list[tuple[ContextVar[Any], Any]] = [
        (current_evidence, evidence),
        (surroundings_for, lambda *call: evidence.surroundings),
        (replayed_decision, recorded_decision),
        (asking, allowed),
    ]
    tokens = [(variable, variable.set(value)) for variable, value in settings]
    try:
        yield
    finally:
        for variable, token in tokens:
            variable.reset(token)


def recorded_sample_of(case: Case) -> RecordedSample | None:
    """The sample that a case is from; None for a case line."""
    look_up = getattr(case.evidence.surroundings, "recorded_sample", None)
    return None if look_up is None else look_up()


def _state_of_line(case: Case) -> TaskState:
    evidence = case.evidence
    return _host.recorded_state(
        case.sample,
        evidence.epoch,
        case.sample,
        list(evidence.target or ()),
        dict(evidence.metadata),
    )


def _events_of(case: Case) -> Sequence[Event]:
    """The sample's events up to the reviewed call, as Inspect reads them."""
    sample = recorded_sample_of(case)
    if sample is None:
        return []
    until = getattr(case.evidence.surroundings, "until", None)
    return sample.inspect_events()[:until]
