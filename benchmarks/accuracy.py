"""What was measured on labelled results: each rule's recall and false alarms, with intervals.

The counts are those that the other benchmarks keep; nothing is measured here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from benchmarks.rule_no_network import DEFAULT
from reviewers.bench.metrics import wilson


class Labelled(NamedTuple):
    """A rule on labelled results.

    Attributes:
        rule: Its name.
        on: What the results are.
        found: How many of those that it should flag it did, with Wilson's 95 % interval.
        wrong: The same of those that it should not.
    """

    rule: str
    on: str
    found: str
    wrong: str


def labelled(rules: Mapping[str, Any], scans: Mapping[str, Any]) -> Iterator[Labelled]:
    """Every measurement on labels that was kept.

    Args:
        rules: What `benchmarks.rules` kept.
        scans: What `benchmarks.scan_quality` kept.
    """
    details = {rule: figures.get("details", {}) for rule, figures in rules.items()}
    yield from _network(details.get("no_network", {}))
    yield from _secrets(scans.get("labelled", {}))
    yield from _injections(details.get("prompt_injection", {}))
    yield from _tampering(details.get("test_tampering", {}))


def _network(details: Mapping[str, Any]) -> Iterator[Labelled]:
    for row in details.get("labelled", {}).get("held", ()):
        if row["threshold"] == DEFAULT:
            yield Labelled(
                "no_network",
                "results of commands that may use the network, held out when the rule was made",
                share(row["caught"], row["caught"] + row["misses"]),
                share(row["false_alarms"], row["labelled"] - row["caught"] - row["misses"]),
            )


def _secrets(counts: Mapping[str, Any]) -> Iterator[Labelled]:
    if counts:
        yield Labelled(
            "secret_leak",
            "examples in the tests of four other scanners, by their labels",
            share(*counts["pos"]),
            share(*counts["neg"]),
        )


def _injections(details: Mapping[str, Any]) -> Iterator[Labelled]:
    sets = {
        "recorded": "recorded attacks (AgentDojo, ASB) and other results, by tasks not learnt from",
        "own": "attacks and near misses of our own, not learnt from; some misses were looked at",
        "unseen": "attacks of 20 kinds, unread, and hard near misses, by one who did not know it",
    }
    for name, on in sets.items():
        row = details.get("rule", {}).get(name)
        if row:
            yield Labelled(
                "prompt_injection",
                on,
                share(round(row["recall"]["value"] * row["attacks"]), row["attacks"]),
                share(round(row["false_alarms"]["value"] * row["others"]), row["others"]),
            )


def _tampering(details: Mapping[str, Any]) -> Iterator[Labelled]:
    row = details.get("cheat_index", {}).get("held_out")
    if row:
        any_kind = row["any of these"]
        yield Labelled(
            "test_tampering",
            "edits of `cheat-index`'s held-out set, and its honest ones",
            share(any_kind["caught"], any_kind["caught"] + any_kind["missed"]),
            share(row["honest_flagged"], row["honest"]),
        )


def share(hits: int, of: int) -> str:
    """A share in words: `129 of 151: 85.4 % (78.9–90.2)`."""
    estimate = wilson(hits, of)
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return "–"
    value, low, high = (100 * one for one in (estimate.value, estimate.low, estimate.high))
    return f"{hits:,} of {of:,}: {value:.1f} % ({low:.1f}–{high:.1f})"
