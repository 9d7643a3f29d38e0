"""Reads Python test text, whole or a piece, into a `Suite`."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace

from reviewers.rules._test_tampering.python_demands import RAISES, bound, demand, exceptions
from reviewers.rules._test_tampering.python_trees import (
    Function,
    bound_names,
    different,
    functions,
    nodes,
    parsed,
    spelled,
    walk,
)
from reviewers.rules._test_tampering.suite import LOOSE, Assertion, Case, Suite


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether a statement is reached, and whether its failure counts.

    Attributes:
        idle: Why its failure would not fail the test; empty if it would.
        guard: The condition under which alone it runs; empty if it always does.
        named: The names that a file of tests uses: helpers of other names do nothing. None if it
            holds no tests.
    """

    idle: str = ""
    guard: str = ""
    named: frozenset[str] | None = None

    def unless(self, idle: str) -> Reach:
        """The same, idle also for this reason, if it is one."""
        return replace(self, idle=self.idle or idle)

    def only_if(self, condition: str) -> Reach:
        """The same under a condition."""
        return replace(self, guard=self.guard or condition)

    def serves(self, function: Function) -> bool:
        """Whether a function that is no test may be run at all."""
        runs_itself = function.decorator_list or RUN_BY_NAME.match(function.name)
        return self.named is None or bool(runs_itself) or function.name in self.named


RUN_BY_NAME = re.compile(r"set_?up|tear_?down|__|pytest_|run|main", re.I)
"""Names of functions that frameworks or programs call."""

SKIP_NAMES = frozenset({"skip", "skipif", "xfail", "skipIf", "skipUnless", "expectedFailure"})
SKIP_CALLS = frozenset(
    {"pytest.skip", "pytest.xfail", "self.skipTest", "pytest.importorskip", "pytest.exit"}
)


def read_python(text: str) -> Suite | None:
    """What Python test text checks; None if it cannot be parsed."""
    tree = parsed(text)
    return None if tree is None else _read(tree, tree)


def read_changed_python(old: str, new: str) -> tuple[Suite, Suite] | None:
    """What two versions of Python test text check, but for what both do alike.

    None if one of them cannot be parsed.
    """
    trees = different(old, new)
    if trees is None:
        return None
    before, after = map(_read, trees, map(parsed, (old, new)))
    if before is None or after is None:
        return None
    for suite in (before, after):
        suite.case(LOOSE)
    return before, after


def _read(tree: ast.Module, whole: ast.Module | None) -> Suite | None:
    """What a tree checks that is a part of a whole file."""
    suite = Suite()
    try:
        _read_body(tree.body, suite, LOOSE, Reach(named=_named(whole)))
        _read_module(tree, suite)
    except RecursionError:
        return None
    return suite


def _named(tree: ast.Module | None) -> frozenset[str] | None:
    """The names that a file with tests uses, fixtures too; None if it has no tests."""
    if not any(function.name.startswith("test") for function in functions(tree)):
        return None
    return frozenset(
        [node.id for node in nodes(tree, ast.Name)]
        + [node.attr for node in nodes(tree, ast.Attribute)]
        + [node.arg for node in nodes(tree, ast.arg)]
    )


def _read_module(tree: ast.Module, suite: Suite) -> None:
    for node in walk(tree):
        if isinstance(node, ast.Constant):
            suite.literals[repr(node.value)] += 1
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and _is_constant(statement.value):
                suite.constants[target.id] = spelled(statement.value)


OF_CONSTANTS = (
    ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set
    | ast.UnaryOp | ast.unaryop | ast.BinOp | ast.operator
)  # fmt: skip
"""What constant values are written with."""


def _is_constant(node: ast.expr) -> bool:
    return all(isinstance(part, OF_CONSTANTS) for part in walk(node))


def _read_body(body: list[ast.stmt], suite: Suite, test: str, reach: Reach) -> None:
    for index, statement in enumerate(body):
        if isinstance(statement, Function) and _is_inner(statement, test):
            called = any(_names(other, statement.name) for other in body[index + 1 :])
            why = "" if called else f"nothing calls {statement.name}"
            _read_body(statement.body, suite, test, reach.unless(why))
        elif isinstance(statement, Function):
            _read_function(statement, suite, test, reach)
        elif isinstance(statement, ast.ClassDef):
            _read_class(statement, suite, reach)
        else:
            _read_statement(statement, suite, test, reach)
            reach = _after(statement, reach, last=index + 1 == len(body))
        _read_replaced(statement, suite, test)
        bare = isinstance(statement, ast.Return) and statement.value is None
        if bare and len(body) == 1 and test == LOOSE:
            suite.case(test).skips.append("a bare return")


def _after(statement: ast.stmt, reach: Reach, last: bool) -> Reach:
    """How what follows a statement is reached."""
    if isinstance(statement, ast.Return | ast.Raise) and not last:
        return reach.unless("the test ends before it")
    returns = isinstance(statement, ast.If) and isinstance(statement.body[0], ast.Return)
    if isinstance(statement, ast.If) and returns and not statement.orelse:
        return reach.only_if(f"not ({spelled(statement.test)})")
    return reach


def _read_replaced(statement: ast.stmt, suite: Suite, test: str) -> None:
    """Tests and their classes that are deleted again, or given another value."""
    if not isinstance(statement, ast.Assign | ast.Delete) or test != LOOSE:
        return
    if any(name.startswith(("test_", "Test")) for name in bound_names(statement)):
        suite.case(LOOSE).skips.append(f"`{spelled(statement)[:60]}`")


def _is_inner(function: Function, test: str) -> bool:
    """Whether a function within a test is a part of it."""
    in_test = test not in ("", LOOSE) and not test.endswith("::")
    return in_test and not function.name.startswith("test")


def _names(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in walk(node))


def _read_function(function: Function, suite: Suite, outer: str, reach: Reach) -> None:
    name = function.name
    owner = outer if outer.endswith("::") else ""
    is_test = name.startswith("test") or name.lower().endswith("_test")
    disabled = not is_test and "test" in name.lower() and _has_checks(function.body)
    if is_test or disabled:
        # A later test of the same name takes the place of an earlier one.
        case = suite.cases[owner + name] = Case(owner + name, function.lineno)
        case.runs = is_test
        if is_test and _yields(function):
            case.skips.append("a yield")
    elif reach.serves(function):
        case = suite.case(owner + LOOSE, function.lineno)
    else:
        return
    case.skips.extend(skip for mark in function.decorator_list if (skip := _skip_mark(mark)))
    for mark in function.decorator_list:
        _read_table(mark, suite, case.name or name)
    _read_body(function.body, suite, case.name, reach)


def _yields(function: Function) -> bool:
    """Whether calling a function only makes a generator."""
    statements = [part for part in function.body if not isinstance(part, Function | ast.ClassDef)]
    return any(isinstance(node, ast.Yield) for part in statements for node in walk(part))


def _has_checks(body: list[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Assert) for part in body for node in walk(part))


def _read_class(definition: ast.ClassDef, suite: Suite, reach: Reach) -> None:
    name = definition.name
    owner = "" if name == "_Piece" else f"{name}::"
    skips = [skip for mark in definition.decorator_list if (skip := _skip_mark(mark))]
    for statement in definition.body:
        if isinstance(statement, Function):
            _read_function(statement, suite, owner, reach)
            if statement.name == "__init__" and name.startswith("Test"):
                skips.append("a class with __init__, which is not collected,")
        elif isinstance(statement, ast.ClassDef):
            _read_class(statement, suite, reach)
        else:
            _read_statement(statement, suite, LOOSE, reach)
    if skips:
        suite.case(owner, definition.lineno).skips.extend(skips)


def _read_statement(statement: ast.stmt, suite: Suite, test: str, reach: Reach) -> None:
    case = suite.case(test, statement.lineno)
    if isinstance(statement, ast.Assert):
        case.assertions.append(_assertion(statement, statement.test, reach))
    elif isinstance(statement, ast.Expr):
        _read_call(statement.value, case, reach)
    elif isinstance(statement, ast.With | ast.AsyncWith):
        _read_with(statement, suite, test, reach)
    elif isinstance(statement, ast.Try):
        _read_body(statement.body, suite, test, reach.unless(_swallowing(statement)))
        for handler in statement.handlers:
            _read_body(handler.body, suite, test, reach)
        _read_body(statement.orelse + statement.finalbody, suite, test, reach)
    elif isinstance(statement, ast.If):
        _read_if(statement, suite, test, reach)
    elif isinstance(statement, ast.For | ast.AsyncFor | ast.While):
        if isinstance(statement, ast.For | ast.AsyncFor):
            _read_rows(statement.iter, suite, test or "loop")
        _read_body(statement.body, suite, test, reach.unless(_never(statement)))
        _read_body(statement.orelse, suite, test, reach)
    elif isinstance(statement, ast.Assign):
        _read_assignment(statement, case)
    elif isinstance(statement, ast.Raise) and "skip" in spelled(statement).lower():
        case.skips.append(spelled(statement))


def _read_if(statement: ast.If, suite: Suite, test: str, reach: Reach) -> None:
    both = all(_has_checks(branch) for branch in (statement.body, statement.orelse))
    inner = (reach if both else reach.only_if(spelled(statement.test))).unless(_never(statement))
    _read_body(statement.body, suite, test, inner)
    _read_body(statement.orelse, suite, test, reach)


NEVER = ("False", "0", "None", "not True", "not __debug__", "__name__ == '__main__'")
"""Conditions that do not hold while tests are collected and run."""


def _never(statement: ast.If | ast.For | ast.AsyncFor | ast.While) -> str:
    """Why the body of a statement is never reached; empty if it may be."""
    if isinstance(statement, ast.If | ast.While):
        never = spelled(statement.test) in NEVER
    else:
        never = spelled(statement.iter) in ("[]", "()", "range(0)", "{}", "''", "set()")
    return "it is never reached" if never else ""


def _read_assignment(statement: ast.Assign, case: Case) -> None:
    targets = {spelled(target) for target in statement.targets}
    if "pytestmark" in targets and (skip := _skip_mark(statement.value)):
        case.skips.append(f"pytestmark = {skip}")
    if "__test__" in targets and spelled(statement.value) == "False":
        case.skips.append("__test__ = False")
    if isinstance(statement.value, ast.Constant):
        case.given |= {(target, repr(statement.value.value)) for target in targets}
    case.inputs.update(
        repr(node.value) for node in walk(statement.value) if isinstance(node, ast.Constant)
    )


def _read_call(value: ast.expr, case: Case, reach: Reach) -> None:
    if isinstance(value, ast.Await):
        value = value.value
    if not isinstance(value, ast.Call):
        return
    called = spelled(value.func)
    method = called.rpartition(".")[2]
    if called in SKIP_CALLS or method == "skipTest":
        case.skips.append(f"{called}()")
    elif method.startswith("assert") or method in ("fail", "assert_that"):
        case.assertions.append(_assertion(value, value, reach))


def _read_with(statement: ast.With | ast.AsyncWith, suite: Suite, test: str, reach: Reach) -> None:
    case = suite.case(test, statement.lineno)
    for item in statement.items:
        called = spelled(item.context_expr)
        if called.startswith(("contextlib.suppress", "suppress(")):
            reach = reach.unless(f"{called} swallows it")
        elif ".raises(" in called or "assertRaises" in called or ".warns(" in called:
            why = "the error is raised in its place" if _raises_itself(statement.body) else ""
            made = _assertion(statement, item.context_expr, reach.unless(why))
            case.assertions.append(made)
    _read_body(statement.body, suite, test, reach)


def _raises_itself(body: list[ast.stmt]) -> bool:
    """Whether statements raise an error without anything of the code under test."""
    if all(isinstance(statement, ast.Raise) for statement in body):
        return True
    return not any(isinstance(node, ast.Name) for part in body for node in walk(part))


def _swallowing(statement: ast.Try) -> str:
    """Why a failed assertion in a `try` does not fail the test; empty if it does."""
    if any(isinstance(last, ast.Return | ast.Break | ast.Continue) for last in statement.finalbody):
        return "a return in the finally swallows it"
    for handler in statement.handlers:
        caught = spelled(handler.type) if handler.type else "everything"
        catches = any(name in caught for name in ("AssertionError", "Exception", "everything"))
        answers = any(
            isinstance(node, ast.Raise | ast.Assert)
            or (isinstance(node, ast.Call) and spelled(node.func).endswith("fail"))
            for part in handler.body
            for node in walk(part)
        )
        if catches and not answers:
            return f"an except for {caught} swallows it"
    return ""


def _skip_mark(mark: ast.expr) -> str:
    for node in walk(mark):
        name = ""
        if isinstance(node, ast.Attribute):
            name = node.attr
        elif isinstance(node, ast.Name):
            name = node.id
        if name in SKIP_NAMES:
            return f"@{spelled(node)}"
    return ""


def _read_table(mark: ast.expr, suite: Suite, test: str) -> None:
    if (
        isinstance(mark, ast.Call)
        and spelled(mark.func).endswith(("parametrize", "expand", "data"))
        and mark.args
    ):
        _read_rows(mark.args[-1], suite, test)


def _read_rows(table: ast.expr, suite: Suite, test: str) -> None:
    if not isinstance(table, ast.List | ast.Tuple | ast.Set):
        return
    rows = [_row(element) for element in table.elts]
    suite.rows.setdefault(test, []).extend(row for row in rows if row)


def _row(element: ast.expr) -> tuple[str, ...]:
    if isinstance(element, ast.Call) and spelled(element.func).endswith("param"):
        marks = [spelled(keyword.value) for keyword in element.keywords if keyword.arg == "marks"]
        return tuple(spelled(part) for part in element.args) + tuple(marks)
    if isinstance(element, ast.Tuple | ast.List):
        return tuple(spelled(part) for part in element.elts)
    return (spelled(element),)


def _assertion(statement: ast.stmt | ast.expr, node: ast.expr, reach: Reach) -> Assertion:
    subject, strength = demand(node)
    text = spelled(node)
    literals = [repr(part.value) for part in walk(node) if isinstance(part, ast.Constant)]
    if subject == RAISES:
        literals.extend(sorted(exceptions(node)))
    return Assertion(
        text=text,
        subject=subject,
        strength=strength,
        literals=tuple(literals),
        shape=NAME.sub(lambda found: found["text"] or "_", text),
        line=statement.lineno,
        idle=reach.idle,
        guard=reach.guard,
        bound=bound(node),
    )


# Exceptions and classes are what is expected, not how the test calls its things.
NAME = re.compile(
    r"""(?x)
    (?P<text> '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*"
      | \b(?:and|as|async|await|else|for|if|in|is|lambda|not|or)\b)
    | (?<![\w.])[^\W\dA-Z]\w*\b(?!=)"""
)
"""The names in a check that its test gives to things, and what only looks like such."""
