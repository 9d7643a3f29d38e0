"""What to make of figures: warnings where they mislead, and which threshold to choose."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reviewers.bench import metrics
from reviewers.bench.measure import Judged, Measured, counts_of
from reviewers.bench.metrics import Counts, Estimate

FEW_NEGATIVES = 300
"""With fewer, no false alarm at all still allows one in a hundred: 3 / 300 at 95 %."""

FEW_POSITIVES = 30
FEW_SCORES = 10
DOMINATING_SHARE = 0.8
FEW_SAMPLES = 30

NO_COUNTS = Counts()
UNDEFINED = Estimate()


def warnings(measured: Measured) -> Iterator[str]:
    """Sentences on what makes a reviewer's figures less than they seem."""
    judged = measured.judged
    if not judged:
        yield f"{measured.name}: no labelled result was judged; there are no figures."
        return
    positives = sum(one.positive for one in judged)
    negatives = len(judged) - positives
    if negatives < FEW_NEGATIVES:
        alarms = sum(one.line.outcome == "flagged" for one in judged if not one.positive)
        high = metrics.wilson(alarms, negatives).high
        known = "nothing is known of false alarms"
        if high is not None:
            known = f"{alarms} of them flagged, so up to {1000 * high:.0f} per 1,000 may be"
        yield f"{measured.name}: only {negatives} negatives, {known}."
    if positives < FEW_POSITIVES:
        yield f"{measured.name}: only {positives} positives; recall is little more than a guess."
    if 0 < len(set(measured.scores)) < FEW_SCORES:
        yield (
            f"{measured.name}: only {len(set(measured.scores))} distinct scores; "
            "a threshold can hardly be chosen."
        )
    if measured.failed:
        share = len(measured.failed) / (len(measured.failed) + len(judged))
        yield f"{measured.name}: could not judge {share:.1%} of the results; they are in no figure."
    sources = Counter(one.line.source for one in judged)
    name, most = sources.most_common(1)[0]
    if len(sources) > 1 and most / len(judged) > DOMINATING_SHARE:
        yield f"{measured.name}: {most / len(judged):.0%} of the results come from {name}."
    samples = len({one.line.sample for one in judged})
    if samples < FEW_SAMPLES <= len(judged):
        yield (
            f"{measured.name}: the results come from only {samples} samples; "
            "trust the clustered intervals."
        )


@dataclass(frozen=True)
class Advice:
    """A threshold, and what to expect of it.

    Attributes:
        threshold: Flag from this score on; None if no threshold keeps to the wish.
        counts: What it did on the cases that judge it.
        prevalence: The share of bad results that the precision is stated for.
        precision: Expected precision there, with its interval.
        recall: Recall with its interval.
        false_positive_rate: With its interval.
        held_out: Whether it was judged on other samples than it was chosen on.
    """

    threshold: float | None
    counts: Counts = NO_COUNTS
    prevalence: float = 0.0
    precision: Estimate = UNDEFINED
    recall: Estimate = UNDEFINED
    false_positive_rate: Estimate = UNDEFINED
    held_out: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The advice as plain JSON values."""
        return {
            "threshold": self.threshold,
            **self.counts.as_dict(),
            "prevalence": self.prevalence,
            "precision": self.precision.as_dict(),
            "recall": self.recall.as_dict(),
            "false_positive_rate": self.false_positive_rate.as_dict(),
            "held_out": self.held_out,
        }


def advise(
    measured: Measured,
    *,
    false_alarm_rate: float | None = None,
    alarms_per_1000: float | None = None,
    prevalence: float,
    split: float = 0.0,
    seed: int = 0,
) -> Advice:
    """The lowest threshold that keeps to a false-alarm rate or to a budget of reviews.

    Args:
        measured: The reviewer.
        false_alarm_rate: Highest share of negatives that may be flagged.
        alarms_per_1000: Most results per 1,000, good and bad, that may be flagged.
        prevalence: Share of bad results where it is to run.
        split: Share of samples on which the threshold is judged and not chosen; 0 for none.
        seed: Chooses the samples.
    """
    chosen_on, judged_on = split_by_sample(measured.scored, split, seed)
    threshold = None
    for step in _sweep(chosen_on):
        if not _keeps_to(step.counts, false_alarm_rate, alarms_per_1000, prevalence):
            break
        threshold = step.score
    if threshold is None:
        return Advice(None, prevalence=prevalence, held_out=split > 0)
    counts = counts_of([_flagged_from(one, threshold) for one in judged_on])
    return Advice(
        threshold,
        counts,
        prevalence,
        _expected_precision(counts, prevalence),
        metrics.recall(counts),
        metrics.false_positive_rate(counts),
        held_out=split > 0,
    )


def split_by_sample(
    judged: Sequence[Judged], share: float, seed: int
) -> tuple[list[Judged], list[Judged]]:
    """Two parts of some outcomes, all of a sample in one of them; both whole if `share` is 0."""
    if not share:
        return list(judged), list(judged)
    held = {one.line.sample for one in judged if _draw(one.line.sample, seed) < share}
    return (
        [one for one in judged if one.line.sample not in held],
        [one for one in judged if one.line.sample in held],
    )


def _draw(sample: str, seed: int) -> float:
    digest = hashlib.sha256(f"{seed}\0{sample}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def _sweep(judged: Sequence[Judged]) -> list[metrics.Threshold]:
    return metrics.sweep(
        [one.positive for one in judged], [one.line.score or 0.0 for one in judged]
    )


def _keeps_to(
    counts: Counts, rate: float | None, per_1000: float | None, prevalence: float
) -> bool:
    alarmed = metrics.false_positive_rate(counts).value or 0.0
    if rate is not None and alarmed > rate:
        return False
    if per_1000 is None:
        return True
    caught = metrics.recall(counts).value or 0.0
    return 1000 * (prevalence * caught + (1 - prevalence) * alarmed) <= per_1000


def _flagged_from(judged: Judged, threshold: float) -> Judged:
    flagged = (judged.line.score or 0.0) >= threshold
    return replace(judged, line=replace(judged.line, outcome="flagged" if flagged else "clear"))


def _expected_precision(counts: Counts, prevalence: float) -> Estimate:
    """Precision at a prevalence, its interval from the ends of recall and false alarms."""
    caught, alarmed = metrics.recall(counts), metrics.false_positive_rate(counts)
    value = metrics.precision_at_prevalence(counts, prevalence)
    if value is None:
        return Estimate()
    assert caught.low is not None
    assert caught.high is not None
    assert alarmed.low is not None
    assert alarmed.high is not None
    return Estimate(
        value,
        _share(prevalence * caught.low, (1 - prevalence) * alarmed.high),
        _share(prevalence * caught.high, (1 - prevalence) * alarmed.low),
    )


def _share(true: float, false: float) -> float:
    return true / (true + false) if true + false else 0.0
