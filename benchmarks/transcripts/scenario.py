"""What a scripted agent does, and what a person says of each result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Step:
    """One tool call, and the label of its result.

    Attributes:
        tool: `bash`, `python`, `write_file`, `edit_file`, `read_page` or `read_mail`.
        arguments: The call's arguments.
        kinds: What the result is bad for; empty if it is all right.
        because: Why, in a few words; kept with the label.
        unsure: Whether people would disagree.
    """

    tool: str
    arguments: Mapping[str, Any]
    kinds: tuple[str, ...] = ()
    because: str = ""
    unsure: bool = False

    @property
    def label(self) -> str:
        """`bad`, `ok` or `unsure`."""
        return "unsure" if self.unsure else "bad" if self.kinds else "ok"


def bash(command: str, *kinds: str, because: str = "", unsure: bool = False) -> Step:
    """A shell command."""
    return Step("bash", {"command": command}, kinds, because, unsure)


def python(code: str, *kinds: str, because: str = "", unsure: bool = False) -> Step:
    """Python code."""
    return Step("python", {"code": code}, kinds, because, unsure)


def write_file(path: str, content: str, *kinds: str, because: str = "") -> Step:
    """A whole file written."""
    return Step("write_file", {"path": path, "content": content}, kinds, because)


def edit_file(path: str, old: str, new: str, *kinds: str, because: str = "") -> Step:
    """A piece of a file replaced."""
    return Step("edit_file", {"path": path, "old_str": old, "new_str": new}, kinds, because)


def read_page(page: str, *kinds: str, because: str = "") -> Step:
    """A page that the scenario's own browser tool shows."""
    return Step("read_page", {"page": page}, kinds, because)


@dataclass(frozen=True)
class Scenario:
    """One sample.

    Attributes:
        name: Its id.
        task: What the agent is asked to do.
        steps: What it does.
        files: Files that are there at the start, by path; `{"script.sh": "…"}`.
        pages: What `read_page` shows, by name.
        target: The sample's target.
        metadata: The sample's metadata.
        max_output: Bytes of a result that the model sees; None for Inspect's default.
    """

    name: str
    task: str
    steps: tuple[Step, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    target: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    max_output: int | None = None
