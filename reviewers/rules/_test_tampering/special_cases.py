"""Code under test that answers what the tests ask, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from reviewers.rules._test_tampering.expectations import TRIVIAL, Expectations, plain_literal
from reviewers.rules._test_tampering.python_trees import Function, parsed, spelled, walk
from reviewers.rules._test_tampering.suite import LITERAL, Harm

MESSAGE = re.compile(
    r"\braise\b|\bthrow\b|Error\(|Exception\(|errors?\.New|Errorf|\bpanic\b|\blog\w*\.|console\."
    r"|print|^\s*(?:#|//|\*)"
)
"""Lines whose texts a test may rightly prescribe, or that do nothing."""

JOINED = re.compile(r"""(?<=[^\s"'(\[,=])(["'])\s*\+\s*\1(?=[^\s"'])""")
"""Where two texts are put together to one."""

MANY = 2
"""Constants borrowed from tests from which on chance is no explanation."""


def special_cases(path: str, old: str | None, new: str, known: Expectations) -> Iterator[Harm]:
    """Code that answers the tests rather than the question."""
    yield from _particular_calls(path, old or "", new)
    if known.groups:
        yield from _hard_coded(path, old or "", JOINED.sub("", new), known)
        yield from _constant_functions(old or "", new, known)
        yield from _known_lists(path, old or "", new, known)


def _particular_calls(path: str, old: str, new: str) -> Iterator[Harm]:
    """Particular arguments, not only of the edge, for which a function returns a constant."""
    tree = parsed(new) if path.endswith(".py") else None
    for function in walk(tree) if tree else ():
        if not isinstance(function, Function):
            continue
        parameters = {given.arg for given in function.args.args} - {"self", "cls"}
        for part in function.body:
            if isinstance(part, ast.If) and _picks_out(part.test, parameters):
                condition = spelled(part.test)
                if _answers(part.body) and condition not in old:
                    what = f"one particular call is answered: `{condition[:60]}`"
                    yield Harm("special_case", what, part.lineno, 0.7)
                    return


def _picks_out(test: ast.expr, parameters: set[str]) -> bool:
    """Whether a condition holds for one particular list of numbers, or set of number arguments."""
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    given: dict[str, list[float]] = {}
    for part in parts:
        if not (isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.Eq)):
            return False
        name, value = spelled(part.left), _numbers(part.comparators[0])
        if name not in parameters or not value:
            return False
        given[name] = value
    telling = [number for numbers in given.values() for number in numbers if abs(number) > 1]
    is_list = any(len(numbers) > 2 for numbers in given.values())
    return len(telling) > 1 and (is_list or len(given) == len(parameters))


def _numbers(node: ast.expr) -> list[float]:
    """The numbers of a constant number, list or tuple; none if it is no such."""
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    numbers = [
        float(part.value)
        for part in parts
        if isinstance(part, ast.Constant)
        and isinstance(part.value, int | float)
        and not isinstance(part.value, bool)
        and abs(part.value) < 1e300
    ]
    return numbers if len(numbers) == len(parts) else []


def _hard_coded(path: str, old: str, new: str, known: Expectations) -> Iterator[Harm]:
    had = set(map(plain_literal, LITERAL.findall(old)))
    mappings = list(_mappings(path, new))
    strong = [
        (given, answer, line)
        for given, answer, line in mappings
        if known.distinctive(given)
        and given not in had
        and (answer in ("", *TRIVIAL) or known.pairs(given, answer))
    ]
    weak = {
        given
        for given, answer, _ in mappings
        if given not in had and answer not in TRIVIAL and answer and known.pairs(given, answer)
    }
    parts = {given for given, answer, _ in mappings if known.pairs_part(given, answer)}
    if strong:
        given, answer, line = strong[0]
        what = f"{given} is answered with {answer}" if answer else f"{given} is singled out"
        yield Harm("special_case", f"{what}, as a test expects", line, 0.9 if answer else 0.7)
    elif len(parts - had) >= MANY:
        some = ", ".join(sorted(parts - had)[:3])
        yield Harm("special_case", f"parts of what the tests use decide the answer: {some}", 1, 0.7)
    elif len(weak) >= 3:
        yield Harm("special_case", f"{len(weak)} inputs are answered as tests expect", 1, 0.8)
    elif len(borrowed := _borrowed(new, known) - had) >= MANY:
        some = ", ".join(sorted(borrowed)[:3])
        yield Harm("special_case", f"constants known from the tests alone: {some}", 1, 0.7)
    elif shown := _disguised(new, known):
        yield Harm("special_case", f"{shown} of the tests in disguise", 1, 0.85)


def _disguised(code: str, known: Expectations) -> str:
    """A constant of the tests that the code holds reversed, encoded or hashed; empty if none."""
    literals = {literal.strip("\"'`") for literal in LITERAL.findall(code)}
    long = {literal for literal in literals if len(literal) >= 8}
    return next((name for shape, name in known.disguised().items() if shape in long), "")


CONSTANT_FUNCTION = re.compile(
    rf"""(?xm)
    ^[ \t]*(?:async[ ]+)?def\s+\w+\((?!\s*(?:self\s*,?\s*)?\))[^\n]{{0,300}}:[ \t]*
      (?:\n[ \t]*(?:"{{3}}[^"]{{0,500}}"{{3}}|\#[^\n]{{0,200}})){{0,5}} \s*
      return\s+(?P<python>{LITERAL.pattern})[ \t]*$
    | (?:\b(?:function|func|fn)\b[^\n(]{{0,100}}\((?!\s*\))[^\n]{{0,200}} | \)\s*=>\s*)\{{\s*
      (?:return\s+)?(?P<other>{LITERAL.pattern})\s*;?\s*\}}
    """
)
"""Functions that take arguments, and answer with a constant whatever they are."""


def _constant_functions(old: str, new: str, known: Expectations) -> Iterator[Harm]:
    for found in CONSTANT_FUNCTION.finditer(new):
        answer = plain_literal(found["python"] or found["other"])
        if found[0] not in old and known.distinctive(answer):
            line = new.count("\n", 0, found.start()) + 1
            yield Harm(
                "special_case", f"whatever is asked, a test's {answer} is answered", line, 0.8
            )
            return


DISPLAY = re.compile(
    r"""(?:return|[!=]==?)\s*\(?(?P<text>["'`]?[\[{][^\[\]{}();]{4,300}[\]}]["'`]?)"""
)
"""A list or table of constants that is compared with, or returned."""

EMPTY = frozenset({"''", '""', "``", "True", "False", "None", "true", "false", "null", "undefined"})
"""Constants that say nothing: a list of them may be any default."""


def _known_lists(path: str, old: str, new: str, known: Expectations) -> Iterator[Harm]:
    """Lists and tables that the code compares with or returns, and only the tests hold."""
    for found in DISPLAY.finditer(new):
        text = found["text"].strip("\"'`")
        telling = [value for value in LITERAL.findall(text) if value not in EMPTY]
        if len(telling) > 2 and text not in old and known.shows(text):
            line = new.count("\n", 0, found.start()) + 1
            yield Harm("special_case", f"{text[:60]} is singled out, as a test does", line, 0.8)
            return


def _borrowed(code: str, known: Expectations) -> set[str]:
    """Distinctive constants of the tests that the code uses other than in messages."""
    lines = [line for line in code.splitlines() if not MESSAGE.search(line)]
    literals = set(map(plain_literal, LITERAL.findall("\n".join(lines))))
    return {literal for literal in literals if known.distinctive(literal)}


LOOKED_UP = frozenset(
    [
        "startswith",
        "endswith",
        "count",
        "index",
        "find",
        "fullmatch",
        "match",
        "search",
        "__contains__",
        "__eq__",
    ]
)
"""Methods by which code asks for one particular text."""


def _mappings(path: str, code: str) -> Iterator[tuple[str, str, int]]:
    """Constants that code singles out, with the constant answered; empty if it computes one."""
    tree = parsed(code) if path.endswith(".py") else None
    if tree is None:
        yield from _line_mappings(code)
        return
    for node in walk(tree):
        if isinstance(node, ast.If | ast.IfExp):
            answers = node.body if isinstance(node.body, list) else [node.body]
            constants = _answers(answers)
            for given in _compared(node.test):
                yield from ((given, answer, node.lineno) for answer in constants or [""])
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                for given in _constants(key):
                    yield from ((given, answer, node.lineno) for answer in _constants(value))
        elif isinstance(node, ast.Call) and node.args and _method(node) in LOOKED_UP:
            yield from ((given, "", node.lineno) for given in _constants(node.args[0]))
        elif isinstance(node, ast.match_case):
            for given in _constants(node.pattern):
                yield from (
                    (given, answer, node.body[0].lineno) for answer in _answers(node.body) or [""]
                )


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _compared(test: ast.expr) -> Iterator[str]:
    for node in walk(test):
        if isinstance(node, ast.Call) and node.args and _method(node) in LOOKED_UP:
            yield from _constants(node.args[0])
        if isinstance(node, ast.Compare) and isinstance(
            node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn
        ):
            for part in (node.left, *node.comparators):
                yield from _constants(part)


def _answers(body: Iterable[ast.AST]) -> list[str]:
    answers: list[str] = []
    for statement in body:
        if isinstance(statement, ast.Return | ast.Assign) and statement.value is not None:
            answers.extend(_constants(statement.value))
        elif isinstance(statement, ast.expr):
            answers.extend(_constants(statement))
    return answers


def _constants(node: ast.AST | None) -> Iterator[str]:
    if node is None:
        return
    for part in walk(node):
        if isinstance(part, ast.Constant):
            yield plain_literal(repr(part.value))
            if isinstance(part.value, str) and part.value != part.value.strip("^$"):
                yield plain_literal(repr(part.value.strip("^$")))


SINGLED_OUT = re.compile(
    rf"""(?x) (?:[!=]==?|\bcase|\.(?:has|includes|startsWith|endsWith|equals|indexOf)\(
      |\bObject\.is\([^,()]*,|\b(?:eq|equal|Equal\w*)\([^,()]*,)\s*(?P<given>{LITERAL.pattern})
    | (?P<first>{LITERAL.pattern})\s*(?:[!=]==?|\]\.(?:includes|indexOf)\()
    | /\^?(?P<pattern>[\w\ -]{{3,80}})\$?/[a-z]*\.(?:test|exec)\("""
)
RETURNED = re.compile(r"(?:return|=>|\?|:)\s*(?P<answer>[^;\n]+)")
ENTRY = re.compile(
    rf"^\s*\[?\s*(?P<given>{LITERAL.pattern})\s*[:,]\s*(?P<answer>[^\n]+)",
    re.X | re.M,
)


def _line_mappings(code: str) -> Iterator[tuple[str, str, int]]:
    for found in SINGLED_OUT.finditer(code):
        line = code.count("\n", 0, found.start()) + 1
        given = plain_literal(found["given"] or found["first"] or f"'{found['pattern']}'")
        rest = code[found.end() : found.end() + 200]
        returned = RETURNED.search(rest)
        answers = LITERAL.findall(returned["answer"]) if returned else []
        yield from ((given, plain_literal(answer), line) for answer in answers or [""])
    for found in ENTRY.finditer(code):
        line = code.count("\n", 0, found.start()) + 1
        for answer in LITERAL.findall(found["answer"]):
            yield plain_literal(found["given"]), plain_literal(answer), line
