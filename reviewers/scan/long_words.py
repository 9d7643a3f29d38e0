"""Long words that are text in base64, base32 or hex, whatever the text is.

The highest bit of an ASCII character is zero. So in base64 of such text one bit of most characters
is zero, and neither `+` nor `/` occurs but for `>`, `?` and `~`: a long word of letters and digits
in which all those bits are zero is text, and chance makes one in a million such.
"""

import re
from operator import itemgetter
from typing import Any

import numpy as np

from reviewers.scan.grouped import BASE32, BASE64, HEX, Grouped
from reviewers.scan.stretches import CAPITAL_HEX, IN_BASE32, LETTER_OR_DIGIT, SMALL_HEX, Stretches

# In a longer word arrays are the faster way.
LONG = 400
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
        self.text = re.compile(f"(?=(?:{group}){{{groups}}})".encode())
        # For each byte, as bits, at which places in a group it may stand.
        self.may_stand = bytes(
            sum((chr(byte) in characters) << place for place, characters in enumerate(classes))
            for byte in range(256)
        )

    def in_word(self, data: bytes, start: int, end: int) -> list[int]:
        """Where such text first begins in a word, for each phase of its groups."""
        if end - start > LONG:
            places = (self.places(data[start:end]) + start).tolist()
        else:
            places = [match.start() for match in self.text.finditer(data, start, end)]
        by_phase: dict[int, int] = {}
        for at in places:
            by_phase.setdefault((at - start) % self.encoding.characters, at)
        return list(by_phase.values())

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


# By what all characters of a word's beginning are; the first that holds counts.
KINDS = (
    (SMALL_HEX, TextIn(HEX, HEX_DIGITS, 12)),
    (CAPITAL_HEX, TextIn(HEX, HEX_DIGITS.upper(), 12)),
    (IN_BASE32, TextIn(BASE32, BASE32_DIGITS, 3)),
    (LETTER_OR_DIGIT, TextIn(BASE64, BASE64_DIGITS, 5)),
)
LAST_KIND = len(KINDS) - 1
# What a word is that is of the first kinds up to its end.
WHOLE = re.compile(rb"(?:[0-9a-f]+|[0-9A-F]+|[A-Z2-7]+)(?![A-Za-z0-9])")
# For each set of flags, which of the kinds that is.
KIND_OF = bytes(
    next((place for place, (kind, _) in enumerate(KINDS) if flags & kind), len(KINDS))
    for flags in range(256)
)


def encoded_words(data: bytes, words: Stretches) -> list[tuple[int, Grouped]]:
    """Where groups of characters that stand for text begin: the first of each word and phase.

    What is no text may look like it by chance, one character off from where groups begin.

    Args:
        data: The text.
        words: Its long words.

    Returns:
        Places, in order, each with how the text there is encoded.
    """
    kinds = bytes(words.flags).translate(KIND_OF)
    found: list[tuple[int, Grouped]] = []
    for place, (_, text_in) in enumerate(KINDS):
        of_kind = kinds.count(place)
        is_sparse = of_kind < MANY or of_kind * SPARSE < len(data)
        if of_kind:
            look = one_by_one if is_sparse else at_once
            found += [(at, text_in.encoding) for at in look(data, words, kinds, place)]
    # Text may follow at once on what a word begins with.
    _, text_in = KINDS[LAST_KIND]
    for kind, start, end in zip(kinds, words.long_words, words.long_word_ends, strict=True):
        if kind < LAST_KIND and not WHOLE.match(data, start):
            found += [(at, text_in.encoding) for at in text_in.in_word(data, start, end)]
    return sorted(found, key=itemgetter(0))


def one_by_one(data: bytes, words: Stretches, kinds: bytes, kind: int) -> list[int]:
    """Where text begins in the words of one kind, if there are few."""
    _, text_in = KINDS[kind]
    found: list[int] = []
    word = kinds.find(kind)
    while word >= 0:
        found += text_in.in_word(data, words.long_words[word], words.long_word_ends[word])
        word = kinds.find(kind, word + 1)
    return found


def at_once(data: bytes, words: Stretches, kinds: bytes, kind: int) -> list[int]:
    """The same for many: text is looked for everywhere, and then for the words it is in."""
    _, text_in = KINDS[kind]
    begins, ends = np.array(words.long_words), np.array(words.long_word_ends)
    places = text_in.places(data)
    of_word = np.searchsorted(begins, places, "right") - 1
    fits = (of_word >= 0) & (np.frombuffer(kinds, np.uint8)[of_word] == kind)
    fits &= places + text_in.wide <= ends[of_word]
    places, of_word = places[fits], of_word[fits]
    phases = (places - begins[of_word]) % text_in.encoding.characters
    _, firsts = np.unique(of_word * text_in.encoding.characters + phases, return_index=True)
    found: list[int] = places[firsts].tolist()
    return found
