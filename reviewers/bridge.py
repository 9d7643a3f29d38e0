"""Review of bridged agents' tool results, which Inspect itself does not review.

A bridged agent runs its own tools; Inspect sees a result first when the agent sends it to the
model. A filter on the bridge reviews every new tool message there, before the model reads it:

```python
from inspect_ai.agent import agent_bridge
from reviewers.bridge import reviewing
from reviewers.packs import sandbox

async with agent_bridge(state, filter=reviewing(sandbox())) as bridge:
    ...
```

The call has already run, as everywhere in review. There is no exit code (the command ran out of
Inspect's sight), and the result is what the agent chose to show: it may be shortened or altered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeGuard

from reviewers import _host
from reviewers.evidence import Earlier
from reviewers.transcript import (
    TranscriptSurroundings,
    producing_model_event,
    said,
    surroundings_for,
)

if TYPE_CHECKING:
    from inspect_ai.event import Event, ReviewEvent
    from inspect_ai.model import ChatMessage, ChatMessageTool, GenerateFilter, Model
    from inspect_ai.review import ReviewPolicy
    from inspect_ai.tool import ToolCall

    Filter = Callable[..., Awaitable[Any]]


def reviewing(
    policies: list[ReviewPolicy] | None = None, then: GenerateFilter | None = None
) -> GenerateFilter:
    """A bridge filter that reviews every tool result before the model reads it.

    Results that were reviewed once are not reviewed again when the agent sends its history anew.
    A `terminate` ends the sample with an operator limit, as in every review.

    Args:
        policies: Policies to apply; by default the ones in force (eval's, task's or agent's).
        then: Another filter that is to run after the review.
    """
    reviewed: dict[str, Counter[Key]] = {}

    async def review_results(
        model: Model, messages: list[ChatMessage], tools: Any, tool_choice: Any, config: Any
    ) -> Any:
        state = _host.sample_state()
        seen = reviewed.setdefault(state.uuid if state else "", Counter())
        for call, result, history in new_results(messages, seen):
            await _review(call, result, history, policies)
        if then is None:
            return None
        following: Filter = then
        return await following(model, messages, tools, tool_choice, config)

    return review_results


Key = tuple[str, str, str]


def new_results(
    messages: Sequence[ChatMessage], seen: Counter[Key]
) -> Iterator[tuple[ToolCall, ChatMessageTool, list[ChatMessage]]]:
    """The tool results of a conversation that were not reviewed before, each with its call.

    Ids repeat within a sample, so a result is known by id, call and content, and counted.

    Args:
        messages: The conversation as the agent sends it.
        seen: How often each result was reviewed; brought up to date here.
    """
    calls: dict[str, tuple[ToolCall, list[ChatMessage]]] = {}
    present: Counter[Key] = Counter()
    for place, message in enumerate(messages):
        if message.role == "assistant":
            history = list(messages[: place + 1])
            calls.update({call.id: (call, history) for call in message.tool_calls or []})
        elif message.role == "tool" and message.tool_call_id in calls:
            call, history = calls[message.tool_call_id]
            key = (call.id, repr((call.function, call.arguments)), message.text)
            present[key] += 1
            if present[key] > seen[key]:
                seen[key] += 1
                yield call, message, history


async def _review(
    call: ToolCall,
    result: ChatMessageTool,
    history: list[ChatMessage],
    policies: list[ReviewPolicy] | None,
) -> None:
    from inspect_ai.review import review

    token = surroundings_for.set(_surroundings)
    try:
        with review(policies) if policies else nullcontext():
            await _host.review_result(call, result, history)
    finally:
        surroundings_for.reset(token)


def _surroundings(
    call: ToolCall, result: ChatMessageTool, output: Any, history: Sequence[ChatMessage]
) -> BridgedSurroundings:
    return BridgedSurroundings(call, len(_host.sample_events()))


class BridgedSurroundings(TranscriptSurroundings):
    """What the transcript knows of a call that the agent ran itself: no tool event, no exit code.

    Args:
        call: The reviewed call.
        begun: How many events there were when its review began.
    """

    def __init__(self, call: ToolCall, begun: int) -> None:
        super().__init__(_host.sample_events, call, state=_host.sample_state())
        self._begun = begun

    @property
    def _index(self) -> int | None:
        return None

    @property
    def _model_index(self) -> int | None:
        return producing_model_event(self._events, self._begun, self._call, None)

    def earlier(self) -> tuple[Earlier, ...]:
        """What reviewers said of this call since its review began."""
        return tuple(
            said(event) for event in self._now()[self._begun :] if _is_review(event, self._call)
        )

    def key(self) -> str:
        """`sample uuid/epoch/call id`: there is no tool event to name it by."""
        return f"{self.sample()}/{self.epoch()}/{self._call.id}"


def _is_review(event: Event, call: ToolCall) -> TypeGuard[ReviewEvent]:
    return event.event == "review" and event.call.id == call.id and event.reviewer != "policy"
