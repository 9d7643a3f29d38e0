"""Monitors in a replay: recorded verdicts, and whether models are asked for missing ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reviewers.evidence import Evidence
from reviewers.monitors.recorded import Asking, When

if TYPE_CHECKING:
    from reviewers.judging import Spec


class Spending:
    """What the models asked in a replay may cost together.

    Args:
        limit: Dollars; None for no limit.
    """

    def __init__(self, limit: float | None = None) -> None:
        self._limit = limit
        self.cost = 0.0

    def may_go_on(self) -> bool:
        """Whether there is anything left."""
        return self._limit is None or self.cost < self._limit

    def add(self, usage: Mapping[str, Any]) -> None:
        """Count what a review cost."""
        self.cost += float(usage.get("cost") or 0.0)


def recorded_only() -> Asking:
    """Recorded verdicts are repeated; no model is asked."""
    return Asking("never", recorded_verdict)


def may_ask(when: When, budget_cost: float | None = None) -> Asking:
    """What a replay allows its monitors.

    Args:
        when: Ask `never`, only for verdicts that are `missing`, or `always`.
        budget_cost: Dollars that may be spent in all; None for no limit.
    """
    spending = Spending(budget_cost)
    return Asking(when, recorded_verdict, spending.may_go_on, spending.add)


def recorded_verdict(evidence: Evidence, spec: Spec) -> Mapping[str, Any] | None:
    """The metadata of the review that the log holds of this case by this very reviewer.

    Also of one that was asked from inside another (`shadow`, `sampled`), which says so in `inner`.
    """
    reviews = getattr(evidence.surroundings, "reviews", None)
    for event in reviews() if reviews is not None else ():
        metadata = event.metadata or {}
        for identity in ({}, metadata.get("inner") or {}):
            recorded = {**metadata, **identity}
            if recorded.get("parameters_hash") == spec.parameters_hash:
                return {**recorded, "explanation": event.explanation}
    return None
