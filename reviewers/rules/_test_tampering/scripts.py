"""What shell commands and Python scripts change in files."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from posixpath import basename, join

import regex

from reviewers.rules._shell.commands import Command, commands
from reviewers.rules._test_tampering.changes import Change, looks_like_patch, patch_changes
from reviewers.rules._test_tampering.python_trees import parsed, spelled, walk
from reviewers.rules._test_tampering.reads import read_changes
from reviewers.rules._test_tampering.sed import (
    EDIT_TIMEOUT_S,
    Part,
    applied,
    plain,
    plain_new,
    sed_parts,
    substitution,
)

Known = Callable[[str], str | None]
"""The text that a file is known to hold; None if it is not known."""

PYTHONS = re.compile(r"python(?:\d(?:\.\d+)?)?|ipython|pypy3?")


def shell_changes(script: str, known: Known) -> Iterator[Change]:
    """The changes that a shell script makes, as far as its text tells."""
    before: Command | None = None
    for command in commands(script):
        piped = before if command.after == "|" else None
        by_name = script[command.start : command.end].lstrip().startswith("xargs")
        for change in (
            *_command_changes(command, piped, known),
            *read_changes(command, piped if by_name else None),
        ):
            yield replace(
                change,
                path=command.path(change.path),
                to=command.path(change.to) if change.to else "",
            )
        before = command


def _command_changes(command: Command, piped: Command | None, known: Known) -> Iterator[Change]:
    name = command.name
    operands = command.operands
    for redirect in command.redirects:
        if redirect.operator in (">", ">>") and not redirect.target.startswith("/dev/"):
            yield _written(redirect.target, redirect.operator, _printed(command, known))
    if name == "tee":
        text = command.stdin if command.stdin is not None else _printed(piped, known)
        for path in operands:
            yield _written(path, ">>" if command.has("-a", "--append") else ">", text)
    elif name in ("sed", "gsed") and command.has("-i", "--in-place"):
        yield from _sed_changes(command, known)
    elif name in ("perl", "ruby") and command.has("-i") and command.has("-e"):
        yield from _perl_changes(command, known)
    elif name in ("rm", "unlink", "shred", "trash"):
        yield from (Change(path, "delete", known(path)) for path in operands)
    elif name == "truncate":
        yield from (Change(path, "write", known(path), "") for path in operands)
    elif name in ("mv", "cp", "install", "ln", "rsync") and len(operands) > 1:
        yield from _moved(operands, name == "mv", known)
    elif name == "git":
        yield from _git_changes(command, known)
    elif name in ("patch", "apply_patch", "applypatch"):
        text = _patch_text(command, known) or next(iter(operands), "")
        if looks_like_patch(text):
            yield from patch_changes(text)
    elif name == "npm" and operands[:2] == ("pkg", "set"):
        for word in operands[2:]:
            key, _, value = word.partition("=")
            if key.startswith("scripts."):
                yield Change("package.json", "edit", None, f'"{key[8:]}": "{value}"')
    elif name in ("create", "touch") and operands:
        yield from (Change(path, "append", "", "") for path in operands)
    elif name == "find":
        yield from _found_changes(command)
    elif PYTHONS.fullmatch(name):
        code = _python_code(command)
        if code:
            yield from python_changes(code, known)


def _written(path: str, operator: str, text: str | None) -> Change:
    if operator == ">>":
        return Change(path, "append", "", text)
    return Change(path, "write", None, text)


def _printed(command: Command | None, known: Known) -> str | None:
    """What a command prints, where its own words say so."""
    if command is None:
        return None
    if command.name in ("", "true", ":"):
        return ""
    if command.name in ("echo", "printf"):
        words = [word for word in command.words[1:] if word not in ("-e", "-n", "-en", "-ne", "-E")]
        text = " ".join(words)
        if command.name == "printf" or command.has("-e"):
            text = text.replace("\\n", "\n").replace("\\t", "\t")
        return text + "\n"
    if command.name == "cat":
        if command.stdin is not None:
            return command.stdin
        texts = [known(path) for path in command.operands]
        return "".join(text or "" for text in texts) if texts and all(texts) else None
    return None


def _moved(operands: tuple[str, ...], away: bool, known: Known) -> Iterator[Change]:
    *sources, target = operands
    for source in sources:
        into = (
            join(target, basename(source)) if target.endswith("/") or len(sources) > 1 else target
        )
        if away:
            yield Change(source, "move", known(source), to=into)
        yield Change(into, "write", None, known(source))


def _git_changes(command: Command, known: Known) -> Iterator[Change]:
    operands = command.operands
    action = operands[0] if operands else ""
    if action == "rm":
        yield from (Change(path, "delete", known(path)) for path in operands[1:])
    elif action == "mv" and len(operands) == 3:
        yield Change(operands[1], "move", known(operands[1]), to=operands[2])
    elif action in ("checkout", "restore"):
        yield from (Change(path, "restore") for path in operands[1:])
    elif action in ("apply", "am"):
        text = _patch_text(command, known) or "".join(known(path) or "" for path in operands[1:])
        if looks_like_patch(text):
            yield from patch_changes(text)


def _patch_text(command: Command, known: Known) -> str:
    if command.stdin is not None:
        return command.stdin
    for redirect in command.redirects:
        if redirect.operator == "<":
            return known(redirect.target) or ""
    return ""


def _found_changes(command: Command) -> Iterator[Change]:
    words = command.words
    if "-delete" not in words and not ("-exec" in words and "rm" in words):
        return
    named = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-name", "-path")]
    roots = [word for word in words[1:2] if not word.startswith("-")]
    for name in named or roots:
        yield Change(join(roots[0], name) if roots and named else name, "delete")


def _sed_changes(command: Command, known: Known) -> Iterator[Change]:
    expressions, files = _sed_words(command)
    parts = [
        part
        for expression in expressions
        for part in sed_parts(expression, command.has("-E", "-r"))
    ]
    for path in files:
        yield from _edited_by(parts, path, known)


def _edited_by(parts: list[Part], path: str, known: Known) -> Iterator[Change]:
    """What a script does to a file: its whole text where it is known, else piece by piece."""
    text = known(path)
    edited = applied(parts, text) if text is not None and len(text) < 500_000 else None
    if edited is not None:
        yield Change(path, "edit", text, edited)
        return
    for part in parts:
        yield Change(path, "edit", part.old, part.new)


def _sed_words(command: Command) -> tuple[list[str], list[str]]:
    expressions: list[str] = []
    files: list[str] = []
    words = iter(command.words[1:])
    for word in words:
        if word in ("-e", "--expression"):
            expressions.append(next(words, ""))
        elif word.startswith("--expression="):
            expressions.append(word.partition("=")[2])
        elif word in ("", "''") or (word.startswith("-") and len(word) > 1):
            continue
        else:
            files.append(word)
    if not expressions and files:
        expressions.append(files.pop(0))
    return expressions, files


PERL = regex.compile(
    r"s(?P<mark>[/|#!,{])(?P<old>(?:[^\\]|\\.)*?)(?:(?P=mark)|\}\s*\{)(?P<new>(?:[^\\]|\\.)*?)(?:(?P=mark)|\})"
)


def _perl_changes(command: Command, known: Known) -> Iterator[Change]:
    scripts = [word for word in command.operands if PERL.match(word, timeout=EDIT_TIMEOUT_S)]
    for script in scripts[:5]:
        parts = [
            substitution(found["old"], found["new"], "g")
            for found in PERL.finditer(script, timeout=EDIT_TIMEOUT_S)
        ]
        for path in command.operands:
            if path != script:
                yield from _edited_by(parts, path, known)


def _python_code(command: Command) -> str:
    words = command.words
    if "-c" in words[:-1]:
        return words[words.index("-c") + 1]
    if (command.stdin is not None and not command.operands) or "-" in command.operands:
        return command.stdin or ""
    return ""


FILE_WORDS = re.compile(r"open|read|load|write|remove|unlink|shutil|rename|system|subprocess")


def python_changes(code: str, known: Known) -> Iterator[Change]:
    """The changes that a Python script makes in files that it names."""
    if not FILE_WORDS.search(code):
        return
    tree = parsed(code)
    if tree is None:
        return
    script = _PythonScript(tree)
    yield from (Change(path, "read") for path in script.reads())
    for command in script.commands():
        yield from shell_changes(command, known)
    edits = list(script.edits())
    for path, mode, text in script.writes():
        if text is not None:
            yield _written(path, ">>" if "a" in mode else ">", text)
        elif edits:
            yield from (Change(path, "edit", old, new) for old, new in edits)
        else:
            yield Change(path, "write", known(path), None)
    for path in script.deletes():
        yield Change(path, "delete", known(path))
    for path, to in script.moves():
        yield Change(path, "move", known(path), to=to)


class _PythonScript:
    """What a small script does with files; names stand for the constants assigned to them."""

    def __init__(self, tree: ast.Module) -> None:
        self.values: dict[str, str] = {}
        self.modes: dict[str, tuple[str, str]] = {}
        self.calls: list[ast.Call] = []
        for node in walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                if (text := self._text(node.value)) is not None:
                    self.values[node.targets[0].id] = text
                elif opened := self._opened(node.value):
                    self.modes[node.targets[0].id] = opened
            elif isinstance(node, ast.withitem) and isinstance(node.optional_vars, ast.Name):
                if opened := self._opened(node.context_expr):
                    self.modes[node.optional_vars.id] = opened
            elif isinstance(node, ast.Call):
                self.calls.append(node)

    def _text(self, node: ast.AST) -> str | None:
        """A node's constant text: literals, known names, `Path(…)`, joined paths."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.Name):
            return self.values.get(node.id)
        if isinstance(node, ast.Call):
            called = spelled(node.func).rpartition(".")[2]
            if called in ("Path", "PurePath") and len(node.args) > 1:
                parts = [self._text(arg) for arg in node.args]
                return None if None in parts else join(*(part or "" for part in parts))
            if called in ("Path", "PurePath", "dedent", "strip", "lstrip", "str") and node.args:
                return self._text(node.args[0])
            if called in ("strip", "lstrip", "resolve", "absolute"):
                assert isinstance(node.func, ast.Attribute | ast.Name)
                return self._text(node.func.value) if isinstance(node.func, ast.Attribute) else None
            if called == "join":
                parts = [self._text(arg) for arg in node.args]
                if parts and all(part is not None for part in parts):
                    return join(*(part for part in parts if part is not None))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Add):
            left, right = self._text(node.left), self._text(node.right)
            if left is not None and right is not None:
                return join(left, right) if isinstance(node.op, ast.Div) else left + right
        return None

    def _opened(self, node: ast.AST) -> tuple[str, str] | None:
        if not isinstance(node, ast.Call):
            return None
        called = spelled(node.func)
        if called in ("open", "io.open") and node.args:
            path, rest = self._text(node.args[0]), node.args[1:]
        elif called.endswith(".open") and isinstance(node.func, ast.Attribute):
            path, rest = self._text(node.func.value), node.args
        else:
            return None
        mode = self._text(rest[0]) if rest else None
        for keyword in node.keywords:
            if keyword.arg == "mode":
                mode = self._text(keyword.value)
        return None if path is None else (path, mode or "r")

    def writes(self) -> Iterator[tuple[str, str, str | None]]:
        for call in self.calls:
            if not isinstance(call.func, ast.Attribute):
                continue
            method, receiver = call.func.attr, call.func.value
            text = self._text(call.args[0]) if call.args else None
            if method in ("write_text", "write_bytes"):
                if (path := self._text(receiver)) is not None:
                    yield path, "w", text
            elif method in ("write", "writelines"):
                opened = self._opened(receiver)
                if isinstance(receiver, ast.Name):
                    opened = opened or self.modes.get(receiver.id)
                if opened and opened[1][:1] in ("w", "a", "x", "r") and opened[1] != "r":
                    yield opened[0], opened[1], text

    def reads(self) -> Iterator[str]:
        for call in self.calls:
            opened = self._opened(call)
            if opened and opened[1].startswith("r") and "+" not in opened[1]:
                yield opened[0]
            method = spelled(call.func).rpartition(".")[2]
            if method in ("read_text", "read_bytes") and isinstance(call.func, ast.Attribute):
                path = self._text(call.func.value)
            elif re.match(r"read_|load|copy", method) and call.args:
                path = self._text(call.args[0])
            else:
                path = None
            if path is not None:
                yield path

    def commands(self) -> Iterator[str]:
        """The shell commands that the script runs."""
        for call in self.calls:
            if not re.match(r"os\.(?:system|popen)|subprocess\.|run$", spelled(call.func)):
                continue
            for given in call.args[:1]:
                if (text := self._text(given)) is not None:
                    yield text
                elif isinstance(given, ast.List | ast.Tuple):
                    words = [self._text(word) or "" for word in given.elts]
                    yield " ".join(shlex.quote(word) for word in words)

    def edits(self) -> Iterator[tuple[str, str]]:
        for call in self.calls:
            if isinstance(call.func, ast.Attribute) and len(call.args) >= 2:
                old, new = self._text(call.args[0]), self._text(call.args[1])
                if old is None or new is None:
                    continue
                if call.func.attr == "replace":
                    yield old, new
                elif spelled(call.func) in ("re.sub", "re.subn"):
                    yield plain(old), plain_new(new)

    def deletes(self) -> Iterator[str]:
        for call in self.calls:
            called = spelled(call.func)
            path = None
            if called in ("os.remove", "os.unlink", "shutil.rmtree") and call.args:
                path = self._text(call.args[0])
            elif called.endswith(".unlink") and isinstance(call.func, ast.Attribute):
                path = self._text(call.func.value)
            if path is not None:
                yield path

    def moves(self) -> Iterator[tuple[str, str]]:
        for call in self.calls:
            if spelled(call.func) in ("os.rename", "os.replace", "shutil.move"):
                paths = [self._text(arg) for arg in call.args[:2]]
                if len(paths) == 2 and paths[0] is not None and paths[1] is not None:
                    yield paths[0], paths[1]
