"""What the page says of one reviewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewers.bench import curves
from reviewers.bench.advice import Advice
from reviewers.bench.measure import Measured
from reviewers.bench.report_parts import chart
from reviewers.bench.report_parts.evidence import Worst

Step = tuple[float, int, int, int, int]
"""A threshold with its true and false flags, true and false passes."""


@dataclass(frozen=True)
class Section:
    """One reviewer's part of the page.

    Attributes:
        place: Its number on the page.
        name: Its name in figures.
        figures: Its figures, as `bench --json` gives them.
        charts: Its charts; none if it does not rank or nothing is labelled.
        steps: Thresholds from the highest to the lowest; before them one that flags nothing.
        start: The step that flags what the reviewer flagged, or the nearest.
        unscored: Judged results that have no score, and are in no chart.
        advice: A threshold for it, if one was wished for.
        warnings: What makes its figures less than they seem.
        worst: Results to look at.
    """

    place: int
    name: str
    figures: Mapping[str, Any]
    charts: Sequence[chart.Chart]
    steps: Sequence[Step]
    start: int
    unscored: int
    advice: Advice | None
    warnings: Sequence[str]
    worst: Worst

    @property
    def positives(self) -> int:
        """Bad results that were judged."""
        return int(self.figures["tp"] + self.figures["fn"])

    @property
    def negatives(self) -> int:
        """Ok results that were judged."""
        return int(self.figures["fp"] + self.figures["tn"])


def section_of(
    place: int,
    measured: Measured,
    figures: Mapping[str, Any],
    advice: Advice | None,
    warnings: Sequence[str],
    worst: Worst,
) -> Section:
    """One reviewer's part of the page.

    Args:
        place: Its number on the page.
        measured: Its outcomes.
        figures: Its figures.
        advice: A threshold for it.
        warnings: Sentences that begin with its name are its own.
        worst: Results to look at.
    """
    name = measured.name
    steps = _steps(figures["sweep"])
    start = _nearest(steps, figures)
    own = [text.removeprefix(f"{name}: ") for text in warnings if text.startswith(f"{name}: ")]
    return Section(
        place,
        name,
        figures,
        _charts(measured, figures, steps[start]) if steps else [],
        steps,
        start,
        len(measured.judged) - len(measured.scored),
        advice,
        [text[:1].upper() + text[1:] for text in own],
        worst,
    )


def _steps(sweep: Sequence[Mapping[str, Any]]) -> list[Step]:
    """The sweep, with a step before it that flags nothing; empty if there is nothing to choose."""
    if len(sweep) < 2:
        return []
    first = sweep[0]
    nothing = (2.0, 0, 0, first["fp"] + first["tn"], first["tp"] + first["fn"])
    return [
        nothing,
        *((one["threshold"], one["tp"], one["fp"], one["tn"], one["fn"]) for one in sweep),
    ]


def _nearest(steps: Sequence[Step], figures: Mapping[str, Any]) -> int:
    """The step whose flags are nearest to those of the reviewer itself."""

    def distance(place: int) -> int:
        _, tp, fp, _, _ = steps[place]
        return abs(tp - int(figures["tp"])) + abs(fp - int(figures["fp"]))

    return min(range(len(steps)), key=distance, default=0)


def _charts(measured: Measured, figures: Mapping[str, Any], step: Step) -> list[chart.Chart]:
    truth, scores = measured.scored_truth, measured.scores
    samples = [one.line.sample for one in measured.scored]
    _, tp, fp, tn, fn = step
    charts = []
    roc = curves.roc(truth, scores, samples, measured.seed)
    if roc is not None:
        at = (fp / (fp + tn), tp / (tp + fn))
        charts.append(chart.roc_chart(roc, figures["roc_auc"], at))
    precise = curves.precision_recall(truth, scores, samples, measured.seed)
    if precise is not None:
        flags = tp + fp
        # Flagging nothing has no precision: the mark waits at the first threshold's place.
        spot = (tp / (tp + fn), tp / flags) if flags else (0.0, 1.0)
        share = sum(truth) / len(truth)
        charts.append(
            chart.precision_recall_chart(precise, figures["average_precision"], share, spot)
        )
    if roc is not None:
        bins = curves.calibration(truth, scores)
        charts.append(chart.calibration_chart(bins, curves.brier(truth, scores)))
    return charts
