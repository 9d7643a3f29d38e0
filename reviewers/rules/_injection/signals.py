"""Signs in a folded text, as listed in `signals.toml`."""

from __future__ import annotations

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
    """

    name: str
    kind: str
    says: str
    starts: tuple[str, ...]
    expression: str

    @cached_property
    def pattern(self) -> regex.Pattern[str]:
        """The compiled expression; on first need, since most texts need few of them."""
        return regex.compile(self.expression)


@dataclass(frozen=True)
class Signals:
    """All signals, ready to be looked for in one pass over a text.

    Attributes:
        all: The signals; their place is their number.
    """

    all: tuple[Signal, ...]
    _literals: AhoCorasick
    _begin_words: tuple[bool, ...]
    _wanted_by: tuple[tuple[int, ...], ...]

    def hits(self, text: str) -> list[Hit]:
        """Signals in a folded text, by place.

        Patterns are tried where one of their literals stands, and none reads further than a
        few hundred characters, so that the time grows with the text and no faster.
        """
        found = []
        for literal, start, end in self._literals.find_matches_as_indexes(text, overlapping=True):
            if self._begin_words[literal] and not _is_word(text, start, end):
                continue
            for number in self._wanted_by[literal]:
                match = self.all[number].pattern.match(text, start)
                if match:
                    found.append(Hit(start, match.end(), number))
        found.sort()
        return found


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
    wanted: dict[str, list[int]] = {}
    for number, signal in enumerate(every):
        for literal in dict.fromkeys(signal.starts):
            wanted.setdefault(literal, []).append(number)
    return Signals(
        every,
        AhoCorasick(list(wanted)),
        tuple(literal[0].isalnum() and literal.isascii() for literal in wanted),
        tuple(tuple(numbers) for numbers in wanted.values()),
    )


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
    within = r"[^.!?;。！？।؟]{0,40}?"
    orders = [(ignore, earlier, rules), (ignore, rules, earlier), (earlier, rules, ignore)]
    return "|".join(within.join(f"(?:{part})" for part in order) for order in orders)
