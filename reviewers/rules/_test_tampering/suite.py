"""A test file reduced to what it checks, and what may be taken from it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

EQUALITY, CLOSENESS, CONTAINMENT, INEQUALITY, TRUTH, PRESENCE, TAUTOLOGY = 6, 5, 4, 3, 2, 1, 0
"""How much an assertion demands, from an exact value down to nothing."""

LITERAL = re.compile(
    r""" "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | `(?:[^`\\]|\\.)*`
    | (?<![\w.])-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?n?\b
    | \b(?:true|false|null|undefined|nil|None|True|False)\b""",
    re.X,
)
"""A constant of any language."""

FAILS = "fails if "
"""How a check begins that is made by failing on a condition."""

LOOSE = ""
"""Name of the test that holds what stands outside of any test: the body of a fragment."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """One check.

    Attributes:
        text: The check with its spelling normalised.
        subject: What is checked.
        strength: How much is demanded of it.
        literals: The constants in it, normalised.
        shape: The check without its names, so that renaming leaves it alone.
        line: Line of the text that it begins in, from 1.
        idle: Why a failure of it would not fail the test; empty if it would.
        guard: The condition under which alone it runs; empty if it always does.
        bound: The bound that it sets, the larger the stricter; None if it sets none.
    """

    text: str
    subject: str
    strength: int
    literals: tuple[str, ...] = ()
    shape: str = ""
    line: int = 1
    idle: str = ""
    guard: str = ""
    bound: float | None = None


@dataclass(slots=True)
class Case:
    """One test.

    Attributes:
        name: Its name; `LOOSE` for what stands outside of tests.
        line: Line that it begins in.
        assertions: Its checks.
        skips: What keeps it from running or from counting.
        runs: Whether the runner collects it.
        inputs: Constants that it calls the code under test with.
        given: Names that it gives a constant, with the constant.
    """

    name: str
    line: int = 1
    assertions: list[Assertion] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    runs: bool = True
    inputs: Counter[str] = field(default_factory=Counter)
    given: set[tuple[str, str]] = field(default_factory=set)


@dataclass(slots=True)
class Suite:
    """What a test file, or a piece of one, checks.

    Attributes:
        cases: Its tests by name.
        rows: Rows of its tables of cases (parametrised tests), by table.
        constants: Constants that it assigns to names, as text, by name.
        literals: All its constants, with their counts.
    """

    cases: dict[str, Case] = field(default_factory=dict)
    rows: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    literals: Counter[str] = field(default_factory=Counter)

    def case(self, name: str, line: int = 1) -> Case:
        """The test of that name, made where it is missing."""
        return self.cases.setdefault(name, Case(name, line))

    def assertions(self) -> Iterator[Assertion]:
        """All its checks."""
        for case in self.cases.values():
            yield from case.assertions


@dataclass(frozen=True, slots=True)
class Harm:
    """One way in which a change takes from the tests.

    Attributes:
        kind: `assertion`, `skip`, `test_edit`, …
        what: A plain phrase without the file's name.
        line: Line of the new text (of the old one where something is gone), from 1.
        confidence: 0 to 1.
    """

    kind: str
    what: str
    line: int = 1
    confidence: float = 0.9


def replaced_target(name: str, line: int, confidence: float = 0.9) -> Harm:
    """The harm of a mock in the place of what is tested."""
    what = f"{name}, which the tests are there to test, is replaced"
    return Harm("mock_target", what, line, confidence)
