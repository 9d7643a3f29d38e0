"""The readings of a text: as a person sees it, and what it hides from one.

Every decoder is bounded: it looks at runs, takes at most `MAX_RUN` characters of each, and all
together yield at most `MAX_DECODED` characters and `MAX_PIECES` pieces.
"""

from __future__ import annotations

import binascii
import codecs
import html
import re
import string
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from urllib.parse import unquote

from ahocorasick_rs import AhoCorasick, Implementation

from reviewers.rules._injection.fold import beyond_ascii, fold, lookalikes
from reviewers.rules._injection.signals import Effort

MAX_RUN = 8_192
MAX_PIECES = 2_000
MAX_DECODED = 1_048_576
MAX_DEPTH = 2
PIECE_EFFORT = 10
LETTERS_PER_TRY = 16
"""Tries of patterns that decoding a piece is worth, and how many of its letters one more."""

REPLACED_PER_TRY = 4
"""Characters taken out or replaced that cost as much as one try."""


INVISIBLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000E0000-\U000E0FFF]+"
)
SURROGATES = re.compile(r"[\ud800-\udfff]")
PRINTABLE = bytes(range(32, 127)) + b"\t\n\r"


def _only(letters: str) -> bytes:
    """A table that makes each of these letters 1 and other bytes 0, to see where they run on."""
    return bytes(chr(code) in letters for code in range(256))


PACKED_LETTERS = _only(string.ascii_letters + string.digits + "+/_-")
PACKED_CORE = _only(string.ascii_letters + string.digits)
PACKED_LEAST = 20
"""Letters and digits in a row that packed text has somewhere, and most paths have not."""

ADDRESS_LETTERS = _only("".join(chr(code) for code in range(33, 256) if chr(code) not in "\"'<>"))
BLANK = b"%20"
BLANKS = 3
"""Encoded blanks from which on an address may say something."""

RUNS = re.compile(
    r"[A-Za-z0-9+/_-]{20,}(?:\r?\n[A-Za-z0-9+/_-]{20,})*"
    r"(?:\r?\n[A-Za-z0-9+/_-]{1,20})?={0,2}"
)
"""What may be base64 or hex. `re` is the faster module here, and all it does is linear."""

HEX = re.compile(r"[0-9a-fA-F\s]{24,}")
FROM_URL = str.maketrans("-_", "+/")
BETWEEN = r"(?:,? ?0x|\\x|[ :,])"
SPACED_HEX = re.compile(
    rf"(?<![0-9a-fA-F])[0-9a-fA-F]{{2}}{BETWEEN}(?:[0-9a-fA-F]{{2}}{BETWEEN}?){{14,4000}}+"
)
DECIMAL = re.compile(r"(?<!\d)(?:1?\d\d[ ,]{1,2}){16,3000}+(?:1?\d\d)?")
BINARY = re.compile(r"(?<![01])(?:[01]{8} ?){8,1000}+")
ENTITIES = re.compile(r"(?:&#x?[0-9a-fA-F]{1,6};?[^&\n]{0,40}){6,1500}+")
ESCAPED = re.compile(r"(?:\\u[0-9a-fA-F]{4}[\w ,.]{0,3}){6,1500}+")
TAGS = re.compile(r"(?<!\U0001F3F4)[\U000E0020-\U000E007E]{4,}+(?!\U000E007F)")
SELECTORS = re.compile(r"[\ufe00-\ufe0f\U000E0100-\U000E01EF]{8,}+")
ZERO_WIDTH = re.compile(r"[\u200b-\u200f\u2060-\u2064\ufeff]{16,}+")
TURNED = re.compile(r"[\u202e\u202d][^\u202c\u202e\n]{12,2000}")
BETWEEN_LETTERS = re.compile(r"(?<![a-z0-9]{2})(?<=[a-z0-9])[ ._*-](?=[a-z0-9](?![a-z0-9]))")


@dataclass(frozen=True)
class Reading:
    """One way to read a text.

    Attributes:
        text: Folded text.
        how: How it was hidden; empty for what everybody sees.
        start: Where in the original the piece begins that was read.
        end: Where that ends.
        mixed: Words that were written with look-alike letters.
        original: The text from which invisible characters were taken out; empty if none were.
    """

    @cached_property
    def removed(self) -> tuple[list[int], list[int]]:
        """Before which places characters were taken out, and how many up to there."""
        places, counts, gone = [], [], 0
        for run in INVISIBLE.finditer(self.original):
            places.append(run.start() - gone)
            gone += run.end() - run.start()
            counts.append(gone)
        return places, counts

    text: str
    how: str = ""
    start: int = 0
    end: int = 0
    mixed: Sequence[tuple[int, int]] = ()
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
        # The more different letters there are beyond ASCII, the longer folding takes.
        self._effort.left -= len(beyond_ascii(self._text))
        yield self._visible()
        yield from self._hidden(self._text, None, 0)

    def _visible(self) -> Reading:
        text, shown = self._text, self._replaced(INVISIBLE, "", self._text)
        original = "" if shown is text else text
        return Reading(fold(shown), "", self._offset, mixed=lookalikes(shown), original=original)

    def _replaced(self, unwanted: re.Pattern[str], by: str, text: str) -> str:
        if not unwanted.search(beyond_ascii(text)):
            return text
        text, count = unwanted.subn(by, text)
        self._effort.left -= count // REPLACED_PER_TRY
        return text

    def _hidden(
        self, text: str, place: tuple[int, int, str] | None, depth: int
    ) -> Iterator[Reading]:
        for how, start, end, decoded in _decoded(text):
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


Piece = tuple[str, int, int, str]
"""How it was hidden, where, and what it says."""


def _decoded(text: str) -> Iterator[Piece]:
    if INVISIBLE.search(beyond_ascii(text)):
        yield from _each("Unicode tags", TAGS, text, _from_tags)
        yield from _each("variation selectors", SELECTORS, text, _from_selectors)
        yield from _each("zero-width characters", ZERO_WIDTH, text, _from_zero_width)
        yield from _each("a change of the writing direction", TURNED, text, _turned)
    letters = text.encode("latin-1", "replace")
    yield from _packed(text, letters)
    for numbers in SPELLED_OUT:
        for start, end in _stretches(letters, numbers.among, numbers.least):
            digits = letters[start:end].translate(numbers.digits)
            if any(rhythm in digits for rhythm in numbers.rhythms):
                yield from _each(numbers.how, numbers.run, text, numbers.decode, start, end)
    for start, end in _holding(letters, BLANK, ADDRESS_LETTERS):
        if letters.count(BLANK, start, end) >= BLANKS:
            yield "percent-encoding", start, end, unquote(text[start:end][:MAX_RUN])
    if "&#" in text:
        yield from _each("character references", ENTITIES, text, html.unescape)
    if "\\u" in text:
        yield from _each("escapes", ESCAPED, text, _unescaped)
    yield from _disguised(text.lower())


def _stretches(letters: bytes, table: bytes, least: int) -> Iterator[tuple[int, int]]:
    """Where at least so many bytes stand in a row that the table makes 1."""
    marked, row = letters.translate(table), b"\1" * least
    start = marked.find(row)
    while start >= 0:
        end = marked.find(b"\0", start)
        end = end if end >= 0 else len(marked)
        yield start, end
        start = marked.find(row, end)


def _holding(letters: bytes, mark: bytes, table: bytes) -> Iterator[tuple[int, int]]:
    """The rows of bytes that the table makes 1 and that hold a mark."""
    place = letters.find(mark)
    marked = letters.translate(table) if place >= 0 else b""
    while place >= 0:
        end = marked.find(b"\0", place)
        end = end if end >= 0 else len(marked)
        yield 1 + marked.rfind(b"\0", 0, place), end
        place = letters.find(mark, end)


def _packed(text: str, letters: bytes) -> Iterator[Piece]:
    """Base64 and hex; the stretches lead at once to where a run can begin."""
    last, marked = 0, letters.translate(PACKED_LETTERS)
    for core, end in _stretches(letters, PACKED_CORE, PACKED_LEAST):
        if letters[core:end].isalpha():
            continue  # A long name: text that was packed has digits among its letters.
        start = 1 + marked.rfind(b"\0", last, core)
        if start >= last and (run := RUNS.match(text, start)):
            last = run.end()
            if decoded := _from_run(run[0][:MAX_RUN]):
                yield "base64 or hex", start, last, decoded


def _each(
    how: str,
    pattern: re.Pattern[str],
    text: str,
    decode: Callable[[str], str],
    first: int = 0,
    last: int = sys.maxsize,
) -> Iterator[Piece]:
    for run in pattern.finditer(text, first, last):
        decoded = decode(run[0][:MAX_RUN])
        if decoded:
            yield how, *run.span(), decoded


def _text_of(raw: bytes) -> str:
    """Bytes as text if nearly all of them are letters and the like; else nothing."""
    if len(raw) < 12:
        return ""
    if raw.isascii():
        spoken = b" " in raw or len(raw) >= 24
        return raw.decode() if spoken and not raw.translate(None, PRINTABLE) else ""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return text if sum(letter.isprintable() for letter in text) >= 0.95 * len(text) else ""


def _from_run(run: str) -> str:
    if HEX.fullmatch(run):
        return _from_hex(run)
    if run.islower() or run.isupper():
        return ""
    return _from_base64(run)


def _from_base64(run: str) -> str:
    packed = "".join(run.split()).rstrip("=").translate(FROM_URL)
    packed = packed[: len(packed) - (len(packed) % 4 == 1)]
    try:
        return _text_of(binascii.a2b_base64(packed + "=" * (-len(packed) % 4)))
    except (binascii.Error, ValueError):
        return ""


def _from_hex(run: str) -> str:
    digits = re.sub(r"\\x|0x|[\s:,]", "", run)
    return _text_of(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _from_binary(run: str) -> str:
    bits = run.replace(" ", "")
    return _text_of(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)))


def _from_decimal(run: str) -> str:
    codes = [int(code) for code in re.findall(r"\d+", run)]
    return _text_of(bytes(code for code in codes if code < 256))


def _unescaped(run: str) -> str:
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), run)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Numbers(NamedTuple):
    """Numbers written for letters.

    Attributes:
        how: What they are called.
        run: What a row of them looks like.
        decode: Makes text of a row.
        among: Marks the characters of a row.
        least: How many characters a row has.
        digits: Marks the digits.
        rhythms: Digits and what stands between them: one of these is in each row.
    """

    how: str
    run: re.Pattern[str]
    decode: Callable[[str], str]
    among: bytes
    least: int
    digits: bytes
    rhythms: tuple[bytes, ...]


def _rhythm(example: str, times: int) -> bytes:
    """The rhythm of digits and other characters of an example, so many times over."""
    return bytes(letter.isdigit() for letter in example) * times


SPELLED_OUT = [
    Numbers(
        "hex",
        SPACED_HEX,
        _from_hex,
        _only(string.hexdigits + " :,\\x"),
        31,
        _only(string.hexdigits),
        (_rhythm("69 ", 6), _rhythm("\\x69", 6), _rhythm("0x69 ", 4), _rhythm("0x69, ", 4)),
    ),
    Numbers(
        "binary",
        BINARY,
        _from_binary,
        _only("01 "),
        64,
        _only("01"),
        (_rhythm("01101001 ", 3), _rhythm("01101001", 8)),
    ),
    Numbers(
        "character codes",
        DECIMAL,
        _from_decimal,
        _only(string.digits + " ,?"),
        50,
        _only(string.digits + "?"),
        (_rhythm("105 103", 1), _rhythm("105, 103", 1)),
    ),
]
"""A question mark stands for all that is not Latin, such as the digits of other scripts."""


def _from_tags(run: str) -> str:
    return "".join(chr(ord(tag) - 0xE0000) for tag in run)


def _from_selectors(run: str) -> str:
    codes = (ord(mark) for mark in run)
    return _text_of(bytes(c - 0xFE00 if c < 0xFE10 else c - 0xE0100 + 16 for c in codes))


def _from_zero_width(run: str) -> str:
    """Two kinds of character as bits; more kinds, or no text: a sign that stands for itself."""
    kinds = sorted(set(run))
    if len(kinds) != 2:
        return ""
    for zero in kinds:
        bits = "".join("0" if mark == zero else "1" for mark in run)
        if text := _from_binary(bits):
            return text
    return ""


def _turned(run: str) -> str:
    return run[:0:-1]


PLAIN_TELLS = (
    "ignore",
    "instruction",
    "disregard",
    "previous",
    "system prompt",
    "assistant",
    "password",
)
LEET = str.maketrans("01345789@$", "oieastbgas")
LEET_TELLS = (
    "1gn0r",
    "ign0r",
    "1gnor",
    "1nstruct",
    "pr3v",
    "d1sr3g",
    "disr3g",
    "4ss1st",
    "p4ssw",
    "syst3m pr",
)
ROT13_TELLS = tuple(codecs.encode(tell, "rot13") for tell in PLAIN_TELLS)
REVERSED_TELLS = tuple(tell[::-1] for tell in PLAIN_TELLS)
SPACED_TELLS = tuple(mark.join(tell[:6]) for tell in PLAIN_TELLS for mark in " .-_*")

MAX_TELLS = 20
AROUND = 400
"""Characters read round a tell of a disguise."""

DISGUISES: list[tuple[str, tuple[str, ...], Callable[[str], str]]] = [
    ("rot13", ROT13_TELLS, lambda piece: codecs.encode(piece, "rot13")),
    ("reversed letters", REVERSED_TELLS, lambda piece: piece[::-1]),
    ("digits for letters", LEET_TELLS, lambda piece: piece.translate(LEET)),
    ("spaced letters", SPACED_TELLS, lambda piece: _closed_up(piece)),
]
TELLS = AhoCorasick(
    [tell for _, tells, _ in DISGUISES for tell in tells], implementation=Implementation.DFA
)
DISGUISE_OF_TELL = [n for n, (_, tells, _) in enumerate(DISGUISES) for _ in tells]


def _disguised(text: str) -> Iterator[Piece]:
    """Disguises that leave letters: seen by what an instruction looks like in them."""
    read_to, tells = [0] * len(DISGUISES), 0
    for tell, place, _ in TELLS.find_matches_as_indexes(text):
        number = DISGUISE_OF_TELL[tell]
        if place < read_to[number]:
            continue
        how, _, undo = DISGUISES[number]
        start, end = max(0, place - AROUND), min(len(text), place + AROUND)
        read_to[number] = end
        tells += 1
        yield how, start, end, undo(text[start:end])
        if tells == MAX_TELLS:
            return


def _closed_up(piece: str) -> str:
    return BETWEEN_LETTERS.sub("", piece)
