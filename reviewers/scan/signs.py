"""What shows that a short text is worth reading in another way."""

import re
from collections.abc import Iterable
from operator import eq

from reviewers.scan.needs import LETTERS_AND_DIGITS

# Begin or are what a terminal does not show.
CONTROLS = (b"\x1b", b"\x08")
FOLDABLE = bytes(LETTERS_AND_DIGITS) + b"+/=-_"
WIDE = 32
NARROW = frozenset((8, 12, 16, 20, 24, 28))
# Few texts hold a line that is one word of that length, and folded text is made of such.
LINE = rb"[%b]{%d,}+\r?(?:\n|\Z)" % (re.escape(FOLDABLE), min(NARROW))
FIRST_LINE, FURTHER_LINE = re.compile(LINE), re.compile(rb"\n" + LINE)


def controls(data: bytes, step: int) -> list[int]:
    """Where control characters are that may interrupt a word; of those close together the first."""
    places = []
    for control in CONTROLS:
        at = data.find(control)
        while at >= 0:
            places.append(at)
            at = data.find(control, at + step)
    return places


def surroundings(places: Iterable[int], reach: int, longest: int) -> list[tuple[int, int]]:
    """The parts of a text that are at most so far from a place, in order, of a certain length."""
    parts: list[tuple[int, int]] = []
    for place in sorted(places):
        start, end = max(0, place - reach), place + reach
        if parts and start <= parts[-1][1] and end - parts[-1][0] <= longest:
            start, _ = parts.pop()
        parts.append((start, end))
    return parts


def looks_folded(data: bytes, has_words: bool) -> bool:
    """Whether a whole line is one long word and goes on in the next, or lines are equally long.

    Args:
        data: The text.
        has_words: Whether it holds a long word at all.
    """
    if not FURTHER_LINE.search(data) and not FIRST_LINE.match(data):
        return False
    lines = data.split(b"\n")
    sizes = list(map(len, lines))
    if not NARROW.isdisjoint(sizes) and _has_narrow(lines, sizes):
        return True
    return has_words and any(
        size >= WIDE and b" " not in line and _goes_on(line.removesuffix(b"\r"), following)
        for size, line, following in zip(sizes, lines, lines[1:], strict=False)
    )


def _has_narrow(lines: list[bytes], sizes: list[int]) -> bool:
    """Whether three lines in a row are words of the same size, one of those text is folded at."""
    same = bytes(map(eq, sizes, sizes[1:-1]))
    at = same.find(b"\1\1")
    while at >= 0:
        if sizes[at] in NARROW and _is_word(b"".join(lines[at : at + 3])):
            return True
        at = same.find(b"\1\1", at + 1)
    return False


def _goes_on(line: bytes, following: bytes) -> bool:
    return len(following) >= 4 and _is_word(line + following[:4])


def _is_word(text: bytes) -> bool:
    return not text.translate(None, FOLDABLE)
