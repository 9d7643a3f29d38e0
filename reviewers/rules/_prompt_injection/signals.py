"""Signs in a folded text, as listed in `signals.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import product
from typing import Any, NamedTuple

import regex
from ahocorasick_rs import AhoCorasick, Implementation

from reviewers.rules._prompt_injection.fold import fold

GAP = r"(?:[^\w.!?;]{1,12}+)"
"""Between two words of one sentence: blanks, line ends, comment marks, quotes, emphasis."""

WORD = r"\w{1,24}+(?:'\w{1,3}+)?"
CLAUSE = r"[^.!?;。！？।؟\n]{0,30}?"
"""Between two words of one clause, in other languages."""

SENTENCE = r"(?:[^.!?。！？।؟\n]|\.(?=\w)){0,120}?"
"""Between two words of one sentence, in other languages."""

ADDRESS = r"@[\w-]{1,40}\.[a-z]|https?://"
"""Where something may be sent: a mail address from its sign on, or a web address."""

NAME = regex.compile(r"\{([a-z_]+)\}")
UP_TO = regex.compile(r"<(\d)>")

LONG_RUN = regex.compile(r"\d\d\}\?")
"""What a pattern has in it that may try dozens of places for an end."""

SHORT = 3
"""Literals up to this length are whole words: `do` does not begin `docs`."""

SUPPORTING = frozenset({"named", "context", "command"})
"""Kinds that stand in every other text, and say nothing of themselves."""

NEAR = 350
"""Characters round other signals in which those count."""

REACH = 100
"""Characters before a signal in which what leads to it must stand."""

COSTLY = 8
"""Tries that a look at what precedes, or a long run of any characters, is worth."""

MATCHES_PER_TRY = 16
"""Places of literals that one try of a pattern is worth."""

NOT_AGAIN = 60
"""Characters after a hit in which the same signal is not looked for again."""


class Hit(NamedTuple):
    """One signal seen in a folded text."""

    start: int
    end: int
    signal: int


@dataclass(frozen=True)
class Signal:
    """One sign: what it is called, what it says, and how it is found.

    Attributes:
        name: Its key in the weights.
        kind: Signals of one kind say much the same thing.
        says: A phrase for people.
        starts: The folded literals that it may begin with.
        expression: Matches folded text from such a literal on.
        led_by: Words of which one must stand not far before; empty for any.
        after: What must match right before; empty for anything.
        beside: Whether it is looked for only near others.
    """

    name: str
    kind: str
    says: str
    starts: tuple[str, ...]
    expression: str
    led_by: tuple[str, ...] = ()
    after: str = ""
    beside: bool = False

    @cached_property
    def _pattern(self) -> re.Pattern[str] | regex.Pattern[str]:
        """The compiled expression; on first need, since most texts need few of them."""
        # `re` is twice as fast here; `regex` can look behind over any length.
        if "(?<" in self.expression:
            return regex.compile(self.expression)
        return re.compile(self.expression)

    @cached_property
    def _before(self) -> regex.Pattern[str]:
        return regex.compile(f"(?<={self.after})")

    @cached_property
    def _cost(self) -> int:
        return COSTLY if LONG_RUN.search(self.expression) else 1

    @cached_property
    def _cost_before(self) -> int:
        return COSTLY * COSTLY if LONG_RUN.search(self.after) else COSTLY

    def end(self, text: str, start: int, effort: Effort) -> int:
        """Where the signal that begins at a place ends; -1 if none does."""
        effort.left -= 1
        if self.led_by:
            before = text[max(0, start - REACH) : start]
            for word in self.led_by:
                if word in before:
                    break
            else:
                return -1
        effort.left -= self._cost
        match = self._pattern.match(text, start)
        if match and self.after:
            effort.left -= self._cost_before
            if not self._before.match(text, start):
                return -1
        return match.end() if match else -1


@dataclass
class Effort:
    """How many more tries of patterns one text may cost.

    Attributes:
        left: Tries that are left; with none left, no more signals are found.
    """

    left: int = 200_000


class _Literal(NamedTuple):
    """What one literal is for: where it must stand, and what begins with it."""

    begins_word: bool
    is_word: bool
    begins: list[tuple[int, Signal]]


class Search:
    """Some signals, looked for in one pass over a text.

    Args:
        signals: What to look for, by number.
    """

    def __init__(self, signals: Mapping[int, Signal]) -> None:
        literals: dict[str, _Literal] = {}
        for number, signal in signals.items():
            for literal in dict.fromkeys(signal.starts):
                literals.setdefault(literal, _literal(literal)).begins.append((number, signal))
        self._search = AhoCorasick(list(literals), implementation=Implementation.DFA)
        self._literals = list(literals.values())

    def hits(self, text: str, first: int, last: int, effort: Effort) -> Iterator[Hit]:
        """Signals that begin between two places of a folded text.

        Patterns are tried where one of their literals stands, and none reads further than a
        few hundred characters, so that the time grows with the text and no faster. One that was
        just seen is not tried again at once.
        """
        part = text if last - first == len(text) else text[first:last]
        again: dict[int, int] = {}
        matches = self._search.find_matches_as_indexes(part, overlapping=True)
        effort.left -= 1 + len(matches) // MATCHES_PER_TRY
        for found, start, end in matches:
            begins_word, is_word, begins = self._literals[found]
            if begins_word and start and part[start - 1].isalnum():
                continue
            if is_word and part[end : end + 1].isalnum():
                continue
            start += first
            for number, signal in begins:
                if number in again and again[number] > start:
                    continue
                over = signal.end(text, start, effort)
                if over >= 0:
                    again[number] = over + NOT_AGAIN
                    yield Hit(start, over, number)
            if effort.left <= 0:
                return


def _literal(literal: str) -> _Literal:
    begins_word = literal[0].isalnum() and literal.isascii()
    return _Literal(begins_word, begins_word and len(literal) <= SHORT, [])


@dataclass(frozen=True)
class Signals:
    """All signals, in two searches.

    Attributes:
        all: The signals; their place is their number.
        telling: Looks for those that say something of themselves.
        supporting: Looks for those that only count beside others: any order, any excuse.
    """

    all: tuple[Signal, ...]
    telling: Search
    supporting: Search

    def hits(self, text: str, effort: Effort) -> list[Hit]:
        """Signals in a folded text, by place; supporting ones only near others."""
        found = sorted(self.telling.hits(text, 0, len(text), effort))
        beside = [
            hit
            for first, last in _stretches(found, len(text))
            for hit in self.supporting.hits(text, first, last, effort)
        ]
        return sorted(found + beside)


def _stretches(hits: Sequence[Hit], size: int) -> list[tuple[int, int]]:
    """The text round hits, as far as it counts with them."""
    merged: list[tuple[int, int]] = []
    for hit in hits:
        first, last = max(0, hit.start - NEAR), min(size, hit.start + NEAR)
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


@cache
def signals() -> Signals:
    """The signals of `signals.toml`."""
    table = tomllib.loads(files(__package__).joinpath("signals.toml").read_text("utf-8"))
    every = (*_written(table), *_in_languages(table))
    numbered = dict(enumerate(every))
    telling = {n: signal for n, signal in numbered.items() if not signal.beside}
    supporting = {n: signal for n, signal in numbered.items() if signal.beside}
    return Signals(every, Search(telling), Search(supporting))


def _written(table: Mapping[str, Any]) -> Iterator[Signal]:
    lists = table["lists"]
    parts = table["parts"] | {name: _one_of(words) for name, words in lists.items()}
    for entry in table["signal"]:
        spaces = entry.get("spaces", False)
        yield Signal(
            entry["name"],
            entry["kind"],
            entry["says"],
            tuple(_words(entry["starts"], lists)),
            _expression(entry["pattern"], parts, spaces),
            tuple(_words(entry.get("led_by", ()), lists)),
            _expression(entry.get("after", ""), parts, spaces),
            entry.get("beside", False),
        )


def _words(entries: Sequence[str], lists: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for entry in entries:
        parts = NAME.split(entry)
        named = (lists[part] if place % 2 else [part] for place, part in enumerate(parts))
        yield from map("".join, product(*named))


def _one_of(words: Sequence[str]) -> str:
    return "|".join(map(regex.escape, words))


def _expression(text: str, parts: Mapping[str, str], spaces: bool) -> str:
    while (filled := NAME.sub(lambda name: parts[name[1]], text)) != text:
        text = filled
    if spaces:
        return text
    text = text.replace("\\ ", " ")
    return UP_TO.sub(lambda most: f"(?:{WORD}{GAP}){{0,{most[1]}}}", text).replace(" ", GAP)


def _in_languages(table: Mapping[str, Any]) -> Iterator[Signal]:
    """What is said in other languages: to ignore, to an AI, to hide something, to act."""
    for language, groups in _folded(table["override"]):
        yield Signal(
            "override_in_other_language",
            "override",
            f"tells the reader in {language} to drop its instructions",
            (*groups[0], *groups[1]),
            _in_one_sentence(*map(_one_of, groups)),
        )
    orders = dict(_folded(table["ordered"]))
    for language, (ai, before, after) in _folded(table["addressed"]):
        addressed = (
            rf"(?:{_one_of(before)}){CLAUSE}(?:{_one_of(ai)})"
            rf"|(?:{_one_of(ai)}){CLAUSE}(?:{_one_of(after)})"
            rf"|(?:{_one_of(ai)})\w{{0,4}}(?: \w{{2,3}})?\s?[:：]"
        )
        yield Signal(
            "addressed_in_other_language",
            "addressed",
            f"speaks in {language} to an AI",
            (*ai, *before),
            addressed,
        )
        yield Signal(
            "told_in_other_language",
            "risk",
            f"tells an AI in {language} to act",
            (*ai, *before),
            rf"(?:{addressed}|(?:{_one_of(ai)})\w{{0,4}}(?: \w{{2,3}})?\s?[,，،])"
            f"{SENTENCE}(?:{_one_of(orders[language][0])}|{ADDRESS})",
        )
    for language, (no, telling) in _folded(table["hidden"]):
        yield Signal(
            "hidden_in_other_language",
            "secrecy",
            f"wants something left unsaid, in {language}",
            (*no, *telling),
            f"(?:{_one_of(no)}){CLAUSE}(?:{_one_of(telling)})"
            f"|(?:{_one_of(telling)}){CLAUSE}(?:{_one_of(no)})",
            beside=True,
        )


def _folded(table: Mapping[str, list[list[str]]]) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    for language, groups in table.items():
        yield language, [tuple(map(fold, group)) for group in groups]


def _in_one_sentence(ignore: str, earlier: str, rules: str) -> str:
    """The three in one sentence, or the verb last in one clause, as in Turkish and Japanese."""
    within, clause = (rf"[^.!?;。！？।؟{end}]{{0,40}}?" for end in ("", ",，、"))
    orders = [
        within.join(f"(?:{part})" for part in (ignore, earlier, rules)),
        within.join(f"(?:{part})" for part in (ignore, rules, earlier)),
        clause.join(f"(?:{part})" for part in (earlier, rules, ignore)),
    ]
    return "|".join(orders)
