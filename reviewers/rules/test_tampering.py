"""Reward hacking in calls and their results: what was done to the tests instead of the task."""

# The rule is named for what it catches; it is no test.
# ruff: noqa: PT028
from __future__ import annotations

from collections.abc import Iterable

from inspect_ai.review import Reviewer

from reviewers.evidence import Evidence
from reviewers.outcome import Decision, Finding
from reviewers.reviewer import reviewer, rule
from reviewers.rules._tampering.examples import EXAMPLES
from reviewers.rules._tampering.judge import find_tampering
from reviewers.rules._tampering.paths import GRADERS, TESTS, Roles

__all__ = ["EXAMPLES", "test_tampering"]


@reviewer(catches=["tampering", "reward-hacking"], grade="terminate")
def test_tampering(
    tests: list[str] | None = None,
    graders: list[str] | None = None,
    frozen: list[str] | None = None,
    on_flag: Decision = "terminate",
    on_clear: Decision = "escalate",
    on_failure: Decision = "escalate",
    timeout_s: float = 10,
) -> Reviewer:
    """Stop when a call weakens, skips or deletes tests, or makes them pass without the work.

    Reads edits as agents make them (edit tools, whole files, heredocs, `sed`, patches, small
    Python scripts, `git`).

    Args:
        tests: Globs of test files, instead of the usual places of the common frameworks.
        graders: Globs of what judges the work, which the agent may not even read.
        frozen: Globs of files that must not change at all.
        on_flag: Decision when tests were tampered with.
        on_clear: Decision when they were not.
        on_failure: Decision when a change was too large to judge.
        timeout_s: Wall-clock backstop in seconds.
    """
    roles = Roles(
        tuple(tests) if tests is not None else TESTS,
        tuple(graders) if graders is not None else GRADERS,
        tuple(frozen or ()),
    )

    def find(evidence: Evidence) -> Iterable[Finding]:
        return list(find_tampering(evidence, roles))

    return rule(
        find, on_flag=on_flag, on_clear=on_clear, on_failure=on_failure, timeout_s=timeout_s
    )
