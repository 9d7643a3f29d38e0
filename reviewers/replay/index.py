"""What belongs together among a sample's events: calls, model calls, spans and reviews."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reviewers.compose.record_output import SOURCE as KEPT_OUTPUT
from reviewers.replay.samples import RecordedSample
from reviewers.transcript import REVIEWER_SPAN, is_review_of

if TYPE_CHECKING:
    from inspect_ai.event import Event, ModelEvent, ReviewEvent, SpanBeginEvent, ToolEvent

OPERATOR_TIMEOUT = "Command timed out before completing."


class SampleIndex:
    """One pass over a sample's events, and what their order says.

    Args:
        sample: The sample.
    """

    def __init__(self, sample: RecordedSample) -> None:
        self.sample = sample
        self.events: Sequence[Event] = sample.events
        self.tool_events: list[int] = []
        self.model_events: list[int] = []
        self.compactions: list[int] = []
        self.approvals: list[int] = []
        self.spans: dict[str, SpanBeginEvent] = {}
        self.kept: dict[str, Any] = {}
        self.state_changed = False
        self._ends: dict[str, int] = {}
        self._made: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._reviewer_spans: set[str] = set()
        self._reviews: dict[int, list[ReviewEvent]] = defaultdict(list)
        self._notes: list[tuple[int, str]] = []
        self.stray_reviews: list[ReviewEvent] = []
        self._first_metadata: Mapping[str, Any] | None = None
        for at, event in enumerate(self.events):
            self._take(at, event)

    def _take(self, at: int, event: Event) -> None:
        match event.event:
            case "span_begin":
                self.spans[event.id] = event
                if event.type == REVIEWER_SPAN or event.parent_id in self._reviewer_spans:
                    self._reviewer_spans.add(event.id)
            case "span_end":
                self._ends[event.id] = at
            case "tool":
                self.tool_events.append(at)
            case "model":
                if event.span_id not in self._reviewer_spans:
                    self.model_events.append(at)
                    for call in calls_made(event):
                        self._made[call.id, call.function].append(at)
            case "review":
                self._take_review(event)
            case "approval":
                self.approvals.append(at)
            case "compaction":
                if event.span_id not in self._reviewer_spans:
                    self.compactions.append(at)
            case "info":
                self._take_info(at, event.source, event.data)
            case "sample_init":
                self._first_metadata = event.sample.metadata
            case "state":
                if any(change.path.startswith("/metadata") for change in event.changes):
                    self.state_changed = True

    def _take_review(self, event: ReviewEvent) -> None:
        for at in reversed(self.tool_events):
            if is_review_of(event, event.call, self.events[at]):  # type: ignore[arg-type]
                tool: ToolEvent = self.events[at]  # type: ignore[assignment]
                if (tool.id, tool.function) == (event.call.id, event.call.function):
                    self._reviews[at].append(event)
                    return
        if event.reviewer != "policy":
            self.stray_reviews.append(event)

    def _take_info(self, at: int, source: str | None, data: Any) -> None:
        if source == KEPT_OUTPUT and isinstance(data, Mapping):
            self.kept[str(data.get("case"))] = data
        elif isinstance(data, str) and data.endswith(" was cancelled by operator."):
            self._notes.append((at, data))

    @cached_property
    def metadata_changed(self) -> bool:
        """Whether the sample's metadata changed while it ran."""
        first = self._first_metadata
        return self.state_changed or (
            first is not None and dict(first) != dict(self.sample.metadata)
        )

    def tool_event(self, at: int) -> ToolEvent:
        """The `ToolEvent` at an index."""
        event: ToolEvent = self.events[at]  # type: ignore[assignment]
        return event

    def key(self, at: int) -> str:
        """`sample uuid/epoch/ToolEvent uuid`; old logs, whose events have none, count events."""
        return f"{self.sample.key}/{self.tool_event(at).uuid or f'event-{at}'}"

    def reviews(self, at: int) -> Sequence[ReviewEvent]:
        """What live reviewers said of a call, in order; the host's own note of silence left out."""
        return self._reviews.get(at, ())

    def end_of_span(self, at: int) -> int:
        """Index after the end of a call's tool span; just after its event where it has no span."""
        begin = self.events[at - 1] if at else None
        if begin is None or begin.event != "span_begin" or begin.type != "tool":
            return at + 1
        return self._ends.get(begin.id, len(self.events) - 1) + 1

    def until(self, at: int) -> int:
        """Index of the first event that a call's reviewers could not see yet."""
        return self.end_of_span(at)

    def producing(self, at: int) -> int | None:
        """Index of the `ModelEvent` whose output carries a call, reviewers' own left out.

        Ids repeat, also between agents that run at once: the last such event in the call's own
        span comes first, then the last in a span around or inside it, then the last of all.
        """
        tool = self.tool_event(at)
        best: int | None = None
        closeness = 0
        for model in reversed(self._made.get((tool.id, tool.function), ())):
            if model > at:
                continue
            close = self._closeness(self.events[model].span_id, tool.span_id)
            if close > closeness:
                best, closeness = model, close
            if closeness == 3:
                break
        return best

    def _closeness(self, one: str | None, other: str | None) -> int:
        if one == other:
            return 3
        return 2 if other in self._around(one) or one in self._around(other) else 1

    def _around(self, span: str | None) -> set[str]:
        """The spans around a span, itself included."""
        around: set[str] = set()
        while span is not None and span not in around:
            around.add(span)
            begin = self.spans.get(span)
            span = None if begin is None else begin.parent_id
        return around

    def compacted_before(self, model: int) -> bool:
        """Whether the conversation of a model call had been compacted before it."""
        span = self.events[model].span_id
        return any(
            at < model and self._closeness(self.events[at].span_id, span) > 1
            for at in self.compactions
        )

    def never_ran(self, at: int) -> bool:
        """Whether a call was rejected or cancelled, or ended its sample, before it had a result."""
        if self.reviews(at):
            return False
        tool = self.tool_event(at)
        kind = tool.error.type if tool.error else None
        if tool.pending or kind == "cancelled":
            return True
        if kind == "approval":
            return self._rejected(at)
        if kind == "timeout" and tool.error.message == OPERATOR_TIMEOUT:  # type: ignore[union-attr]
            note = f"Tool call '{tool.function}' was cancelled by operator."
            return any(after > at and text == note for after, text in self._notes)
        return bool(tool.failed) and not tool.result and kind is None

    def _rejected(self, at: int) -> bool:
        tool = self.tool_event(at)
        for index in reversed(self.approvals):
            approval: Any = self.events[index]
            if index < at and (approval.call.id, approval.call.function) == (
                tool.id,
                tool.function,
            ):
                return approval.decision in ("reject", "terminate", "escalate")
        return False


def calls_made(event: ModelEvent) -> Sequence[Any]:
    """The calls that a model event's output carries."""
    choices = event.output.choices
    return (choices[0].message.tool_calls or ()) if choices else ()
