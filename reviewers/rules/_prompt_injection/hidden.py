"""Marks: that a place is kept from people's eyes. They count only where something is said there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import regex

from reviewers.rules._prompt_injection.readings import Reading


class Mark(NamedTuple):
    """A stretch of folded text that people do not see, or do not see as it is."""

    start: int
    end: int
    name: str


SAYS = {
    "comment": "in a comment",
    "invisible_style": "in text styled to be invisible",
    "attribute": "in an attribute that is not shown",
    "broken_words": "in words broken up by invisible characters",
    "lookalikes": "in letters of another alphabet that look alike",
    "decoded": "encoded",
    "disguised": "disguised",
    "invisible_text": "in invisible characters",
}
"""What each mark says of the order that it hides."""

UNSEEN_STYLE = (
    r"display ?: ?none|visibility ?: ?hidden|opacity ?: ?0(?![.\d]*[1-9])"
    r"|font-size ?: ?[01](?:px|pt|em|rem|%)?(?![.\d])"
    r"|(?<![-\w])color ?: ?(?:white|#fff(?:fff)?\b|transparent|rgba?\(255, ?255, ?255)"
    r"|(?:left|top|text-indent) ?: ?-\d{3,}"
)
HIDDEN_ATTRIBUTE = r"(?<![-\w])hidden(?:=\W{0,2}(?:hidden|true)?\W{0,1})?"

MARKUP = [
    (name, letter, literal, regex.compile(pattern))
    for name, letter, literal, pattern in [
        ("comment", "<", "<!--", r"(?s)<!--.{0,4000}?(?:-->|\Z)"),
        ("comment", "]", "]: #", r"\[[^\]\n]{1,40}\]: #[^\n]{0,2000}"),
        ("comment", "]", "]: <", r"\[(?://|comment)\]: <[^\n]{0,2000}"),
        (
            "invisible_style",
            "<",
            "style=",
            rf"style=[\"'][^\"'\n]{{0,200}}?(?:{UNSEEN_STYLE})[^>]{{0,200}}>[^<]{{0,2000}}",
        ),
        ("invisible_style", "{", "color{white}", r"color\{white\}[^\n]{0,2000}"),
        (
            "invisible_style",
            "<",
            "<font",
            r"<font[^>]{0,80}color=[\"']?(?:white|#fff)[^>]{0,80}>[^<]{0,2000}",
        ),
        (
            "invisible_style",
            "<",
            "hidden",
            rf"<\w{{1,12}} [^>]{{0,200}}?{HIDDEN_ATTRIBUTE}(?: [^>]{{0,200}})?>[^<]{{0,2000}}",
        ),
        ("attribute", "<", "alt=", r"(?<!\w)alt=\"[^\"\n]{20,2000}\""),
        ("attribute", "<", "aria-", r"aria-(?:label|description)=\"[^\"\n]{20,2000}\""),
        ("attribute", "<", "<meta", r"<meta [^>]{20,2000}>"),
    ]
]
"""What hides text in markup: the mark's name, a letter and a literal without which it is nowhere,
and a pattern of folded text. To look for one letter costs next to nothing."""

FEW = 2
"""Broken or look-alike words that are no accident."""


def marks(reading: Reading) -> Iterator[Mark]:
    """Marks of a reading, in no order."""
    text = reading.text
    for name, letter, literal, pattern in MARKUP:
        if letter in text and literal in text:
            yield from (Mark(*found.span(), name) for found in pattern.finditer(text))
    broken = [place for place in reading.removed[0] if _in_word(text, place)]
    yield from _stretches(broken, "broken_words")
    yield from _stretches([start for start, _ in reading.mixed], "lookalikes")


def _in_word(text: str, place: int) -> bool:
    around = text[max(0, place - 1) : place + 1]
    return len(around) == 2 and around.isascii() and around.isalpha()


def _stretches(places: list[int], name: str) -> Iterator[Mark]:
    for first, last in zip(places, places[FEW - 1 :], strict=False):
        if last - first <= 200:
            yield Mark(max(0, first - 40), last + 60, name)
