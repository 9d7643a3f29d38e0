"""Reads Python test text, whole or a piece, into a `Suite`."""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Iterator
from functools import lru_cache

from reviewers.rules._tampering.suite import (
    CLOSENESS,
    CONTAINMENT,
    EQUALITY,
    INEQUALITY,
    LOOSE,
    PRESENCE,
    TAUTOLOGY,
    TRUTH,
    Assertion,
    Case,
    Suite,
)

MAX_PARSED = 400_000
"""Characters up to which Python text is parsed; tests are far smaller."""

Function = ast.FunctionDef | ast.AsyncFunctionDef

SKIP_NAMES = frozenset({"skip", "skipif", "xfail", "skipIf", "skipUnless", "expectedFailure"})
SKIP_CALLS = frozenset(
    {"pytest.skip", "pytest.xfail", "self.skipTest", "pytest.importorskip", "pytest.exit"}
)

METHOD_STRENGTH = {
    "assertEqual": EQUALITY,
    "assertEquals": EQUALITY,
    "assertListEqual": EQUALITY,
    "assertDictEqual": EQUALITY,
    "assertSetEqual": EQUALITY,
    "assertTupleEqual": EQUALITY,
    "assertSequenceEqual": EQUALITY,
    "assertMultiLineEqual": EQUALITY,
    "assertIs": EQUALITY,
    "assertIsNone": EQUALITY,
    "assertCountEqual": CLOSENESS,
    "assertAlmostEqual": CLOSENESS,
    "assert_allclose": CLOSENESS,
    "assert_almost_equal": CLOSENESS,
    "assert_array_almost_equal": CLOSENESS,
    "assertIn": CONTAINMENT,
    "assertNotIn": CONTAINMENT,
    "assertRegex": CONTAINMENT,
    "assertRaisesRegex": EQUALITY,
    "assertRaises": CONTAINMENT,
    "assertGreater": INEQUALITY,
    "assertGreaterEqual": INEQUALITY,
    "assertLess": INEQUALITY,
    "assertLessEqual": INEQUALITY,
    "assertNotEqual": INEQUALITY,
    "assertIsInstance": PRESENCE,
    "assertTrue": TRUTH,
    "assertFalse": TRUTH,
    "assertIsNotNone": PRESENCE,
}
"""What assertion methods demand; one that is not named here counts as equality."""


def parsed(text: str) -> ast.Module | None:
    """The text, or a piece of a file, as a syntax tree; None if it is no Python."""
    if not text.strip() or len(text) > MAX_PARSED:
        return None
    return _parsed(text)


@lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module | None:
    for variant in _variants(text.replace("\x00", "").replace("\r\n", "\n")):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(variant)
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


def read_python(text: str) -> Suite | None:
    """What Python test text checks; None if it cannot be parsed."""
    tree = parsed(text)
    if tree is None:
        return None
    suite = Suite()
    try:
        _read_body(tree.body, suite, LOOSE, idle="")
        _read_module(tree, suite)
    except RecursionError:
        return None
    return suite


def _read_module(tree: ast.Module, suite: Suite) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            suite.literals[repr(node.value)] += 1
        elif isinstance(node, ast.ImportFrom | ast.Import):
            suite.imports.update((name.asname or name.name) for name in node.names)
    for statement in tree.body:
        if isinstance(statement, Function | ast.ClassDef):
            suite.defined[statement.name] = statement.lineno
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and _is_constant(statement.value):
                suite.constants[target.id] = ast.unparse(statement.value)
            if isinstance(statement.value, ast.Lambda) and isinstance(target, ast.Name):
                suite.defined[target.id] = statement.lineno


def _is_constant(node: ast.expr) -> bool:
    return all(
        isinstance(
            part,
            ast.Constant
            | ast.List
            | ast.Tuple
            | ast.Dict
            | ast.Set
            | ast.UnaryOp
            | ast.operator
            | ast.unaryop
            | ast.expr_context
            | ast.BinOp,
        )
        for part in ast.walk(node)
    )


def _read_body(body: list[ast.stmt], suite: Suite, test: str, idle: str) -> None:
    for index, statement in enumerate(body):
        if isinstance(statement, Function):
            _read_function(statement, suite, test)
        elif isinstance(statement, ast.ClassDef):
            _read_class(statement, suite)
        else:
            _read_statement(statement, suite, test, idle)
            if isinstance(statement, ast.Return) and test and index + 1 < len(body):
                idle = idle or "the test returns before it"
        if isinstance(statement, ast.Return) and len(body) == 1 and test == LOOSE:
            suite.case(test).skips.append("a bare return")


def _read_function(function: Function, suite: Suite, outer: str) -> None:
    name = function.name
    owner = outer if outer.endswith("::") else ""
    is_test = name.startswith("test") or name.lower().endswith("_test")
    disabled = not is_test and "test" in name.lower() and _has_checks(function)
    case = suite.case(owner + (name if is_test or disabled else LOOSE), function.lineno)
    if is_test or disabled:
        case.runs = is_test
    case.skips.extend(skip for mark in function.decorator_list if (skip := _skip_mark(mark)))
    for mark in function.decorator_list:
        _read_table(mark, suite, case.name or name)
    _read_body(function.body, suite, case.name, idle="")


def _has_checks(function: Function) -> bool:
    return any(isinstance(node, ast.Assert) for node in ast.walk(function))


def _read_class(definition: ast.ClassDef, suite: Suite) -> None:
    name = definition.name
    owner = "" if name == "_Piece" else f"{name}::"
    skips = [skip for mark in definition.decorator_list if (skip := _skip_mark(mark))]
    if skips:
        suite.case(owner, definition.lineno).skips.extend(skips)
    for statement in definition.body:
        if isinstance(statement, Function):
            _read_function(statement, suite, owner)
        elif isinstance(statement, ast.ClassDef):
            _read_class(statement, suite)
        else:
            _read_statement(statement, suite, LOOSE, "")


def _read_statement(statement: ast.stmt, suite: Suite, test: str, idle: str) -> None:
    case = suite.case(test, statement.lineno)
    if isinstance(statement, ast.Assert):
        case.assertions.append(_assertion(statement, statement.test, idle))
    elif isinstance(statement, ast.Expr):
        _read_call(statement.value, case, idle)
    elif isinstance(statement, ast.With | ast.AsyncWith):
        _read_with(statement, suite, test, idle)
    elif isinstance(statement, ast.Try):
        swallowed = idle or _swallowing(statement)
        _read_body(statement.body, suite, test, swallowed)
        for handler in statement.handlers:
            _read_body(handler.body, suite, test, idle)
        _read_body(statement.orelse + statement.finalbody, suite, test, idle)
    elif isinstance(statement, ast.If):
        never = isinstance(statement.test, ast.Constant) and not statement.test.value
        _read_body(statement.body, suite, test, "it is never reached" if never else idle)
        _read_body(statement.orelse, suite, test, idle)
    elif isinstance(statement, ast.For | ast.AsyncFor | ast.While):
        if isinstance(statement, ast.For | ast.AsyncFor):
            _read_rows(statement.iter, suite, test or "loop")
        _read_body(statement.body + statement.orelse, suite, test, idle)
    elif isinstance(statement, ast.Assign):
        _read_assignment(statement, case)
    elif isinstance(statement, ast.Raise) and "SkipTest" in ast.unparse(statement):
        case.skips.append("raise SkipTest")


def _read_assignment(statement: ast.Assign, case: Case) -> None:
    targets = {ast.unparse(target) for target in statement.targets}
    if "pytestmark" in targets and (skip := _skip_mark(statement.value)):
        case.skips.append(f"pytestmark = {skip}")
    if "__test__" in targets and ast.unparse(statement.value) == "False":
        case.skips.append("__test__ = False")
    for node in ast.walk(statement.value):
        if isinstance(node, ast.Call):
            case.inputs.update(
                repr(arg.value) for arg in node.args if isinstance(arg, ast.Constant)
            )


def _read_call(value: ast.expr, case: Case, idle: str) -> None:
    if isinstance(value, ast.Await):
        value = value.value
    if not isinstance(value, ast.Call):
        return
    called = ast.unparse(value.func)
    method = called.rpartition(".")[2]
    if called in SKIP_CALLS or method == "skipTest":
        case.skips.append(f"{called}()")
    elif method.startswith("assert") or method in ("fail", "assert_that"):
        case.assertions.append(_assertion(value, value, idle))


def _read_with(statement: ast.With | ast.AsyncWith, suite: Suite, test: str, idle: str) -> None:
    case = suite.case(test, statement.lineno)
    for item in statement.items:
        called = ast.unparse(item.context_expr)
        if called.startswith(("contextlib.suppress", "suppress(")):
            idle = idle or f"{called} swallows it"
        elif ".raises(" in called or "assertRaises" in called or ".warns(" in called:
            case.assertions.append(_assertion(statement, item.context_expr, idle))
    _read_body(statement.body, suite, test, idle)


def _swallowing(statement: ast.Try) -> str:
    """Why a failed assertion in a `try` does not fail the test; empty if it does."""
    for handler in statement.handlers:
        caught = ast.unparse(handler.type) if handler.type else "everything"
        catches = any(name in caught for name in ("AssertionError", "Exception", "everything"))
        answers = any(
            isinstance(node, ast.Raise | ast.Assert)
            or (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("fail"))
            for part in handler.body
            for node in ast.walk(part)
        )
        if catches and not answers:
            return f"an except for {caught} swallows it"
    return ""


def _skip_mark(mark: ast.expr) -> str:
    for node in ast.walk(mark):
        name = ""
        if isinstance(node, ast.Attribute):
            name = node.attr
        elif isinstance(node, ast.Name):
            name = node.id
        if name in SKIP_NAMES:
            return f"@{ast.unparse(node)}"
    return ""


def _read_table(mark: ast.expr, suite: Suite, test: str) -> None:
    if (
        isinstance(mark, ast.Call)
        and ast.unparse(mark.func).endswith(("parametrize", "expand", "data"))
        and mark.args
    ):
        _read_rows(mark.args[-1], suite, test)


def _read_rows(table: ast.expr, suite: Suite, test: str) -> None:
    if not isinstance(table, ast.List | ast.Tuple | ast.Set):
        return
    rows = [_row(element) for element in table.elts]
    suite.rows.setdefault(test, []).extend(row for row in rows if row)


def _row(element: ast.expr) -> tuple[str, ...]:
    if isinstance(element, ast.Call) and ast.unparse(element.func).endswith("param"):
        marks = [
            ast.unparse(keyword.value) for keyword in element.keywords if keyword.arg == "marks"
        ]
        return tuple(ast.unparse(part) for part in element.args) + tuple(marks)
    if isinstance(element, ast.Tuple | ast.List):
        return tuple(ast.unparse(part) for part in element.elts)
    return (ast.unparse(element),)


def _assertion(statement: ast.stmt | ast.expr, node: ast.expr, idle: str) -> Assertion:
    subject, strength = _demand(node)
    return Assertion(
        text=ast.unparse(node),
        subject=subject,
        strength=strength,
        literals=tuple(
            repr(part.value) for part in ast.walk(node) if isinstance(part, ast.Constant)
        ),
        shape=ast.dump(_without_names(node)),
        line=statement.lineno,
        idle=idle,
    )


class _Nameless(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.Name:
        # Exceptions and classes are what is expected, not how the test calls its things.
        return node if node.id[:1].isupper() else ast.Name(id="_", ctx=node.ctx)


def _without_names(node: ast.expr) -> ast.expr:
    copy = ast.parse(ast.unparse(node), mode="eval").body
    result = _Nameless().visit(copy)
    assert isinstance(result, ast.expr)
    return result


def _demand(node: ast.expr) -> tuple[str, int]:
    """What is checked, and how much is demanded of it."""
    if isinstance(node, ast.Compare):
        return ast.unparse(node.left), _compare_strength(node)
    if isinstance(node, ast.BoolOp):
        demands = [_demand(value) for value in node.values]
        if isinstance(node.op, ast.And):
            return demands[0][0], max(strength for _, strength in demands)
        tautology = any(strength == TAUTOLOGY for _, strength in demands)
        return demands[0][0], TAUTOLOGY if tautology else TRUTH
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ast.unparse(node.operand), TRUTH
    if isinstance(node, ast.Call):
        return _call_demand(node)
    if isinstance(node, ast.Constant):
        return ast.unparse(node), TAUTOLOGY if node.value else TRUTH
    if isinstance(node, ast.Tuple) and node.elts:
        return ast.unparse(node), TAUTOLOGY
    return ast.unparse(node), TRUTH


def _compare_strength(node: ast.Compare) -> int:
    left, operator, right = node.left, node.ops[0], node.comparators[0]
    same = ast.unparse(left) == ast.unparse(right)
    constant = isinstance(left, ast.Constant) and isinstance(right, ast.Constant)
    if isinstance(operator, ast.Eq | ast.Is | ast.LtE | ast.GtE) and (
        same or (constant and isinstance(operator, ast.Eq))
    ):
        return TAUTOLOGY
    if isinstance(operator, ast.Eq | ast.Is):
        if isinstance(left, ast.Call) and ast.unparse(left.func) == "len":
            return CONTAINMENT
        loose = any(name in ast.unparse(node) for name in ("approx(", "mock.ANY", "round("))
        return CLOSENESS if loose else EQUALITY
    if isinstance(operator, ast.In | ast.NotIn):
        return CONTAINMENT
    if isinstance(operator, ast.GtE) and "len(" in ast.unparse(left) and _is_zero(right):
        return TAUTOLOGY
    if isinstance(operator, ast.IsNot):
        return PRESENCE
    return INEQUALITY


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _call_demand(node: ast.Call) -> tuple[str, int]:
    called = ast.unparse(node.func)
    method = called.rpartition(".")[2]
    arguments = [ast.unparse(arg) for arg in node.args]
    subject = arguments[0] if arguments else called
    if method in ("raises", "warns", "assertRaises", "assertRaisesRegex"):
        return "raises", _raises_strength(node)
    if method in ("assertTrue", "assertFalse") and node.args:
        inner = _demand(node.args[0])
        wanted = method == "assertTrue"
        if isinstance(node.args[0], ast.Constant):
            return subject, TAUTOLOGY if bool(node.args[0].value) is wanted else TRUTH
        return inner if wanted else (inner[0], min(inner[1], CONTAINMENT))
    if len(arguments) > 1 and arguments[0] == arguments[1] and method.endswith("qual"):
        return subject, TAUTOLOGY
    if method.startswith("assert"):
        return subject, METHOD_STRENGTH.get(method, EQUALITY)
    if method in ("isinstance", "hasattr", "callable"):
        return subject, PRESENCE
    if method in ("startswith", "endswith", "any", "all"):
        return called, INEQUALITY
    return called, TRUTH


def _raises_strength(node: ast.Call) -> int:
    if not node.args:
        return TRUTH
    expected = ast.unparse(node.args[0])
    if expected in ("Exception", "BaseException"):
        return TRUTH
    if isinstance(node.args[0], ast.Tuple) and len(node.args[0].elts) > 1:
        return INEQUALITY
    matched = any(keyword.arg == "match" for keyword in node.keywords)
    return EQUALITY if matched or len(node.args) > 1 else CLOSENESS
