"""Groups of bytes written as groups of characters: base64, base32, hex; and what they pack.

An encoding gives the forms that a fixed piece of text takes in it, whatever stands before and
after (`ghp_` in base64 is one of three strings, by its offset). A form found in a text tells
where and how to decode the stretch around it.
"""

import base64
import binascii
import bz2
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol

from reviewers.scan.views import View

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
                yield (
                    self.encode(padded)[first - 1 : last],
                    (first - 1) % self.characters,
                )
        else:
            step = 1 << (8 - bits + known_after)
            for neighbour in range(0, 128, step):
                padded = b"\0" * offset + text + bytes([neighbour])
                yield self.encode(padded)[first : last + 1], first % self.characters

    def views(self, data: bytes, at: int, phase: int, reach: int) -> Iterator[View]:
        """The stretch on the same line; and over folds, if it is folded there."""
        if self._reads_as_text(data, at, phase):
            yield from self.stretches(data, at, phase)

    def stretches(self, data: bytes, at: int, phase: int, after: int = AFTER) -> Iterator[View]:
        """The same, whatever the content; up to so many characters after the place."""
        start, end = self._stretch(data, at, self.alphabet, after)
        one_line = self._decoded(data, start, at, end, phase)
        if one_line is not None:
            yield one_line
        if FOLD.match(data, end) or FOLD.match(data, start - 1):
            folded = self._decoded(data, *self._folded_stretch(data, at, after), phase)
            if folded is not None and (one_line is None or folded.data != one_line.data):
                yield folded

    def phase(self, data: bytes, at: int) -> int:
        """How far a place is from where a group begins, if one begins with the line."""
        line = data.rfind(b"\n", max(0, at - BEFORE), at) + 1
        return (at - line) % self.characters

    def goes_on(self, data: bytes, at: int) -> bool:
        """Whether a stretch on one line is longer than what is read of it from a place on."""
        read = data[at : at + AFTER + 1]
        return len(read) > AFTER and not read.translate(None, self.alphabet)

    def _reads_as_text(self, data: bytes, at: int, phase: int) -> bool:
        """Whether what follows the form is text; in binary data any form occurs by chance."""
        start = at + -phase % self.characters
        sample = data[start : start + SAMPLE]
        length = len(sample) - len(sample.lstrip(self.alphabet))
        if length < SAMPLE // 2 and sample[length : length + 1] in (
            b"\r",
            b"\n",
            b"\\",
        ):
            sample = self._clean(sample)
            length = len(sample) - len(sample.lstrip(self.alphabet))
        try:
            decoded = self.decode(sample[: length // self.characters * self.characters])
        except ValueError:
            return False
        return not decoded[:LEGIBLE].translate(None, PRINTED)

    def _stretch(self, data: bytes, at: int, alphabet: bytes, reach: int) -> tuple[int, int]:
        before, after = data[max(0, at - BEFORE) : at], data[at : at + reach]
        start = at - len(before) + len(before.rstrip(alphabet))
        return start, at + len(after) - len(after.lstrip(alphabet))

    @cached_property
    def _folded(self) -> "re.Pattern[bytes]":
        """Lines of the alphabet, one after another."""
        return re.compile(b"(?:[%b]+|%b)*" % (re.escape(self.alphabet), FOLD.pattern))

    def _folded_stretch(self, data: bytes, at: int, reach: int) -> tuple[int, int, int]:
        """Over the ends of lines: some of what stands before, and all that follows."""
        start, _ = self._stretch(data, at, self.alphabet + FOLDS, reach)
        lines = self._folded.match(data, at, at + reach)
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
        for packed in self.outer.stretches(data, at, 0, MOST_UNPACKED):
            end = packed.region_end
            try:
                read = self.unpack(packed.data)
            except (ValueError, EOFError, OSError, zlib.error, lzma.LZMAError):
                continue
            is_part = len(read) >= MOST_UNPACKED or end - at >= MOST_UNPACKED
            yield View(read, self.how, partial(_whole, at, end), end, is_part=is_part)


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


BASE64_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
BASE64 = Grouped("base64", BASE64_ALPHABET, 3, 4, base64.b64encode, _from_base64)
BASE32 = Grouped(
    "base32", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 8, base64.b32encode, _from_base32
)
HEX = Grouped("hex", b"0123456789abcdefABCDEF", 1, 2, binascii.hexlify, _from_hex, True)
PACKED: tuple[Encoding, ...] = (
    Packed("gzip+base64", BASE64, b"H4sI", unzipped),
    *(Packed("zlib+base64", BASE64, b"eJ" + third, unzipped) for third in (b"w", b"x", b"y", b"z")),
    *(Packed("zlib+base64", BASE64, b"eN" + third, unzipped) for third in (b"o", b"p", b"q", b"r")),
    Packed("bzip2+base64", BASE64, b"QlpoO", _unbzipped),
    Packed("xz+base64", BASE64, b"/Td6WFo", _unxzipped),
    Packed("gzip+hex", HEX, b"1f8b08", unzipped),
)
