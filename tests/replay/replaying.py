"""What the tests of the replay share: logs on disk, and a replay of them."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.log import EvalLog
from inspect_ai.review import Reviewer, ReviewPolicy

from reviewers.case import Case
from reviewers.replay import iter_cases, policy_asked
from reviewers.replay.agreement import Agreement
from reviewers.replay.run import review_cases


def policies(*reviewers: Reviewer, tools: str = "*") -> list[ReviewPolicy]:
    """A policy of these reviewers."""
    return [ReviewPolicy(reviewer, tools) for reviewer in reviewers]


def cases(log: EvalLog | str) -> list[Case]:
    """The cases of a log."""
    return list(iter_cases([log if isinstance(log, str) else log.location]))


def agreement(log: EvalLog | str, policy: Sequence[ReviewPolicy] | str) -> Agreement:
    """How a replay of a policy compares with the log."""
    total = Agreement()
    for reviewed in review_cases(cases(log), [policy_asked(policy)], check=True):
        total.add(reviewed.agreement)
    return total


def fidelity(log: EvalLog | str) -> list[tuple[str, ...]]:
    """The fidelity of a log's cases, in order."""
    return [case.fidelity for case in cases(log)]
