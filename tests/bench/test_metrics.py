"""Figures of the bench against ones that were computed without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reviewers.bench import metrics
from reviewers.bench.labels import Judgement
from reviewers.bench.measure import Measured, compare, first_flags, measure
from reviewers.replay import OutcomeLine

REFERENCE: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "reference.json").read_text("utf-8")
)


def measured(one: dict[str, Any]) -> Measured:
    lines = []
    labels = {}
    rows = zip(one["labels"], one["scores"], one["failed"], strict=True)
    for number, (bad, score, failed) in enumerate(rows):
        state: Any = "failed" if failed else "flagged" if score >= 0.5 else "clear"
        lines.append(
            OutcomeLine(str(number), "r", state, "continue", score, sample=str(number % 7))
        )
        labels[str(number)] = Judgement("bad" if bad else "ok")
    return measure(lines, labels, {"r": frozenset()})["r"]


@pytest.mark.parametrize("one", REFERENCE, ids=lambda one: one["name"])
def test_every_figure_equals_an_independent_computation(one: dict[str, Any]) -> None:
    figures = measured(one).figures()

    for name, expected in one["figures"].items():
        got = figures[name]
        if isinstance(expected, list):
            got = [got["value"], got["low"], got["high"]]
        assert got == pytest.approx(expected, abs=1e-9), name


def test_an_undefined_figure_is_none_and_never_0_or_1() -> None:
    figures = Measured("nobody").figures()

    for name in ("f1", "roc_auc", "average_precision", "coverage", "tokens_per_true_flag"):
        assert figures[name] is None, name
    assert figures["precision"] == {"value": None, "low": None, "high": None, "clustered": None}
    json.dumps(figures, allow_nan=False)


def test_a_failure_counts_neither_as_caught_nor_as_clear() -> None:
    one = {"labels": [True, False], "scores": [0.9, 0.1], "failed": [True, True]}

    figures = measured(one).figures()

    assert [figures[cell] for cell in ("tp", "fp", "tn", "fn", "failed")] == [0, 0, 0, 0, 2]
    assert figures["coverage"] == 0


def test_what_is_bad_for_another_kind_is_left_out_and_counted() -> None:
    labels = {"1": Judgement("bad", ("secret",)), "2": Judgement("bad", ("network", "secret"))}
    lines = [OutcomeLine(name, "no_network", "clear", "escalate", 0.0) for name in labels]

    figures = measure(lines, labels, {"no_network": frozenset({"network"})})["no_network"].figures()

    assert (figures["fn"], figures["other_kind"]) == (1, 1)


def test_bad_without_a_kind_is_positive_for_everybody() -> None:
    labels = {"1": Judgement("bad")}
    lines = [OutcomeLine("1", "no_network", "flagged", "terminate", 1.0)]

    assert (
        measure(lines, labels, {"no_network": frozenset({"network"})})["no_network"].counts.tp == 1
    )


def test_unsure_labels_are_left_out_and_counted() -> None:
    lines = [OutcomeLine("1", "r", "flagged", "terminate", 1.0)]

    figures = measure(lines, {"1": Judgement("unsure")}, {})["r"].figures()

    assert (figures["tp"], figures["fp"], figures["unsure"]) == (0, 0, 1)


def test_an_interval_clustered_by_sample_is_wider_where_results_of_a_sample_are_alike() -> None:
    positive = [True] * 100
    flagged = [number < 60 for number in range(100)]
    alike = [str(number // 20) for number in range(100)]
    apart = [str(number) for number in range(100)]

    wide = metrics.clustered(metrics.table_by_sample(positive, flagged, alike), metrics.recall_of)
    narrow = metrics.clustered(metrics.table_by_sample(positive, flagged, apart), metrics.recall_of)

    assert wide
    assert narrow
    assert wide[1] - wide[0] > 2 * (narrow[1] - narrow[0])


def test_intervals_are_the_same_in_every_run() -> None:
    assert measured(REFERENCE[0]).figures() == measured(REFERENCE[0]).figures()


def test_two_reviewers_on_the_same_cases_differ_by_a_paired_interval() -> None:
    random = np.random.default_rng(1)
    truth = random.random(400) < 0.5
    strong = np.where(random.random(400) < 0.9, truth, ~truth)
    weak = np.where(random.random(400) < 0.7, truth, ~truth)
    labels = {str(n): Judgement("bad" if bad else "ok") for n, bad in enumerate(truth)}

    def lines(name: str, flags: Any) -> list[OutcomeLine]:
        return [
            OutcomeLine(
                str(n), name, "flagged" if flag else "clear", "escalate", None, sample=str(n % 50)
            )
            for n, flag in enumerate(flags)
        ]

    both = measure([*lines("strong", strong), *lines("weak", weak)], labels, {})
    difference = compare(both["strong"], both["weak"])

    assert difference["cases"] == 400
    assert difference["recall"]["low"] > 0
    assert (
        difference["recall"]["low"] < difference["recall"]["value"] < difference["recall"]["high"]
    )


def test_the_first_flag_of_a_sample_is_put_to_its_first_bad_call() -> None:
    def line(sample: str, number: int, flagged: bool) -> OutcomeLine:
        state: Any = "flagged" if flagged else "clear"
        return OutcomeLine(f"{sample}{number}", "r", state, "escalate", sample=sample)

    flags = {
        "early": (True, False),
        "there": (False, True),
        "never": (False, False),
        "alarmed": (True, False),
        "quiet": (False, False),
    }
    lines = [line(name, n, flag) for name, both in flags.items() for n, flag in enumerate(both)]
    bad = {"early", "there", "never"}
    labels = {
        one.id: Judgement("bad" if one.sample in bad and one.id.endswith("1") else "ok")
        for one in lines
    }

    assert first_flags(lines, labels) == {
        "before": 1,
        "at": 1,
        "after": 0,
        "never": 1,
        "alarmed": 1,
        "quiet": 1,
    }


def test_precision_at_a_prevalence_follows_from_recall_and_false_alarms() -> None:
    counts = metrics.Counts(tp=90, fn=10, fp=10, tn=990)

    assert metrics.precision_at_prevalence(counts, 0.5) == pytest.approx(0.9 / (0.9 + 0.01))
    assert metrics.precision_at_prevalence(counts, 0.01) == pytest.approx(
        0.009 / (0.009 + 0.99 * 0.01)
    )


def test_a_sample_that_is_bad_for_another_kind_is_no_missed_sample() -> None:
    lines = [OutcomeLine("1", "no_network", "clear", "escalate", 0.0, sample="s")]
    labels = {"1": Judgement("bad", ("secret",))}

    figures = measure(lines, labels, {"no_network": frozenset({"network"})})["no_network"].figures()

    assert set(figures["first_flag"].values()) == {0}
