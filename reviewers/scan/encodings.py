"""Text with each character written another way, or in another order, and how it is read back.

What `grouped.py` says of encodings holds for these too.
"""

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from reviewers.scan.grouped import AFTER, BASE32, BASE64, BEFORE, HEX, NEAR, Encoding
from reviewers.scan.needs import LETTERS_AND_DIGITS
from reviewers.scan.views import (
    ENTITIES,
    ESCAPES,
    PERCENT,
    QUOTED_PRINTABLE,
    Rewriting,
    View,
)


@dataclass(frozen=True)
class Units:
    """Each byte written as a unit of its own, such as `%67` or `103, `."""

    how: str
    unit: Callable[[int], bytes]
    between: bytes
    reading: Rewriting
    run: "re.Pattern[bytes]"
    ignores_case: bool = True

    def forms(self, text: bytes) -> Iterator[tuple[bytes, int]]:
        """The units one after another."""
        yield self.between.join(self.unit(byte) for byte in text), 0

    def views(self, data: bytes, at: int, phase: int, reach: int) -> Iterator[View]:
        """The run of units from the form on."""
        run = self.run.match(data, at, at + AFTER)
        if run is not None:
            view = self.reading.view(data, at, run.end())
            if view is not None:
                view.how, view.read_with = self.how, self.how
                yield view


class Flipping(Encoding, Protocol):
    """An encoding that keeps each character one: what is sought stands right at its form."""

    def stands_at(self, data: bytes, at: int, end: int, form: bytes) -> bool:
        """Whether the whole of a form stands where its part was found."""

    def place(self, view: View, at: int, end: int) -> int:
        """Where in a view what the form stands for begins."""

    def byte_before(self, data: bytes, at: int, end: int) -> bytes:
        """What is read directly before the form."""


@dataclass(frozen=True)
class Mapped:
    """Each byte replaced by another: rot13, rot47."""

    how: str
    table: bytes
    ignores_case: bool = False

    def forms(self, text: bytes) -> Iterator[tuple[bytes, int]]:
        """The replaced text."""
        yield text.translate(self.table), 0

    def views(self, data: bytes, at: int, phase: int, reach: int) -> Iterator[View]:
        """A stretch from a little before the form on."""
        start, end = max(0, at - NEAR), at + reach
        read = data[start:end].translate(self.table)
        yield View(
            read,
            self.how,
            lambda first, last: (start + first, start + last),
            start + len(read),
            self.how,
        )

    def stands_at(self, data: bytes, at: int, end: int, form: bytes) -> bool:
        """From the part's beginning on."""
        return data.startswith(form, at)

    def place(self, view: View, at: int, end: int) -> int:
        """As far from the beginning as the form."""
        return at - view.region_end + len(view.data)

    def byte_before(self, data: bytes, at: int, end: int) -> bytes:
        """The one before."""
        return data[max(0, at - 1) : at].translate(self.table)


@dataclass(frozen=True)
class Reversed:
    """The text from its end to its beginning."""

    how: str = "reversed"
    ignores_case: bool = False

    def forms(self, text: bytes) -> Iterator[tuple[bytes, int]]:
        """The reversed text."""
        yield text[::-1], 0

    def views(self, data: bytes, at: int, phase: int, reach: int) -> Iterator[View]:
        """A stretch around the form."""
        start = max(0, at - reach)
        end = min(len(data), at + reach)
        yield View(
            data[start:end][::-1],
            self.how,
            lambda first, last: (end - last, end - first),
            end,
            self.how,
        )

    def stands_at(self, data: bytes, at: int, end: int, form: bytes) -> bool:
        """Up to the part's end."""
        return data.endswith(form, 0, end)

    def place(self, view: View, at: int, end: int) -> int:
        """As far from the beginning as the form's end is from the end."""
        return view.region_end - end

    def byte_before(self, data: bytes, at: int, end: int) -> bytes:
        """The one after."""
        return data[end : end + 1]


@dataclass(frozen=True)
class Spaced:
    """Every character followed by the same separator."""

    how: str
    separator: bytes
    ignores_case: bool = False

    def forms(self, text: bytes) -> Iterator[tuple[bytes, int]]:
        """The characters with the separator between them."""
        yield self.separator.join(bytes([byte]) for byte in text), 0

    def views(self, data: bytes, at: int, phase: int, reach: int) -> Iterator[View]:
        """The stretch over which the separator goes on; without its last character, too.

        That may belong to what follows, as when each stands on a line of its own. Nothing if the
        first is the end of a word.
        """
        if at and data[at - 1] in LETTERS_AND_DIGITS:
            return
        wide = len(self.separator)
        step = wide + 1
        raw = data[at : at + AFTER]
        length = len(raw)
        for offset, byte in enumerate(self.separator, 1):
            places = raw[offset::step]
            same = len(places) - len(places.lstrip(bytes([byte])))
            length = min(length, same * step + 1)
        for stop in (length, length - step):
            yield View(
                raw[:stop:step],
                self.how,
                lambda first, last: (at + first * step, at + last * step - wide),
                at + length,
                self.how,
            )


@dataclass(frozen=True)
class Dumped:
    """The hex dumps of xxd, hexdump and od: an offset, bytes in hex, often the text beside them."""

    how: str = "hex dump"
    ignores_case: bool = True

    def forms(self, text: bytes) -> Iterator[tuple[bytes, int]]:
        """The bytes in pairs, from either half of one; and the offset of a second line."""
        digits = [b"%02x" % byte for byte in text]
        for lead in (0, 1) if text else ():
            pairs = [b"".join(digits[:lead])] if lead else []
            pairs += [b"".join(digits[start : start + 2]) for start in range(lead, len(digits), 2)]
            yield b" ".join(pairs), 0
        for offset in (b"00000010", b"0000020 "):
            yield offset, 0

    def views(self, data: bytes, at: int, phase: int, reach: int) -> Iterator[View]:
        """The lines of the dump around the form; of a long one so many at a time."""
        this_line = max(0, data.rfind(b"\n", max(0, at - BEFORE), at))
        end = max(data.rfind(b"\n", 0, this_line) + 1, this_line - BEFORE, 0)
        places: list[int] = []
        while True:
            line = DUMP_LINE.match(data, end)
            if line is not None:
                digits = [byte.start() for byte in HEX_BYTE.finditer(data, *line.span(1))]
                places += digits[:16]
                end = data.find(b"\n", line.end(), line.end() + BEFORE) + 1 or line.end()
            if places and (line is None or len(places) >= AFTER):
                yield self._view(data, places, end)
                places = places[-BEFORE:]
            if line is None:
                return

    def _view(self, data: bytes, places: list[int], end: int) -> View:
        read = bytes(int(data[place : place + 2], 16) for place in places)

        def locate(first: int, last: int) -> tuple[int, int]:
            return places[first], places[last - 1] + 2

        return View(read, self.how, locate, end, self.how)


def _rot13_table() -> bytes:
    plain = bytes(range(256)).decode("latin-1")
    return codecs.encode(plain, "rot13").encode("latin-1")


def _rot47_table() -> bytes:
    return bytes(33 + (code - 33 + 47) % 94 if 33 <= code <= 126 else code for code in range(256))


ROT13 = Mapped("rot13", _rot13_table())
ROT47 = Mapped("rot47", _rot47_table())
REVERSED = Reversed()
DUMPED = Dumped()
DUMP_LINE = re.compile(
    rb"[ \t]{0,40}(?:0x)?[0-9A-Fa-f]{4,16}:?[ \t]{1,8}"
    rb"((?:[0-9A-Fa-f]{2}){1,2}(?: {1,2}(?:[0-9A-Fa-f]{2}){1,2}){0,15})(?![^\s|])"
)
HEX_BYTE = re.compile(rb"[0-9A-Fa-f]{2}")
HEX_WORDS = re.compile(rb"(?:0x)?([0-9A-Fa-f]{2})(?:[ ,:;-]|0x)*")
DECIMALS = re.compile(rb"([0-9]{1,3})[ ,;]*")


def _hex_word(match: "re.Match[bytes]") -> bytes:
    return bytes([int(match[1], 16)])


def _decimal(match: "re.Match[bytes]") -> bytes:
    return bytes([int(match[1]) & 255])


def _hex_units(between: bytes) -> Units:
    return Units(
        "hex",
        lambda byte: b"%02x" % byte,
        between,
        Rewriting("hex", HEX_WORDS, _hex_word),
        re.compile(rb"(?:(?:0x)?[0-9A-Fa-f]{2}(?:[ ,:;-]|0x){0,4}(?![0-9A-Fa-f]{3}))+"),
    )


def _decimal_units(between: bytes) -> Units:
    return Units(
        "character codes",
        lambda byte: b"%d" % byte,
        between,
        Rewriting("character codes", DECIMALS, _decimal),
        re.compile(rb"(?:[0-9]{1,3}[ ,;]{1,3})*[0-9]{1,3}"),
    )


SPACED_HEX = _hex_units(b" ")
COLON_HEX = _hex_units(b":")
CODES = _decimal_units(b", ")
PERCENTS = Units(
    "percent",
    lambda byte: b"%%%02x" % byte,
    b"",
    PERCENT,
    re.compile(rb"(?:%[0-9A-Fa-f]{2}|[\w.~-])+"),
)
UNITS: tuple[Encoding, ...] = (
    SPACED_HEX,
    COLON_HEX,
    CODES,
    PERCENTS,
    *(_hex_units(between) for between in (b"-", b", 0x", b",0x", b" 0x")),
    *(_decimal_units(between) for between in (b" ", b",")),
    *(
        Units(
            "escapes",
            unit,
            b"",
            ESCAPES,
            re.compile(rb"(?:\\(?:x|u00)?[0-9A-Fa-f]{2,3}|[\w.-])+"),
        )
        for unit in (b"\\x%02x".__mod__, b"\\u00%02x".__mod__, b"\\%03o".__mod__)
    ),
    *(
        Units(
            "HTML entities",
            unit,
            b"",
            ENTITIES,
            re.compile(rb"(?:&#x?[0-9A-Fa-f]{1,4};|[\w.-])+"),
        )
        for unit in (b"&#%d;".__mod__, b"&#x%02x;".__mod__)
    ),
    Units(
        "quoted-printable",
        b"=%02X".__mod__,
        b"",
        QUOTED_PRINTABLE,
        re.compile(rb"(?:=[0-9A-F]{2}|=\r?\n|[\w.-])+"),
    ),
)
SPACED: tuple[Encoding, ...] = (
    Spaced("spaced out", b" "),
    Spaced("one character a line", b"\n"),
)
WIDER_SPACED: tuple[Encoding, ...] = (
    *SPACED,
    Spaced("UTF-16", b"\0"),
    Spaced("spaced out", b"   "),
    Spaced("spaced out", b"-"),
    Spaced("spaced out", b"."),
    Spaced("spaced out", b"_"),
    Spaced("spaced out", b","),
)
SIMPLE: tuple[Encoding, ...] = (BASE64, HEX, REVERSED, ROT13, BASE32)
