"""Looks up what a sample's transcript knows of one tool result, live and from a log alike."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeGuard
from weakref import WeakKeyDictionary

from reviewers import _host
from reviewers.evidence import Earlier, Evidence, Execution, PastCall, Surroundings
from reviewers.texts import output_text

if TYPE_CHECKING:
    from inspect_ai.event import Event, ModelEvent, ReviewEvent, ToolEvent
    from inspect_ai.model import ChatMessage, ChatMessageTool
    from inspect_ai.solver import TaskState
    from inspect_ai.tool import ToolCall, ToolCallView, ToolInfo, ToolResult

PEOPLE = ("human", "reviewers/human")
"""Reviewers that ask a person: Inspect's own and ours."""

REVIEWER_SPAN = "reviewer"
"""Type of the spans that hold what reviewers do; model events in them are no agent's."""


class TranscriptSurroundings(Surroundings):
    """What the events of a sample know of one of its tool calls.

    A call writes, in order: the begin of its tool span, its `ToolEvent` (whose `span_id` is the
    enclosing agent's span), what the tool did, the end of its span, and then `ReviewEvent`s.

    Args:
        events: Gives the sample's events so far; asked anew where later events matter.
        call: The reviewed call.
        message_id: Id of the assistant message that made the call, if known.
        state: The sample's state: target, metadata, uuid, epoch.
        truncated: Bytes `(before, after)` truncation, if the tool event does not say it yet.
    """

    def __init__(
        self,
        events: Callable[[], Sequence[Event]],
        call: ToolCall,
        message_id: str | None = None,
        state: TaskState | None = None,
        truncated: tuple[int, int] | None = None,
    ) -> None:
        self._now = events
        self._call = call
        self._message_id = message_id
        self._state = state
        self._truncated = truncated

    @cached_property
    def _events(self) -> Sequence[Event]:
        return self._now()

    @cached_property
    def _index(self) -> int | None:
        return own_tool_event(self._events, self._call)

    @cached_property
    def _tool_event(self) -> ToolEvent | None:
        return None if self._index is None else self._events[self._index]  # type: ignore[return-value]

    @cached_property
    def _model_index(self) -> int | None:
        if self._index is None:
            return None
        return producing_model_event(self._events, self._index, self._call, self._message_id)

    @property
    def _model_event(self) -> ModelEvent | None:
        index = self._model_index
        return None if index is None else self._events[index]  # type: ignore[return-value]

    def earlier(self) -> tuple[Earlier, ...]:
        """What earlier reviewers of this very call said, in order."""
        if self._tool_event is None or self._index is None:
            return ()
        # Looked up anew: reviewers of this call add their events one after the other.
        return tuple(
            said(event)
            for event in self._now()[self._index + 1 :]
            if is_review_of(event, self._call, self._tool_event)
        )

    def executions(self) -> tuple[Execution, ...]:
        """The commands that this call itself ran, in order."""
        if self._index is None:
            return ()
        return tuple(executions_of(self._events, self._index))

    def model_input(self) -> Sequence[ChatMessage] | None:
        """`ModelEvent.input` of the event whose output carries the call."""
        event = self._model_event
        return None if event is None else event.input

    def tools(self) -> Sequence[ToolInfo] | None:
        """The tools that the producing model event offered."""
        event = self._model_event
        return None if event is None else event.tools

    def people(self) -> tuple[Earlier, ...]:
        """What persons decided at other calls so far."""
        return tuple(
            replace(decision, message_id=(about and about.message_id) or "")
            for review, about in reader_of(self._state).read(self._events).people
            if about is not self._tool_event and (decision := said(review)).asked
        )

    def past_calls(self) -> tuple[PastCall, ...] | None:
        """Calls of the same agent in the turns before this one, with what the model saw of them.

        Calls of the same turn are left out: whether they have ended is a matter of timing.
        """
        if self._tool_event is None:
            return None
        turn = self._model_index if self._model_index is not None else self._index
        reader = reader_of(self._state).read(self._events)
        return reader.calls_before(turn or 0, self._tool_event.span_id)

    def truncated(self) -> tuple[int, int] | None:
        """Bytes of the output `(before, after)` truncation."""
        event = self._tool_event
        return event.truncated if event is not None and event.truncated else self._truncated

    def target(self) -> tuple[str, ...] | None:
        """The sample's target; None where there is no sample or its target is empty."""
        if self._state is None:
            return None
        target = tuple(self._state.target)
        return target if any(target) else None

    def metadata(self) -> Mapping[str, Any]:
        """The sample's metadata."""
        return {} if self._state is None else self._state.metadata

    def sample(self) -> str:
        """The sample's uuid."""
        return "" if self._state is None else self._state.uuid

    def epoch(self) -> int:
        """The sample's epoch, from 1."""
        return 1 if self._state is None else self._state.epoch

    def key(self) -> str:
        """`sample uuid/epoch/ToolEvent uuid`."""
        event = self._tool_event.uuid if self._tool_event else self._call.id
        return f"{self.sample()}/{self.epoch()}/{event}"


def own_tool_event(events: Sequence[Event], call: ToolCall) -> int | None:
    """Index of a call's own `ToolEvent`: the last pending one with its id, else the last one.

    Ids repeat within a sample, so the search goes backwards from now.
    """
    last: int | None = None
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if event.event == "tool" and event.id == call.id and event.function == call.function:
            if event.pending:
                return index
            last = index if last is None else last
    return last


def producing_model_event(
    events: Sequence[Event], index: int, call: ToolCall, message_id: str | None
) -> int | None:
    """Index of the `ModelEvent` whose output carries the call, looking back from its `ToolEvent`.

    Args:
        events: The sample's events.
        index: Index of the call's `ToolEvent`.
        call: The call.
        message_id: Id of the assistant message; where it is known it must be the output's.
    """
    for at in range(index - 1, -1, -1):
        event = events[at]
        if event.event != "model" or not event.output.choices:
            continue
        message = event.output.choices[0].message
        if message_id is not None and message.id == message_id:
            return at
        if message_id is None and any(
            made.id == call.id and made.function == call.function
            for made in message.tool_calls or []
        ):
            return at
    return None


def executions_of(events: Sequence[Event], index: int) -> Iterator[Execution]:
    """The sandbox commands that ran in a call's own tool span, not in calls nested in it.

    Args:
        events: The sample's events.
        index: Index of the call's `ToolEvent`; its span was begun just before it.
    """
    begin = events[index - 1] if index else None
    if begin is None or begin.event != "span_begin" or begin.type != "tool":
        return
    inside = {begin.id}
    for event in events[index + 1 :]:
        if event.event == "span_end" and event.id == begin.id:
            return
        if event.event == "span_begin" and event.parent_id in inside and event.type != "tool":
            inside.add(event.id)
        elif event.event == "sandbox" and event.action == "exec" and event.span_id in inside:
            yield Execution(event.cmd or "", event.result)


def is_review_of(event: Event, call: ToolCall, tool_event: ToolEvent) -> TypeGuard[ReviewEvent]:
    """Whether an event is a review of the call that the tool event (which comes before) records.

    A handed-off agent may use the same call id for the same tool: its reviews lie in its own span.
    """
    return (
        event.event == "review"
        and event.call.id == call.id
        and event.call.function == call.function
        and event.reviewer != "policy"
        and (event.span_id is None or event.span_id == tool_event.span_id)
    )


class SampleReader:
    """Reads a growing list of events, each event once, for what stands anywhere in the run.

    Everything else about a call stands near its own event.

    Attributes:
        people: Every review by a person so far, with the event of the call that it is about.
    """

    def __init__(self) -> None:
        # Large results are judged in worker threads, several of a sample at once.
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self._count = 0
        self._last: Event | None = None
        self._calls: dict[str | None, AgentCalls] = {}
        self.people: list[tuple[ReviewEvent, ToolEvent | None]] = []

    def read(self, events: Sequence[Event]) -> SampleReader:
        """Read what was added; all anew where it is another list."""
        with self._lock:
            self._read(events)
        return self

    def _read(self, events: Sequence[Event]) -> None:
        grown = len(events) >= self._count
        if self._count and not (grown and events[self._count - 1] is self._last):
            self._forget()
        for index in range(self._count, len(events)):
            event = events[index]
            if event.event == "review" and event.reviewer in PEOPLE:
                self.people.append((event, reviewed_call(events, index, event)))
            elif event.event == "tool":
                self._calls.setdefault(event.span_id, AgentCalls()).add(index, event)
        if events:
            self._count, self._last = len(events), events[-1]

    def calls_before(self, index: int, span_id: str | None) -> tuple[PastCall, ...]:
        """The calls in an agent's span whose events stand before an index."""
        with self._lock:
            calls = self._calls.get(span_id)
            return calls.before(index) if calls else ()


class AgentCalls:
    """An agent's calls in order, each read once it has ended."""

    def __init__(self) -> None:
        self._places: list[int] = []
        self._events: list[ToolEvent] = []
        self._ended: list[PastCall] = []

    def add(self, index: int, event: ToolEvent) -> None:
        """Add a call whose event stands at an index."""
        self._places.append(index)
        self._events.append(event)

    def before(self, index: int) -> tuple[PastCall, ...]:
        """The calls whose events stand before an index."""
        count = bisect_left(self._places, index)
        ended = self._ended
        while len(ended) < count and not self._events[len(ended)].pending:
            ended.append(past_call(self._events[len(ended)]))
        return (*ended[:count], *map(past_call, self._events[len(ended) : count]))


def past_call(event: ToolEvent) -> PastCall:
    """A call as the model saw it."""
    return PastCall(
        event.id,
        event.function,
        event.arguments,
        output_text(event.result),
        event.error.message if event.error else "",
    )


def reviewed_call(events: Sequence[Event], index: int, review: ReviewEvent) -> ToolEvent | None:
    """The `ToolEvent` that a review at an index is about: the last one of its call before it."""
    for at in range(index - 1, -1, -1):
        event = events[at]
        if (
            event.event == "tool"
            and event.id == review.call.id
            and event.function == review.call.function
            and is_review_of(review, review.call, event)
        ):
            return event
    return None


_readers: WeakKeyDictionary[TaskState, SampleReader] = WeakKeyDictionary()


def reader_of(state: TaskState | None) -> SampleReader:
    """The reader of a running sample; a fresh one outside of one."""
    return SampleReader() if state is None else _readers.setdefault(state, SampleReader())


def said(event: ReviewEvent) -> Earlier:
    """What a `ReviewEvent` says, also of a reviewer from another package."""
    metadata = event.metadata or {}
    outcome = metadata.get("outcome")
    if outcome not in ("clear", "flagged", "failed"):
        outcome = "clear" if event.decision == "continue" else "flagged"
    score = metadata.get("score")
    return Earlier(
        reviewer=event.reviewer,
        decision=event.decision,
        outcome=outcome,
        explanation=event.explanation or "",
        score=score if isinstance(score, int | float) else None,
        findings=tuple(metadata.get("findings") or ()),
        metadata=metadata,
        call_id=event.call.id,
        asked=event.reviewer in PEOPLE and metadata.get("asked", True) is True,
    )


SurroundingsFor = Callable[
    ["ToolCall", "ChatMessageTool", Any, Sequence["ChatMessage"]], Surroundings
]

surroundings_for: ContextVar[SurroundingsFor | None] = ContextVar(
    "reviewers_surroundings", default=None
)
"""Set by a replay to say where evidence is looked up; None means the running transcript."""

current_evidence: ContextVar[Evidence | None] = ContextVar("reviewers_evidence", default=None)
"""The evidence of the call under review, shared by its reviewers."""


def evidence_of(
    message: str,
    call: ToolCall,
    result: ChatMessageTool,
    output: ToolResult,
    view: ToolCallView | None,
    history: list[ChatMessage],
) -> Evidence:
    """The evidence for a reviewer's six arguments, shared by all reviewers of the same call."""
    evidence = current_evidence.get()
    if evidence is None or not (
        evidence.result is result and evidence.output is output and evidence.call is call
    ):
        look_up = surroundings_for.get() or _live_surroundings
        surroundings = look_up(call, result, output, history)
        evidence = Evidence(message, call, result, output, history, view, surroundings)
        current_evidence.set(evidence)
    return evidence.looked_up_in(evidence.surroundings)


def _live_surroundings(
    call: ToolCall, result: ChatMessageTool, output: ToolResult, history: Sequence[ChatMessage]
) -> Surroundings:
    return TranscriptSurroundings(
        _host.sample_events,
        call,
        message_id=history[-1].id if history else None,
        state=_host.sample_state(),
        truncated=_host.truncation(result, output),
    )
