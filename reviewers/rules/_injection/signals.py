"""Signs in a folded text, as listed in `signals.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import chain
from typing import Any, NamedTuple

import regex
from ahocorasick_rs import AhoCorasick

from reviewers.rules._injection.fold import fold

GAP = r"(?:[^\w.!?;]{1,12}+)"
"""Between two words of one sentence: blanks, line ends, comment marks, quotes, emphasis."""

WORD = r"\w{1,24}+(?:'\w{1,3}+)?"
NAME = regex.compile(r"\{([a-z_]+)\}")
UP_TO = regex.compile(r"<(\d)>")

SHORT = 3
"""Literals up to this length are whole words: `do` does not begin `docs`."""


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
        preceded_by: Characters of which one must stand right before; empty for any.
    """

    name: str
    kind: str
    says: str
    starts: tuple[str, ...]
    expression: str
    preceded_by: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str] | regex.Pattern[str]:
        """The compiled expression; on first need, since most texts need few of them."""
        # `re` is twice as fast here; `regex` can look behind over any length.
        if "(?<" in self.expression:
            return regex.compile(self.expression)
        return re.compile(self.expression)

    def may_stand(self, text: str, start: int) -> bool:
        """Whether the character before allows it; cheaper than to try."""
        return not self.preceded_by or not start or text[start - 1] in self.preceded_by


@dataclass
class Effort:
    """How many more tries of patterns one text may cost.

    Attributes:
        left: Tries that are left; with none left, no more signals are found.
    """

    left: int = 500_000


class Search:
    """Some signals, looked for in one pass over a text.

    Args:
        signals: What to look for, by number.
    """

    def __init__(self, signals: Mapping[int, Signal]) -> None:
        wanted: dict[str, list[tuple[int, Signal]]] = {}
        for number, signal in signals.items():
            for literal in dict.fromkeys(signal.starts):
                wanted.setdefault(literal, []).append((number, signal))
        self._literals = AhoCorasick(list(wanted))
        self._begin_words = [literal[0].isalnum() and literal.isascii() for literal in wanted]
        self._wanted_by = list(wanted.values())

    def hits(self, text: str, first: int, last: int, effort: Effort) -> Iterator[Hit]:
        """Signals that begin between two places of a folded text.

        Patterns are tried where one of their literals stands, and none reads further than a
        few hundred characters, so that the time grows with the text and no faster. One that was
        just seen is not tried again at once.
        """
        part = text if last - first == len(text) else text[first:last]
        again: dict[int, int] = {}
        for literal, start, end in self._literals.find_matches_as_indexes(part, overlapping=True):
            start, end = start + first, end + first
            if effort.left <= 0:
                return
            if self._begin_words[literal] and not _is_word(text, start, end):
                continue
            for number, signal in self._wanted_by[literal]:
                if again.get(number, 0) > start or not signal.may_stand(text, start):
                    continue
                effort.left -= 1
                match = signal.pattern.match(text, start)
                if match:
                    again[number] = match.end() + NOT_AGAIN
                    yield Hit(start, match.end(), number)


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


def _is_word(text: str, start: int, end: int) -> bool:
    """Whether a literal begins a word, and is one if it is short."""
    if start and text[start - 1].isalnum():
        return False
    return end - start > SHORT or not text[end : end + 1].isalnum()


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
        expression = _expression(entry["pattern"], parts, spaces)
        if "after" in entry:
            expression = f"(?<={_expression(entry['after'], parts, spaces)}){expression}"
        starts = (
            lists[name[1]] if (name := NAME.fullmatch(start)) else [start]
            for start in entry["starts"]
        )
        yield Signal(
            entry["name"],
            entry["kind"],
            entry["says"],
            tuple(chain.from_iterable(starts)),
            expression,
            entry.get("preceded_by", ""),
        )


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
