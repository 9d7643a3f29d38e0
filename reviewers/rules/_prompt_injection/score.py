"""What signals close together add up to: a logistic model with one weight for each sign."""

from __future__ import annotations

import csv
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import fsum
from typing import NamedTuple

from reviewers.rules._prompt_injection.hidden import Mark, marks
from reviewers.rules._prompt_injection.readings import Reading
from reviewers.rules._prompt_injection.signals import NEAR, SUPPORTING, Effort, Hit, signals

WINDOW = NEAR
"""Signals within so many characters are taken together."""

WINDOW_COST = 4
"""Tries of patterns that adding up one window is worth."""

CONTEXT_FLOOR = -4.0
"""The most that context can take off, so that no flood of excuses hides an order."""

SEVERAL = 2
"""Kinds of signs that mean more together than each of itself."""

NAMED = frozenset({"mention"})
QUOTES = NAMED | {"reported_speech", "quotation", "quoted_trigger"}
"""Signs that span what they quote."""

LETTERS = (
    "base64",
    "hex",
    "percent-encoding",
    "character references",
    "escapes",
    "binary",
    "character codes",
)
INVISIBLE = ("Unicode tags", "variation selectors", "zero-width characters")


class Sign(NamedTuple):
    """A feature of the model, and where it was seen in its reading."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class Window:
    """The signs that stand close together.

    Attributes:
        names: The model's features that hold.
        signs: What was seen, by place.
    """

    names: frozenset[str]
    signs: tuple[Sign, ...]


class Weights(NamedTuple):
    """The model: log-odds of an instruction to the agent."""

    bias: float
    of: Mapping[str, float]

    def logit(self, names: frozenset[str]) -> float:
        """The log-odds for the features that hold."""
        kinds = _kinds()
        contexts = fsum(self.of[name] for name in names if kinds.get(name) == "context")
        others = (self.of.get(name, 0.0) for name in names if kinds.get(name) != "context")
        return fsum((self.bias, *others, max(CONTEXT_FLOOR, contexts)))


@cache
def weights() -> Weights:
    """The weights of `weights.csv`."""
    text = files(__package__).joinpath("weights.csv").read_text("utf-8")
    table = {row["sign"]: float(row["weight"]) for row in csv.DictReader(text.splitlines())}
    return Weights(table.pop("bias"), table)


@cache
def _kinds() -> dict[str, str]:
    return {signal.name: signal.kind for signal in signals().all}


def windows(reading: Reading, effort: Effort | None = None) -> Iterator[Window]:
    """Every window of a reading that no other window contains, as far as effort lasts."""
    effort = effort or Effort()
    signs = _signs(reading, effort)
    kinds = _kinds()
    contexts = [sign for sign in signs if kinds.get(sign.name) == "context"]
    starts = [sign.start for sign in contexts]
    shown: deque[Sign] = deque()
    told = [sign for sign in signs if kinds.get(sign.name) != "context"]
    for place, sign in enumerate(told):
        while shown and sign.start - shown[0].start > WINDOW:
            shown.popleft()
        shown.append(sign)
        following = told[place + 1] if place + 1 < len(told) else None
        if following is None or following.start - shown[0].start > WINDOW:
            effort.left -= WINDOW_COST
            first = bisect_left(starts, shown[0].start - WINDOW)
            last = bisect_left(starts, sign.start + WINDOW)
            every = sorted([*shown, *contexts[first:last]])
            yield Window(_names(every, reading), tuple(every))
            if effort.left <= 0:
                return
    if not signs and _mark_of(reading.how) == "invisible_text":
        yield Window(frozenset({"invisible_text"}), ())


def _signs(reading: Reading, effort: Effort) -> list[Sign]:
    every = signals()
    hits = every.hits(reading.text, effort)
    signs = [Sign(hit.start, hit.end, every.all[hit.signal].name) for hit in hits]
    evidence = [hit for hit in hits if every.all[hit.signal].kind not in SUPPORTING]
    if evidence:
        signs += [Sign(mark.start, mark.end, mark.name) for mark in _telling(reading, evidence)]
        signs.sort()
    return signs


def _telling(reading: Reading, evidence: list[Hit]) -> Iterator[Mark]:
    """Marks within which something is said to the agent."""
    starts = [hit.start for hit in evidence]
    for mark in marks(reading):
        nearest = bisect_left(starts, mark.start)
        if nearest < len(starts) and starts[nearest] < mark.end:
            yield mark


def _names(shown: Sequence[Sign], reading: Reading) -> frozenset[str]:
    names = {sign.name for sign in _meant(shown)}
    kinds = _kinds()
    counted = {kinds[name] for name in names if name in kinds} - SUPPORTING
    if len(counted) >= SEVERAL:
        names.add("several_kinds")
    if (counted or _mark_of(reading.how) == "invisible_text") and reading.how:
        names.add(_mark_of(reading.how))
    return frozenset(names)


def _meant(shown: Sequence[Sign]) -> Iterator[Sign]:
    """The signs without those in a phrase that is named, or that a text about attacks quotes."""
    about = any(sign.name == "about_attacks" for sign in shown)
    quoted = [sign for sign in shown if sign.name in (QUOTES if about else NAMED)]
    for sign in shown:
        if sign in quoted or not any(one.start <= sign.start < one.end for one in quoted):
            yield sign


def _mark_of(how: str) -> str:
    if not how:
        return ""
    return "invisible_text" if how in INVISIBLE else "decoded" if how in LETTERS else "disguised"
