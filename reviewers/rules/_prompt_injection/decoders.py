"""What a text hides in encodings and invisible characters, found and decoded.

Every decoder is bounded: it looks at runs, and takes at most `MAX_RUN` characters of each.
"""

from __future__ import annotations

import binascii
import html
import re
import string
import sys
from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple
from urllib.parse import unquote

from reviewers.rules._prompt_injection.disguises import disguised
from reviewers.rules._prompt_injection.fold import beyond_ascii

MAX_RUN = 1_048_576

INVISIBLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000E0000-\U000E0FFF]+"
)
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
DECIMAL = re.compile(r"(?<![0-9])(?:1?[0-9][0-9][ ,]{1,2}){16,3000}+(?:1?[0-9][0-9])?")
BINARY = re.compile(r"(?<![01])(?:[01]{8} ?){8,1000}+")
ENTITIES = re.compile(r"(?:&#x?[0-9a-fA-F]{1,6};?[^&\n]{0,40}){6,1500}+")
ESCAPED = re.compile(r"(?:\\u[0-9a-fA-F]{4}[\w ,.]{0,3}){6,1500}+")
TAGS = re.compile(r"(?<!\U0001F3F4)[\U000E0020-\U000E007E]{4,}+(?!\U000E007F)")
SELECTORS = re.compile(r"[\ufe00-\ufe0f\U000E0100-\U000E01EF]{8,}+")
ZERO_WIDTH = re.compile(r"[\u200b-\u200f\u2060-\u2064\ufeff]{16,}+")
TURNED = re.compile(r"[\u202e\u202d][^\u202c\u202e\n]{12,2000}")

Piece = tuple[str, int, int, str]
"""How it was hidden, where, and what it says."""


def decoded_pieces(text: str) -> Iterator[Piece]:
    """All that a text hides; what is hidden in that once more is not looked for here."""
    if INVISIBLE.search(beyond_ascii(text)):
        yield from _each("Unicode tags", TAGS, text, _from_tags)
        yield from _each("variation selectors", SELECTORS, text, _from_selectors)
        yield from _each("zero-width characters", ZERO_WIDTH, text, _from_zero_width)
        yield from _each("a change of the writing direction", TURNED, text, _turned)
    letters = text.encode("latin-1", "replace")
    yield from _packed(text, letters)
    yield from _spelled_out(text, letters)
    for start, end in _holding(letters, BLANK, ADDRESS_LETTERS):
        if letters.count(BLANK, start, end) >= BLANKS:
            yield "percent-encoding", start, end, unquote(text[start:end][:MAX_RUN])
    # To look for one letter first is what costs nothing.
    if "&" in text and "&#" in text:
        yield from _each("character references", ENTITIES, text, html.unescape)
    if "\\" in text and "\\u" in text:
        yield from _each("escapes", ESCAPED, text, _unescaped)
    yield from disguised(text, letters.lower())


def _stretches(
    letters: bytes, table: bytes, least: int, first: int = 0, last: int = sys.maxsize
) -> Iterator[tuple[int, int]]:
    """Where at least so many bytes stand in a row that the table makes 1."""
    marked, row = letters[first:last].translate(table), b"\1" * least
    start = marked.find(row)
    while start >= 0:
        end = marked.find(b"\0", start)
        end = end if end >= 0 else len(marked)
        yield first + start, first + end
        start = marked.find(row, end)


def _holding(letters: bytes, mark: bytes, table: bytes) -> Iterator[tuple[int, int]]:
    """The rows of bytes that the table makes 1 and that hold a mark."""
    place = letters.find(mark) if mark[:1] in letters else -1
    marked = letters.translate(table) if place >= 0 else b""
    while place >= 0:
        end = marked.find(b"\0", place)
        end = end if end >= 0 else len(marked)
        yield 1 + marked.rfind(b"\0", 0, place), end
        place = letters.find(mark, end)


def _packed(text: str, letters: bytes) -> Iterator[Piece]:
    """Base64 and hex; the stretches lead at once to where a run can begin.

    A run that says nothing is read line by line: its lines may have nothing to do with another.
    """
    last, run_end, marked = 0, 0, b""
    for core, end in _stretches(letters, PACKED_CORE, PACKED_LEAST):
        if letters[core:end].isalpha():
            continue  # A long name: text that was packed has digits among its letters.
        marked = marked or letters.translate(PACKED_LETTERS) + b"\0"
        start = 1 + marked.rfind(b"\0", last, core)
        if start < last:
            continue
        last = line_end = marked.find(b"\0", end)
        ends = [line_end]
        if start >= run_end and (run := RUNS.match(text, start)):
            run_end = run.end()
            ends = [run_end, line_end]
        # What stands before the core may be a path or a name, of the same letters.
        for first, stop in dict.fromkeys(product((start, core), ends)):
            if decoded := _from_run(text[first:stop][:MAX_RUN]):
                yield "base64 or hex", first, stop, decoded
                last = stop
                break


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
        _only(string.digits + " ,"),
        50,
        _only(string.digits),
        (_rhythm("105 103", 1), _rhythm("105, 103", 1)),
    ),
]

SPELLED = _only(string.hexdigits + " :,\\x")
SPELLED_LEAST = min(numbers.least for numbers in SPELLED_OUT)
"""All that any of them is written with, and how many characters each has at least."""


def _spelled_out(text: str, letters: bytes) -> Iterator[Piece]:
    for first, last in _stretches(letters, SPELLED, SPELLED_LEAST):
        for numbers in SPELLED_OUT:
            for start, end in _stretches(letters, numbers.among, numbers.least, first, last):
                digits = letters[start:end].translate(numbers.digits)
                if any(rhythm in digits for rhythm in numbers.rhythms):
                    yield from _each(numbers.how, numbers.run, text, numbers.decode, start, end)


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
