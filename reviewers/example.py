"""Examples that stand in a rule's own file: what matches, what must not, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One tool result, and what a reviewer says of it.

    Attributes:
        result: The output's text.
        matches: Whether the reviewer flags it.
        because: Why, in a few words.
        command: What the call ran, if the tool runs commands.
        tool: The tool that was called.
        arguments: The call's arguments; `{"command": command}` where only a command is given.
        exit_code: Exit code of the call's command; None if it ran none.
        message: Text the assistant wrote beside the call.
        error: The tool's error message; empty if there was none.
        target: The sample's target.
        metadata: The sample's metadata.
        history: Earlier calls as `(function, arguments, result)`.
        parameters: Parameters of the reviewer that this example needs.
        fails: Whether the reviewer reports that it could not judge.
    """

    result: str
    matches: bool
    because: str
    command: str = ""
    tool: str = "bash"
    arguments: Mapping[str, Any] | None = None
    exit_code: int | None = None
    message: str = ""
    error: str = ""
    target: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    history: tuple[tuple[str, Mapping[str, Any], str], ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    fails: bool = False
