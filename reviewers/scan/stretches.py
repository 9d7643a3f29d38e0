"""Where a text holds long words: most texts hold few, and few credentials are anything else.

A credential that only a name beside it tells, such as `datadog_api_key = …`, is a word of sixteen
or more characters with a digit in it, or a longer one of letters. Names are frequent and such
words are not, so the words are found first, in one pass over the whole text, and names are looked
for only near them.
"""

import re
from functools import reduce
from operator import and_
from typing import Any

import numpy as np

from reviewers.scan.needs import LETTERS_AND_DIGITS, SHORTEST_WORD, WORD

DIGITS = frozenset(b"0123456789")
HEX_SMALL = frozenset(b"0123456789abcdef")
HEX_CAPITAL = frozenset(b"0123456789ABCDEF")
BASE32_LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
SHORTEST_OF_LETTERS = 20
SHORTEST_LONG = 24
# How far before a word a name may begin; and how far after one, if it is written backwards.
BEFORE = 80
AFTER = 12
PIECE = 1 << 17
# Arrays for a shorter text take longer to make than it takes to see that it holds no long word.
SHORT_TEXT = 2_000
LETTER_OR_DIGIT, SMALL_HEX, CAPITAL_HEX, IN_BASE32, NOT_CAPITAL, NOT_SMALL = (
    1 << n for n in range(6)
)
# The two highest, so that one comparison tells a word with a digit in it.
NO_DIGIT, IN_WORD = 64, 128
FLAGS = bytes(
    NO_DIGIT * (byte not in DIGITS)
    | IN_WORD * (byte in WORD)
    | LETTER_OR_DIGIT * (byte in LETTERS_AND_DIGITS)
    | SMALL_HEX * (byte in HEX_SMALL)
    | CAPITAL_HEX * (byte in HEX_CAPITAL)
    | IN_BASE32 * (byte in BASE32_LETTERS)
    | NOT_CAPITAL * (byte in LETTERS_AND_DIGITS and not chr(byte).isupper())
    | NOT_SMALL * (byte in LETTERS_AND_DIGITS and not chr(byte).islower())
    for byte in range(256)
)
SHAPE = bytes(97 if byte in WORD else 32 for byte in range(256))
WORD_SHAPE = b"a" * SHORTEST_WORD
DIGIT = re.compile(rb"[0-9]")
LETTERS = re.compile(
    rb"[a-z]{%d}|[A-Z]{%d}|[A-Za-z]{%d}" % (SHORTEST_OF_LETTERS, SHORTEST_OF_LETTERS, SHORTEST_LONG)
)
LONG_WORD = re.compile(rb"[A-Za-z0-9]{%d,}" % SHORTEST_LONG)
# What is after the end is of no word.
BEYOND = b"\0" * SHORTEST_LONG
Places = np.ndarray[Any, np.dtype[np.intp]]


class Stretches:
    """The parts of a text that are worth a closer look.

    Attributes:
        near: Where a name may stand, in order, apart: around words of sixteen or more letters,
            digits, `_` and `-` with a digit among them, of twenty small or twenty capital letters,
            and of 24 mixed ones.
        long_words: Where words of 24 or more letters and digits begin; very long ones in pieces.
        long_word_ends: Where each of those ends.
        flags: For each of those, the flags that all of its first 24 characters have.
    """

    __slots__ = ("flags", "long_word_ends", "long_words", "near")

    def __init__(self, data: bytes) -> None:
        self.near: list[tuple[int, int]] = []
        self.long_words: list[int] = []
        self.long_word_ends: list[int] = []
        self.flags = bytearray()
        if len(data) <= SHORT_TEXT:
            self._look_at_each(data)
        else:
            for first in range(0, len(data), PIECE):
                self._look_at_all(first, data[first : first + PIECE + SHORTEST_LONG])

    def _look_at_each(self, data: bytes) -> None:
        shape = data.translate(SHAPE)
        start = shape.find(WORD_SHAPE)
        while start >= 0:
            end = shape.find(b" ", start)
            end = len(data) if end < 0 else end
            is_long = end - start >= SHORTEST_OF_LETTERS
            if DIGIT.search(data, start, end) or (is_long and LETTERS.search(data, start, end)):
                self._add_near([start], [end])
            for long_word in LONG_WORD.finditer(data, start, end) if is_long else ():
                self.long_words.append(long_word.start())
                self.long_word_ends.append(long_word.end())
                self.flags.append(reduce(and_, long_word[0][:SHORTEST_LONG].translate(FLAGS)))
            start = shape.find(WORD_SHAPE, end)

    def _look_at_all(self, first: int, piece: bytes) -> None:
        """The same by arrays: each flag tells of a place and of those that follow it."""
        flags = np.frombuffer(b"".join((piece.translate(FLAGS), BEYOND)), np.uint8)
        for step in (1, 2, 4, 8):
            flags = flags[:-step] & flags[step:]
        longest = flags[:-8] & flags[8:]
        longer = flags[:-4] & flags[4:]
        longer &= NOT_CAPITAL | NOT_SMALL
        of_letters = longest & LETTER_OR_DIGIT
        of_letters |= longer[: len(longest)]
        in_words = flags.view(np.int8) < np.int8(NO_DIGIT - IN_WORD)
        in_words[: len(longest)] |= of_letters != 0
        if b"\1" not in in_words.tobytes():
            return
        starts, ends = _from_to(in_words)
        apart = starts[1:] - ends[:-1] > SHORTEST_WORD + AFTER + BEFORE
        starts = starts[np.concatenate(([True], apart))] + first
        ends = ends[np.concatenate((apart, [True]))] + (first + SHORTEST_WORD - 1)
        self._add_near(starts.tolist(), ends.tolist())
        in_long_words = (longest[:PIECE] & LETTER_OR_DIGIT) != 0
        if b"\1" in in_long_words.tobytes():
            starts, ends = _from_to(in_long_words)
            self.long_words += (starts + first).tolist()
            self.long_word_ends += (ends + (first + SHORTEST_LONG - 1)).tolist()
            self.flags += longest[starts].tobytes()

    def _add_near(self, starts: list[int], ends: list[int]) -> None:
        """The surroundings of words that are apart; the first may be close to the one before."""
        near = self.near
        begin = max(0, starts[0] - BEFORE)
        if near and begin <= near[-1][1]:
            begin = near.pop()[0]
        near.append((begin, ends[0] + AFTER))
        near += [
            (start - BEFORE, end + AFTER) for start, end in zip(starts[1:], ends[1:], strict=True)
        ]


def _from_to(places: "np.ndarray[Any, np.dtype[np.bool_]]") -> tuple[Places, Places]:
    """Where places that are true begin, and where they end."""
    changes = np.empty(len(places) + 1, np.bool_)
    changes[0], changes[-1] = places[0], places[-1]
    np.not_equal(places[1:], places[:-1], out=changes[1:-1])
    edges = np.flatnonzero(changes)
    return edges[::2], edges[1::2]
