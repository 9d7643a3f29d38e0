"""Cases of agents that ran their own tools behind Inspect's bridge, and left no `ToolEvent`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from reviewers.case import Case
from reviewers.evidence import Evidence, Surroundings
from reviewers.replay.index import SampleIndex, calls_made
from reviewers.replay.samples import RecordedSample, whole_message

if TYPE_CHECKING:
    from inspect_ai.event import ModelEvent, ReviewEvent
    from inspect_ai.model import ChatMessage, ChatMessageTool
    from inspect_ai.tool import ToolCall, ToolInfo


class BridgedCall(Surroundings):
    """What the log knows of a call that the agent ran itself.

    Args:
        sample: The sample.
        call: The call as the model made it.
        model: The model event that made it.
        live: What reviewers said of it live.
    """

    def __init__(
        self,
        sample: RecordedSample,
        call: ToolCall,
        model: ModelEvent,
        live: Sequence[ReviewEvent],
    ) -> None:
        self._sample = sample
        self._call = call
        self._model = model
        self._live = live

    def model_input(self) -> Sequence[ChatMessage]:
        """`ModelEvent.input` of the event whose output carries the call."""
        return self._model.input

    def tools(self) -> Sequence[ToolInfo]:
        """The tools that the model could call."""
        return self._model.tools

    def target(self) -> tuple[str, ...] | None:
        """The sample's target."""
        return self._sample.target if any(self._sample.target) else None

    def metadata(self) -> Mapping[str, Any]:
        """The sample's metadata."""
        return self._sample.metadata

    def sample(self) -> str:
        """The sample's uuid."""
        return self._sample.uuid

    def epoch(self) -> int:
        """The sample's epoch."""
        return self._sample.epoch

    def key(self) -> str:
        """`sample uuid/epoch/call id`: there is no tool event to name it by."""
        return f"{self._sample.key}/{self._call.id}"

    def reviews(self) -> Sequence[ReviewEvent]:
        """What the reviewers said live, in order."""
        return self._live

    def recorded_sample(self) -> RecordedSample:
        """The sample."""
        return self._sample


def bridged_cases(index: SampleIndex) -> Iterator[Case]:
    """Cases of calls that have a result in a later model input, and no `ToolEvent`."""
    ran_by_inspect = {index.tool_event(at).id for at in index.tool_events}
    waiting: dict[tuple[str | None, str], ModelEvent] = {}
    for at in index.model_events:
        event: Any = index.events[at]
        if waiting:
            for message in event.input:
                if message.role == "tool":
                    model = waiting.pop((event.span_id, message.tool_call_id or ""), None)
                    if model is not None:
                        yield _case(index, model, message)
        for call in calls_made(event):
            if call.id not in ran_by_inspect:
                waiting[event.span_id, call.id] = event


def _case(index: SampleIndex, model: ModelEvent, result: ChatMessageTool) -> Case:
    made: Any = whole_message(model.output.choices[0].message)
    call = next(call for call in made.tool_calls if call.id == result.tool_call_id)
    live = [review for review in index.stray_reviews if review.call.id == call.id]
    surroundings = BridgedCall(index.sample, call, model, live)
    evidence = Evidence(
        message=made.text,
        call=live[0].call if live else call,
        result=result,
        output=cast("Any", result.content),
        history=[*model.input, made],
        surroundings=surroundings,
        fidelity=("bridged",),
    )
    return Case(surroundings.key(), evidence, source=index.sample.source, sample=index.sample.uuid)
