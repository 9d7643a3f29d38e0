"""The results that a person should look at: the worst false alarms and misses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from reviewers.bench.measure import Measured, judgement_of
from reviewers.bench.report_parts.shown import without_long_words
from reviewers.outcome import ReviewersError
from reviewers.replay import OutcomeLine, Problems, Source, find_sources
from reviewers.replay.sources import cases_in

MOST = 10
MOST_FINDINGS = 3
HELD_SECRETS = frozenset({"secret", "canary", "answer-leak"})
"""Kinds of results that show what nobody should read, also where a detector missed it."""


@dataclass(frozen=True)
class Seen:
    """One result, and what a reviewer said of it.

    Attributes:
        line: The reviewer's outcome.
        kinds: What the result is bad for.
        call: What was run; empty if it is not to be had.
    """

    line: OutcomeLine
    kinds: tuple[str, ...] = ()
    call: str = ""

    @property
    def findings(self) -> list[tuple[str, str]]:
        """What was found and an excerpt of each of the first findings.

        What the explanation has said already is left out.
        """
        found = [
            (str(one.get("what") or ""), str(one.get("excerpt") or ""))
            for one in self.line.findings[:MOST_FINDINGS]
        ]
        said = self.line.explanation.rstrip(".").casefold()
        parts = [("" if what.casefold() == said else what, excerpt) for what, excerpt in found]
        return [part for part in parts if any(part)]


@dataclass(frozen=True)
class Worst:
    """Results to look at, of one reviewer.

    Attributes:
        false_alarms: Flagged though ok, the highest scores first.
        misses: Clear though bad, the lowest scores first.
        failures: With a label, and not judged.
        unlabelled: Flagged, and nobody has said what they are.
        of: How many there are of each in all.
    """

    false_alarms: Sequence[Seen] = ()
    misses: Sequence[Seen] = ()
    failures: Sequence[Seen] = ()
    unlabelled: Sequence[Seen] = ()
    of: dict[str, int] = field(default_factory=dict)


def worst_of(measured: Measured) -> Worst:
    """The results of a reviewer that a person should look at; see `Worst`."""
    false_alarms = [
        Seen(one.line)
        for one in measured.judged
        if one.line.outcome == "flagged" and not one.positive
    ]
    misses = [
        Seen(one.line, one.kinds)
        for one in measured.judged
        if one.line.outcome == "clear" and one.positive
    ]
    failures = [Seen(one.line, one.kinds) for one in measured.failed]
    unlabelled = [
        Seen(line)
        for line in measured.every_line
        if line.outcome == "flagged"
        and not line.would_ask
        and judgement_of(line, measured.labels) is None
    ]
    return Worst(
        sorted(false_alarms, key=lambda seen: -_score(seen))[:MOST],
        sorted(misses, key=_score)[:MOST],
        failures[:MOST],
        sorted(unlabelled, key=lambda seen: -_score(seen))[:MOST],
        {
            "false_alarms": len(false_alarms),
            "misses": len(misses),
            "failures": len(failures),
            "unlabelled": len(unlabelled),
        },
    )


def _score(seen: Seen) -> float:
    return seen.line.score or 0.0


def with_calls(worst: Worst, calls: dict[str, str]) -> Worst:
    """The same results with what was run, where it is known."""

    def with_call(seen: Seen) -> Seen:
        call = calls.get(seen.line.id, "")
        return replace(seen, call=without_long_words(call) if _holds_secret(seen) else call)

    return replace(
        worst,
        false_alarms=list(map(with_call, worst.false_alarms)),
        misses=list(map(with_call, worst.misses)),
        failures=list(map(with_call, worst.failures)),
        unlabelled=list(map(with_call, worst.unlabelled)),
    )


def _holds_secret(seen: Seen) -> bool:
    return bool(HELD_SECRETS & set(seen.kinds)) or bool(HELD_SECRETS & set(seen.line.kinds))


def lines_in(worst: Iterable[Worst]) -> list[OutcomeLine]:
    """The outcomes that are shown."""
    return [
        seen.line
        for one in worst
        for seen in (*one.false_alarms, *one.misses, *one.failures, *one.unlabelled)
    ]


def calls_of(addresses: Sequence[str], lines: Sequence[OutcomeLine]) -> dict[str, str]:
    """What each of some results ran, looked up once more where they come from.

    Args:
        addresses: The logs and case files that were measured.
        lines: Outcomes of the results.
    """
    wanted = {line.id for line in lines}
    logs = {line.source for line in lines}
    calls: dict[str, str] = {}
    for source in _still_there(addresses):
        if source.kind == "log" and source.path not in logs:
            continue
        missing = wanted - set(calls)
        found = (case for case in cases_in(source, Problems()) if case.id in missing)
        for case in islice(found, len(missing)):
            calls[case.id] = case.evidence.command or _written(case.evidence.arguments)
    return calls


def _still_there(addresses: Sequence[str]) -> list[Source]:
    try:
        return find_sources(addresses)
    except ReviewersError:
        # The page can do without: what was run is an aid to the eye, and no figure.
        return []


def _written(arguments: Any) -> str:
    return json.dumps(arguments, ensure_ascii=False, default=str) if arguments else ""
