"""What Inspect's entry point loads at the start of every run: the names, and nothing else.

A reviewer is a file: each module of `rules/` and `compose/`, each Markdown file of the prompts.
Its name is registered here with a stand-in that imports the file when a policy first asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewers import _host

if TYPE_CHECKING:
    from inspect_ai.review import Reviewer

HERE = Path(__file__).parent
FAMILIES = ("rules", "compose")
NOT_BARE = frozenset({"human"})
"""Names that stay Inspect's own without our prefix."""


def reviewer_modules() -> Iterator[tuple[str, str]]:
    """Every reviewer's name with the module that makes it, by family and name."""
    for family in FAMILIES:
        for name in sorted(path.stem for path in (HERE / family).glob("[!_]*.py")):
            yield name, f"reviewers.{family}.{name}"
    for name in ["monitor", *sorted(prompt_names())]:
        yield name, "reviewers.monitors"


def prompt_names() -> list[str]:
    """Names of the prompt files that are monitors of their own."""
    folder = prompts_folder()
    return [path.stem for path in folder.glob("*.md")] if folder.is_dir() else []


def prompts_folder() -> Path:
    """The folder of the prompts: inside an installed package, beside it in a checkout."""
    installed = HERE / "prompts"
    return installed if installed.is_dir() else HERE.parent / "prompts"


def _stand_in(name: str, module: str) -> Callable[..., Reviewer]:
    def create(**parameters: Any) -> Reviewer:
        reviewer: Reviewer = factory(name, module)(**parameters)
        return reviewer

    create.__name__ = create.__qualname__ = name
    return create


def factory(name: str, module: str) -> Callable[..., Reviewer]:
    """The real factory of a reviewer; imports its module."""
    made: Callable[..., Reviewer] = getattr(import_module(module), name)
    return made


for _name, _module in reviewer_modules():
    _host.register(_name, _stand_in(_name, _module), bare=_name not in NOT_BARE)
