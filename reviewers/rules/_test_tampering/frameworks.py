"""What test frameworks of many languages call their tests, skips and checks."""

from __future__ import annotations

import re

from reviewers.rules._test_tampering.suite import (
    CLOSENESS,
    CONTAINMENT,
    EQUALITY,
    INEQUALITY,
    PRESENCE,
    TAUTOLOGY,
    TRUTH,
)

TEST = re.compile(
    r"""(?x)
    (?<![\w.])(?P<mark>x|f)?(?:it|test|specify|scenario)(?P<how>(?:\.\w+)*)\s*\(\s*
        (?P<quote>["'`])(?P<title>[^\n]{1,200}?)(?P=quote)
    | (?<![\w.])(?:it|test)(?:\.\w+)*\.each\([^\n]{0,1000}\)\s*\(\s*
        (?P<each_quote>["'`])(?P<each>[^\n]{1,200}?)(?P=each_quote)
    | ^\s*func\s+(?P<go>Test\w+)\s*\(
    | ^\s*(?:public\s+|private\s+|protected\s+|static\s+|final\s+|async\s+|pub\s+)*
      (?:void|fn|fun|function|Task)\s+(?P<named>\w+)\s*\(
    | ^\s*(?:async\s+)?def\s+(?P<python>\w*test\w*)\s*\(
    | ^\s*x?(?:it|test|specify)\s+(?P<q>["'])(?P<ruby>[^\n]{1,200}?)(?P=q)\s*(?:do|,)
    """
)
SKIP = re.compile(
    r"""(?x)
    \b(?:it|test|describe|context|suite|t|this|ctx)(?:\.\w+)?\.(?:skip|todo|fixme|fails|failing|skipIf|runIf)\b
    | (?<![\w.])x(?:it|describe|test|context|specify)\s*[("']
    | \b(?:skip|todo)\s*:\s*(?:true|["'`])
    | \b[tb]\.Skip(?:f|Now)?\s*\(
    | @(?:Disabled|Ignore|(?:Enabled|Disabled)(?:If|On|For)\w*)\b
    | @Test\([^)\n]*enabled\s*=\s*false | \[(?:Ignore|Skip)\b | \bSkip\s*=\s*"
    | \#\[(?:ignore|should_panic) | \#\[cfg\((?!test\))
    | \#\[cfg_attr\([^\]\n]*\bignore\b | ^//(?:go:build|[ ]\+build)\s
    | \bmarkTest(?:Skipped|Incomplete)\b
    | ^\s*pending\b | ^\s*skip\b
    | @pytest\.mark\.(?:skip|skipif|xfail)\b | \bpytest\.(?:skip|xfail)\(
    | @unittest\.(?:skip|expectedFailure)
    | \bassume(?:True|False|That)?\s*\(\s*(?:false|true)?
    """
)
FOCUS = re.compile(r"\b(?:it|test|describe)\.only\b|(?<![\w.])f(?:it|describe)\s*\(")
CHECK = re.compile(
    r"""(?x)
    (?<![\w.])expect\s*[({.] | (?<![\w.])assert(?:\w*!|[\w.]*)?\s*\( | \bAssert(?:ions)?\.\w+\s*\(
    | \b(?!t\.(?:Run|Parallel|Helper|Log|Logf|Cleanup|Setenv|Chdir|TempDir|Name|Skip\w*)\b)
      (?:require|assert|is|check|t)\.(?:[A-Z]\w+|ok|equal|deepEqual|deepStrictEqual
      |strictEqual|notEqual
      |throws|rejects|match|true|false|is|not|like|notOk)\s*\(
    | \$this->(?:assert|expect)\w+\s*\( | \#\[should_panic | @Test\s*\(\s*expected
    | \bdebug_assert\w*!\s*\( | \bshould\b | ^\s*assert\s | \bself\.assert\w+\s*\(
    """
)
FAIL = re.compile(
    r"""(?x)
    \bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\( | \bpanic!?\s*\( | \bthrow\s
    | \b(?:XCTFail|fail|flunk|ADD_FAILURE|FAIL)\s*\(
    | \b(?:process|os|System|sys)\.[eE]xit\(\s*[1-9]
    """
)
"""What fails a test, so that the condition before it is what the test checks."""

SHELL_FAIL = re.compile(r"(?:^|[;&|{]|\bthen\b)\s*(?:exit|return)\s+[1-9]|\bfail\b|\bdie\b")
SHELL_CHECK = re.compile(r"^\s*(?:!\s*)?(?:(?:diff|cmp|test|\[\[?)\s|grep\s+-\w*q)")
"""Commands by which a shell script that stops at failures checks something."""
STRENGTHS = (
    (
        TRUTH,
        r"toBeTruthy|toBeFalsy|be_truthy|be_falsey|\.ok\(|assert\(|assert!\(|assertTrue|assertFalse|\.True\(|\.False\("
        r"|NoError|\.Error\(|doesNotThrow|not\.toThrow\b",
    ),
    (
        PRESENCE,
        r"toBeDefined|Snapshot\(|be_present|be_an?\(|[nN]otEmpty|\.Empty\(|NotNil|NotNull|notNull|not\.toBeNull|not\.toBeUndefined|anything\("
        r"|is_ok|is_some"
        r"|instanceOf|isInstanceOf|Implements|toBeInstanceOf|instanceof|typeof|IsType",
    ),
    (
        INEQUALITY,
        r"\.not\.|\.(?:not_to|to_not)\b|[nN]otEqual|assert_ne|Greater|Less|isPositive|isNegative|\.(?:Positive|Negative|Zero|NotZero)\(|\s[<>]=?\s|!==",
    ),
    (
        CONTAINMENT,
        r"\.length\b|\blen\(|toHaveLength|toContain|toMatch|\.match\(|includes|[cC]ontains"
        r"|\.Len\(|hasSize|Subset\(|toHaveProperty|toThrow\(\)|Regex|Matches\b|include\("
        r"|any\(|objectContaining|arrayContaining|throws\([^,]*\)|rejects\([^,]*\)",
    ),
    (
        CLOSENESS,
        r"toBeCloseTo|closeTo|InDelta|InEpsilon|approx|ElementsMatch|InAnyOrder",
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
TOLERANT = re.compile(r"^(?:[\w.]+\.)?assert(?:Array)?Equals\(")
"""Checks of an equality whose third argument is how far off a value may be."""

RAISES = re.compile(r"^(?:assert|t|assert_)\.(?:throws|rejects)\(|^assertThrows\(")
RAISED = re.compile(
    r"(?i)^(?:assert\w*\.|assert_?)?(?:throws|raises)\w*|\btoThrow|raise_error|should_panic|expected\s*=\s*\w"
    r"|expectException"
)
"""Checks that something fails, whose words are the names of exceptions."""

ANY_ERROR = re.compile(
    r"(?<!\w)(?:Exception|Throwable|RuntimeException|StandardError|Error)\b(?!\s*\()"
    r"|(?:raise_error|should_panic\]|toThrow\(\)?)\s*$"
)
VOCABULARY = re.compile(
    r"expect|assert\w*|require|should|true|false|null|undefined|nil|not|ok|equal|throws|rejects"
    r"|to[A-Z]\w*|[A-Z]\w*|is|match|resolves|any|anything|approx|in|len|length|eq|be_\w+"
)
"""Names of the frameworks, which say what is checked; other names may change."""

UNEQUAL = re.compile(r"!==?|-ne\b|!\s*[\w.]*(?:[eE]qual|\.eq)|~=")
PART = re.compile(r"!\s*[\w.]*(?:[cC]ontains|includes|has|HasPrefix|[mM]atch)|=~")
ORDER = re.compile(r"[<>]=?|-(?:lt|le|gt|ge)\b")
NOTHING = re.compile(r"\b(?:nil|null|undefined|None)\b|-[zn]\b")


def failing_strength(condition: str) -> int:
    """How much is demanded by a condition on which a test fails."""
    if re.match(r"\(?\s*(?:false|0)\b", condition):
        return TAUTOLOGY
    if NOTHING.search(condition):
        return PRESENCE
    if "&&" in condition and "||" not in condition:
        return INEQUALITY
    if UNEQUAL.search(condition):
        return EQUALITY
    if PART.search(condition):
        return CONTAINMENT
    return INEQUALITY if ORDER.search(condition) else TRUTH
