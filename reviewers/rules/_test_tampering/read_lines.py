"""Reads test text of other languages, and Python that does not parse, into a `Suite`.

No parser: statements are cut at brackets and line ends, and told apart by what frameworks call
their checks, tests and skips.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from reviewers.rules._test_tampering.blocks import Reached, reached
from reviewers.rules._test_tampering.frameworks import (
    ANY_ERROR,
    CHECK,
    COMPILED_STRENGTHS,
    EXACT,
    FAIL,
    FOCUS,
    RAISED,
    RAISES,
    SHELL_CHECK,
    SHELL_FAIL,
    SKIP,
    TAUTOLOGIES,
    TEST,
    TOLERANT,
    VOCABULARY,
    failing_strength,
)
from reviewers.rules._test_tampering.suite import (
    CLOSENESS,
    EQUALITY,
    FAILS,
    LITERAL,
    LOOSE,
    TAUTOLOGY,
    TRUTH,
    Assertion,
    Suite,
)

MAX_LINES = 20_000
"""Lines that are read; a longer file is cut."""

MAX_LINE = 2_000
"""Characters of a line that are read: longer ones are data or generated."""

MAX_STATEMENT = 4_000
"""Characters of one statement."""

COMMENT = re.compile(r"""(?xs)
    (?P<text> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | `(?:[^`\\]|\\.)*` )
    | //(?!go:build\b|[ ]\+build\b)[^\n]* | /\*.*?\*/ """)
SHELL_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.M)
NAME = re.compile(rf"(?P<literal>{LITERAL.pattern})|(?<![.\w$])(?P<name>[A-Za-z_$][\w$]*)", re.X)
CONDITION = re.compile(r"\b(?:el)?if\b\s*(?P<condition>.*?)\s*(?:\{|;?\s*\bthen\b|:\s*$|$)", re.S)
CALLED = re.compile(r"^\s*(?:\w+\s+){0,2}\w+(?:\s*,\s*\w+)?\s*:?=\s*(?![=])[^\n(]*\(([^\n]*)$")
GIVEN = re.compile(
    rf"(?x)^\s*(?:(?:let|const|var|final|mut|auto|int|String)\s+){{0,2}}(?P<name>\w+)\s*:?=\s*"
    rf"(?P<value>{LITERAL.pattern})\s*;?\s*$"
)
OPERATOR = re.compile(r"[!=<>]=?=?|-(?:eq|ne|lt|le|gt|ge)\b|=~")
EMPTY_CATCH = re.compile(
    r"\.catch\(\s*(?:\(\w*\)|\w+)?\s*(?:=>)?\s*(?:\{\s*\}|null|undefined)?\s*\)"
)
ROW = re.compile(r"^\s*[\[{(](?P<row>[^\[\]{}()]{1,300})[\]})],?\s*$")
INLINE_ROW = re.compile(r"\[([^\[\]]{1,300})\]")
ASSIGNED = re.compile(
    r"^\s*(?:export\s+)?(?:const|let|var|final"
    r"|static)?\s*(?P<name>[A-Z][A-Z0-9_]{2,})\s*(?::[^=]+)?=\s*(?P<value>[^=].*?);?\s*$"
)


def read_lines(text: str, shell: bool = False) -> Suite:
    """What test text of any language checks, as far as its lines tell.

    Args:
        text: A file, or a piece of one.
        shell: Whether it is a shell script, where commands and exit codes are the checks.
    """
    text = "\n".join(line[:MAX_LINE] for line in text.splitlines()[:MAX_LINES])
    code = SHELL_COMMENT.sub("", text) if shell else _without_comments(text)
    suite = Suite()
    suite.literals.update(LITERAL.findall(code))
    _read(code.split("\n"), suite, Reached() if shell else reached(code), shell)
    return suite


@dataclass(frozen=True, slots=True)
class _Line:
    """What one line says by itself.

    Attributes:
        test: The test that begins in it, if any.
        skip: What keeps a test from running; empty without such.
        rows: Rows of a table of cases.
        constant: The constant that it gives a name, with the name.
        inputs: Constants that something is called with.
        given: A name that is given a constant, with the constant.
        fails: Where it fails a test, if it does.
        checks: Whether a check begins in it.
        marks: Whether it belongs to the test that follows.
    """

    test: re.Match[str] | None
    skip: str
    rows: tuple[tuple[str, ...], ...]
    constant: tuple[str, str] | None
    inputs: tuple[str, ...]
    given: tuple[str, str] | None
    fails: re.Match[str] | None
    checks: bool
    marks: bool


# Two versions of a file have most of their lines in common.
@lru_cache(maxsize=4096)
def _line(line: str, shell: bool) -> _Line:
    check, fail = (SHELL_CHECK, SHELL_FAIL) if shell else (CHECK, FAIL)
    skip = SKIP.search(line) or FOCUS.search(line)
    row = ROW.match(line)
    tables = [row["row"]] if row else INLINE_ROW.findall(line) if ".each(" in line else []
    rows = [tuple(map(_quoted, LITERAL.finditer(cells))) for cells in tables]
    constant = ASSIGNED.match(line)
    called = CALLED.search(line)
    given = GIVEN.match(line)
    return _Line(
        test=TEST.search(line),
        skip=" ".join(skip[0].split()).strip("( ") if skip else "",
        rows=tuple(row for row in rows if len(row) > 1),
        constant=(constant["name"], constant["value"]) if constant else None,
        inputs=tuple(LITERAL.findall(called[1])) if called else (),
        given=(given["name"], given["value"]) if given else None,
        fails=fail.search(line),
        checks=check.search(line) is not None,
        marks=line.lstrip().startswith(("@", "#[", "[")),
    )


def _read(lines: list[str], suite: Suite, reach: Reached, shell: bool) -> None:
    test = LOOSE
    skips: list[str] = []
    demanded: list[Assertion] = []
    skip_to = 0
    for number, text in enumerate(lines, 1):
        line = _line(text, shell)
        if line.test and (name := _name(line.test, lines, number)):
            test = name
            suite.case(test, number).skips.extend(skips)
            suite.case(test).assertions.extend(demanded)
            skips, demanded = [], []
        if line.skip:
            (skips if line.marks else suite.case(test, number).skips).append(line.skip)
        if line.rows:
            suite.rows.setdefault("cases", []).extend(line.rows)
        if line.constant:
            suite.constants.update([line.constant])
        if line.inputs:
            suite.case(test).inputs.update(line.inputs)
        if line.given:
            suite.case(test).given.add(line.given)
        if number < skip_to:
            continue
        if line.fails and (made := _failing(lines, number, line.fails, reach)):
            suite.case(test, number).assertions.append(made)
        elif line.checks:
            statement, skip_to = _statement(lines, number - 1)
            made = _assertion(statement, number, reach)
            before_its_test = line.marks and not shell
            (demanded if before_its_test else suite.case(test, number).assertions).append(made)
    suite.case(LOOSE).skips.extend(skips)
    suite.case(LOOSE).assertions.extend(demanded)


def _name(found: re.Match[str], lines: list[str], number: int) -> str:
    name = found["title"] or found["each"] or found["go"] or found["python"] or found["ruby"]
    if name:
        return name
    named = found["named"] or ""
    before = "\n".join(lines[max(0, number - 5) : number])
    marked = (
        "@Test" in before or "#[test]" in before or "[Fact]" in before or "#[tokio::test" in before
    )
    return named if named.lower().startswith("test") or marked else ""


def _statement(lines: list[str], first: int) -> tuple[str, int]:
    """A check from its line to where its brackets close, and the number of the line after it."""
    statement = ""
    for at in range(first, min(first + 40, len(lines))):
        statement += lines[at] + "\n"
        bare = LITERAL.sub("0", statement)
        closed = all(bare.count(a) <= bare.count(b) for a, b in ("()", "[]", "{}"))
        follows = at + 1 < len(lines) and lines[at + 1].lstrip().startswith(".")
        if (closed and not follows) or len(statement) > MAX_STATEMENT:
            return statement, at + 2
    return statement, first + 2


def _assertion(statement: str, line: int, reach: Reached) -> Assertion:
    check = _check(statement)
    return replace(
        check,
        line=line,
        idle=reach.idle.get(line, "") or check.idle,
        guard=reach.guard.get(line, ""),
    )


@lru_cache(maxsize=1024)
def _check(statement: str) -> Assertion:
    """What a check says by itself, wherever it stands."""
    start = CHECK.search(statement)
    place = start.start() if start else 0
    text = " ".join(LITERAL.sub(_quoted, statement[place:]).split()).rstrip("; ")
    literals = tuple(LITERAL.findall(text))
    if RAISED.search(text):
        literals += tuple(re.findall(r"\b[A-Z]\w+", text))
    return Assertion(
        text=text,
        subject=_subject(text),
        strength=_strength(text),
        literals=literals,
        shape=_shape(text),
        idle=_unheard(text, statement[:place]),
    )


def _quoted(literal: re.Match[str]) -> str:
    """A constant with its quotes in one spelling."""
    inner = literal[0][1:-1]
    plain = literal[0][0] in "'`" and not any(mark in inner for mark in ('"', "\\", "${", "\n"))
    return f'"{inner}"' if plain else literal[0]


def _unheard(text: str, before: str) -> str:
    """Why nobody hears of a promise that a check waits for in vain; empty if somebody does."""
    if EMPTY_CATCH.search(text):
        return "an empty catch swallows it"
    if "catch_unwind(" in before:
        return "catch_unwind swallows it"
    promised = re.search(r"\)\.(?:rejects|resolves)\.", text)
    if promised and not re.search(r"\b(?:await|return|yield)\b|=>|[\[(,]\s*$", before):
        return "nothing waits for it"
    return ""


def _shape(text: str) -> str:
    """A check without the names that its test gives to things."""
    return NAME.sub(_without_name, text)


def _without_name(found: re.Match[str]) -> str:
    kept = found["literal"] or VOCABULARY.fullmatch(found["name"])
    return found[0] if kept else "_"


def _failing(
    lines: list[str], number: int, fails: re.Match[str], reach: Reached
) -> Assertion | None:
    """The check that a test makes by failing on a condition; None if it fails in any case."""
    condition = _condition(lines, number, fails.start())
    if not condition:
        return None
    text = f"{FAILS}{condition}"
    return Assertion(
        text=text,
        subject=OPERATOR.split(condition.rpartition(";")[2])[0].strip(' ([!"$'),
        strength=failing_strength(condition),
        literals=tuple(LITERAL.findall(condition)),
        shape=_shape(text),
        line=number,
        idle=reach.idle.get(number, ""),
    )


def _condition(lines: list[str], number: int, end: int) -> str:
    """The condition of the `if` that a place in a line stands in; empty if it stands in none."""
    line = lines[number - 1][:end]
    either = re.match(r"\s*(?P<condition>\S.*?)\s*(?:\|\||&&)\s*[{(]?\s*[^|&]*$", line + " ")
    if either and not CONDITION.search(line):
        return f"not {either['condition']}" if "||" in line else either["condition"]
    before = lines[max(0, number - 4) : number - 1]
    text = "\n".join([*before, line])
    starts = list(re.finditer(r"\b(?:el)?if\b", text))
    if not starts:
        return ""
    inner = text[starts[-1].start() :]
    bare = LITERAL.sub("_", inner)
    if bare.count("}") > bare.count("{") or re.search(r"^\s*(?:fi|end)\b", inner, re.M):
        return ""
    found = CONDITION.match(inner)
    otherwise = "not " if re.search(r"\belse\b", inner) else ""
    return otherwise + " ".join(found["condition"].split()).strip("()") if found else ""


def _inside(text: str) -> str:
    """What stands between the first parentheses."""
    return _until_closed(text[text.find("(") + 1 :]).strip()


def _subject(text: str) -> str:
    """The first argument of the check, which nearly every framework makes its subject."""
    if "(" not in text:
        return text
    inner = _inside(text)
    first = _first_argument(inner)
    if first in ("t", "self"):
        return _first_argument(inner[len(first) + 1 :])
    return first


def _until_closed(text: str) -> str:
    depth = 0
    for at, letter in enumerate(text):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if depth < 0:
            return text[:at]
    return text


def _first_argument(text: str) -> str:
    return _arguments(text)[0]


def _arguments(text: str) -> list[str]:
    """What stands between the commas of a list, those within brackets aside."""
    depth = 0
    parts = [""]
    for letter in text:
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _strength(text: str) -> int:
    if TAUTOLOGIES.search(text):
        return TAUTOLOGY
    bare = LITERAL.sub("0", text)
    if bare.startswith("expect(") and not re.search(r"\.length\b|\btypeof\b", _inside(bare)):
        bare = f"expect(_){bare[len('expect()') + len(_inside(bare)) :]}"
    if "||" in bare or " or " in bare:
        return TRUTH
    if RAISED.search(text) and ANY_ERROR.search(bare):
        return TRUTH
    if TOLERANT.search(bare) and len(_arguments(_inside(bare))) > 2:
        return CLOSENESS
    if RAISES.search(text):
        return CLOSENESS if _first_argument(_inside(text)) != _inside(text) else TRUTH
    for strength, pattern in COMPILED_STRENGTHS[1:]:
        if pattern.search(bare):
            return strength
    if EXACT.search(bare) or "==" in bare:
        return EQUALITY
    return TRUTH if COMPILED_STRENGTHS[0][1].search(bare) else EQUALITY


def _without_comments(code: str) -> str:
    """The code with its comments blanked out, lines kept."""
    return COMMENT.sub(lambda found: found["text"] or "\n" * found[0].count("\n"), code)
