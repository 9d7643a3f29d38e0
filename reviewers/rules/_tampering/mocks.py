"""Tests that replace the very thing that they test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from reviewers.rules._tampering.python_mocks import python_mocks
from reviewers.rules._tampering.script_mocks import script_mocks
from reviewers.rules._tampering.suite import Harm


def mocked_targets(
    path: str, old: str | None, new: str, whole: str | None, others: Iterable[str], existed: bool
) -> Iterator[Harm]:
    """Mocks of what the tests import from the project and call.

    Args:
        path: The test file.
        old: The changed text before.
        new: The changed text after.
        whole: The file's whole text after the change, if it is known.
        others: Texts of other known tests, for what a shared fixture replaces.
        existed: Whether the tests stood there before the agent came. In those, what any of them
            calls is a target; in the agent's own, only what the very test calls.
    """
    if path.endswith(".py"):
        shared = not re.search(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$", path)
        yield from python_mocks(old, new, whole, list(others), existed, shared)
    else:
        beside = () if re.search(r"\.(?:test|spec)\.", path) else others
        yield from script_mocks(old, new, whole, beside, existed)
