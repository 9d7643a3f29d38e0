"""Figures of one reviewer from labels and outcomes. Numbers in, numbers out; no files, no cases.

An undefined figure is None, never 0 or 1: precision without a flag, recall without a positive.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

LEVEL = 0.95
REPEATS = 2000
"""Bootstrap repeats for counts; a tenth of it for figures that need a sort each time."""

FALSE_POSITIVE_RATES = (0.001, 0.01, 0.05)

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval.

    Attributes:
        value: The figure; None if it is undefined.
        low: Lower end by Wilson's score interval; None if undefined.
        high: Upper end.
        clustered: Interval by a bootstrap over samples, since results of one sample are alike.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    clustered: tuple[float, float] | None = None

    def times(self, factor: float) -> Estimate:
        """The same figure in another unit."""

        def scaled(value: float | None) -> float | None:
            return None if value is None else value * factor

        clustered = self.clustered and (self.clustered[0] * factor, self.clustered[1] * factor)
        return Estimate(scaled(self.value), scaled(self.low), scaled(self.high), clustered)

    def as_dict(self) -> dict[str, Any]:
        """Value and interval as plain JSON values."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "clustered": list(self.clustered) if self.clustered else None,
        }


@dataclass(frozen=True)
class Counts:
    """A confusion table. Failures are in none of its four cells."""

    tp: int = 0
    fp: int = 0
    tn: int = 0
    fn: int = 0

    @property
    def judged(self) -> int:
        """Results with a label and an outcome."""
        return self.tp + self.fp + self.tn + self.fn

    def as_dict(self) -> dict[str, int]:
        """The four cells."""
        return {"tp": self.tp, "fp": self.fp, "tn": self.tn, "fn": self.fn}


def count(positive: Sequence[bool], flagged: Sequence[bool]) -> Counts:
    """The confusion table of two equally long sequences."""
    truth, said = np.asarray(positive, bool), np.asarray(flagged, bool)
    return Counts(
        tp=int((truth & said).sum()),
        fp=int((~truth & said).sum()),
        tn=int((~truth & ~said).sum()),
        fn=int((truth & ~said).sum()),
    )


def wilson(hits: int, of: int) -> Estimate:
    """A proportion with Wilson's score interval, without continuity correction."""
    if not of:
        return Estimate()
    interval = binomtest(hits, of).proportion_ci(LEVEL, method="wilson")
    return Estimate(hits / of, float(interval.low), float(interval.high))


def precision(counts: Counts) -> Estimate:
    """Share of flags that were right."""
    return wilson(counts.tp, counts.tp + counts.fp)


def recall(counts: Counts) -> Estimate:
    """Share of positives that were flagged."""
    return wilson(counts.tp, counts.tp + counts.fn)


def false_positive_rate(counts: Counts) -> Estimate:
    """Share of negatives that were flagged."""
    return wilson(counts.fp, counts.fp + counts.tn)


def f1(counts: Counts) -> float | None:
    """Harmonic mean of precision and recall; None without a flag and a positive."""
    denominator = 2 * counts.tp + counts.fp + counts.fn
    return 2 * counts.tp / denominator if denominator else None


def precision_at_prevalence(counts: Counts, prevalence: float) -> float | None:
    """The precision to expect where a share `prevalence` of all results is bad.

    The precision on a corpus holds only for its own share of positives; recall and false positive
    rate carry over.
    """
    caught, alarmed = recall(counts).value, false_positive_rate(counts).value
    if caught is None or alarmed is None:
        return None
    true = prevalence * caught
    false = (1 - prevalence) * alarmed
    return true / (true + false) if true + false else None


def roc_auc(positive: Sequence[bool], scores: Sequence[float]) -> float | None:
    """Area under the ROC curve, ties counted half; None unless both classes are there."""
    return float(roc_auc_score(positive, scores)) if _both(positive) else None


def average_precision(positive: Sequence[bool], scores: Sequence[float]) -> float | None:
    """Average precision, not interpolated; None without a positive."""
    return float(average_precision_score(positive, scores)) if any(positive) else None


def recall_at(
    positive: Sequence[bool], scores: Sequence[float], rates: Sequence[float]
) -> list[float | None]:
    """The best recall of any threshold whose false positive rate is at most each of `rates`.

    Not interpolated between thresholds: a threshold between two equal scores does not exist.
    """
    if not _both(positive):
        return [None] * len(rates)
    false_rate, true_rate, _ = roc_curve(positive, scores, drop_intermediate=False)
    return [float(true_rate[false_rate <= rate + 1e-12].max()) for rate in rates]


def _both(positive: Sequence[bool]) -> bool:
    return any(positive) and not all(positive)


@dataclass(frozen=True)
class Threshold:
    """What flagging from a score on would have done."""

    score: float
    counts: Counts

    def as_dict(self) -> dict[str, Any]:
        """Threshold, confusion table, precision and recall as plain JSON values."""
        return {
            "threshold": self.score,
            **self.counts.as_dict(),
            "precision": precision(self.counts).value,
            "recall": recall(self.counts).value,
        }


def sweep(positive: Sequence[bool], scores: Sequence[float]) -> list[Threshold]:
    """Every threshold that can be told apart, from the highest score to the lowest."""
    if not len(scores):
        return []
    truth, ranked = np.asarray(positive, bool), np.asarray(scores, float)
    order = np.argsort(-ranked, kind="stable")
    truth, ranked = truth[order], ranked[order]
    last = np.append(np.nonzero(np.diff(ranked))[0], len(ranked) - 1)
    hits, alarms = np.cumsum(truth)[last], np.cumsum(~truth)[last]
    positives, negatives = int(truth.sum()), int((~truth).sum())
    return [
        Threshold(
            float(ranked[place]), Counts(int(tp), int(fp), negatives - int(fp), positives - int(tp))
        )
        for place, tp, fp in zip(last, hits, alarms, strict=True)
    ]


# Intervals by a bootstrap over samples


def clusters(samples: Sequence[str]) -> NDArray[np.int64]:
    """The number of each result's sample, from 0."""
    return np.unique(np.asarray(samples, dtype=object).astype(str), return_inverse=True)[1]


def resampled(number: int, repeats: int, seed: int) -> NDArray[np.int64]:
    """How often each of `number` samples is drawn in each repeat: shape (repeats, number)."""
    generator = np.random.default_rng(seed)
    return generator.multinomial(number, np.full(number, 1 / number), size=repeats)


def table_by_sample(
    positive: Sequence[bool], flagged: Sequence[bool], samples: Sequence[str]
) -> Numbers:
    """Confusion counts of each sample: shape (samples, 4) in the order tp, fp, tn, fn."""
    truth, said, number = np.asarray(positive, bool), np.asarray(flagged, bool), clusters(samples)
    size = int(number.max()) + 1 if len(number) else 0
    cells = (truth & said, ~truth & said, ~truth & ~said, truth & ~said)
    return np.stack([np.bincount(number, cell, minlength=size) for cell in cells], axis=1)


Ratio = Callable[[Numbers], Numbers]
RankFigure = Callable[[Sequence[bool], Sequence[float]], float | None]


def precision_of(tables: Numbers) -> Numbers:
    """Precision of each confusion table: shape (n, 4) in, (n,) out, NaN where undefined."""
    return _divided(tables[:, 0], tables[:, 0] + tables[:, 1])


def recall_of(tables: Numbers) -> Numbers:
    """Recall of each confusion table."""
    return _divided(tables[:, 0], tables[:, 0] + tables[:, 3])


def false_positive_rate_of(tables: Numbers) -> Numbers:
    """False positive rate of each confusion table."""
    return _divided(tables[:, 1], tables[:, 1] + tables[:, 2])


def f1_of(tables: Numbers) -> Numbers:
    """F1 of each confusion table."""
    return _divided(2 * tables[:, 0], 2 * tables[:, 0] + tables[:, 1] + tables[:, 3])


def _divided(above: Numbers, below: Numbers) -> Numbers:
    result: Numbers = np.full(len(above), math.nan)
    np.divide(above, below, out=result, where=below > 0)
    return result


def clustered(by_sample: Numbers, ratio: Ratio, seed: int = 0) -> tuple[float, float] | None:
    """Percentile interval of a ratio by resampling whole samples; None with fewer than two.

    Args:
        by_sample: Confusion counts of each sample, as `table_by_sample` gives them.
        ratio: One of the functions above.
        seed: Makes the interval repeatable.
    """
    if len(by_sample) < 2:
        return None
    drawn = resampled(len(by_sample), REPEATS, seed) @ by_sample
    return _interval(ratio(drawn))


def clustered_by_rank(
    figure: RankFigure,
    positive: Sequence[bool],
    scores: Sequence[float],
    samples: Sequence[str],
    seed: int = 0,
) -> tuple[float, float] | None:
    """Interval of a figure of ranks by resampling whole samples; None with fewer than two.

    Args:
        figure: `roc_auc` or `average_precision`.
        positive: Whether each result should be flagged.
        scores: Its score.
        samples: Its sample.
        seed: Makes the interval repeatable.
    """
    number = clusters(samples)
    size = int(number.max()) + 1 if len(number) else 0
    if size < 2:
        return None
    truth = np.asarray(positive, bool)
    known, rank = np.unique(-np.asarray(scores, float), return_inverse=True)
    of_counts = _BY_COUNTS[figure]
    values = []
    for weights in resampled(size, REPEATS // 10, seed):
        times = weights[number]
        hits = _weighed(rank, times * truth, len(known))
        alarms = _weighed(rank, times * ~truth, len(known))
        values.append(of_counts(hits, alarms))
    return _interval(np.asarray(values))


def _weighed(rank: NDArray[np.int64], times: NDArray[np.int64], size: int) -> Numbers:
    return np.bincount(rank, times, minlength=size).astype(np.float64)


def _roc_auc_of(hits: Numbers, alarms: Numbers) -> float:
    """The same from the positives and negatives of each score, the highest first."""
    if not hits.sum() or not alarms.sum():
        return math.nan
    below = alarms.sum() - np.cumsum(alarms)
    return float((hits * (below + alarms / 2)).sum() / (hits.sum() * alarms.sum()))


def _average_precision_of(hits: Numbers, alarms: Numbers) -> float:
    if not hits.sum():
        return math.nan
    flagged = np.cumsum(hits + alarms)
    precise = np.cumsum(hits) / np.maximum(flagged, 1)
    return float((hits * precise).sum() / hits.sum())


_BY_COUNTS: dict[RankFigure, Callable[[Numbers, Numbers], float]] = {
    roc_auc: _roc_auc_of,
    average_precision: _average_precision_of,
}
"""How each figure of ranks is had of counts, which needs no sort for each repeat."""


def _interval(values: Numbers) -> tuple[float, float] | None:
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def paired_difference(
    first: Numbers, second: Numbers, ratio: Ratio, seed: int = 0
) -> tuple[float | None, tuple[float, float] | None]:
    """A ratio of one reviewer minus that of another on the same cases, with its interval.

    Both are resampled with the same samples, so that what is hard for both cancels out.

    Args:
        first: Confusion counts of each sample for the one.
        second: The same samples' for the other, in the same order.
        ratio: One of the functions above.
        seed: Makes the interval repeatable.
    """
    value = float((ratio(first.sum(0, keepdims=True)) - ratio(second.sum(0, keepdims=True)))[0])
    if len(first) < 2:
        return (None if math.isnan(value) else value), None
    weights = resampled(len(first), REPEATS, seed)
    interval = _interval(ratio(weights @ first) - ratio(weights @ second))
    return (None if math.isnan(value) else value), interval
