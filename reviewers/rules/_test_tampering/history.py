"""What the calls before this one tell of a file: its text, and whose it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reviewers.evidence import COMMAND_ARGUMENTS, PastCall
from reviewers.outcome import CouldNotJudge
from reviewers.rules._shell.commands import Command, commands
from reviewers.rules._test_tampering.changes import Change, edit_tool_changes
from reviewers.rules._test_tampering.paths import MAX_PATH, normalised
from reviewers.rules._test_tampering.reads import READERS
from reviewers.rules._test_tampering.scripts import Known, python_changes, shell_changes

IMPORTS = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:import|from)\s+\w")
"""How Python begins, whatever the argument is called that it is given in."""

MAX_CALLS = 500
"""Earlier calls that are looked at, the latest."""

MAX_CHARACTERS = 4_000_000
"""Characters of earlier results that are looked at."""

MAX_EDITED = 1_000_000
"""Characters of known files that edits of earlier calls are made in again; past them only the
plain text of such an edit is replaced."""

VIEW_HEADER = re.compile(r"\A[^\n]*(?:cat -n|contents? of)[^\n]*\n")
NUMBERED = re.compile(r"^ *\d+(?:\t|→|: ?|\|)(.*)$", re.M)
CUT = re.compile(r"truncated|clipped|omitted|\[\.\.\.|<response clipped>", re.I)
NEW_FILE = re.compile(r"\bcreated (?:successfully|new|file)|new file created|file created", re.I)
FAILED = re.compile(
    r"\A\W*(?:error|failed|no replacement|no match|invalid|cannot|could not|\w*error:|"
    r"\w+: (?:cannot|can't|no such|permission))"
    r"|no replacement was performed|did not appear verbatim|string to replace not found",
    re.I,
)


def call_changes(arguments: Mapping[str, Any], known: Known) -> Iterator[Change]:
    """All changes that a call's arguments describe, whatever its tool."""
    edits = list(edit_tool_changes(arguments))
    yield from edits
    if edits:
        return
    script = command_of(arguments)
    if script:
        yield from shell_changes(script, known)
        if "code" in arguments or IMPORTS.match(script):
            yield from python_changes(script, known)


def command_of(arguments: Mapping[str, Any]) -> str:
    """What a call ran, as `Evidence.command` finds it."""
    for name in COMMAND_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            return " ".join(value)
    return ""


def failed(text: str, error: str = "") -> bool:
    """Whether a result says that its edit was not made."""
    return bool(error) or FAILED.search(text[:2_000]) is not None


class History:
    """What earlier calls tell of files.

    Args:
        calls: The earlier calls, in order.
        told: Texts that the agent was given: the task.
    """

    def __init__(self, calls: Iterable[PastCall], told: Iterable[str] = ()) -> None:
        self._texts: dict[str, str] = {}
        self._created: set[str] = set()
        self.told = tuple(told)
        self._shown: list[str] = []
        self.reads: list[tuple[str, str]] = []
        self._left = MAX_EDITED
        budget = MAX_CHARACTERS
        for call in list(calls)[-MAX_CALLS:]:
            budget -= len(call.text)
            if budget < 0:
                break
            self._add(call)

    def _add(self, call: PastCall) -> None:
        try:
            made = list(call_changes(call.arguments, self._known_within_bounds))
        except CouldNotJudge:
            made = []
        changes = [change for change in made if len(change.path) <= MAX_PATH]
        if not failed(call.text, call.error):
            for change in changes:
                self._note(change, call.text)
            for path, text, whole in _read_texts(call, changes):
                self.reads.append((path, text))
                if whole:
                    self._texts[normalised(path)] = text
        self._shown.append(call.text)

    def _note(self, change: Change, result: str) -> None:
        path = self._key(change.path)
        writes = change.action in ("write", "append") and path not in self._texts
        if writes and (NEW_FILE.search(result[:500]) or not self.mentioned(change.path)):
            self._created.add(path)
        if change.action == "write" and change.new is not None:
            self._texts[path] = change.new
        elif change.action in ("delete", "move"):
            self._texts.pop(path, None)
        elif change.action == "edit" and path in self._texts:
            self._texts[path] = edited(self._texts[path], change)
        elif change.action == "append" and path in self._texts:
            self._texts[path] += change.new or ""

    def _key(self, path: str) -> str:
        """The name under which a file is known: paths may be told from different folders."""
        path = normalised(path)
        if path in self._texts or path in self._created:
            return path
        for known in (*self._texts, *self._created):
            if known.endswith("/" + path) or path.endswith("/" + known):
                return known
        return path

    def known(self, path: str) -> str | None:
        """The text that a file is known to hold now; None if it is not known."""
        return self._texts.get(self._key(path))

    def _known_within_bounds(self, path: str) -> str | None:
        text = self.known(path)
        self._left -= len(text or "")
        return text if self._left > 0 else None

    def texts(self) -> Iterator[tuple[str, str]]:
        """The files whose text is known, with their text."""
        yield from self._texts.items()

    def created(self, path: str) -> bool:
        """Whether the agent made the file itself."""
        return self._key(path) in self._created

    def mentioned(self, path: str) -> bool:
        """Whether a result named the file before the agent made it."""
        name = normalised(path).rpartition("/")[2]
        return bool(name) and any(name in text for text in self._shown)


def edited(text: str, change: Change) -> str:
    """A text after an edit that replaces a piece of it."""
    if change.old and change.new is not None and change.old in text:
        return text.replace(change.old, change.new, 1)
    return text


def _read_texts(call: PastCall, changes: list[Change]) -> Iterator[tuple[str, str, bool]]:
    """What a call showed of files: path, text, and whether it is the whole file."""
    reads = [change.path for change in changes if change.action == "read"]
    if not reads or len(reads) > 20:
        return
    script = command_of(call.arguments)
    by_editor = bool(list(edit_tool_changes(call.arguments)))
    text = VIEW_HEADER.sub("", call.text)
    lines = NUMBERED.findall(text)
    if lines and len(lines) >= text.count("\n") * 0.8:
        text = "\n".join(lines) + "\n"
    if by_editor:
        whole = not any(
            call.arguments.get(key) for key in ("view_range", "offset", "limit", "start")
        )
    else:
        whole = _is_one_cat(commands(script))
    whole = whole and len(reads) == 1 and not CUT.search(call.text[-300:])
    for path in reads:
        yield path, text, whole


def _is_one_cat(found: tuple[Command, ...]) -> bool:
    showing = [command for command in found if command.name not in ("cd", "pwd", "true")]
    return (
        len(showing) == 1
        and showing[0].name in ("cat", "nl", "bat")
        and not showing[0].redirects
        and {showing[0].name} <= READERS
    )
