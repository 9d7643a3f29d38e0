"""A recorded sample's events -> cases: each tool result as a reviewer saw it live."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast, overload

from reviewers import _host
from reviewers.case import Case
from reviewers.compose.record_output import kept_text
from reviewers.evidence import Earlier, Evidence, Execution
from reviewers.replay.bridged import bridged_cases
from reviewers.replay.index import SampleIndex
from reviewers.replay.samples import RecordedSample, whole_message
from reviewers.transcript import TranscriptSurroundings, executions_of

if TYPE_CHECKING:
    from inspect_ai.event import ModelEvent, ReviewEvent, ToolEvent
    from inspect_ai.model import ChatMessage, ChatMessageTool
    from inspect_ai.tool import ToolCall

CLOCK_REASONS = frozenset({"timed out", "ran out of time"})
"""Reasons of failures that depend on the clock of the machine."""

NOT_EXECUTED = frozenset({"parsing", "approval"})
"""Kinds of tool error that leave it open whether the call ran."""


class RecordedCall(TranscriptSurroundings):
    """What the log knows of one of a sample's calls, as far as it had got when it was reviewed.

    Args:
        index: The sample's events and what belongs together among them.
        at: Index of the call's `ToolEvent`.
        call: The call as executed.
    """

    def __init__(self, index: SampleIndex, at: int, call: ToolCall) -> None:
        super().__init__(lambda: index.events[: self.until], call, state=index.sample.state)
        self.sample_index = index
        self._at = at

    @cached_property
    def until(self) -> int:
        """Index of the first event that came after the tool had returned."""
        return self.sample_index.until(self._at)

    @cached_property
    def _index(self) -> int:
        return self._at

    @cached_property
    def _tool_event(self) -> ToolEvent:
        event: ToolEvent = self.sample_index.events[self._at]  # type: ignore[assignment]
        return event

    @cached_property
    def _model_index(self) -> int | None:
        return self.sample_index.producing(self._at)

    def earlier(self) -> tuple[Earlier, ...]:
        """Nothing: the reviewers who looked live are replayed, or compared with."""
        return ()

    def executions(self) -> tuple[Execution, ...]:
        """The commands that this call itself ran, in order."""
        first = max(self._at - 1, 0)
        events = self.sample_index.events[first : self.sample_index.end_of_span(self._at)]
        return tuple(executions_of(events, self._at - first))

    def key(self) -> str:
        """`sample uuid/epoch/ToolEvent uuid`."""
        return self.sample_index.key(self._at)

    def reviews(self) -> Sequence[ReviewEvent]:
        """What the reviewers said live, in order, members of panels included."""
        return self.sample_index.reviews(self._at)

    def recorded_sample(self) -> RecordedSample:
        """The sample."""
        return self.sample_index.sample


class History(Sequence["ChatMessage"]):
    """A conversation that is read only when somebody looks at it."""

    def __init__(self, read: Callable[[], Sequence[ChatMessage]]) -> None:
        self._read = read

    @cached_property
    def _messages(self) -> Sequence[ChatMessage]:
        return self._read()

    @overload
    def __getitem__(self, index: int) -> ChatMessage: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[ChatMessage]: ...

    def __getitem__(self, index: int | slice) -> ChatMessage | Sequence[ChatMessage]:
        return self._messages[index]

    def __len__(self) -> int:
        return len(self._messages)


def cases_of(sample: RecordedSample) -> Iterator[Case]:
    """The cases of a sample: its calls in the order in which they began, then bridged agents'."""
    index = SampleIndex(sample)
    for at in index.tool_events:
        if not index.never_ran(at):
            yield case_at(index, at)
    yield from bridged_cases(index)


def case_at(index: SampleIndex, at: int) -> Case:
    """The case of one `ToolEvent`.

    Args:
        index: The sample's events.
        at: Index of the event.
    """
    event = index.tool_event(at)
    model = index.producing(at)
    producing: ModelEvent | None = None if model is None else index.events[model]  # type: ignore[assignment]
    call = _call(index, at, producing)
    surroundings = RecordedCall(index, at, call)
    output, whole = _output(index, at)
    message = None if producing is None else producing.output.choices[0].message
    evidence = Evidence(
        message="" if message is None else message.text,
        call=call,
        result=_result(event),
        output=output,
        history=History(partial(_history, producing)),
        view=_host.recorded_view(call, event.view),
        surroundings=surroundings,
        fidelity=tuple(_fidelity(index, at, model, whole)),
    )
    sample = index.sample
    return Case(surroundings.key(), evidence, source=sample.source, sample=sample.uuid)


def _call(index: SampleIndex, at: int, producing: ModelEvent | None) -> ToolCall:
    """The call as executed: what its live reviewers were given, else what its event says."""
    from inspect_ai.tool import ToolCall

    for review in index.reviews(at):
        return review.call
    event = index.tool_event(at)
    return ToolCall(event.id, event.function, event.arguments, view=event.view)


def _result(event: ToolEvent) -> ChatMessageTool:
    """The message that the model received."""
    from inspect_ai.model import ChatMessageTool

    return ChatMessageTool(
        id=event.message_id or event.id,
        content=cast("Any", event.result),
        tool_call_id=event.id,
        function=event.function,
        error=event.error,
    )


def _output(index: SampleIndex, at: int) -> tuple[Any, bool]:
    """The tool's output as reviewers saw it, and whether that is all of it."""
    event = index.tool_event(at)
    if event.truncated is None:
        return event.result, True
    kept = index.kept.get(index.key(at))
    unpacked = None if kept is None else kept_text(kept)
    if unpacked is not None:
        return unpacked
    return _host.without_truncation_frame(str(event.result)), False


def _history(event: ModelEvent | None) -> Sequence[ChatMessage]:
    """The conversation up to the message that made the call, as the model was shown it."""
    if event is None:
        return []
    messages = list(event.input)
    system = event.config.system_message
    # Inspect puts this one before the agent's own conversation.
    if system and messages and messages[0].role == "system" and messages[0].content == system:
        del messages[0]
    return [*messages, whole_message(event.output.choices[0].message)]


def _fidelity(index: SampleIndex, at: int, model: int | None, whole: bool) -> Iterator[str]:
    """How the case differs from what a reviewer saw live."""
    event = index.tool_event(at)
    reviews = index.reviews(at)
    if not whole:
        yield "truncated"
    if model is None or index.compacted_before(model):
        yield "history"
    if _host.media_removed(event.result):
        yield "image"
    if (event.metadata or {}).get("bridge"):
        yield "bridged"
    if index.metadata_changed:
        yield "state"
    if any((review.metadata or {}).get("reason") in CLOCK_REASONS for review in reviews):
        yield "time"
    if event.error and event.error.type in NOT_EXECUTED and not reviews:
        yield "may_not_have_run"
