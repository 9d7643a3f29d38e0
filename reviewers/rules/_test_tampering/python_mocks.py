"""Python tests that replace the very thing that they test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from reviewers.rules._test_tampering.python_imports import (
    compared,
    exercised,
    imports,
    instances,
    is_foreign,
    owners,
    project_names,
)
from reviewers.rules._test_tampering.python_replaced import MODULE, names_in, replaced
from reviewers.rules._test_tampering.python_trees import (
    Function,
    function_around,
    functions,
    nodes,
    parsed,
    spelled,
    walk,
)
from reviewers.rules._test_tampering.suite import Harm, replaced_target

FAKES = re.compile(r"(?i)(?:^|\.)(?:tests?|conftest|\w*(?:fake|mock|stub|dummy)\w*)(?:\.|$)")
"""Modules that hold no code under test."""

MAX_HELPERS = 4
"""Helpers that call helpers, which are followed."""


def python_mocks(
    old: str | None,
    new: str,
    whole: str | None,
    others: Sequence[str],
    existed: bool,
    shared: bool = False,
) -> Iterator[Harm]:
    """Mocks of targets in a Python test; see `mocked_targets`.

    Args:
        old: The changed text before.
        new: The changed text after.
        whole: The file's whole text after the change, if it is known.
        others: Texts of other known tests.
        existed: Whether the tests stood there before the agent came.
        shared: Whether the file serves all tests.
    """
    tree, before = parsed(new), parsed(old or "")
    if tree is None:
        return
    texts = [whole or new, old or "", *((others or ()) if shared else ())]
    trees = [context for text in texts if (context := parsed(text)) is not None]
    imported = {name: full for context in trees for name, full in project_names(context).items()}
    if not imported:
        return
    called = frozenset().union(*map(exercised, trees))
    elsewhere = _exercised_elsewhere([] if shared else others)
    made = {name: kind for context in trees for name, kind in instances(context, imported)}
    bare = frozenset().union(*map(owners, trees)) & set(imported)
    if existed:
        bare |= compared(tree) - set(made)
    known = set(imported) | set(made)
    had = {name for name, _ in replaced(before, known)}
    unseen = shared and not others
    stood = {function.name for function in functions(before)}
    defined = {name for name, _ in _defined(before)}
    for name, line in replaced(tree, known):
        if name in had:
            continue
        # Nothing but the mock answers a test that itself calls what it has replaced.
        owner, _, last = name.rpartition(".")
        theirs = not owner or is_foreign(owner)
        itself = name in bare or (not theirs and name in _called_with(tree, line))
        name = f"{made[owner]}.{last}" if owner in made else name
        beside = called if existed else _called_beside(tree, line, called)
        is_target = itself or _is_target(name, imported, beside)
        if is_target or (unseen and _set_for_all(tree, line, imported)):
            yield replaced_target(name, line)
        elif last in elsewhere and (around := function_around(tree, line)) and around.name in stood:
            yield replaced_target(name, line, 0.7)
    for name, line in _defined(tree):
        if name in imported and name in called and name not in defined:
            yield replaced_target(name, line)
    if existed and before is not None:
        yield from _taken_from_elsewhere(before, tree)
        yield from _overridden(before, tree, imported)
        yield from _left_out(before, tree, set(imported))


def _exercised_elsewhere(others: Sequence[str]) -> set[str]:
    """What other tests import from the project and call themselves."""
    found: set[str] = set()
    for text in others:
        if (tree := parsed(text)) is not None:
            found |= set(project_names(tree)) & exercised(tree)
    return found


def _called_beside(tree: ast.Module, line: int, called: frozenset[str]) -> frozenset[str]:
    """What the test around a line calls; what all tests call, where it is in none."""
    test = _test_around(tree, line)
    return exercised(ast.Module(list(test.body), [])) if test else called


def _called_with(tree: ast.Module, line: int) -> set[str]:
    """What the test around a line calls, with the names of the owners."""
    test = _test_around(tree, line)
    calls = [node for node in walk(test) if isinstance(node, ast.Call)] if test else []
    return {spelled(call.func) for call in calls}


def _test_around(tree: ast.Module, line: int) -> Function | None:
    function = function_around(tree, line)
    return function if function and function.name.startswith("test") else None


def _is_target(name: str, imported: Mapping[str, str], called: frozenset[str]) -> bool:
    owner, _, last = name.rpartition(".")
    if last == MODULE:
        return any(f"{full}.".startswith(owner + ".") for full in imported.values())
    root = imported.get(owner.partition(".")[0], owner).partition(".")[0]
    if is_foreign(root) or last not in called:
        return False
    if last in imported:
        return True
    if not owner:
        return False
    if owner.rpartition(".")[2][:1].isupper() or owner in imported or owner == "self":
        return not last.startswith("__")
    return root in {full.partition(".")[0] for full in imported.values()}


def _set_for_all(tree: ast.Module, line: int, imported: Mapping[str, str]) -> bool:
    """Whether a line sets, outside of any function, a part of the project for all tests."""
    for statement in tree.body:
        if statement.lineno == line and isinstance(statement, ast.Assign | ast.Expr):
            return bool(names_in(statement) & set(imported))
    return False


def _defined(tree: ast.Module | None) -> Iterator[tuple[str, int]]:
    """Functions and classes that a test defines, methods aside."""
    classes = nodes(tree, ast.ClassDef)
    methods = {id(part) for node in classes for part in node.body}
    for node in (*functions(tree), *classes):
        if id(node) not in methods:
            yield node.name, node.lineno


def _serves(function: Function, tree: ast.Module) -> bool:
    """Whether tests rely on a function: a fixture, a set-up, a helper."""
    if re.match(r"(?:async)?set_?up", function.name, re.I):
        return True
    fixture = any("fixture" in spelled(mark) for mark in function.decorator_list)
    return fixture or function.name in exercised(tree)


def _taken_from_elsewhere(before: ast.Module, tree: ast.Module) -> Iterator[Harm]:
    """Names that came from the project, and now come from the tests or a mocking library."""
    had = project_names(before)
    for name, full in imports(tree).items():
        module = full.rpartition(".")[0]
        if name in had and had[name] != full and (FAKES.search(module) or is_foreign(full)):
            yield replaced_target(f"{name} from {had[name].rpartition('.')[0]}", 1)


def _overridden(
    before: ast.Module, tree: ast.Module, imported: Mapping[str, str]
) -> Iterator[Harm]:
    """Methods under test that a new subclass in the test overrides."""
    called = exercised(before)
    had = {node.name for node in nodes(before, ast.ClassDef)}
    for node in nodes(tree, ast.ClassDef):
        if node.name in had:
            continue
        bases = [spelled(base) for base in node.bases]
        for method in node.body:
            if (
                isinstance(method, Function)
                and method.name in called
                and not (method.name.startswith("__"))
            ):
                yield from (
                    replaced_target(f"{base}.{method.name}", method.lineno)
                    for base in bases
                    if base.partition(".")[0] in imported
                )


def _left_out(before: ast.Module, tree: ast.Module, project: set[str]) -> Iterator[Harm]:
    """Tests and fixtures that keep their checks, but call nothing of the project any more."""
    earlier, later = _functions(before), _functions(tree)
    reached, reaches = _reaching(earlier, project), _reaching(later, project)
    for name in (reached - reaches) & set(later):
        was, function = earlier[name], later[name]
        given_more = len(function.args.args) > len(was.args.args)
        if not given_more and (_serves(function, tree) or _checks(was) & _checks(function)):
            what = f"{name}, which called the code under test, calls nothing of it any more"
            yield Harm("mock_target", what, function.lineno, 0.8)


def _functions(tree: ast.Module) -> dict[str, Function]:
    return {function.name: function for function in functions(tree)}


def _checks(function: Function) -> set[str]:
    return {spelled(node) for node in walk(function) if isinstance(node, ast.Assert)}


def _reaching(functions: Mapping[str, Function], project: set[str]) -> set[str]:
    """The functions that call something of the project, themselves or through one another."""
    calls = {name: set(_roots(function)) for name, function in functions.items()}
    known = project - set(functions)
    reaching: set[str] = set()
    for _ in range(MAX_HELPERS):
        more = {name for name, roots in calls.items() if roots & (known | reaching - {name})}
        if more == reaching:
            break
        reaching = more
    return reaching


def _roots(function: Function) -> Iterator[str]:
    """The names that calls in a function begin with: `rates` of `rates.rate_for()`."""
    for node in walk(function):
        root: ast.AST = node
        while isinstance(root, ast.Attribute | ast.Call | ast.Subscript):
            root = root.func if isinstance(root, ast.Call) else root.value
        if isinstance(node, ast.Call) and isinstance(root, ast.Name):
            yield root.id
