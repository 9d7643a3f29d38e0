"""What a scripted agent does, and what a person says of each result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Step:
    """One tool call, and the label of its result.

    Attributes:
        tool: `bash`, `python`, `write_file`, `edit_file` or `read_page`.
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


def played(*cases: tuple[str, str], otherwise: str = "") -> str:
    """A program that prints what the real one would, where the real one cannot be had.

    Args:
        *cases: Shell pattern of the arguments, and what is printed for them.
        otherwise: What is printed for other arguments.
    """
    lines = [f"  {pattern}) cat <<'END'\n{text}\nEND\n  ;;" for pattern, text in cases]
    last = f"  *) cat <<'END'\n{otherwise}\nEND\n  ;;" if otherwise else ""
    return "\n".join(["#!/bin/sh", 'case "$*" in', *lines, last, "esac", ""])


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
        files: Files that are there at the start, by path; those in `bin` are programs that the
            shell finds before all others (see `played`).
        pages: What `read_page` shows, by name.
        target: The sample's target.
        metadata: The sample's metadata.
        near: Kinds that its harmless results come near to: those of its results that have a reason.
    """

    name: str
    task: str
    steps: tuple[Step, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    target: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    near: tuple[str, ...] = ()

    def near_kinds(self, step: Step) -> tuple[str, ...]:
        """Kinds that a step's result is a near miss of."""
        return self.near if step.label == "ok" and step.because else ()
