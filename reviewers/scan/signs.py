"""What shows that a short text is worth reading in another way."""

import re

from reviewers.scan.runs import LETTERS_AND_DIGITS

UNSEEN = (
    b"\x1b",
    b"\x08",
    b"\xc2\xad",
    b"\xe2\x80",
    b"\xe2\x81",
    b"\xef\xbb\xbf",
    b"\xcd\x8f",
    b"\xf3\xa0",
)
FOLDABLE = bytes(
    97 if byte in LETTERS_AND_DIGITS or byte in b"+/=-_" else byte for byte in range(256)
)
LONG_WORD = b"a" * 32
FOLDED = re.compile(rb"a+\r?\na{4}")
NARROW = tuple((b"\n" + b"a" * width) * 3 + b"\n" for width in (8, 12, 16, 20, 24, 28))


def looks_folded(data: bytes) -> bool:
    """Whether a whole line is one long word and goes on in the next, or lines are equally long."""
    if b"\n" not in data:
        return False
    shape = data.translate(FOLDABLE)
    if shape.startswith(LONG_WORD) and FOLDED.match(shape):
        return True
    if any(lines in shape for lines in NARROW):
        return True
    at = shape.find(b"\n" + LONG_WORD)
    while at >= 0:
        if FOLDED.match(shape, at + 1):
            return True
        at = shape.find(b"\n" + LONG_WORD, at + 1)
    return False
