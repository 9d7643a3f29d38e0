"""The readings of a text: as a person sees it, and what it hides from one.

What decoding may cost is bounded: all together it yields at most `MAX_DECODED` characters and
`MAX_PIECES` pieces, and each takes from the effort of the whole result.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from reviewers.rules._prompt_injection.decoders import INVISIBLE, decoded_pieces
from reviewers.rules._prompt_injection.fold import beyond_ascii, fold, folding_cost, lookalikes
from reviewers.rules._prompt_injection.signals import Effort

MAX_PIECES = 2_000
MAX_DECODED = 1_048_576
MAX_DEPTH = 2
PIECE_EFFORT = 20
LETTERS_PER_TRY = 8
"""Tries of patterns that decoding a piece is worth, and how many of its letters one more."""

REPLACED_PER_TRY = 4
"""Characters taken out or replaced that cost as much as one try."""

SURROGATES = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True)
class Reading:
    """One way to read a text.

    Attributes:
        text: Folded text.
        how: How it was hidden; empty for what everybody sees.
        start: Where in the original the piece begins that was read.
        end: Where that ends.
        original: The text before it was folded and invisible characters were taken out; empty
            for what was hidden.
    """

    text: str
    how: str = ""
    start: int = 0
    end: int = 0
    original: str = ""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A place in this reading as one in the original text."""
        if self.how:
            return self.start, self.end
        last = min(end, len(self.text))
        return self.start + self._original(start), self.start + self._original(last)

    def _original(self, place: int) -> int:
        places, counts = self.removed
        before = bisect_right(places, place)
        return place + (counts[before - 1] if before else 0)

    @cached_property
    def removed(self) -> tuple[list[int], list[int]]:
        """Before which places characters were taken out, and how many up to there."""
        places, counts, gone = list[int](), list[int](), 0
        if len(self.original) == len(self.text):
            return places, counts
        for run in INVISIBLE.finditer(self.original):
            places.append(run.start() - gone)
            gone += run.end() - run.start()
            counts.append(gone)
        return places, counts

    @cached_property
    def mixed(self) -> Sequence[tuple[int, int]]:
        """Words that were written with look-alike letters."""
        return lookalikes(_replaced(INVISIBLE, "", self.original)[0])


class Readings:
    """All readings of a text, the visible one first.

    Args:
        text: The text, as it came.
        offset: Where it begins in the whole result.
        effort: What the whole result may cost; decoded pieces take from it.
    """

    def __init__(self, text: str, offset: int = 0, effort: Effort | None = None) -> None:
        self._offset = offset
        self._effort = effort or Effort()
        self._text = self._replaced(SURROGATES, "\ufffd", text)
        self._pieces = 0
        self._decoded = 0
        self.complete = True
        """Whether all that could be decoded was; known once all were read."""

    def __iter__(self) -> Iterator[Reading]:
        yield self._visible()
        yield from self._hidden(self._text, None, 0)

    def _visible(self) -> Reading:
        shown = self._replaced(INVISIBLE, "", self._text)
        self._effort.left -= folding_cost(shown)
        return Reading(fold(shown), "", self._offset, original=self._text)

    def _replaced(self, unwanted: re.Pattern[str], by: str, text: str) -> str:
        text, count = _replaced(unwanted, by, text)
        self._effort.left -= count // REPLACED_PER_TRY
        return text

    def _hidden(
        self, text: str, place: tuple[int, int, str] | None, depth: int
    ) -> Iterator[Reading]:
        for how, start, end, decoded in decoded_pieces(text):
            self._effort.left -= PIECE_EFFORT + (end - start) // LETTERS_PER_TRY
            if self._pieces >= MAX_PIECES or self._decoded >= MAX_DECODED or self._effort.left <= 0:
                self.complete = False
                return
            self._pieces += 1
            self._decoded += len(decoded)
            first, last, outer = place or (start + self._offset, end + self._offset, "")
            reading = Reading(fold(INVISIBLE.sub("", decoded)), outer or how, first, last)
            yield reading
            if depth + 1 < MAX_DEPTH:
                yield from self._hidden(decoded, (first, last, reading.how), depth + 1)


def _replaced(unwanted: re.Pattern[str], by: str, text: str) -> tuple[str, int]:
    """The text without what is unwanted, and how often that stood there."""
    return unwanted.subn(by, text) if unwanted.search(beyond_ascii(text)) else (text, 0)
