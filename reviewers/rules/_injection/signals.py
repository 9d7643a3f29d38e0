"""Signs in a folded text, as listed in `signals.toml`."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, NamedTuple

import regex
from ahocorasick_rs import AhoCorasick, Implementation

from reviewers.rules._injection.fold import fold

GAP = r"(?:[^\w.!?;]{1,12}+)"
"""Between two words of one sentence: blanks, line ends, comment marks, quotes, emphasis."""

WORD = r"\w{1,24}+(?:'\w{1,3}+)?"
NAME = regex.compile(r"\{([a-z_]+)\}")
UP_TO = regex.compile(r"<(\d)>")

SHORT = 3
"""Literals up to this length are whole words: `do` does not begin `docs`."""


BLANKS = 3
"""Blanks that may stand between a signal and what precedes it."""

SUPPORTING = frozenset({"order", "context", "command"})
"""Kinds that stand in every other text, and count only beside signals of other kinds."""

NEAR = 600
"""Characters round other signals in which those count."""

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
        after: What must match right before; empty for anything.
        preceded_by: Characters of which one must stand before, blanks aside; empty for any.
        needs: Words of which one must follow soon, or it is not tried; empty for any.
        within: How soon: characters from where it begins to the end of such a word.
    """

    name: str
    kind: str
    says: str
    starts: tuple[str, ...]
    expression: str
    after: str = ""
    preceded_by: str = ""
    needs: tuple[str, ...] = ()
    within: int = 0

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

    def end(self, text: str, start: int) -> int:
        """Where the signal that begins at a place ends; -1 if none does."""
        if self.preceded_by and start:
            before = text[max(0, start - BLANKS - 1) : start].rstrip()
            if before[-1:] not in self.preceded_by:
                return -1
        match = self._pattern.match(text, start)
        if not match or (self.after and not self._before.match(text, start)):
            return -1
        return match.end()


@dataclass
class Effort:
    """How many more tries of patterns one text may cost.

    Attributes:
        left: Tries that are left; with none left, no more signals are found.
    """

    left: int = 200_000


class _Literal(NamedTuple):
    """What one literal is for: where it must stand, what begins with it, what waits for it."""

    begins_word: bool
    is_word: bool
    begins: list[tuple[int, Signal]]
    needed_by: list[int]


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
            for literal in dict.fromkeys(signal.needs):
                literals.setdefault(literal, _literal(literal)).needed_by.append(number)
        self._search = AhoCorasick(list(literals), implementation=Implementation.DFA)
        self._literals = list(literals.values())
        self._needing = [number for number, signal in signals.items() if signal.needs]

    def hits(self, text: str, first: int, last: int, effort: Effort) -> Iterator[Hit]:
        """Signals that begin between two places of a folded text.

        Patterns are tried where one of their literals stands, and none reads further than a
        few hundred characters, so that the time grows with the text and no faster. One that was
        just seen is not tried again at once.
        """
        part = text if last - first == len(text) else text[first:last]
        begun: list[tuple[int, _Literal]] = []
        needed: dict[int, list[int]] = {number: [] for number in self._needing}
        for number, start, end in self._search.find_matches_as_indexes(part, overlapping=True):
            literal = self._literals[number]
            if literal.begins_word and start and part[start - 1].isalnum():
                continue
            for number in literal.needed_by:
                needed[number].append(end + first)
            if literal.begins and not (literal.is_word and part[end : end + 1].isalnum()):
                begun.append((start + first, literal))
        again: dict[int, int] = {}
        for start, literal in begun:
            for number, signal in literal.begins:
                if number in again and again[number] > start:
                    continue
                if number in needed and not _soon(needed[number], start, signal.within):
                    continue
                effort.left -= 1
                over = signal.end(text, start)
                if over >= 0:
                    again[number] = over + NOT_AGAIN
                    yield Hit(start, over, number)
            if effort.left <= 0:
                return


def _literal(literal: str) -> _Literal:
    begins_word = literal[0].isalnum() and literal.isascii()
    return _Literal(begins_word, begins_word and len(literal) <= SHORT, [], [])


def _soon(ends: Sequence[int], start: int, within: int) -> bool:
    """Whether one of the needed words ends soon after a place."""
    following = bisect_right(ends, start)
    return following < len(ends) and ends[following] <= start + within


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
    every = (*_written(table), *_in_languages(table["languages"]))
    numbered = dict(enumerate(every))
    supporting = {n: signal for n, signal in numbered.items() if signal.kind in SUPPORTING}
    telling = {n: signal for n, signal in numbered.items() if n not in supporting}
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
            _expression(entry.get("after", ""), parts, spaces),
            entry.get("preceded_by", ""),
            tuple(_words(entry.get("needs", ()), lists)),
            entry.get("within", 0),
        )


def _words(entries: Sequence[str], lists: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for entry in entries:
        yield from lists[name[1]] if (name := NAME.fullmatch(entry)) else [entry]


def _one_of(words: Sequence[str]) -> str:
    return "|".join(map(regex.escape, words))


def _expression(text: str, parts: Mapping[str, str], spaces: bool) -> str:
    while (filled := NAME.sub(lambda name: parts[name[1]], text)) != text:
        text = filled
    if spaces:
        return text
    text = text.replace("\\ ", " ")
    return UP_TO.sub(lambda most: f"(?:{WORD}{GAP}){{0,{most[1]}}}", text).replace(" ", GAP)


def _in_languages(languages: Mapping[str, list[list[str]]]) -> Iterator[Signal]:
    """The order to drop earlier instructions, in each language."""
    for language, stems in languages.items():
        ignore, earlier, rules = ([fold(stem) for stem in group] for group in stems)
        yield Signal(
            "override_in_other_language",
            "override",
            f"tells the reader in {language} to drop its instructions",
            (*ignore, *earlier),
            _in_one_sentence(_one_of(ignore), _one_of(earlier), _one_of(rules)),
        )


def _in_one_sentence(ignore: str, earlier: str, rules: str) -> str:
    """The three in one sentence, or the verb last in one clause, as in Turkish and Japanese."""
    within, clause = (rf"[^.!?;。！？।؟{end}]{{0,40}}?" for end in ("", ",，、"))
    orders = [
        within.join(f"(?:{part})" for part in (ignore, earlier, rules)),
        within.join(f"(?:{part})" for part in (ignore, rules, earlier)),
        clause.join(f"(?:{part})" for part in (earlier, rules, ignore)),
    ]
    return "|".join(orders)
