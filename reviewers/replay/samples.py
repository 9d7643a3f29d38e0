"""One recorded sample: what its log says of it, and its events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reviewers import _host

if TYPE_CHECKING:
    from inspect_ai.event import Event
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessage
    from inspect_ai.solver import TaskState


@dataclass
class RecordedSample:
    """What a log knows of one sample.

    Attributes:
        source: The log.
        id: The sample's id in its data set.
        epoch: Its epoch, from 1.
        uuid: Its uuid; where an old log has none, a name made of the log's and the sample's ids.
        target: Its target.
        metadata: Its metadata at the end of the run.
        scores: Its scores by scorer: value, answer, explanation, metadata as plain JSON values.
        events: Its events: Inspect's own, or lighter ones with the same attributes.
        inspect_events: Gives its events as Inspect reads them.
    """

    source: str
    id: int | str
    epoch: int
    uuid: str
    target: tuple[str, ...]
    metadata: Mapping[str, Any]
    scores: Mapping[str, Any]
    events: Sequence[Event]
    inspect_events: Callable[[], Sequence[Event]] = field(repr=False)

    @cached_property
    def key(self) -> str:
        """`uuid/epoch`: what the keys of its cases begin with."""
        return f"{self.uuid}/{self.epoch}"

    @cached_property
    def state(self) -> TaskState:
        """The sample's state as reviewers look it up: target, metadata, uuid, epoch."""
        return _host.recorded_state(
            self.id, self.epoch, self.uuid, list(self.target), dict(self.metadata)
        )


def sample_from_inspect(sample: EvalSample, source: str, log_id: str) -> RecordedSample:
    """A sample as Inspect's own reader gives it, attachments resolved.

    Args:
        sample: The sample.
        source: The log.
        log_id: Names the run where the sample has no uuid of its own.
    """
    target = [sample.target] if isinstance(sample.target, str) else sample.target
    events = sample.events
    return RecordedSample(
        source=source,
        id=sample.id,
        epoch=sample.epoch,
        uuid=sample.uuid or f"{log_id}:{sample.id}:{sample.epoch}",
        target=tuple(target),
        metadata=sample.metadata,
        scores={
            name: plain_score(score.model_dump(mode="json"))
            for name, score in (sample.scores or {}).items()
        },
        events=events,
        inspect_events=lambda: events,
    )


def plain_score(score: Mapping[str, Any]) -> dict[str, Any]:
    """What labels may be made of: a score's value, answer, explanation and metadata."""
    return {name: score.get(name) for name in ("value", "answer", "explanation", "metadata")}


def whole_message(message: Any) -> ChatMessage:
    """An assistant message as Inspect's, also where the event is a lighter one."""
    whole: ChatMessage = getattr(message, "whole", message)
    return whole
