"""Folding: one reading for many spellings, character by character, so that places stay."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

ESCAPES = re.compile(r"\\[nrt\"']")
"""Escapes of JSON and program text; `\\nIgnore` would otherwise read as one word."""

LOOKALIKES = dict(
    zip(
        "аеорсухіјѕһԁɡԛԝвнкмтѵӏαορεικντυχ",
        "aeopcyxijshdgqwbhkmtvlaopeikvtux",
        strict=True,
    )
)
"""Lower-case Cyrillic and Greek letters that look like Latin ones."""

OTHERS = r"\u0370-\u03ff\u0400-\u052fɡ"
OTHER = re.compile(f"[{OTHERS}]")
MIXED = re.compile(
    rf"\b[^\Wa-z{OTHERS}]*+(?:[a-z][^\W{OTHERS}]*+[{OTHERS}]|[{OTHERS}][^\Wa-z]*+[a-z])\w*+"
)
ASCII = bytes(range(128))
BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
QUOTES = {
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
    "«": '"',
    "»": '"',
    "‐": "-",
    "–": "-",
    "—": "-",
    "\u00a0": " ",
}


MANY = 40
"""Different letters to replace from which on each is no longer replaced by itself."""

LETTERS_PER_TRY = 16
"""Letters that are looked up one by one for what one try of a pattern costs."""


def fold(text: str) -> str:
    """Lower case, without accents, width variants, escapes and look-alikes; of the same length."""
    folded = text.lower() if text.isascii() else _without_lookalikes(text)
    return ESCAPES.sub("  ", folded) if "\\" in folded else folded


def folding_cost(text: str) -> int:
    """Tries of patterns that folding a text is worth: the more is replaced, the more."""
    changing = len(_changing(text))
    letters = changing if changing <= MANY else len(text) // LETTERS_PER_TRY
    return letters + len(lookalikes(text))


@lru_cache(maxsize=2)
def beyond_ascii(text: str) -> str:
    """The different letters of a text that are not ASCII; far fewer to look through than it."""
    if text.isascii():
        return ""
    others = text.encode("utf-8", "surrogatepass").translate(None, ASCII)
    return "".join(set(others.decode("utf-8", "surrogatepass")))


@lru_cache(maxsize=2)
def _changing(text: str) -> Mapping[str, str]:
    """The different letters beyond ASCII that folding replaces, and by which."""
    plain = _table()
    return {
        letter: plain.get(ord(letter), letter).lower()
        for letter in beyond_ascii(text)
        if ord(letter) in plain or letter != letter.lower()
    }


@lru_cache(maxsize=2)
def _plain(text: str) -> str:
    """Lower case, without accents and width variants."""
    changing = _changing(text)
    # What becomes of a capital sigma depends on its neighbours.
    if len(changing) > MANY or "Σ" in changing:
        return BEYOND_ASCII.sub(lambda run: run[0].translate(_table()), text).lower()
    for letter, plain in changing.items():
        text = text.replace(letter, plain)
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


@lru_cache(maxsize=2)
def lookalikes(text: str) -> Sequence[tuple[int, int]]:
    """Words of a text that mix Latin letters with Cyrillic or Greek look-alikes."""
    if not OTHER.search(beyond_ascii(text).lower()):
        return ()
    return [word.span() for word in MIXED.finditer(_plain(text))]


def _without_lookalikes(text: str) -> str:
    pieces, last, plain = [], 0, _plain(text)
    table = str.maketrans(LOOKALIKES)
    for start, end in lookalikes(text):
        pieces += [plain[last:start], plain[start:end].translate(table)]
        last = end
    return "".join([*pieces, plain[last:]])


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
