"""Python text, whole or a piece of a file, as syntax trees that are quickly searched."""

from __future__ import annotations

import ast
import textwrap
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeVar

MAX_PARSED = 400_000
"""Characters up to which Python text is parsed; tests are far smaller."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Parsed(NamedTuple):
    tree: ast.Module
    lines: list[str]


def parsed(text: str) -> ast.Module | None:
    """The text, or a piece of a file, as a syntax tree; None if it is no Python."""
    found = _parsed(text)
    return found.tree if found else None


def different(old: str, new: str) -> tuple[ast.Module, ast.Module] | None:
    """Both versions without the top-level statements that they share; None if one is no Python.

    What is defined twice stays on both sides: of two tests of one name only the last is run.
    """
    before, after = _parsed(old), _parsed(new)
    if before is None or after is None:
        return None
    shared = Counter(_sources(before)) & Counter(_sources(after))
    changed = {
        name
        for version in (before, after)
        for statement in _without(version, shared, set())
        for name in bound_names(statement)
    }
    one, other = (_without(version, shared, changed) for version in (before, after))
    return ast.Module(one, []), ast.Module(other, [])


def _without(version: _Parsed, shared: Counter[str], changed: set[str]) -> list[ast.stmt]:
    """The statements of a version that are not shared, or bind a name that changed ones bind."""
    left = Counter(shared)
    kept = []
    for statement, source in zip(version.tree.body, _sources(version), strict=True):
        if left[source] and changed.isdisjoint(bound_names(statement)):
            left[source] -= 1
        else:
            kept.append(statement)
    return kept


def bound_names(statement: ast.stmt) -> list[str]:
    """The names that a statement defines, assigns or deletes."""
    if isinstance(statement, Function | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign | ast.Delete) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _sources(version: _Parsed) -> Iterator[str]:
    """The text of each top-level statement, by whole lines."""
    for statement in version.tree.body:
        last = statement.end_lineno or statement.lineno
        yield "\n".join(version.lines[first_line(statement) - 1 : last])


def first_line(statement: ast.stmt) -> int:
    """The line that a statement begins in, its decorators included."""
    marks = statement.decorator_list if isinstance(statement, Function | ast.ClassDef) else ()
    return min([statement.lineno, *(mark.lineno for mark in marks)])


@lru_cache(maxsize=32)
def _parsed(text: str) -> _Parsed | None:
    if not text.strip() or len(text) > MAX_PARSED:
        return None
    text = text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")
    for variant in _variants(text):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return _Parsed(ast.parse(variant), variant.split("\n"))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _variants(text: str) -> Iterator[str]:
    """The text as it is, and as the pieces of files that editors are given can be completed."""
    yield text
    plain = textwrap.dedent(text)
    yield plain
    first, _, rest = text.partition("\n")
    if rest.strip() and not first[:1].isspace():
        yield textwrap.dedent(" " * _indent(rest) + text)
        yield textwrap.dedent(" " * max(_indent(rest) - 4, 0) + text)
    yield plain.rstrip() + "\ndef _piece(): pass\n"
    yield plain.rstrip() + " pass\n"
    yield plain.rstrip() + "\n" + " " * (_last_indent(plain) + 4) + "pass\n"
    yield "class _Piece:\n" + textwrap.indent(plain, "    ")
    yield "[\n" + plain.strip().rstrip(",") + "\n]\n"


def _indent(text: str) -> int:
    return min(
        (len(line) - len(line.lstrip()) for line in text.splitlines() if line.strip()), default=0
    )


def _last_indent(text: str) -> int:
    lines = text.rstrip().splitlines() or [""]
    return len(lines[-1]) - len(lines[-1].lstrip())


def walk(root: ast.AST) -> list[ast.AST]:
    """All nodes of a tree as `ast.walk` gives them, in a third of its time."""
    found = [root]
    for node in found:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                if name != "ctx":
                    found.append(value)
            elif isinstance(value, list):
                found.extend(part for part in value if isinstance(part, ast.AST))
    return found


@lru_cache(maxsize=32)
def _by_type(tree: ast.Module | None) -> Mapping[type[ast.AST], list[ast.AST]]:
    """All nodes of a tree by their type, for the several searches that go through it."""
    found: dict[type[ast.AST], list[ast.AST]] = {}
    for node in walk(tree) if tree else ():
        found.setdefault(type(node), []).append(node)
    return found


Kind = TypeVar("Kind", bound=ast.AST)


def nodes(tree: ast.Module | None, kind: type[Kind]) -> list[Kind]:
    """The nodes of a tree that are of a type, breadth first."""
    return [node for node in _by_type(tree).get(kind, ()) if isinstance(node, kind)]


def functions(tree: ast.Module | None) -> list[Function]:
    """The functions and methods that a tree defines."""
    return [*nodes(tree, ast.FunctionDef), *nodes(tree, ast.AsyncFunctionDef)]


def spelled(node: ast.AST) -> str:
    """A node as code in one spelling; quick for plain names such as `a.b.c`."""
    names: list[str] = []
    part = node
    while isinstance(part, ast.Attribute):
        names.append(part.attr)
        part = part.value
    if not isinstance(part, ast.Name):
        return ast.unparse(node)
    return ".".join([part.id, *reversed(names)])


def function_around(tree: ast.Module, line: int) -> Function | None:
    """The outermost function or method that a line lies in, its decorators included."""
    starts, outermost = _outermost_functions(tree)
    at = bisect_right(starts, line) - 1
    found = outermost[at] if at >= 0 else None
    return found if found and line <= (found.end_lineno or line) else None


@lru_cache(maxsize=32)
def _outermost_functions(tree: ast.Module) -> tuple[list[int], list[Function]]:
    """The functions that lie in no other, with the lines that they begin in."""
    starts: list[int] = []
    outermost: list[Function] = []
    for function in sorted(functions(tree), key=first_line):
        start = first_line(function)
        if not outermost or start > (outermost[-1].end_lineno or 0):
            starts.append(start)
            outermost.append(function)
    return starts, outermost
