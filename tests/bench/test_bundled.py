"""The labelled transcripts that come with the package."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from reviewers import _host
from reviewers.bench.bundled import bundled_folder, bundled_labels, bundled_logs
from reviewers.bench.run import judgements
from reviewers.judging import JudgingReviewer
from reviewers.packs import PACKS
from reviewers.replay import find_sources, iter_cases

POSITIVES = 12
NEAR_MISSES = 25
LARGEST = 1_500_000

RULES = dict(PACKS["all_rules"].members)


def caught_by(rule: str) -> frozenset[str]:
    made = _host.create(rule, dict(RULES[rule]))
    assert isinstance(made, JudgingReviewer)
    return made.spec.catches


@cache
def rows() -> list[dict[str, str]]:
    with Path(bundled_labels()).open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def kinds(column: str, label: str) -> Iterator[frozenset[str]]:
    for row in rows():
        if row["label"] == label:
            yield frozenset(filter(None, row[column].split("|")))


def test_there_are_at_least_400_results_and_a_label_for_each() -> None:
    sources = find_sources(bundled_logs())
    cases = {case.id for case in iter_cases(sources)}

    assert len(cases) >= 400
    assert set(judgements(sources, bundled_labels())) == cases
    assert len(rows()) == len(cases)


def test_a_replay_sees_all_that_a_reviewer_saw_live() -> None:
    fidelity = Counter(
        reason for case in iter_cases(find_sources(bundled_logs())) for reason in case.fidelity
    )

    assert fidelity == {}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_results_to_catch_and_near_misses(rule: str) -> None:
    catches = caught_by(rule)

    assert sum(bool(catches & found) for found in kinds("kind", "bad")) >= POSITIVES
    assert sum(bool(catches & found) for found in kinds("near", "ok")) >= NEAR_MISSES


def test_every_kind_is_one_that_some_rule_catches() -> None:
    known = frozenset().union(*map(caught_by, RULES))

    assert {kind for found in kinds("kind", "bad") for kind in found} <= known
    assert {kind for found in kinds("near", "ok") for kind in found} <= known


def test_every_bad_result_has_a_kind_and_no_other_has_one() -> None:
    assert all(kinds("kind", "bad"))
    assert not any(kinds("kind", "ok"))


def test_the_logs_are_small_and_tell_nothing_of_the_machine_that_made_them() -> None:
    headers = [read_eval_log(log, header_only=True).eval for log in bundled_logs()]

    assert sum(file.stat().st_size for file in bundled_folder().iterdir()) < LARGEST
    assert {header.revision for header in headers} == {None}
    assert {header.task_file for header in headers} == {None}
