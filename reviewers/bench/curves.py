"""Curves of a reviewer that ranks: ROC and precision–recall with bands, and calibration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewers.bench.metrics import LEVEL, Numbers, clusters, resampled, wilson

REPEATS = 200
"""Bootstrap repeats of a band; each is a whole curve."""

GRID = np.linspace(0, 1, 101)
"""Where a band is worked out."""

MOST_POINTS = 200


@dataclass(frozen=True)
class Curve:
    """A curve in the unit square, with a band around it.

    Attributes:
        points: `(x, y)` from left to right.
        low: `(x, y)` of the band's lower edge; empty with fewer than two samples.
        high: Its upper edge.
    """

    points: list[tuple[float, float]]
    low: list[tuple[float, float]]
    high: list[tuple[float, float]]


@dataclass(frozen=True)
class Bin:
    """Results whose scores are alike.

    Attributes:
        score: Their mean score.
        bad: How many of them are bad.
        of: How many there are.
        share: Share that is bad.
        low: Lower end of its Wilson interval.
        high: Upper end.
    """

    score: float
    bad: int
    of: int
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class _Ranking:
    """Results from the highest score to the lowest.

    Attributes:
        truth: 1 where positive.
        number: The number of each one's sample.
        last: The last place of each distinct score.
    """

    truth: Numbers
    number: NDArray[np.int64]
    last: NDArray[np.int64]

    def steps(self, weights: Numbers) -> tuple[Numbers, Numbers]:
        """True and false flags from each distinct score on, each result counted by its weight."""
        weighted = weights * self.truth
        return np.cumsum(weighted)[self.last], np.cumsum(weights - weighted)[self.last]


Along = Callable[[Numbers, Numbers], tuple[Numbers, Numbers]]


def roc(
    positive: Sequence[bool], scores: Sequence[float], samples: Sequence[str], seed: int = 0
) -> Curve | None:
    """Share of positives flagged over share of negatives flagged; None unless both are there."""
    if not any(positive) or all(positive):
        return None
    ranking = _ranked(positive, scores, samples)
    return _curve(ranking, _roc_points, _between, seed)


def precision_recall(
    positive: Sequence[bool], scores: Sequence[float], samples: Sequence[str], seed: int = 0
) -> Curve | None:
    """Precision over recall, in steps: between two thresholds there is none. None if no positive.

    At each recall stands the precision of the highest threshold that reaches it.
    """
    if not any(positive):
        return None
    ranking = _ranked(positive, scores, samples)
    return _curve(ranking, _precision_points, _stepped, seed)


def _ranked(positive: Sequence[bool], scores: Sequence[float], samples: Sequence[str]) -> _Ranking:
    ranked = np.asarray(scores, float)
    order = np.argsort(-ranked, kind="stable")
    ranked = ranked[order]
    last = np.append(np.nonzero(np.diff(ranked))[0], len(ranked) - 1)
    return _Ranking(np.asarray(positive, float)[order], clusters(samples)[order], last)


def _roc_points(hits: Numbers, alarms: Numbers) -> tuple[Numbers, Numbers]:
    return np.append(0, alarms / alarms[-1]), np.append(0, hits / hits[-1])


def _precision_points(hits: Numbers, alarms: Numbers) -> tuple[Numbers, Numbers]:
    flagged = hits + alarms
    # A repeat may lack the samples with the highest scores: its first thresholds flag nothing.
    hits, flagged = hits[flagged > 0], flagged[flagged > 0]
    return hits / hits[-1], hits / flagged


def _between(x: Numbers, y: Numbers) -> Numbers:
    return np.interp(GRID, x, y)


def _stepped(x: Numbers, y: Numbers) -> Numbers:
    places = np.searchsorted(x, GRID - 1e-12).clip(max=len(y) - 1)
    return np.asarray(y[places], float)


def _curve(
    ranking: _Ranking, along: Along, on_grid: Callable[[Numbers, Numbers], Numbers], seed: int
) -> Curve:
    x, y = along(*ranking.steps(np.ones(len(ranking.truth))))
    if on_grid is _stepped:
        x, y = _corners(x, y)
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).round().astype(int))
    low, high = _band(ranking, along, on_grid, seed)
    return Curve(_pairs(x[kept], y[kept]), low, high)


def _corners(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """A curve with level steps that end at each point."""
    starts = np.append(0, x[:-1])
    return np.stack([starts, x], 1).ravel(), np.repeat(y, 2)


def _band(
    ranking: _Ranking, along: Along, on_grid: Callable[[Numbers, Numbers], Numbers], seed: int
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    size = int(ranking.number.max()) + 1
    if size < 2:
        return [], []
    curves = []
    for weights in resampled(size, REPEATS, seed):
        hits, alarms = ranking.steps(weights[ranking.number].astype(float))
        if hits[-1] and (alarms[-1] or along is _precision_points):
            curves.append(on_grid(*along(hits, alarms)))
    if not curves:
        return [], []
    low, high = np.quantile(np.stack(curves), [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return _pairs(GRID, low), _pairs(GRID, high)


def _pairs(x: Numbers, y: Numbers) -> list[tuple[float, float]]:
    return list(zip(x.tolist(), y.tolist(), strict=True))


def calibration(positive: Sequence[bool], scores: Sequence[float], bins: int = 10) -> list[Bin]:
    """Share of bad results by score, in bins of equal width; empty bins are left out."""
    truth, ranked = np.asarray(positive, bool), np.asarray(scores, float)
    place = np.minimum((ranked * bins).astype(int), bins - 1)
    return [
        _bin(ranked[place == number], truth[place == number])
        for number in range(bins)
        if (place == number).any()
    ]


def _bin(scores: Numbers, truth: NDArray[np.bool_]) -> Bin:
    share = wilson(int(truth.sum()), len(truth))
    assert share.value is not None
    assert share.low is not None
    assert share.high is not None
    return Bin(
        float(scores.mean()), int(truth.sum()), len(truth), share.value, share.low, share.high
    )


def brier(positive: Sequence[bool], scores: Sequence[float]) -> float | None:
    """Mean squared distance of score and label: 0 is best; None without results."""
    if not len(scores):
        return None
    return float(np.mean((np.asarray(scores, float) - np.asarray(positive, float)) ** 2))
