"""Makes `tests/bench/reference.json`: figures of ten small sets, computed without our code.

Wilson intervals come from statsmodels (`pip install statsmodels`); ROC AUC is the share of
positive-negative pairs that are ranked right, average precision the sum over thresholds of
precision times the step in recall, both counted out in plain Python.

    python -m benchmarks.reference_figures
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

OUT = Path(__file__).parent.parent / "tests" / "bench" / "reference.json"


def sets() -> list[dict[str, Any]]:
    """Ten sets: label, score and state of each result; ties, empty classes, all failed included."""
    random = Random(7)

    def drawn(number: int, share: float, digits: int, failing: float = 0.0) -> dict[str, Any]:
        labels = [random.random() < share for _ in range(number)]
        scores = [
            round(min(1.0, max(0.0, random.gauss(0.65 if bad else 0.35, 0.2))), digits)
            for bad in labels
        ]
        failed = [random.random() < failing for _ in range(number)]
        return {"labels": labels, "scores": scores, "failed": failed}

    return [
        {"name": "plain", **drawn(60, 0.4, 4)},
        {"name": "ties", **drawn(80, 0.3, 1)},
        {"name": "rare positives", **drawn(400, 0.02, 3)},
        {"name": "some failed", **drawn(100, 0.5, 2, failing=0.2)},
        {"name": "no positives", **drawn(30, 0.0, 3)},
        {"name": "no negatives", **drawn(30, 1.0, 3)},
        {"name": "all failed", **drawn(20, 0.5, 2, failing=1.0)},
        {
            "name": "all scores equal",
            "labels": [True, False] * 10,
            "scores": [0.5] * 20,
            "failed": [False] * 20,
        },
        {
            "name": "perfect",
            "labels": [True] * 12 + [False] * 40,
            "scores": [0.9] * 12 + [0.1] * 40,
            "failed": [False] * 52,
        },
        {
            "name": "nothing flagged",
            "labels": [True] * 5 + [False] * 25,
            "scores": [0.2] * 5 + [0.1] * 25,
            "failed": [False] * 30,
        },
    ]


def figures(labels: Sequence[bool], scores: Sequence[float]) -> dict[str, Any]:
    """The figures of the results that did not fail; flagged from 0.5 on."""
    pairs = list(zip(labels, scores, strict=True))
    tp = sum(bad and score >= 0.5 for bad, score in pairs)
    fp = sum(not bad and score >= 0.5 for bad, score in pairs)
    fn = sum(bad and score < 0.5 for bad, score in pairs)
    tn = sum(not bad and score < 0.5 for bad, score in pairs)
    return {
        "tp": tp,
        "fp": fp,
        "tn": tn,
        "fn": fn,
        "precision": wilson(tp, tp + fp),
        "recall": wilson(tp, tp + fn),
        "false_positives_per_1000": [
            None if value is None else 1000 * value for value in wilson(fp, fp + tn)
        ],
        "f1": None if tp + fp + fn == 0 else 2 * tp / (2 * tp + fp + fn),
        "roc_auc": roc_auc(pairs),
        "average_precision": average_precision(pairs),
        "recall_at_fpr": {str(rate): recall_at(pairs, rate) for rate in (0.001, 0.01, 0.05)},
        "distinct_scores": len(set(scores)),
    }


def wilson(hits: int, of: int) -> list[float | None]:
    """Value, low and high end, by statsmodels."""
    from statsmodels.stats.proportion import proportion_confint

    if not of:
        return [None, None, None]
    low, high = proportion_confint(hits, of, alpha=0.05, method="wilson")
    return [hits / of, float(low), float(high)]


def roc_auc(pairs: Sequence[tuple[bool, float]]) -> float | None:
    """The share of positive-negative pairs that are ranked right; ties count half."""
    positives = [score for bad, score in pairs if bad]
    negatives = [score for bad, score in pairs if not bad]
    if not positives or not negatives:
        return None
    right = sum((p > n) + (p == n) / 2 for p in positives for n in negatives)
    return right / (len(positives) * len(negatives))


def average_precision(pairs: Sequence[tuple[bool, float]]) -> float | None:
    """Precision times the step in recall, summed over thresholds from the highest down."""
    positives = sum(bad for bad, _ in pairs)
    if not positives:
        return None
    total = before = 0.0
    for threshold in sorted({score for _, score in pairs}, reverse=True):
        flagged = [bad for bad, score in pairs if score >= threshold]
        recall = sum(flagged) / positives
        total += (recall - before) * sum(flagged) / len(flagged)
        before = recall
    return total


def recall_at(pairs: Sequence[tuple[bool, float]], rate: float) -> float | None:
    """The best recall of a threshold whose false positive rate is at most `rate`."""
    positives = sum(bad for bad, _ in pairs)
    negatives = len(pairs) - positives
    if not positives or not negatives:
        return None
    best = 0.0
    for threshold in {score for _, score in pairs}:
        flagged = [bad for bad, score in pairs if score >= threshold]
        if (len(flagged) - sum(flagged)) / negatives <= rate:
            best = max(best, sum(flagged) / positives)
    return best


def main() -> None:
    """Write the file."""
    made = []
    for one in sets():
        judged = [
            (label, score)
            for label, score, failed in zip(
                one["labels"], one["scores"], one["failed"], strict=True
            )
            if not failed
        ]
        expected = figures([label for label, _ in judged], [score for _, score in judged])
        made.append({**one, "figures": {**expected, "failed": sum(one["failed"])}})
    OUT.write_text(json.dumps(made, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
