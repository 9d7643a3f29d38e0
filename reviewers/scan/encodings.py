"""How text is written in another form, where such a form is recognised, and how it is read back.

An encoding gives the forms that a fixed piece of text takes in it, whatever stands before and
after (`ghp_` in base64 is one of three strings, by its offset). A form found in a text tells
where and how to decode the stretch around it.
"""

import base64
import binascii
import bz2
import codecs
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol

from reviewers.scan.views import ENTITIES, ESCAPES, PERCENT, QUOTED_PRINTABLE, Rewriting, View

BEFORE = 400
NEAR = 64
AFTER = 24576
SHORTEST_FORM = 4
MOST_UNPACKED = 262144
SAMPLE = 40
LEGIBLE = 8
PRINTED = bytes([0, *b"\t\n\r\x1b", *range(32, 127)])
FOLDS = b"\r\n\t \\"
FOLD = re.compile(rb"[ \t]*(?:\\r)?(?:\\n|\r?\n|\\\r?\n)[ \t]*")


class Encoding(Protocol):
    """One way of writing text in another form."""

    @property
    def how(self) -> str:
        """What a finding calls it."""

    @property
    def ignores_case(self) -> bool:
        """Whether a form may stand in either case."""

    def forms(self, text: bytes) -> Iterator[tuple[bytes, int]]:
        """The forms a piece of text can take, each with a phase that `views` needs back."""

    def views(self, data: bytes, at: int, phase: int, reach: int) -> Iterator[View]:
        """The text around a form found at a place, decoded.

        Args:
            data: The text.
            at: Where the form starts.
            phase: As `forms` gave it.
            reach: How many bytes from the form on are of interest, where nothing else says.
        """


@dataclass(frozen=True)
class Grouped:
    """Groups of bytes written as groups of characters of fixed length: base64, base32, hex."""

    how: str
    alphabet: bytes
    bytes_in: int
    characters: int
    encode: Callable[[bytes], bytes]
    decode: Callable[[bytes], bytes]
    ignores_case: bool = False

    def forms(self, text: bytes) -> Iterator[tuple[bytes, int]]:
        """Those characters that the text alone decides, at each offset in a group."""
        bits = 8 * self.bytes_in // self.characters
        for offset in range(self.bytes_in):
            encoded = self.encode(b"\0" * offset + text)
            first = -(-8 * offset // bits)
            last = 8 * (offset + len(text)) // bits
            form, phase = encoded[first:last], first % self.characters
            if len(form) >= SHORTEST_FORM:
                yield form, phase
            elif len(form) == SHORTEST_FORM - 1:
                yield from self._lengthened(text, offset, first, last)

    def _lengthened(
        self, text: bytes, offset: int, first: int, last: int
    ) -> Iterator[tuple[bytes, int]]:
        """One more character on the side where the text decides more of it."""
        bits = 8 * self.bytes_in // self.characters
        known_before = bits * first - 8 * offset
        known_after = 8 * (offset + len(text)) - bits * last
        # The byte after is taken to be ASCII: its highest bit is known too.
        if known_before > known_after + 1:
            for neighbour in range(1 << (bits - known_before)):
                padded = b"\0" * (offset - 1) + bytes([neighbour]) + text
                yield self.encode(padded)[first - 1 : last], (first - 1) % self.characters
        else:
            step = 1 << (8 - bits + known_after)
            for neighbour in range(0, 128, step):
                padded = b"\0" * offset + text + bytes([neighbour])
                yield self.encode(padded)[first : last + 1], first % self.characters

    def views(self, data: bytes, at: int, phase: int, reach: int) -> Iterator[View]:
        """The stretch on the same line; and over folds, if it is folded there."""
        if self._reads_as_text(data, at, phase):
            yield from self.stretches(data, at, phase)

    def stretches(self, data: bytes, at: int, phase: int) -> Iterator[View]:
        """The same, whatever the content."""
        start, end = self._stretch(data, at, self.alphabet)
        one_line = self._decoded(data, start, at, end, phase)
        if one_line is not None:
            yield one_line
        if FOLD.match(data, end) or FOLD.match(data, start - 1):
            folded = self._decoded(data, *self._folded_stretch(data, at), phase)
            if folded is not None and (one_line is None or folded.data != one_line.data):
                yield folded

    def _reads_as_text(self, data: bytes, at: int, phase: int) -> bool:
        """Whether what follows the form is text; in binary data any form occurs by chance."""
        start = at + -phase % self.characters
        sample = data[start : start + SAMPLE]
        length = len(sample) - len(sample.lstrip(self.alphabet))
        if length < SAMPLE // 2 and sample[length : length + 1] in (b"\r", b"\n", b"\\"):
            sample = self._clean(sample)
            length = len(sample) - len(sample.lstrip(self.alphabet))
        try:
            decoded = self.decode(sample[: length // self.characters * self.characters])
        except ValueError:
            return False
        return not decoded[:LEGIBLE].translate(None, PRINTED)

    def _stretch(self, data: bytes, at: int, alphabet: bytes) -> tuple[int, int]:
        before, after = data[max(0, at - BEFORE) : at], data[at : at + AFTER]
        start = at - len(before) + len(before.rstrip(alphabet))
        return start, at + len(after) - len(after.lstrip(alphabet))

    @cached_property
    def _folded(self) -> "re.Pattern[bytes]":
        """Lines of the alphabet, one after another."""
        return re.compile(b"(?:[%b]+|%b)*" % (re.escape(self.alphabet), FOLD.pattern))

    def _folded_stretch(self, data: bytes, at: int) -> tuple[int, int, int]:
        """Over the ends of lines: some of what stands before, and all that follows."""
        start, _ = self._stretch(data, at, self.alphabet + FOLDS)
        lines = self._folded.match(data, at, at + AFTER)
        return start, at, at if lines is None else lines.end()

    def _decoded(self, data: bytes, start: int, at: int, end: int, phase: int) -> View | None:
        before, after = self._clean(data[start:at]), self._clean(data[at:end])
        extra = (len(before) - phase) % self.characters
        if len(before) < phase:
            return None
        encoded = before[extra:] + after
        try:
            decoded = self.decode(encoded)
        except ValueError:
            return None

        def locate(first: int, last: int) -> tuple[int, int]:
            kept = _kept(data, start, end, self.alphabet)[extra:]
            begin = first * self.characters // self.bytes_in
            stop = -(-last * self.characters // self.bytes_in)
            return kept[min(begin, len(kept) - 1)], kept[min(stop, len(kept)) - 1] + 1

        return View(decoded, self.how, locate, end, self.how)

    def _clean(self, raw: bytes) -> bytes:
        if b"\\" in raw:
            raw = FOLD.sub(b"", raw)
        return raw.translate(None, FOLDS)


def _kept(data: bytes, start: int, end: int, alphabet: bytes) -> list[int]:
    """Where the characters that count stand."""
    raw = data[start:end]
    folds = FOLD.finditer(raw) if b"\\" in raw else ()
    skipped = {at for fold in folds for at in range(*fold.span())}
    return [start + at for at, byte in enumerate(raw) if byte in alphabet and at not in skipped]


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

        That may belong to what follows, as when each stands on a line of its own.
        """
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
        """The lines of the dump around the form."""
        this_line = max(0, data.rfind(b"\n", max(0, at - BEFORE), at))
        start = max(data.rfind(b"\n", 0, this_line) + 1, this_line - BEFORE, 0)
        places: list[int] = []
        end = start
        for _ in range(AFTER // 16):
            line = DUMP_LINE.match(data, end)
            if line is None:
                break
            digits = [byte.start() for byte in HEX_BYTE.finditer(data, *line.span(1))]
            places += digits[:16]
            end = data.find(b"\n", line.end(), line.end() + BEFORE) + 1 or line.end()
        if places:
            read = bytes(int(data[place : place + 2], 16) for place in places)
            yield View(
                read,
                self.how,
                lambda first, last: (places[first], places[last - 1] + 2),
                end,
                self.how,
            )


@dataclass(frozen=True)
class Packed:
    """Compressed bytes in base64 or hex, known by how a compressed stream begins."""

    how: str
    outer: Grouped
    magic: bytes
    unpack: Callable[[bytes], bytes]
    ignores_case: bool = False

    def forms(self, text: bytes) -> Iterator[tuple[bytes, int]]:
        """What the beginning of a stream looks like; the text in it does not matter."""
        yield self.magic, 0

    def views(self, data: bytes, at: int, phase: int, reach: int) -> Iterator[View]:
        """The stream unpacked, up to a limit."""
        if at and data[at - 1] in self.outer.alphabet:
            return
        for packed in self.outer.stretches(data, at, 0):
            end = packed.region_end
            try:
                read = self.unpack(packed.data)
            except (ValueError, EOFError, OSError, zlib.error, lzma.LZMAError):
                continue
            yield View(read, self.how, partial(_whole, at, end), end)


def _whole(start: int, end: int, first: int, last: int) -> tuple[int, int]:
    """Of packed text only the whole has a place."""
    return start, end


def unzipped(data: bytes) -> bytes:
    """A gzip or zlib stream unpacked, as far as it goes and the limit allows."""
    return zlib.decompressobj(wbits=47).decompress(data, MOST_UNPACKED)


def _unbzipped(data: bytes) -> bytes:
    return bz2.BZ2Decompressor().decompress(data, MOST_UNPACKED)


def _unxzipped(data: bytes) -> bytes:
    return lzma.LZMADecompressor(memlimit=1 << 25).decompress(data, MOST_UNPACKED)


def _from_base64(encoded: bytes) -> bytes:
    usable = encoded[: len(encoded) - (len(encoded) % 4 == 1)]
    standard = usable.translate(bytes.maketrans(b"-_", b"+/"))
    return binascii.a2b_base64(standard + b"=" * (-len(standard) % 4))


def _from_base32(encoded: bytes) -> bytes:
    usable = encoded[: len(encoded) - {1: 1, 3: 1, 6: 1}.get(len(encoded) % 8, 0)]
    return base64.b32decode(usable + b"=" * (-len(usable) % 8), casefold=True)


def _from_hex(encoded: bytes) -> bytes:
    return binascii.unhexlify(encoded[: len(encoded) // 2 * 2])


def _rot13_table() -> bytes:
    plain = bytes(range(256)).decode("latin-1")
    return codecs.encode(plain, "rot13").encode("latin-1")


def _rot47_table() -> bytes:
    return bytes(33 + (code - 33 + 47) % 94 if 33 <= code <= 126 else code for code in range(256))


BASE64_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
BASE64 = Grouped("base64", BASE64_ALPHABET, 3, 4, base64.b64encode, _from_base64)
BASE32 = Grouped(
    "base32", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 8, base64.b32encode, _from_base32
)
HEX = Grouped("hex", b"0123456789abcdefABCDEF", 1, 2, binascii.hexlify, _from_hex, True)
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
            "escapes", unit, b"", ESCAPES, re.compile(rb"(?:\\(?:x|u00)?[0-9A-Fa-f]{2,3}|[\w.-])+")
        )
        for unit in (b"\\x%02x".__mod__, b"\\u00%02x".__mod__, b"\\%03o".__mod__)
    ),
    *(
        Units(
            "HTML entities", unit, b"", ENTITIES, re.compile(rb"(?:&#x?[0-9A-Fa-f]{1,4};|[\w.-])+")
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
PACKED: tuple[Encoding, ...] = (
    Packed("gzip+base64", BASE64, b"H4sI", unzipped),
    *(Packed("zlib+base64", BASE64, b"eJ" + third, unzipped) for third in (b"w", b"x", b"y", b"z")),
    *(Packed("zlib+base64", BASE64, b"eN" + third, unzipped) for third in (b"o", b"p", b"q", b"r")),
    Packed("bzip2+base64", BASE64, b"QlpoO", _unbzipped),
    Packed("xz+base64", BASE64, b"/Td6WFo", _unxzipped),
    Packed("gzip+hex", HEX, b"1f8b08", unzipped),
)
