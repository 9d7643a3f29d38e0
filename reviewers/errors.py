"""The errors of this package; light, since Inspect's entry point loads it."""

from __future__ import annotations


class ReviewersError(Exception):
    """A mistake that a user can mend; the message says where and how."""


class CouldNotJudge(Exception):
    """Raised by a detector that lacks what it needs; the reviewer reports `failed`.

    Args:
        reason: A short plain name of what was missing, for example `no target`.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
