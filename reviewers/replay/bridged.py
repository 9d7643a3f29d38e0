"""Cases of agents that ran their own tools behind Inspect's bridge, and left no `ToolEvent`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from reviewers.case import Case
from reviewers.evidence import Evidence
from reviewers.replay.index import SampleIndex, calls_made
from reviewers.replay.samples import RecordedSample, whole_message
from reviewers.transcript import TranscriptSurroundings

if TYPE_CHECKING:
    from inspect_ai.event import ReviewEvent
    from inspect_ai.model import ChatMessageTool
    from inspect_ai.tool import ToolCall


class BridgedCall(TranscriptSurroundings):
    """What the log knows of a call that the agent ran itself: no tool event, no exit code.

    Args:
        index: The sample's events.
        call: The call as the model made it.
        model: Index of the model event that made it.
        until: Index of the model event that was first shown the result.
    """

    def __init__(self, index: SampleIndex, call: ToolCall, model: int, until: int) -> None:
        super().__init__(lambda: index.events[:until], call, state=index.sample.state)
        self._sample_index = index
        self._model = model
        self.until = until

    @property
    def _index(self) -> int | None:
        return None

    @property
    def _model_index(self) -> int | None:
        return self._model

    def key(self) -> str:
        """`sample uuid/epoch/call id`: there is no tool event to name it by."""
        return f"{self._sample_index.sample.key}/{self._call.id}"

    def reviews(self) -> Sequence[ReviewEvent]:
        """What the reviewers said live, in order."""
        reviews = self._sample_index.stray_reviews
        return [review for review in reviews if review.call.id == self._call.id]

    def recorded_sample(self) -> RecordedSample:
        """The sample."""
        return self._sample_index.sample


def bridged_cases(index: SampleIndex) -> Iterator[Case]:
    """Cases of calls that have a result in a later model input, and no `ToolEvent`."""
    ran_by_inspect = {index.tool_event(at).id for at in index.tool_events}
    waiting: dict[tuple[str | None, str], int] = {}
    for at in index.model_events:
        event: Any = index.events[at]
        if waiting:
            for message in event.input:
                if message.role == "tool":
                    model = waiting.pop((event.span_id, message.tool_call_id or ""), None)
                    if model is not None:
                        yield _case(index, model, at, message)
        for call in calls_made(event):
            if call.id not in ran_by_inspect:
                waiting[event.span_id, call.id] = at


def _case(index: SampleIndex, model: int, until: int, result: ChatMessageTool) -> Case:
    event: Any = index.events[model]
    made: Any = whole_message(event.output.choices[0].message)
    call = next(call for call in made.tool_calls if call.id == result.tool_call_id)
    surroundings = BridgedCall(index, call, model, until)
    live = surroundings.reviews()
    evidence = Evidence(
        message=made.text,
        call=live[0].call if live else call,
        result=result,
        output=cast("Any", result.content),
        history=[*event.input, made],
        surroundings=surroundings,
        fidelity=("bridged",),
    )
    sample = index.sample
    return Case(surroundings.key(), evidence, source=sample.source, sample=sample.uuid)
