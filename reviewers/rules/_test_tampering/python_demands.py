"""What one Python assertion checks, and how much it demands."""

from __future__ import annotations

import ast
import re

from reviewers.rules._test_tampering.python_trees import spelled, walk
from reviewers.rules._test_tampering.suite import (
    CLOSENESS,
    CONTAINMENT,
    EQUALITY,
    INEQUALITY,
    PRESENCE,
    TAUTOLOGY,
    TRUTH,
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


LOOSE_VALUE = re.compile(r"approx\(|mock\.ANY|round\(")
"""What makes an equality hold for more than one value."""

RAISES = "raises"
"""Subject of the checks that something fails."""


def exceptions(node: ast.expr) -> set[str]:
    """The exceptions that a check names."""
    return {part.id for part in walk(node) if isinstance(part, ast.Name) and part.id[:1].isupper()}


def bound(node: ast.expr) -> float | None:
    """The bound or tolerance that an assertion sets, the larger the stricter."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        limit = _number(node.comparators[0])
        if isinstance(node.ops[0], ast.Lt | ast.LtE):
            return None if limit is None else -limit
        if isinstance(node.ops[0], ast.Gt | ast.GtE):
            return limit
    for part in walk(node):
        if isinstance(part, ast.keyword) and (limit := _number(part.value)) is not None:
            if part.arg in ("rel", "abs", "delta", "rtol", "atol", "rel_tol", "abs_tol"):
                return -limit
            if part.arg == "places":
                return limit
    return None


def _number(node: ast.expr) -> float | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e300 else None


def demand(node: ast.expr) -> tuple[str, int]:
    """What is checked, and how much is demanded of it."""
    if isinstance(node, ast.Compare):
        return spelled(node.left), _compare_strength(node)
    if isinstance(node, ast.BoolOp):
        demands = [demand(value) for value in node.values]
        if isinstance(node.op, ast.And):
            return demands[0][0], max(strength for _, strength in demands)
        tautology = any(strength == TAUTOLOGY for _, strength in demands)
        return demands[0][0], TAUTOLOGY if tautology else TRUTH
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return spelled(node.operand), TRUTH
    if isinstance(node, ast.Call):
        return _call_demand(node)
    if isinstance(node, ast.Constant):
        return spelled(node), TAUTOLOGY if node.value else TRUTH
    if isinstance(node, ast.Tuple) and node.elts:
        return spelled(node), TAUTOLOGY
    return spelled(node), TRUTH


def _compare_strength(node: ast.Compare) -> int:
    left, operator, right = node.left, node.ops[0], node.comparators[0]
    same = spelled(left) == spelled(right)
    constant = isinstance(left, ast.Constant) and isinstance(right, ast.Constant)
    if isinstance(operator, ast.Eq | ast.Is | ast.LtE | ast.GtE) and (
        same or (constant and isinstance(operator, ast.Eq))
    ):
        return TAUTOLOGY
    if isinstance(operator, ast.Eq | ast.Is):
        if isinstance(left, ast.Call) and spelled(left.func) == "len":
            return CONTAINMENT
        return CLOSENESS if LOOSE_VALUE.search(spelled(node)) else EQUALITY
    if isinstance(operator, ast.In | ast.NotIn):
        return CONTAINMENT
    if isinstance(operator, ast.GtE) and "len(" in spelled(left) and _is_zero(right):
        return TAUTOLOGY
    if isinstance(operator, ast.IsNot):
        return PRESENCE
    return INEQUALITY


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _call_demand(node: ast.Call) -> tuple[str, int]:
    called = spelled(node.func)
    method = called.rpartition(".")[2]
    arguments = [spelled(arg) for arg in node.args]
    subject = arguments[0] if arguments else called
    if method in ("raises", "warns", "assertRaises", "assertRaisesRegex"):
        return RAISES, _raises_strength(node)
    if method in ("assertTrue", "assertFalse") and node.args:
        inner = demand(node.args[0])
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
    expected = spelled(node.args[0])
    if expected in ("Exception", "BaseException"):
        return TRUTH
    if isinstance(node.args[0], ast.Tuple) and len(node.args[0].elts) > 1:
        return INEQUALITY
    matched = any(keyword.arg == "match" for keyword in node.keywords)
    return EQUALITY if matched or len(node.args) > 1 else CLOSENESS
