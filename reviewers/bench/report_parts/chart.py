"""Charts as plain SVG: they take the page's colours, need no script, and print.

A plotting library would bring 900 kB of script to every report, and one that builds functions from
text, which the page's own policy forbids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from reviewers.bench.curves import Bin, Curve

WIDTH, HEIGHT = 360, 330
LEFT, TOP, SIDE = 52, 14, 264
"""The plot is a square; the page's script moves marks by the same numbers."""

NOTHING = Markup()
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Mark:
    """A point with its interval.

    Attributes:
        x: Place of the point.
        y: Place of the point.
        low: Lower end of the interval of y.
        high: Upper end.
        radius: In pixels.
        says: What it stands for.
    """

    x: float
    y: float
    low: float
    high: float
    radius: float = 4
    says: str = ""


@dataclass(frozen=True)
class Chart:
    """One chart of the unit square.

    Attributes:
        kind: Names it for the page's script.
        title: What it shows.
        x: What runs to the right.
        y: What runs upwards.
        says: What there is to see in it, for those who cannot.
        line: Points of the curve, as SVG writes them.
        band: Outline of the band.
        guide: A line to compare with.
        marks: Points with intervals.
        moves: Where the mark that the slider moves begins; None without one.
    """

    kind: str
    title: str
    x: str
    y: str
    says: str
    line: Markup = NOTHING
    band: Markup = NOTHING
    guide: Markup = NOTHING
    marks: Sequence[Mark] = ()
    moves: tuple[float, float] | None = None
    ticks: Sequence[float] = field(default=TICKS)


def across(x: float) -> float:
    """Pixels from the left edge."""
    return round(LEFT + SIDE * x, 1)


def down(y: float) -> float:
    """Pixels from the upper edge."""
    return round(TOP + SIDE * (1 - y), 1)


def outline(points: Sequence[tuple[float, float]]) -> Markup:
    """Points as SVG writes them."""
    return Markup(" ").join(f"{across(x)},{down(y)}" for x, y in points)


def roc_chart(curve: Curve, auc: float | None, at: tuple[float, float] | None) -> Chart:
    """Recall over the share of negatives flagged."""
    return Chart(
        "roc",
        "ROC curve",
        "Share of good results flagged",
        "Share of bad results caught",
        f"The area under the curve is {_number(auc)}; 0.5 is guessing, 1 is perfect.",
        line=outline(curve.points),
        band=outline([*curve.low, *reversed(curve.high)]),
        guide=outline([(0, 0), (1, 1)]),
        moves=at,
    )


def precision_recall_chart(
    curve: Curve, average: float | None, share: float, at: tuple[float, float] | None
) -> Chart:
    """Precision over recall."""
    return Chart(
        "pr",
        "Precision and recall",
        "Share of bad results caught (recall)",
        "Share of flags that were right (precision)",
        f"Average precision is {_number(average)}; flagging at random would give {share:.2f}.",
        line=outline(curve.points),
        band=outline([*curve.low, *reversed(curve.high)]),
        guide=outline([(0, share), (1, share)]),
        moves=at,
    )


def calibration_chart(bins: Sequence[Bin], brier: float | None) -> Chart:
    """Share of bad results over the score."""
    return Chart(
        "calibration",
        "Calibration",
        "Score",
        "Share of results that were bad",
        "On the dashed line a score is a probability. "
        f"The Brier score is {_number(brier)}; 0 is best.",
        guide=outline([(0, 0), (1, 1)]),
        marks=[_mark(one) for one in bins],
    )


def _mark(one: Bin) -> Mark:
    says = f"mean score {one.score:.2f}: {one.bad:,} of {one.of:,} bad"
    return Mark(one.score, one.share, one.low, one.high, min(9, 3 + one.of**0.5 / 4), says)


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.3f}"
