"""Long words that are text in base64, base32 or hex, whatever the text is.

The highest bit of an ASCII character is zero. So in base64 of such text one bit of most characters
is zero, and neither `+` nor `/` occurs but for `>`, `?` and `~`: a long word of letters and digits
in which all those bits are zero is text, and chance makes one in a million such.
"""

import re
from typing import Any

import numpy as np

from reviewers.scan.grouped import BASE32, BASE64, HEX, Grouped
from reviewers.scan.stretches import CAPITAL_HEX, IN_BASE32, LETTER_OR_DIGIT, SMALL_HEX

# How far into a word text may begin, with what has to be of it.
HEAD = 80
# Few words are sooner looked at one by one than the whole text at once.
MANY = 8
SPARSE = 2_000
PIECE = 1 << 16
BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
BASE32_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
HEX_DIGITS = "0123456789abcdef"
Places = np.ndarray[Any, np.dtype[np.intp]]


class TextIn:
    """ASCII text in one encoding, known by the bits of its characters that have to be zero.

    Args:
        encoding: The encoding.
        digits: Its characters, by their values.
        groups: How many groups in a row have to be text.
    """

    def __init__(self, encoding: Grouped, digits: str, groups: int) -> None:
        self.encoding = encoding
        self.groups = groups
        self.wide = groups * encoding.characters
        bits = 8 * encoding.bytes_in // encoding.characters
        zero = [0] * encoding.characters
        for byte in range(encoding.bytes_in):
            character, bit = divmod(8 * byte, bits)
            zero[character] |= 1 << (bits - 1 - bit)
        classes = [
            "".join(digit for value, digit in enumerate(digits) if not value & mask)
            for mask in zero
        ]
        group = "".join(f"[{characters}]" for characters in classes)
        self.text = re.compile(f"(?:{group}){{{groups}}}".encode())
        # For each byte, as bits, at which places in a group it may stand.
        self.may_stand = bytes(
            sum((chr(byte) in characters) << place for place, characters in enumerate(classes))
            for byte in range(256)
        )

    def places(self, data: bytes) -> Places:
        """Everywhere that such text begins."""
        pieces = range(0, len(data), PIECE)
        return np.concatenate([self._places_in(data, first) for first in pieces])

    def _places_in(self, data: bytes, first: int) -> Places:
        piece = data[first : first + PIECE + self.wide].translate(self.may_stand)
        flags = np.frombuffer(piece, np.uint8)
        wide = self.encoding.characters
        fits = flags[: 1 - wide] & 1
        for place in range(1, wide):
            fits = fits & flags[place : len(fits) + place] >> place
        groups = 1
        while groups < self.groups:
            more = min(groups, self.groups - groups)
            fits = fits[: -more * wide] & fits[more * wide :]
            groups += more
        return np.flatnonzero(fits[:PIECE]) + first


# By what all characters of a word's beginning are: the first in which it is text counts.
KINDS = (
    (SMALL_HEX, TextIn(HEX, HEX_DIGITS, 12)),
    (CAPITAL_HEX, TextIn(HEX, HEX_DIGITS.upper(), 12)),
    (IN_BASE32, TextIn(BASE32, BASE32_DIGITS, 3)),
    (LETTER_OR_DIGIT, TextIn(BASE64, BASE64_DIGITS, 5)),
)


def encoded_words(data: bytes, starts: list[int], flags: bytes) -> list[tuple[int, Grouped]]:
    """Where groups of characters that stand for text begin, the first of each long word.

    Args:
        data: The text.
        starts: Where its long words begin.
        flags: For each, what all characters of its beginning are.

    Returns:
        Places, in order, each with how the text there is encoded.
    """
    is_sparse = len(starts) < MANY or len(starts) * SPARSE < len(data)
    return (one_by_one if is_sparse else at_once)(data, starts, flags)


def one_by_one(data: bytes, starts: list[int], flags: bytes) -> list[tuple[int, Grouped]]:
    """The same for few words."""
    found = []
    for start, flag, following in zip(starts, flags, [*starts[1:], len(data)], strict=True):
        end = min(start + HEAD, following)
        for kind, text_in in KINDS:
            match = text_in.text.search(data, start, end) if flag & kind else None
            if match is not None:
                found.append((match.start(), text_in.encoding))
                break
    return found


def at_once(data: bytes, starts: list[int], flags: bytes) -> list[tuple[int, Grouped]]:
    """The same for many words: text is looked for everywhere, and then for the words it is in."""
    begins, kinds = np.array(starts), np.frombuffer(flags, np.uint8)
    found: dict[int, tuple[int, Grouped]] = {}
    for kind, text_in in KINDS:
        if not (kinds & kind).any():
            continue
        places = text_in.places(data)
        words = np.searchsorted(begins, places, "right") - 1
        fits = (words >= 0) & (kinds[words] & kind != 0)
        fits &= places + text_in.wide <= begins[words] + HEAD
        words, firsts = np.unique(words[fits], return_index=True)
        for word, place in zip(words.tolist(), places[fits][firsts].tolist(), strict=True):
            found.setdefault(word, (place, text_in.encoding))
    return [found[word] for word in sorted(found)]
