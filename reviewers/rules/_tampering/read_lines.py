"""Reads test text of other languages, and Python that does not parse, into a `Suite`.

No parser: statements are cut at brackets and line ends, and told apart by what frameworks call
their checks, tests and skips.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
    Suite,
)

MAX_LINES = 20_000
"""Lines that are read; a longer file is cut."""

MAX_LINE = 2_000
"""Characters of a line that are read: longer ones are data or generated."""

MAX_STATEMENT = 4_000
"""Characters of one statement."""

TEST = re.compile(
    r"""(?x)
    (?<![\w.])(?P<mark>x|f)?(?:it|test|specify|scenario)(?P<how>(?:\.\w+)*)\s*\(\s*
        (?P<quote>["'`])(?P<title>[^\n]{1,200}?)(?P=quote)
    | ^\s*func\s+(?P<go>Test\w+)\s*\(
    | ^\s*(?:public\s+|private\s+|protected\s+|static\s+|final\s+|async\s+|pub\s+)*
      (?:void|fn|fun|function|Task)\s+(?P<named>\w+)\s*\(
    | ^\s*(?:async\s+)?def\s+(?P<python>\w*test\w*)\s*\(
    | ^\s*(?:it|test|specify)\s+(?P<q>["'])(?P<ruby>[^\n]{1,200}?)(?P=q)\s*(?:do|,)
    """
)
SKIP = re.compile(
    r"""(?x)
    \b(?:it|test|describe|context|suite|t|this|ctx)\.(?:skip|todo|fixme|fails|failing|skipIf|runIf)\b
    | (?<![\w.])x(?:it|describe|test|context|specify)\s*\(
    | \b(?:skip|todo)\s*:\s*(?:true|["'`])
    | \b[tb]\.Skip(?:f|Now)?\s*\(
    | @(?:Disabled|Ignore)\b | \[(?:Ignore|Skip)\b | \bSkip\s*=\s*"
    | \#\[ignore | \#\[cfg\(any\(\)\)\] | \bmarkTestSkipped\b | \bmarkTestIncomplete\b
    | ^\s*pending\b | ^\s*skip\b
    | @pytest\.mark\.(?:skip|skipif|xfail)\b | \bpytest\.(?:skip|xfail)\(
    | @unittest\.(?:skip|expectedFailure)
    | \bassume(?:True|False|That)?\s*\(\s*(?:false|true)?
    """
)
FOCUS = re.compile(r"\b(?:it|test|describe)\.only\b|(?<![\w.])f(?:it|describe)\s*\(")
CHECK = re.compile(
    r"""(?x)
    (?<![\w.])expect\s*[(.] | (?<![\w.])assert(?:\w*!|[\w.]*)?\s*\( | \bAssert(?:ions)?\.\w+\s*\(
    | \b(?:require|assert|is|check|t)\.(?:[A-Z]\w+|ok|equal|deepEqual|deepStrictEqual
      |strictEqual|notEqual
      |throws|rejects|match|true|false|is|not|like|notOk)\s*\(
    | \bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\( | \$this->assert\w+\s*\(
    | \bdebug_assert\w*!\s*\( | \bshould\b | ^\s*assert\s | \bself\.assert\w+\s*\( | \bpanic!\s*\(
    """
)
STRENGTHS = (
    (
        TRUTH,
        r"toBeTruthy|toBeFalsy|\.ok\(|assert\(|assert!\(|assertTrue|assertFalse|\.True\(|\.False\("
        r"|NoError|doesNotThrow|not\.toThrow\b",
    ),
    (
        PRESENCE,
        r"toBeDefined|NotNil|NotNull|notNull|not\.toBeNull|not\.toBeUndefined|anything\("
        r"|is_ok|is_some"
        r"|instanceOf|toBeInstanceOf|instanceof|typeof|IsType",
    ),
    (INEQUALITY, r"\.not\.|[nN]otEqual|assert_ne|Greater|Less|\s[<>]=?\s|!=="),
    (
        CONTAINMENT,
        r"\.length\b|\blen\(|toHaveLength|toContain|toMatch|\.match\(|includes|[cC]ontains"
        r"|toHaveProperty|toThrow\(\)|Regex"
        r"|any\(|objectContaining|arrayContaining|throws\([^,]*\)|rejects\([^,]*\)",
    ),
    (
        CLOSENESS,
        r"toBeCloseTo|closeTo|InDelta|InEpsilon|approx|assertEquals\([^;]*,[^;]*,\s*[\d.e-]+\s*\)",
    ),
)
COMPILED_STRENGTHS = [(strength, re.compile(pattern)) for strength, pattern in STRENGTHS]
EXACT = re.compile(
    r"toBe\(|toEqual|toStrictEqual|[dD]eepEqual|[sS]trictEqual|assertEquals|assert_eq"
    r"|\.Equal\(|\.equal\("
    r"|toHaveLength|toHaveBeenCalledWith|==="
)
TAUTOLOGIES = re.compile(
    r"""(?x)
    expect\(\s*(?P<a>true|1|false|null|["'`][^"'`]*["'`])\s*\)\.(?:toBe|toEqual|toStrictEqual)\(\s*(?P=a)\s*\)
    | expect\(\s*(?:true|1)\s*\)\.toBeTruthy
    | \bassert(?:\.ok|\.isTrue|True|!|\.True)?\s*\(\s*(?:t\s*,\s*)?(?:true|1)\s*[,)]
    | (?:equal|Equal|strictEqual|deepEqual|assert_eq!|assertEquals|deepStrictEqual)
      \s*\(\s*(?:t\s*,\s*)?
      (?P<b>[\w.]+|["'][^"']*["'])\s*,\s*(?P=b)\s*[,)]
    | \|\|\s*true\b | ^\s*assert\s+(?:True|1)\b
    """
)
RAISES = re.compile(r"^(?:assert|t|assert_)\.(?:throws|rejects)\(|^assertThrows\(")
LITERAL = re.compile(r"""(?x) "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | `(?:[^`\\]|\\.)*`
    | (?<![\w.])-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?n?\b
    | \b(?:true|false|null|undefined|nil|None|True|False)\b""")
COMMENT = re.compile(r"""(?xs)
    (?P<text> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | `(?:[^`\\]|\\.)*` )
    | //[^\n]* | /\*.*?\*/ """)
NAME = re.compile(r"\b[A-Za-z_$][\w$]*\b")
TRY = re.compile(r"\btry\s*\{|\btry:")
EMPTY_CATCH = re.compile(r"\bcatch\b\s*(?:\([^)]*\))?\s*\{(?P<body>[^{}]*)\}")
IMPORT = re.compile(
    r"import\s*\{([^}]*)\}\s*from|(?:const|let"
    r"|var)\s*\{([^}]*)\}\s*=\s*(?:await\s+)?(?:require|import)"
)
DEFINED = re.compile(
    r"^\s*(?:async\s+)?(?:function\s+(\w+)|(?:const|let"
    r"|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:\(|function|\w+\s*=>))",
    re.M,
)
ROW = re.compile(r"^\s*[\[{(](?P<row>[^\[\]{}()]{1,300})[\]})],?\s*$")
ASSIGNED = re.compile(
    r"^\s*(?:export\s+)?(?:const|let|var|final"
    r"|static)?\s*(?P<name>[A-Z][A-Z0-9_]{2,})\s*(?::[^=]+)?=\s*(?P<value>[^=].*?);?\s*$"
)


def read_lines(text: str) -> Suite:
    """What test text of any language checks, as far as its lines tell."""
    text = "\n".join(line[:MAX_LINE] for line in text.splitlines()[:MAX_LINES])
    code = _without_comments(text)
    suite = Suite()
    suite.literals.update(LITERAL.findall(code))
    for match in IMPORT.finditer(code):
        names = (match[1] or match[2]).split(",")
        suite.imports.update(name.split(" as ")[-1].split(":")[-1].strip() for name in names)
    for match in DEFINED.finditer(code):
        suite.defined[match[1] or match[2]] = code.count("\n", 0, match.start()) + 1
    idle = _idle_lines(code)
    lines = code.split("\n")
    _read(lines, suite, idle)
    return suite


def _read(lines: list[str], suite: Suite, idle: dict[int, str]) -> None:
    test = LOOSE
    waiting: list[str] = []
    skip_to = 0
    for number, line in enumerate(lines, 1):
        found = TEST.search(line)
        if found and (name := _name(found, lines, number)):
            test = name
            suite.case(test, number).skips.extend(waiting)
            waiting = []
        skip = SKIP.search(line) or FOCUS.search(line)
        if skip:
            mark = " ".join(skip[0].split()).strip("( ")
            if _stands_before_its_test(line):
                waiting.append(mark)
            else:
                suite.case(test, number).skips.append(mark)
        if row := ROW.match(line):
            literals = tuple(LITERAL.findall(row["row"]))
            if len(literals) > 1:
                suite.rows.setdefault("cases", []).append(literals)
        if constant := ASSIGNED.match(line):
            suite.constants[constant["name"]] = constant["value"]
        if number >= skip_to and CHECK.search(line):
            statement, skip_to = _statement(lines, number - 1)
            case = suite.case(test, number)
            case.assertions.append(_assertion(statement, number, idle.get(number, "")))
    if waiting:
        suite.case(LOOSE).skips.extend(waiting)


def _name(found: re.Match[str], lines: list[str], number: int) -> str:
    name = found["title"] or found["go"] or found["python"] or found["ruby"]
    if name:
        return name
    named = found["named"] or ""
    before = "\n".join(lines[max(0, number - 5) : number])
    marked = (
        "@Test" in before or "#[test]" in before or "[Fact]" in before or "#[tokio::test" in before
    )
    return named if named.lower().startswith("test") or marked else ""


def _stands_before_its_test(line: str) -> bool:
    return line.lstrip().startswith(("@", "#[", "["))


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


def _assertion(statement: str, line: int, idle: str) -> Assertion:
    start = CHECK.search(statement)
    text = " ".join(statement[start.start() if start else 0 :].split()).rstrip("; ")
    literals = tuple(LITERAL.findall(text))
    return Assertion(
        text=text,
        subject=_subject(text),
        strength=_strength(text),
        literals=literals,
        shape=NAME.sub(lambda name: name[0] if _is_vocabulary(name[0]) else "_", text),
        line=line,
        idle=idle,
    )


VOCABULARY = re.compile(
    r"expect|assert|require|should|true|false|null|undefined|nil|not|ok|equal|throws"
    r"|rejects|to[A-Z]\w*"
    r"|[A-Z]\w*|is|match|resolves|any|anything|approx|in|len|length",
    re.I,
)


def _is_vocabulary(name: str) -> bool:
    return VOCABULARY.fullmatch(name) is not None or name.startswith(("assert", "to"))


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
    depth = 0
    for at, letter in enumerate(text):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            return text[:at].strip()
    return text.strip()


def _strength(text: str) -> int:
    if TAUTOLOGIES.search(text):
        return TAUTOLOGY
    bare = LITERAL.sub("0", text)
    if "||" in bare or " or " in bare:
        return TRUTH
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


def _idle_lines(code: str) -> dict[int, str]:
    """Lines whose failures are swallowed or never come about, with the reason."""
    idle = {}
    for start, end, why in _idle_spans(code):
        first = code.count("\n", 0, start) + 1
        for number in range(first, first + code.count("\n", start, end) + 1):
            idle[number] = why
    return idle


def _idle_spans(code: str) -> Iterator[tuple[int, int, str]]:
    for caught in EMPTY_CATCH.finditer(code):
        body = caught["body"]
        if re.search(r"throw|fail|assert|expect|reject|done\(|exit|Error", body):
            continue
        opening = _try_before(code, caught.start())
        if opening is not None:
            yield opening, caught.start(), "an empty catch swallows it"
    for never in re.finditer(r"if\s*\(\s*(?:false|0)\s*\)\s*\{", code):
        end = never.end() + len(_until_closed(code[never.end() : never.end() + 20_000]))
        yield never.end(), end, "it is never reached"


def _try_before(code: str, at: int) -> int | None:
    last = None
    for found in TRY.finditer(code, max(0, at - 20_000), at):
        last = found.end()
    return last
