"""The seam by which a replay supplies recorded verdicts, and says whether models may be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from reviewers.evidence import Evidence
from reviewers.monitors.failures import NOT_ASKED
from reviewers.outcome import Finding, Outcome, failed

if TYPE_CHECKING:
    from reviewers.judging import Spec

When = Literal["never", "missing", "always"]
Recorded = Callable[[Evidence, "Spec"], Mapping[str, Any] | None]
"""The metadata of the review that a log holds of this case by this reviewer; None if none."""


@dataclass(frozen=True)
class Asking:
    """What a replay allows its monitors.

    Attributes:
        when: Ask `never`, only where a verdict is `missing`, or `always`.
        recorded: Looks a recorded verdict up.
        may_spend: Asked before every review that would ask a model; False means that the
            replay's own budget is spent.
        spent: Told what a review cost: its `usage`.
    """

    when: When = "never"
    recorded: Recorded = lambda evidence, spec: None
    may_spend: Callable[[], bool] = lambda: True
    spent: Callable[[Mapping[str, Any]], None] = lambda usage: None


asking: ContextVar[Asking | None] = ContextVar("reviewers_asking", default=None)
"""Set by a replay; None, as in a live run, means that models are asked."""


def reusable(metadata: Mapping[str, Any], spec: Spec, models: tuple[str, ...] | None) -> bool:
    """Whether a recorded verdict is one that this very monitor would have to give again.

    Args:
        metadata: The metadata of the recorded review.
        spec: The monitor; its version carries the prompt's hash.
        models: The models that it would ask; None where none is bound, and then the recorded ones
            stand.
    """
    return (
        metadata.get("version") == spec.version
        and metadata.get("parameters_hash") == spec.parameters_hash
        and (models is None or tuple(metadata.get("models") or ()) == models)
    )


def outcome_from(metadata: Mapping[str, Any], explanation: str = "") -> Outcome:
    """The outcome that a review's metadata records; its usage is not spent again."""
    kept = {
        key: value
        for key, value in metadata.items()
        if key not in ("outcome", "score", "findings", "usage", "seconds", "version")
        and key not in ("parameters_hash", "reason", "explanation", "findings_left_out")
    }
    return Outcome(
        metadata["outcome"],
        explanation or str(metadata.get("explanation") or "As recorded."),
        score=metadata.get("score"),
        findings=tuple(Finding(**finding) for finding in metadata.get("findings") or ()),
        reason=str(metadata.get("reason") or ""),
        details={**kept, "recorded": True},
    )


def not_asked(why: str) -> Outcome:
    """The outcome where a model would have to be asked and must not be."""
    return failed(NOT_ASKED, f"Not asked: {why}")
