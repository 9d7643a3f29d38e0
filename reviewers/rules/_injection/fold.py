"""Folding: one reading for many spellings, character by character, so that places stay."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

ESCAPES = tuple((f"\\{letter}", "  ") for letter in "nrt\"'")
"""Escapes of JSON and program text; `\\nIgnore` would otherwise read as one word."""

LOOKALIKES = dict(
    zip(
        "аеорсухіјѕһԁɡԛԝвнкмтѵӏαορεικντυχ",
        "aeopcyxijshdgqwbhkmtvlaopeikvtux",
        strict=True,
    )
)
"""Lower-case Cyrillic and Greek letters that look like Latin ones."""

LATIN = re.compile(r"[a-z]")
OTHER = re.compile(r"[\u0370-\u03ff\u0400-\u052fɡ]")
ASCII = bytes(range(128))
BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
WORDS = re.compile(r"\w+")
QUOTES = {
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
    "«": '"',
    "»": '"',
    "‐": "-",
    "–": "-",
    "\u00a0": " ",
}


MANY = 40
"""Different letters beyond ASCII from which on each is no longer replaced by itself."""


def fold(text: str) -> str:
    """Lower case, without accents, width variants, escapes and look-alikes; of the same length."""
    folded = text.lower() if text.isascii() else _folded(text)
    if not folded.isascii():
        folded = _without_lookalikes(folded)
    if "\\" in folded:
        for escape, blank in ESCAPES:
            folded = folded.replace(escape, blank)
    return folded


@lru_cache(maxsize=2)
def beyond_ascii(text: str) -> str:
    """The different letters of a text that are not ASCII; far fewer to look through than it."""
    if text.isascii():
        return ""
    others = text.encode("utf-8", "surrogatepass").translate(None, ASCII)
    return "".join(set(others.decode("utf-8", "surrogatepass")))


def _folded(text: str) -> str:
    others = beyond_ascii(text)
    # What becomes of a capital sigma depends on its neighbours.
    if len(others) > MANY or "Σ" in others:
        return BEYOND_ASCII.sub(lambda run: run[0].translate(_table()), text).lower()
    for other in others:
        plain = other.translate(_table()).lower()
        if plain != other:
            text = text.replace(other, plain)
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def lookalikes(text: str) -> list[tuple[int, int]]:
    """Words of a text that mix Latin letters with Cyrillic or Greek look-alikes."""
    if not OTHER.search(beyond_ascii(text).lower()):
        return []
    return [
        word.span()
        for word in WORDS.finditer(text.lower())
        if not word[0].isascii() and LATIN.search(word[0]) and OTHER.search(word[0])
    ]


def _without_lookalikes(text: str) -> str:
    mixed = lookalikes(text)
    if not mixed:
        return text
    pieces, last = [], 0
    table = str.maketrans(LOOKALIKES)
    for start, end in mixed:
        pieces += [text[last:start], text[start:end].translate(table)]
        last = end
    return "".join([*pieces, text[last:]])


@cache
def _table() -> dict[int, str]:
    """Letters with accents, full-width and mathematical letters to plain ones; one for one."""
    table = {ord(mark): plain for mark, plain in QUOTES.items()}
    table |= {
        ord("İ"): "I",
        ord("ı"): "i",
        ord("ł"): "l",
        ord("Ł"): "L",
        ord("đ"): "d",
        ord("Đ"): "D",
    }
    latin_and_greek = [*range(0xC0, 0x250), *range(0x370, 0x400), *range(0x1E00, 0x2000)]
    variants = [*range(0xFF01, 0xFF5F), *range(0x1D400, 0x1D800), *range(0x24B6, 0x24EA)]
    for code in latin_and_greek:
        plain = unicodedata.normalize("NFD", chr(code))
        if len(plain) > 1 and plain[0].isalpha():
            table.setdefault(code, plain[0])
    for code in variants:
        plain = unicodedata.normalize("NFKC", chr(code))
        if len(plain) == 1 and plain != chr(code):
            table[code] = plain
    return table
