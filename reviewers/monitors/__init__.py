"""Monitors: reviewers that ask a model. Each is a prompt file; `monitor` takes a file of yours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspect_ai.review import Reviewer

NAMES = ("monitor",)
"""Monitors that are no prompt file of the package's own."""


def __getattr__(name: str) -> Callable[..., Reviewer]:
    from reviewers import _registry

    if name == "monitor":
        from reviewers.monitors.factory import own_prompt

        return own_prompt
    if name in _registry.prompt_names():
        from reviewers.monitors.factory import packaged

        return packaged(name)
    raise AttributeError(f"module 'reviewers.monitors' has no attribute {name!r}")


def __dir__() -> list[Any]:
    from reviewers import _registry

    return sorted([*globals(), *NAMES, *_registry.prompt_names()])
