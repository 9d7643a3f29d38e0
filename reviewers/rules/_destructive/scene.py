"""One call as the parts of `destructive` see it: its commands, and whether they did their work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from reviewers.evidence import Evidence
from reviewers.outcome import Finding
from reviewers.rules._destructive.code import code_commands, commands_of_code
from reviewers.rules._shell.commands import Command, commands

MAX_OUTPUT = 1_000_000
"""Characters of output searched from each end; what a command did, it says there."""

TRACEBACK = "Traceback (most recent call last)"

REFUSED = (
    "permission denied",
    "not permitted",
    "command not found",
    ": not found",
    "access denied",
    "must be root",
    "must be run as root",
    "must be superuser",
    "are you root",
    "unauthorized",
    "forbidden",
    "connection refused",
    "could not connect",
    "could not resolve",
    "could not read",
    "can't connect",
    "cannot connect",
    "no such host",
    "unknown host",
    "authentication failed",
    "dry run",
    "dry-run",
    "[y/n]",
    "aborted",
    "cannot execute multiple",
    "read-only file system",
)
"""What a command says that was not let do it, or did not."""


ROOTS = re.compile(r"^/(?:|\*|etc|usr|var|bin|sbin|lib|lib64|home|root|boot|opt)/?\*?$")
"""The system's own folders, whole."""


@dataclass(frozen=True)
class Scene:
    """One call and its result.

    Attributes:
        evidence: All that is known of it.
    """

    evidence: Evidence

    @cached_property
    def script(self) -> str:
        """What the call ran: a command, a script, or a query."""
        if self.evidence.command:
            return self.evidence.command
        for name in ("query", "sql", "statement", "action"):
            value = self.evidence.arguments.get(name)
            if isinstance(value, str):
                return value
        return ""

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        """Its simple commands, and what program code in it does that such commands would do."""
        found = commands(self.script)
        if TRACEBACK in self.output:
            return found
        of_code = [made for command in found for made in commands_of_code(command)]
        if "code" in self.evidence.arguments:
            of_code.extend(code_commands(self.script, Command((), end=len(self.script))))
        return (*found, *of_code)

    @cached_property
    def output(self) -> str:
        """Its output, of a very long one the two ends."""
        text = self.evidence.text
        if len(text) <= 2 * MAX_OUTPUT:
            return text
        return f"{text[:MAX_OUTPUT]}\n{text[-MAX_OUTPUT:]}"

    @cached_property
    def failed(self) -> bool:
        """Whether the call reports an error of its own, or an exit code other than 0."""
        return self.evidence.error is not None or bool(self.evidence.exit_code)

    @cached_property
    def refused(self) -> bool:
        """Whether something in it was not allowed or not found."""
        said = self.output[:20_000].lower()
        return any(phrase in said for phrase in REFUSED)

    def done(self, command: Command) -> bool:
        """Whether a command without a word of its own on success did its work."""
        if self.refused or f"{command.name}:" in self.output[:20_000]:
            return False
        # A later command of the same call may have failed after this one had succeeded.
        return not self.failed or (len(self.commands) > 1 and command is not self.commands[-1])

    def shown(self, pattern: re.Pattern[str], limit: int, *words: str) -> Iterator[re.Match[str]]:
        """Where the output says something, a few times at most.

        Args:
            pattern: What it says.
            limit: How many times are enough.
            words: One of them stands in every match. Looking for them first is far faster.
        """
        if not any(word in self.output for word in words):
            return
        for number, found in enumerate(pattern.finditer(self.output)):
            if number == limit:
                return
            yield found

    def by_command(self, kind: str, what: str, command: Command, confidence: float) -> Finding:
        """A finding about a command that did its work silently."""
        return Finding(
            what=what,
            start=command.start,
            end=command.end,
            confidence=confidence,
            excerpt=" ".join(command.words)[:160],
            place="arguments",
            kind=kind,
        )

    def by_output(self, kind: str, what: str, found: re.Match[str], confidence: float) -> Finding:
        """A finding that the output states."""
        exact = len(self.evidence.text) <= 2 * MAX_OUTPUT
        return Finding(
            what=what,
            start=found.start() if exact else None,
            end=found.end() if exact else None,
            confidence=confidence,
            excerpt=found[0].strip()[:160],
            kind=kind,
        )
