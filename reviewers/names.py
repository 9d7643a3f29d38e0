"""The right name for a wrong one."""

from __future__ import annotations

from difflib import get_close_matches

from reviewers import _host


def no_such_reviewer(name: str) -> str:
    """A sentence that says a reviewer's name is unknown, and what may have been meant."""
    known = _host.reviewer_names()
    ours = get_close_matches(f"reviewers/{name.rpartition('/')[2]}", known, n=1, cutoff=0.75)
    near = ours or get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"Did you mean {near[0]!r}?" if near else "`reviewers list` shows those there are."
    return f"no reviewer {name!r}. {hint}"
