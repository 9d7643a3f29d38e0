"""Prebuilt reviewers for Inspect's tool result review.

Public names, loaded on first use: this module is imported at the start of every Inspect run.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from reviewers.version import VERSION as __version__

if TYPE_CHECKING:
    from reviewers.evidence import Evidence
    from reviewers.example import Example
    from reviewers.judging import JudgingReviewer, reviewer, rule
    from reviewers.outcome import CouldNotJudge, Decision, Finding, Outcome, ReviewersError

__all__ = [
    "CouldNotJudge",
    "Decision",
    "Evidence",
    "Example",
    "Finding",
    "JudgingReviewer",
    "Outcome",
    "ReviewersError",
    "__version__",
    "reviewer",
    "rule",
]

_WHERE = {
    "CouldNotJudge": "outcome",
    "Decision": "outcome",
    "Evidence": "evidence",
    "Example": "example",
    "Finding": "outcome",
    "JudgingReviewer": "judging",
    "Outcome": "outcome",
    "ReviewersError": "outcome",
    "reviewer": "judging",
    "rule": "judging",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'reviewers' has no attribute {name!r}")
    return getattr(import_module(f"reviewers.{_WHERE[name]}"), name)
