"""Long words that are text in base64, base32 or hex, whatever the text is.

The highest bit of an ASCII character is zero. So in base64 of such text one bit of most characters
is zero, and neither `+` nor `/` occurs but for `>`, `?` and `~`: a long word of letters and digits
in which all those bits are zero is text, and chance makes one in a million such.
"""

import re
from collections.abc import Iterator

from reviewers.scan.grouped import BASE32, BASE64, HEX, Grouped
from reviewers.scan.runs import ALPHABETS, LETTERS_AND_DIGITS, PIECE, SHAPES

SHORTEST_WORD = 24
FAR_ENOUGH = 80
SHAPE = SHAPES[ALPHABETS.index(LETTERS_AND_DIGITS)]
LONG = b"a" * SHORTEST_WORD
BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
BASE32_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
HEX_DIGITS = "0123456789abcdef"


def encoded_words(data: bytes) -> Iterator[tuple[Grouped, int]]:
    """Where groups of characters that stand for text begin, the first of each long word."""
    for start, end in _long_words(data):
        head = data[start : start + SHORTEST_WORD]
        for letters, encoding, text in KINDS:
            if head.translate(None, letters):
                continue
            match = text.search(data, start, min(end, start + FAR_ENOUGH))
            if match is not None:
                yield encoding, match.start()
                break


def _long_words(data: bytes) -> Iterator[tuple[int, int]]:
    """Letters and digits without anything between them, in pieces if they are very long."""
    for first in range(0, len(data), PIECE):
        shape = data[first : first + PIECE + SHORTEST_WORD].translate(SHAPE)
        at = shape.find(LONG)
        while at >= 0:
            end = shape.find(b" ", at)
            if end < 0:
                end = len(shape)
            yield first + at, first + end
            at = shape.find(LONG, end)


def _text_in(digits: str, encoding: Grouped, groups: int) -> "re.Pattern[bytes]":
    """A pattern of characters that may stand for ASCII text, by the bits that have to be zero."""
    bits = 8 * encoding.bytes_in // encoding.characters
    zero = [0] * encoding.characters
    for byte in range(encoding.bytes_in):
        character, bit = divmod(8 * byte, bits)
        zero[character] |= 1 << (bits - 1 - bit)
    classes = [
        "[" + "".join(digit for value, digit in enumerate(digits) if not value & mask) + "]"
        for mask in zero
    ]
    return re.compile(f"(?:{''.join(classes)}){{{groups}}}".encode())


# By the characters that a word begins with: the first in which it is text counts.
KINDS = tuple(
    (digits.encode(), encoding, _text_in(digits, encoding, groups))
    for digits, encoding, groups in (
        (HEX_DIGITS, HEX, 12),
        (HEX_DIGITS.upper(), HEX, 12),
        (BASE32_DIGITS, BASE32, 3),
        (BASE64_DIGITS, BASE64, 5),
    )
)
