"""What a call changed in files, read from its arguments: edit tools and patches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal

Action = Literal["edit", "write", "append", "insert", "delete", "move", "restore", "read", "copy"]

PATHS = (
    "path",
    "file_path",
    "filepath",
    "filename",
    "file",
    "target_file",
    "relative_path",
    "notebook_path",
    "file_name",
    "source",
)
OLD = ("old_str", "old_string", "old_text", "old", "search", "find", "old_code", "original")
NEW = (
    "new_str",
    "new_string",
    "new_text",
    "new",
    "replace",
    "replacement",
    "new_code",
    "insert_text",
)
WHOLE = ("file_text", "content", "contents", "text", "new_content", "code_content", "new_source")
PATCHES = ("patch", "diff", "input", "patch_text", "patchText", "unified_diff", "changes")
VIEWING = frozenset({"view", "read", "open", "cat", "show", "get"})
"""Commands of edit tools that only look."""

SEARCHED_FOR = ("pattern", "query", "regex", "regexp")
"""Arguments of tools that search the files of a folder."""

MAX_CHANGES = 200
"""Changes taken from one call; what edits more files than this is reported as not judged."""


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to one file.

    Attributes:
        path: The file, as the call names it.
        action: `edit` replaces a piece, `write` the whole, `append` and `insert` add, `delete` and
            `move` take the file away, `restore` brings back the committed version, `read` shows
            it, `copy` takes a copy of it.
        old: The text that was there: the piece for an edit, the whole for a write; None if unknown.
        new: The text that is there now; None if there is none or it is unknown.
        to: Where a moved file went.
        place: Which text of the evidence says so.
        line: Line of the file that the text begins at, where it is known; 1 otherwise.
    """

    path: str
    action: Action
    old: str | None = None
    new: str | None = None
    to: str = ""
    place: Literal["arguments", "output"] = "arguments"
    line: int = 1


def edit_tool_changes(arguments: Mapping[str, Any]) -> Iterator[Change]:
    """Changes that an edit tool's arguments describe; none if they are no edit tool's."""
    path = _first(arguments, PATHS)
    if path:
        yield from _of_one_file(path, arguments)
        for edit in _edits(arguments):
            yield from _of_one_file(_first(edit, PATHS) or path, edit)
    for name in PATCHES:
        value = arguments.get(name)
        if isinstance(value, str) and looks_like_patch(value):
            yield from patch_changes(value)


def _edits(arguments: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in ("edits", "replacements", "changes", "operations"):
        value = arguments.get(name)
        if isinstance(value, list):
            yield from (edit for edit in value[: MAX_CHANGES + 1] if isinstance(edit, Mapping))


def _of_one_file(path: str, given: Mapping[str, Any]) -> Iterator[Change]:
    command = given.get("command")
    command = command if isinstance(command, str) else ""
    old, new, whole = _first(given, OLD), _first(given, NEW), _first(given, WHOLE)
    at = given.get("insert_line", given.get("line"))
    if command in VIEWING:
        yield Change(path, "read")
    elif command in ("delete", "remove"):
        yield Change(path, "delete")
    elif command == "undo_edit":
        yield Change(path, "restore")
    elif command == "insert" or (at is not None and old is None):
        text = new if new is not None else whole
        if text is not None:
            yield Change(path, "insert", "", text, line=at + 1 if isinstance(at, int) else 1)
    elif old is not None and (old or new):
        yield Change(path, "edit" if old else "write", old or None, new or "")
    elif whole is not None and command == "" and isinstance(given.get("start"), int):
        yield Change(path, "edit", None, whole, line=given["start"])
    elif whole is not None and command in ("", "create", "write", "save", "overwrite"):
        yield Change(path, "write", None, whole)
    elif command == "" and not _edits_given(given):
        yield Change(path, "read")
        if any(name in given for name in SEARCHED_FOR):
            yield Change(f"{path.rstrip('/')}/*", "read")


def _edits_given(given: Mapping[str, Any]) -> bool:
    return any(isinstance(given.get(name), list | str) for name in ("edits", *PATCHES))


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = given.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            return "".join(value)
    return None


DIFF_HEADER = re.compile(r"^--- (?P<old>[^\n\t]+)[^\n]*\n\+\+\+ (?P<new>[^\n\t]+)", re.M)
BEGIN_PATCH = re.compile(r"^\*\*\* (?P<what>Add|Update|Delete) File: (?P<path>[^\n]+)$", re.M)
MOVE = re.compile(r"^\*\*\* Move to: (?P<path>[^\n]+)$", re.M)
HUNK = re.compile(r"^@@ -(?P<old>\d+)(?:,\d+)? \+(?P<new>\d+)(?:,\d+)? @@[^\n]*$", re.M)


def looks_like_patch(text: str) -> bool:
    """Whether the text is a unified diff or in the format of `apply_patch`."""
    return (
        "*** Begin Patch" in text
        or BEGIN_PATCH.search(text) is not None
        or ("\n+++ " in text and DIFF_HEADER.search(text) is not None)
    )


def patch_changes(
    text: str, place: Literal["arguments", "output"] = "arguments"
) -> Iterator[Change]:
    """The changes of a unified diff or an `apply_patch` patch, hunk by hunk."""
    text = text.replace("\r\n", "\n")
    if BEGIN_PATCH.search(text):
        yield from _begin_patch_changes(text, place)
    yield from _renames(text, place)
    headers = list(DIFF_HEADER.finditer(text))
    for header, following in zip_longest(headers, headers[1:]):
        body = text[header.end() : following.start() if following else len(text)]
        body = body.split("\ndiff --git ", 1)[0]
        old, new = _diff_path(header["old"]), _diff_path(header["new"])
        if new is None:
            if old is not None:
                yield Change(old, "delete", _side(body, "-"), None, place=place)
        elif old is None:
            yield Change(new, "write", None, _side(body, "+"), place=place)
        else:
            for hunk, line in _hunks(body):
                yield Change(new, "edit", _side(hunk, "-"), _side(hunk, "+"), "", place, line)


def _begin_patch_changes(text: str, place: Literal["arguments", "output"]) -> Iterator[Change]:
    headers = list(BEGIN_PATCH.finditer(text))
    for header, following in zip_longest(headers, headers[1:]):
        body = text[header.end() : following.start() if following else len(text)]
        path = header["path"].strip()
        if header["what"] == "Delete":
            yield Change(path, "delete", place=place)
        elif header["what"] == "Add":
            yield Change(path, "write", None, _side(body, "+"), place=place)
        else:
            if move := MOVE.search(body):
                yield Change(path, "move", to=move["path"].strip(), place=place)
            for hunk in re.split(r"^@@[^\n]*$", body, flags=re.M):
                old, new = _side(hunk, "-"), _side(hunk, "+")
                if old != new:
                    yield Change(path, "edit", old, new, place=place)


RENAME = re.compile(r"^rename from (?P<old>[^\n]+)\nrename to (?P<new>[^\n]+)$", re.M)


def _renames(text: str, place: Literal["arguments", "output"]) -> Iterator[Change]:
    for found in RENAME.finditer(text):
        yield Change(found["old"], "move", to=found["new"], place=place)


def _diff_path(path: str) -> str | None:
    path = path.strip().strip('"')
    if path == "/dev/null":
        return None
    return path[2:] if path.startswith(("a/", "b/")) else path


def _hunks(body: str) -> Iterator[tuple[str, int]]:
    found = list(HUNK.finditer(body))
    if not found:
        yield body, 1
    for hunk, following in zip_longest(found, found[1:]):
        end = following.start() if following else len(body)
        yield body[hunk.end() : end], int(hunk["new"])


def _side(hunk: str, side: Literal["-", "+"]) -> str:
    """One side of a hunk: its context lines and those of the side."""
    lines = []
    for line in hunk.strip("\n").split("\n"):
        if line.startswith(("***", "\\ No newline")):
            continue
        if line[:1] in (side, " ") or line == "":
            lines.append(line[1:])
    return "\n".join(lines) + "\n" if lines else ""


CONTEXT = 10
"""Lines around new ones that are read with them."""


def near_new_lines(new: str, old: str) -> str:
    """A text with the lines blanked that it has in common with another, but near its own ones."""
    had = set(old.split("\n"))
    lines = new.split("\n")
    near = {
        at + step
        for at, line in enumerate(lines)
        if line not in had
        for step in range(-CONTEXT, CONTEXT + 1)
    }
    return "\n".join(line if at in near else "" for at, line in enumerate(lines))
