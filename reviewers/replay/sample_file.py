"""A sample from its file in an `.eval` log, with the lighter events of `lines`.

The JSON is scanned once. What cannot be read this way is left to Inspect's own reader, and the
tests compare both on every log.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import UNSET, Raw, Struct

from reviewers.replay.lines import AnyLine, Book, give_book
from reviewers.replay.samples import RecordedSample, plain_score

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample


class SampleFile(Struct):
    """A sample as its file in the log has it.

    `score` and `transcript` are what logs of 2024 had in place of `scores` and `events`.
    """

    id: int | str
    epoch: int
    target: str | list[str]
    events: list[AnyLine]
    uuid: str | None = None
    metadata: dict[str, Any] | None = None
    scores: dict[str, dict[str, Any]] | None = None
    attachments: Raw = Raw()
    events_data: Raw = Raw()
    score: Any = UNSET
    transcript: Any = UNSET


SAMPLE = msgspec.json.Decoder(SampleFile)


class NotReadable(Exception):
    """A sample that only Inspect's own reader can read."""


def sample_from_json(data: bytes, source: str, log_id: Callable[[], str]) -> RecordedSample:
    """A sample from its file in a log.

    Args:
        data: The file's bytes.
        source: The log.
        log_id: Names the run, where the sample has no uuid of its own.

    Raises:
        NotReadable: It has something that this reader does not know.
    """
    try:
        read = SAMPLE.decode(data)
    except msgspec.MsgspecError as error:
        raise NotReadable(str(error)) from None
    if read.score is not UNSET or read.transcript is not UNSET:
        raise NotReadable("an older form of log")
    give_book(read.events, Book(read.attachments, read.events_data))
    return RecordedSample(
        source=source,
        id=read.id,
        epoch=read.epoch,
        uuid=read.uuid or f"{log_id()}:{read.id}:{read.epoch}",
        target=(read.target,) if isinstance(read.target, str) else tuple(read.target),
        metadata=read.metadata or {},
        scores={name: plain_score(score) for name, score in (read.scores or {}).items()},
        events=cast("Any", read.events),
        inspect_events=lambda: inspect_sample(data).events,
    )


def inspect_sample(data: bytes) -> EvalSample:
    """A sample as Inspect reads it, with attachments resolved."""
    from inspect_ai.log import EvalSample, resolve_sample_attachments

    sample = EvalSample.model_validate(json.loads(data), context={"deserializing": True})
    return resolve_sample_attachments(sample, "core")
