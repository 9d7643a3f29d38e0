"""From outcome lines and labels to each reviewer's figures."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from reviewers.bench import metrics
from reviewers.bench.labels import Judgement
from reviewers.bench.metrics import Counts, Estimate
from reviewers.replay import OutcomeLine

ALL_KINDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Judged:
    """An outcome beside its label.

    Attributes:
        line: What the reviewer said.
        positive: Whether it should have flagged.
        kinds: What the case is bad for.
    """

    line: OutcomeLine
    positive: bool
    kinds: tuple[str, ...] = ()


@dataclass
class Measured:
    """One reviewer's outcomes, sorted by what they count for.

    Attributes:
        name: Its name in figures.
        catches: Kinds of label that it is there for; empty means all.
        judged: Outcomes with a label that counts for it: neither failed nor asking a person.
        failed: Outcomes with such a label where it could not judge.
        would_ask: Results about which a person would have had to be asked.
        other_kind: Results that are bad only for kinds that it is not there for.
        unsure: Results whose label is `unsure`.
        unlabelled: Results without a label.
        every_line: All its outcomes, in order.
        labels: The judgement of each case that has one.
        seed: Makes the intervals repeatable.
    """

    name: str
    catches: frozenset[str] = ALL_KINDS
    judged: list[Judged] = field(default_factory=list)
    failed: list[Judged] = field(default_factory=list)
    would_ask: int = 0
    other_kind: int = 0
    unsure: int = 0
    unlabelled: int = 0
    every_line: list[OutcomeLine] = field(default_factory=list)
    labels: Mapping[str, Judgement] = field(default_factory=dict)
    seed: int = 0

    def add(self, line: OutcomeLine) -> None:
        """Sort in one outcome."""
        self.every_line.append(line)
        if line.would_ask:
            self.would_ask += 1
            return
        judgement = judgement_of(line, self.labels)
        if judgement is None:
            self.unlabelled += 1
        elif judgement.label == "unsure":
            self.unsure += 1
        elif judgement.label == "bad" and not self._is_there_for(judgement.kinds):
            self.other_kind += 1
        else:
            judged = Judged(line, judgement.label == "bad", judgement.kinds)
            (self.failed if line.outcome == "failed" else self.judged).append(judged)

    def _is_there_for(self, kinds: tuple[str, ...]) -> bool:
        return not kinds or not self.catches or bool(self.catches & set(kinds))

    @cached_property
    def counts(self) -> Counts:
        """The confusion table."""
        return counts_of(self.judged)

    @cached_property
    def scored(self) -> list[Judged]:
        """Judged outcomes that have a score."""
        return [judged for judged in self.judged if judged.line.score is not None]

    @property
    def scores(self) -> list[float]:
        """The scores of `scored`."""
        return [judged.line.score or 0.0 for judged in self.scored]

    @property
    def scored_truth(self) -> list[bool]:
        """The labels of `scored`."""
        return [judged.positive for judged in self.scored]

    def table(self, samples: Sequence[str] | None = None) -> metrics.Numbers:
        """Confusion counts by sample; in the order of `samples`, if given."""
        return _table(self.judged, samples)

    def figures(self) -> dict[str, Any]:
        """Everything, as plain JSON values; what is undefined is null."""
        counts = self.counts
        labelled = len(self.judged) + len(self.failed)
        asked = len(self.every_line)
        tokens = sum(int(line.usage.get("total_tokens") or 0) for line in self.every_line)
        cost = sum(float(line.usage.get("cost") or 0.0) for line in self.every_line)
        seconds = [line.seconds for line in self.every_line]
        return {
            **counts.as_dict(),
            "failed": len(self.failed),
            "failed_positive": sum(judged.positive for judged in self.failed),
            "would_ask": self.would_ask,
            "other_kind": self.other_kind,
            "unsure": self.unsure,
            "unlabelled": self.unlabelled,
            "flagged": sum(line.outcome == "flagged" for line in self.every_line),
            "failures": dict(Counter(_reason(line) for line in self.every_line if _reason(line))),
            "precision": self._estimate(metrics.precision, metrics.precision_of),
            "recall": self._estimate(metrics.recall, metrics.recall_of),
            "f1": metrics.f1(counts),
            "f1_interval": _listed(metrics.clustered(self.table(), metrics.f1_of, self.seed)),
            "false_positives_per_1000": self._estimate(
                metrics.false_positive_rate, metrics.false_positive_rate_of, 1000
            ),
            **self._ranks(),
            "distinct_scores": len(set(self.scores)),
            "coverage": len(self.judged) / labelled if labelled else None,
            "covered": sum(line.covered for line in self.every_line) / asked if asked else None,
            "seconds": _percentiles(seconds),
            "tokens": tokens,
            "cost": cost,
            "tokens_per_true_flag": tokens / counts.tp if counts.tp else None,
            "cost_per_true_flag": cost / counts.tp if counts.tp else None,
            "by_tool": _grouped(self.judged, lambda judged: (judged.line.tool,)),
            "by_kind": self._by_kind(),
            "exact_only": self._exact_only(),
            "first_flag": first_flags(self.every_line, self.labels, self._is_there_for),
            "sweep": [threshold.as_dict() for threshold in thinned(self.sweep())],
            "catches": sorted(self.catches),
        }

    def sweep(self) -> list[metrics.Threshold]:
        """Every threshold on the score."""
        return metrics.sweep(self.scored_truth, self.scores)

    def _estimate(
        self,
        of: Callable[[Counts], Estimate],
        ratio: metrics.Ratio,
        factor: float = 1,
    ) -> dict[str, Any]:
        interval = metrics.clustered(self.table(), ratio, self.seed)
        return replace(of(self.counts), clustered=interval).times(factor).as_dict()

    def _ranks(self) -> dict[str, Any]:
        truth, scores = self.scored_truth, self.scores
        samples = [judged.line.sample for judged in self.scored]
        interval = partial(
            metrics.clustered_by_rank,
            positive=truth,
            scores=scores,
            samples=samples,
            seed=self.seed,
        )
        rates = metrics.FALSE_POSITIVE_RATES
        recalls = metrics.recall_at(truth, scores, rates)
        return {
            "roc_auc": metrics.roc_auc(truth, scores),
            "roc_auc_interval": _listed(interval(metrics.roc_auc)),
            "average_precision": metrics.average_precision(truth, scores),
            "average_precision_interval": _listed(interval(metrics.average_precision)),
            "recall_at_fpr": {
                f"{rate:g}": value for rate, value in zip(rates, recalls, strict=True)
            },
        }

    def _by_kind(self) -> dict[str, Any]:
        positives = [judged for judged in self.judged if judged.positive]
        return {
            kind: {"tp": table["tp"], "fn": table["fn"], "recall": table["recall"]}
            for kind, table in _grouped(
                positives, lambda judged: judged.kinds or ("unnamed",)
            ).items()
        }

    def _exact_only(self) -> dict[str, Any]:
        exact = [judged for judged in self.judged if not judged.line.fidelity]
        counts = counts_of(exact)
        return {
            **counts.as_dict(),
            "failed": sum(not judged.line.fidelity for judged in self.failed),
            "precision": metrics.precision(counts).as_dict(),
            "recall": metrics.recall(counts).as_dict(),
        }


def measure(
    lines: Iterable[OutcomeLine],
    labels: Mapping[str, Judgement],
    catches: Mapping[str, frozenset[str]],
    seed: int = 0,
) -> dict[str, Measured]:
    """Sort the outcomes of every reviewer and policy by what they count for.

    Args:
        lines: Outcomes; those that a policy's reviewers gave for it are left out.
        labels: Judgement by case; a line's own label counts where this has none.
        catches: Kinds that each reviewer is there for; empty or absent means all.
        seed: Makes the intervals repeatable.
    """
    measured: dict[str, Measured] = {
        name: Measured(name, kinds, labels=labels, seed=seed) for name, kinds in catches.items()
    }
    for line in lines:
        if line.part_of:
            continue
        if line.reviewer not in measured:
            measured[line.reviewer] = Measured(line.reviewer, labels=labels, seed=seed)
        measured[line.reviewer].add(line)
    return measured


def judgement_of(line: OutcomeLine, labels: Mapping[str, Judgement]) -> Judgement | None:
    """A case's label: from a label file, else from its own line; None if it has none."""
    if line.id in labels:
        return labels[line.id]
    return None if line.label is None else Judgement(line.label, line.kinds)


def counts_of(judged: Sequence[Judged]) -> Counts:
    """The confusion table of some outcomes."""
    return metrics.count(
        [one.positive for one in judged], [one.line.outcome == "flagged" for one in judged]
    )


def compare(first: Measured, second: Measured, seed: int = 0) -> dict[str, Any]:
    """The difference of two reviewers on the cases that both judged, with paired intervals."""
    common = {one.line.id for one in first.judged} & {one.line.id for one in second.judged}
    sides = [[one for one in side.judged if one.line.id in common] for side in (first, second)]
    samples = sorted({one.line.sample for one in sides[0]})
    first_table, second_table = (_table(side, samples) for side in sides)
    difference: dict[str, Any] = {"a": first.name, "b": second.name, "cases": len(common)}
    for name, ratio in (
        ("precision", metrics.precision_of),
        ("recall", metrics.recall_of),
        ("false_positive_rate", metrics.false_positive_rate_of),
    ):
        value, interval = (
            metrics.paired_difference(first_table, second_table, ratio, seed)
            if common
            else (None, None)
        )
        low, high = interval or (None, None)
        difference[name] = {"value": value, "low": low, "high": high}
    return difference


def first_flags(
    lines: Sequence[OutcomeLine],
    labels: Mapping[str, Judgement],
    is_there_for: Callable[[tuple[str, ...]], bool] = lambda kinds: True,
) -> dict[str, int]:
    """Samples by where their first flag stands to their first bad call.

    `before`, `at`, `after` and `never` count samples with a bad call, `alarmed` and `quiet` those
    whose every label is ok; samples that are bad only for other kinds are in none of them.

    Args:
        lines: One reviewer's outcomes, in the order of the calls.
        labels: Judgement by case.
        is_there_for: Whether the reviewer should flag what is bad for some kinds.
    """
    flagged: dict[str, int] = {}
    bad: dict[str, int] = {}
    doubtful: set[str] = set()
    for place, line in enumerate(lines):
        judgement = judgement_of(line, labels)
        if line.outcome == "flagged" and not line.would_ask:
            flagged.setdefault(line.sample, place)
        if judgement is not None and judgement.label == "ok":
            continue
        if judgement is None or judgement.label == "unsure" or not is_there_for(judgement.kinds):
            doubtful.add(line.sample)
        else:
            bad.setdefault(line.sample, place)
    result = dict.fromkeys(("before", "at", "after", "never", "alarmed", "quiet"), 0)
    for sample, place in bad.items():
        first = flagged.get(sample)
        if first is None:
            result["never"] += 1
        else:
            result["at" if first == place else "before" if first < place else "after"] += 1
    for sample in {line.sample for line in lines} - set(bad) - doubtful:
        result["alarmed" if sample in flagged else "quiet"] += 1
    return result


def thinned(thresholds: Sequence[metrics.Threshold], most: int = 200) -> list[metrics.Threshold]:
    """At most so many thresholds, evenly chosen, the first and the last among them."""
    if len(thresholds) <= most:
        return list(thresholds)
    chosen = np.unique(np.linspace(0, len(thresholds) - 1, most).round().astype(int))
    return [thresholds[place] for place in chosen]


def _grouped(
    judged: Sequence[Judged], keys: Callable[[Judged], Sequence[str]]
) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        for key in keys(one):
            groups[key].append(one)
    tables = {}
    for key in sorted(groups):
        counts = counts_of(groups[key])
        tables[key] = {
            **counts.as_dict(),
            "precision": metrics.precision(counts).as_dict(),
            "recall": metrics.recall(counts).as_dict(),
        }
    return tables


def _table(judged: Sequence[Judged], samples: Sequence[str] | None = None) -> metrics.Numbers:
    named = [one.line.sample for one in judged]
    table = metrics.table_by_sample(
        [one.positive for one in judged], [one.line.outcome == "flagged" for one in judged], named
    )
    if samples is None:
        return table
    place = {name: number for number, name in enumerate(sorted(set(named)))}
    return table[[place[name] for name in samples]] if samples else table


def _percentiles(seconds: Sequence[float]) -> dict[str, float | None]:
    if not seconds:
        return {"p50": None, "p95": None}
    middle, high = np.quantile(seconds, [0.5, 0.95])
    return {"p50": float(middle), "p95": float(high)}


def _reason(line: OutcomeLine) -> str:
    return line.reason or "unnamed" if line.outcome == "failed" and not line.would_ask else ""


def _listed(interval: tuple[float, float] | None) -> list[float] | None:
    return list(interval) if interval else None
