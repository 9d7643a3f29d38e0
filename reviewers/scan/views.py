"""Text read another way, with the way back to where each part of it came from."""

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

# What does not show on a screen: terminal control sequences, what a backspace deletes, NUL, soft
# hyphens, zero-width characters and joiners.
INVISIBLE = (
    rb"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|\x1b[@-Z\\-_]"
    rb"|\x08[^\n]|\x00|\xc2\xad|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xa4]|\xef\xbb\xbf"
    rb"|\xe1\xa0\x8e|\xcd\x8f|\xf3\xa0[\x80\x81][\x80-\xbf]|\xef\xb8[\x80-\x8f]"
)
# A line's end in the middle of a word: as it is, continued by a backslash or `=`, or written as
# \n; and the joint of two quoted pieces.
# Each alternative begins with a byte of its own: what none begins with is passed over at once.
BREAKS = (rb"\\\r?\n", rb"=\r?\n", rb"\r\n", rb"\n")
LINE_BREAK = b"|".join([*(one + rb"[ \t|>]{0,60}" for one in BREAKS), rb"\\r\\n|\\n"])
JOINT = rb"[ \t]{0,8}[+.&,\\]?[ \t]{0,8}(?:\r?\n|\\n)?[ \t]{0,60}[+.&]?[ \t]{0,8}[\"'`]"
PIECES_JOINED = b"|".join(quote + JOINT for quote in (b'"', b"'", b"`"))


@dataclass(slots=True)
class View:
    """Bytes made from a text's, and how to find where they came from.

    Attributes:
        data: The bytes as read.
        how: How they were written in the text.
        locate: Gives the place in the text of a place in `data`.
        region_end: Up to where the text was read.
        read_with: The name of what read it, which is not tried on `data` again.
        is_part: Whether there is more that was not read.
    """

    data: bytes
    how: str
    locate: Callable[[int, int], tuple[int, int]]
    region_end: int
    read_with: str = ""
    is_part: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Rewriting:
    """Reads a text with each match of a pattern replaced, as percent decoding does."""

    how: str
    pattern: "re.Pattern[bytes]"
    replacement: Callable[["re.Match[bytes]"], bytes] | bytes

    @property
    def price(self) -> int:
        """What a replaced byte costs: nothing where a library replaces it alone."""
        return 0 if isinstance(self.replacement, bytes) else 1

    def read(self, raw: bytes, most: int = 0) -> bytes:
        """Bytes read this way; only so many first matches are replaced, all if 0."""
        return self.pattern.sub(self.replacement, raw, most)

    def view(self, data: bytes, start: int, end: int, most: int = 0) -> View | None:
        """The stretch read this way; None if that changes nothing.

        Args:
            data: The text.
            start: Where the stretch begins.
            end: Where it ends.
            most: Only so many first matches are replaced; all if 0.
        """
        raw = data[start:end]
        read = self.read(raw, most)
        if read == raw:
            return None
        pieces = Pieces(self, raw, start, most)
        return View(read, self.how, pieces.locate, end, self.how)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a rewritten text: copied, or read from something longer or shorter."""

    read_start: int
    raw_start: int
    raw_end: int
    copied: bool


@dataclass(slots=True)
class Pieces:
    """Where the parts of a rewritten text came from; worked out when first asked."""

    rewriting: Rewriting
    raw: bytes
    offset: int
    most: int = 0
    pieces: list[_Piece] = field(default_factory=list)

    def locate(self, start: int, end: int) -> tuple[int, int]:
        if not self.pieces:
            self.pieces = list(self._all())
        first, last = self._piece(start), self._piece(max(start, end - 1))
        begin, stop = first.raw_start, last.raw_end
        if first.copied:
            begin += start - first.read_start
        if last.copied:
            stop = last.raw_start + max(start + 1, end) - last.read_start
        return self.offset + begin, self.offset + stop

    def _piece(self, at: int) -> _Piece:
        index = bisect_right(self.pieces, at, key=lambda piece: piece.read_start) - 1
        return self.pieces[index]

    def _all(self) -> Iterator[_Piece]:
        replacement = self.rewriting.replacement
        read = raw = 0
        matches = self.rewriting.pattern.finditer(self.raw)
        for match in islice(matches, self.most or None):
            start, end = match.span()
            if start > raw:
                yield _Piece(read, raw, start, copied=True)
                read += start - raw
            new = replacement if isinstance(replacement, bytes) else replacement(match)
            if new:
                yield _Piece(read, start, end, copied=False)
                read += len(new)
            raw = end
        yield _Piece(read, raw, len(self.raw), copied=True)


def _code_point(number: int) -> bytes:
    if number > 0x10FFFF:
        return b"?"
    return chr(number).encode("utf-8", "surrogatepass")


def _hex_digits(match: "re.Match[bytes]") -> bytes:
    return bytes([int(match[1], 16)])


def _escape(match: "re.Match[bytes]") -> bytes:
    digits = match[1] or match[2] or match[3] or match[4]
    if digits is not None:
        return _code_point(int(digits, 16))
    if match[5] is not None:
        return bytes([int(match[5], 8) & 255])
    return {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(match[6], match[6])


def _entity(match: "re.Match[bytes]") -> bytes:
    return html.unescape(match[0].decode("ascii")).encode("utf-8", "surrogatepass")


def _quoted_printable(match: "re.Match[bytes]") -> bytes:
    return b"" if match[1] is None else bytes([int(match[1], 16)])


INTERRUPTED = Rewriting("control characters inside", re.compile(INVISIBLE), b"")
SPLIT = Rewriting(
    "split over lines",
    re.compile(b"|".join([INVISIBLE, LINE_BREAK, PIECES_JOINED])),
    b"",
)
UNWRAPPED = Rewriting("split over lines", re.compile(rb"\\\r?\n[ \t]*|\r\n[ \t]*|\n[ \t]*"), b"")
PERCENT = Rewriting("percent", re.compile(rb"%(?:25){0,2}([0-9A-Fa-f]{2})"), _hex_digits)
ESCAPES = Rewriting(
    "escapes",
    re.compile(
        rb"\\(?:u00([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]{1,6})\}|U000([0-9A-Fa-f]{5})"
        rb"|x([0-9A-Fa-f]{2})|([0-3][0-7]{2})|([nrt\"'/\\]))"
    ),
    _escape,
)
ENTITIES = Rewriting(
    "HTML entities",
    re.compile(rb"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos|nbsp);"),
    _entity,
)
HEX_ARRAY = Rewriting("hex", re.compile(rb"0x([0-9A-Fa-f]{2})(?:,?\s{0,8}(?=0x))?"), _hex_digits)
WITHOUT_NUL = Rewriting("UTF-16", re.compile(rb"\x00"), b"")
QUOTED_PRINTABLE = Rewriting(
    "quoted-printable",
    re.compile(rb"=(?:([0-9A-F]{2})|[ \t]*\r?\n)"),
    _quoted_printable,
)
