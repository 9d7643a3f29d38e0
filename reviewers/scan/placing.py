"""Where findings stand: without overlaps, and in characters instead of bytes."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

CONTINUATION = bytes(range(0x80, 0xC0))


class Placed(Protocol):
    """Something with a place, and how sure it is."""

    start: int
    end: int
    confidence: float
    encoding: str


T = TypeVar("T", bound=Placed)


def without_overlaps(found: Iterable[T]) -> list[tuple[T, tuple[int, int]]]:
    """Of those that overlap the surest, each with the span that all of them take."""
    best_first = sorted(
        found,
        key=lambda one: (-one.confidence, one.encoding != "", one.start - one.end),
    )
    starts: list[int] = []
    kept: list[T] = []
    hidden: list[tuple[int, int]] = []
    for one in best_first:
        at = bisect_right(starts, one.start)
        overlapped = [
            near
            for near in (at - 1, at)
            if 0 <= near < len(kept) and kept[near].start < one.end and one.start < kept[near].end
        ]
        if overlapped:
            near = overlapped[0]
            start, end = hidden[near]
            hidden[near] = min(start, one.start), max(end, one.end)
        else:
            starts.insert(at, one.start)
            kept.insert(at, one)
            hidden.insert(at, (one.start, one.end))
    return list(zip(kept, hidden, strict=True))


def in_characters(data: bytes, places: Iterable[int], is_ascii: bool) -> Callable[[int], int]:
    """Gives the place in the text of each of some places in its UTF-8 bytes."""
    if is_ascii:
        return lambda place: place
    characters: dict[int, int] = {}
    last = count = 0
    for place in sorted(set(places)):
        # A character's first byte counts, those that continue it do not.
        count += len(data[last:place].translate(None, CONTINUATION))
        characters[place] = count
        last = place
    return characters.__getitem__
