"""Disguises that leave letters, seen by what an instruction looks like in them, and undone."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator

from ahocorasick_rs import BytesAhoCorasick, Implementation

BETWEEN_LETTERS = re.compile(r"(?<![a-z0-9]{2})(?<=[a-z0-9])[ ._*-](?=[a-z0-9](?![a-z0-9]))")

PLAIN_TELLS = (
    "ignore",
    "instruction",
    "disregard",
    "previous",
    "system prompt",
    "assistant",
    "password",
)
LEET = str.maketrans("01345789@$", "oieastbgas")
LEET_TELLS = (
    "1gn0r",
    "ign0r",
    "1gnor",
    "1nstruct",
    "pr3v",
    "d1sr3g",
    "disr3g",
    "4ss1st",
    "p4ssw",
    "syst3m pr",
)
ROT13_TELLS = tuple(codecs.encode(tell, "rot13") for tell in PLAIN_TELLS)
REVERSED_TELLS = tuple(tell[::-1] for tell in PLAIN_TELLS)
SPACED_TELLS = tuple(mark.join(tell[:6]) for tell in PLAIN_TELLS for mark in " .-_*")

AROUND = 400
"""Characters read round a tell of a disguise."""

DISGUISES: list[tuple[str, tuple[str, ...], Callable[[str], str]]] = [
    ("rot13", ROT13_TELLS, lambda piece: codecs.encode(piece, "rot13")),
    ("reversed letters", REVERSED_TELLS, lambda piece: piece[::-1]),
    ("digits for letters", LEET_TELLS, lambda piece: piece.translate(LEET)),
    ("spaced letters", SPACED_TELLS, lambda piece: _closed_up(piece)),
]
TELLS = BytesAhoCorasick(
    [tell.encode() for _, tells, _ in DISGUISES for tell in tells],
    implementation=Implementation.DFA,
)
DISGUISE_OF_TELL = [n for n, (_, tells, _) in enumerate(DISGUISES) for _ in tells]


def disguised(text: str, letters: bytes) -> Iterator[tuple[str, int, int, str]]:
    """How it was disguised, where, and what it says.

    Args:
        text: The text.
        letters: Its letters in lower case, one byte for each character.
    """
    read_to = [0] * len(DISGUISES)
    for tell, place, _ in TELLS.find_matches_as_indexes(letters):
        number = DISGUISE_OF_TELL[tell]
        if place < read_to[number]:
            continue
        how, _, undo = DISGUISES[number]
        start, end = max(0, place - AROUND), min(len(text), place + AROUND)
        read_to[number] = end
        yield how, start, end, undo(text[start:end].lower())


def _closed_up(piece: str) -> str:
    return BETWEEN_LETTERS.sub("", piece)
