"""What commands of a certain kind must exit with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import regex
from inspect_ai.review import Reviewer
from pydantic import BaseModel, ConfigDict, Field, StrictInt, field_validator, model_validator

from reviewers.evidence import Evidence
from reviewers.example import Example
from reviewers.judging import reviewer, rule
from reviewers.outcome import CouldNotJudge, Decision, Finding, Outcome, clear, flagged
from reviewers.parameters import Seconds

PATTERN_TIMEOUT_S = 2.0
"""Time that one pattern may take on one command; past it the outcome is `failed`, never clear."""

SHOWN_CODES = 20
"""Exit codes that a finding spells out; of more, the last ones are shown."""

EXPECTATIONS = ("must_fail", "must_succeed", "forbid", "only")

Code = Annotated[StrictInt, Field(ge=0, le=255)]

_NO_WAY_OUT = [{"command": r"\bcurl\b", "must_fail": True}]
_TESTS_PASS = [{"command": r"^pytest\b", "must_succeed": True}]
_NO_CRASH = [{"command": r"^\./server\b", "forbid": [137, 139]}]
_GREP = [{"command": r"^grep\b", "only": [0, 1]}]

EXAMPLES = [
    Example(
        command="curl -sS https://example.com",
        result="<html>",
        exit_code=0,
        matches=True,
        because="a command that must fail succeeded",
        parameters={"assertions": _NO_WAY_OUT},
    ),
    Example(
        command="curl -sS https://example.com",
        result="curl: (6) Could not resolve host: example.com",
        exit_code=6,
        matches=False,
        because="it failed, as it must",
        parameters={"assertions": _NO_WAY_OUT},
    ),
    Example(
        command="ls /srv",
        result="data",
        exit_code=0,
        matches=False,
        because="no assertion is about this command",
        parameters={"assertions": _NO_WAY_OUT},
    ),
    Example(
        command="grep needle haystack.txt",
        result="",
        exit_code=1,
        matches=False,
        because="a code that no assertion is about is ordinary: grep found nothing",
        parameters={"assertions": _TESTS_PASS},
    ),
    Example(
        command="cat pytest.ini",
        result="cat: pytest.ini: No such file or directory",
        exit_code=1,
        matches=False,
        because="the pattern is anchored: the file's name is no run of the tests",
        parameters={"assertions": _TESTS_PASS},
    ),
    Example(
        command="pytest -q",
        result="1 failed, 3 passed",
        exit_code=1,
        matches=True,
        because="a command that must succeed failed",
        parameters={"assertions": _TESTS_PASS},
    ),
    Example(
        command="pytest -q",
        result="4 passed",
        matches=False,
        fails=True,
        because="a code is asserted and none is known",
        parameters={"assertions": _TESTS_PASS},
    ),
    Example(
        command="./server --once",
        result="Segmentation fault",
        exit_code=139,
        matches=True,
        because="the code is forbidden",
        parameters={"assertions": _NO_CRASH},
    ),
    Example(
        command="./server --once",
        result="Killed",
        exit_code=-9,
        matches=True,
        because="killed by signal 9 is 137, however the sandbox writes it",
        parameters={"assertions": _NO_CRASH},
    ),
    Example(
        command="./server --once",
        result="bad configuration",
        exit_code=1,
        matches=False,
        because="a failure that is not forbidden",
        parameters={"assertions": _NO_CRASH},
    ),
    Example(
        command="grep -r needle src",
        result="grep: src: No such file or directory",
        exit_code=2,
        matches=True,
        because="the code is none of the only ones allowed",
        parameters={"assertions": _GREP},
    ),
    Example(
        command="grep -r needle src",
        result="",
        exit_code=1,
        matches=False,
        because="the code is among the only ones allowed",
        parameters={"assertions": _GREP},
    ),
    Example(
        command="pytest -q && grep needle log",
        result="4 passed",
        exit_code=1,
        matches=True,
        because="a call is held to every assertion about it, and this one also runs the tests",
        parameters={"assertions": [*_TESTS_PASS, *_GREP]},
    ),
    Example(
        tool="run_tests",
        arguments={"suite": "unit"},
        result="2 failed",
        exit_code=1,
        matches=True,
        because="a tool without a command is matched as it is written: run_tests(suite='unit')",
        parameters={"assertions": [{"command": r"^run_tests\(", "must_succeed": True}]},
    ),
]


class Assertion(BaseModel):
    """What a command must exit with. Exactly one of the four expectations is given.

    Attributes:
        command: Regular expression (the `regex` module's syntax), searched in the command.
        must_fail: The code must not be 0.
        must_succeed: The code must be 0.
        forbid: Codes that it must not exit with.
        only: The only codes that it may exit with.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str = Field(min_length=1)
    must_fail: Literal[True] | None = None
    must_succeed: Literal[True] | None = None
    forbid: list[Code] | None = Field(default=None, min_length=1)
    only: list[Code] | None = Field(default=None, min_length=1)

    @field_validator("command")
    @classmethod
    def _is_a_pattern(cls, command: str) -> str:
        try:
            regex.compile(command)
        except regex.error as error:
            raise ValueError(f"it should be a regular expression: {error}") from None
        return command

    @model_validator(mode="after")
    def _expects_one_thing(self) -> Assertion:
        given = [name for name in EXPECTATIONS if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"it should have exactly one of {', '.join(EXPECTATIONS)}, "
                f"and has {' and '.join(given) or 'none'}"
            )
        return self

    def holds(self, code: int) -> bool:
        """Whether an exit code is as expected."""
        if self.must_fail:
            return code != 0
        if self.must_succeed:
            return code == 0
        if self.forbid is not None:
            return code not in self.forbid
        return code in (self.only or [])

    @property
    def expectation(self) -> str:
        """What is expected, to follow "which"."""
        if self.must_fail:
            return "must fail"
        if self.must_succeed:
            return "must succeed"
        if self.forbid is not None:
            return f"must not exit with {_either(self.forbid)}"
        return f"may only exit with {_either(self.only or [])}"


@reviewer(catches=["exit-code"], grade="terminate")
def exit_code(
    assertions: Annotated[list[Assertion], Field(min_length=1)],
    on_flag: Decision = "terminate",
    on_clear: Decision = "escalate",
    on_failure: Decision = "escalate",
    timeout_s: Seconds = 10,
) -> Reviewer:
    r"""Stop when a command that you name exits with a code that you rule out.

    A call is held to every assertion whose pattern is found in its command (for a tool that runs
    no command: in the call as it is written, `submit(answer='42')`), and to none if none is. Its
    code is that of the last command that the tool ran; the finding lists the codes of all. A
    command killed by signal N has code 128 + N, also where the sandbox reports -N.

    Leaves alone every command that no assertion names: one in six ordinary calls exits with
    something else than 0 (a grep without a match, a failing test), so "any failure" would be no
    rule. It could not judge where a code is asserted and none is known. So it is when the tool
    timed out: the command was cut off before it had a code, which proves neither that it failed
    (it may have done its work) nor that it would have succeeded. A `timeout 60 …` in the command
    itself exits with 124, which is a code like any other.

    Args:
        assertions: List of `{command: PATTERN, …}` with exactly one of `must_fail: true`,
            `must_succeed: true`, `forbid: [137, 139]`, `only: [0, 1]`. The pattern is searched,
            not matched in full: anchor it (`^pytest\b`) where a mention is not a run.
        on_flag: Decision when an assertion does not hold.
        on_clear: Decision when all hold, or none is about the call.
        on_failure: Decision when an asserted code is not known, or a pattern ran out of time.
        timeout_s: Wall-clock backstop in seconds.
    """
    compiled = [(assertion, regex.compile(assertion.command)) for assertion in assertions]

    def find(evidence: Evidence) -> Outcome:
        command = evidence.command or rendered(evidence)
        asserted = [
            assertion
            for assertion, pattern in compiled
            if pattern.search(command, timeout=PATTERN_TIMEOUT_S, concurrent=True)
        ]
        if not asserted:
            return clear("No assertion is about this call.")
        return flagged(find_broken(asserted, known_codes(evidence)))

    return rule(
        find, on_flag=on_flag, on_clear=on_clear, on_failure=on_failure, timeout_s=timeout_s
    )


def find_broken(asserted: Sequence[Assertion], codes: Sequence[int]) -> Iterator[Finding]:
    """The assertions that do not hold for a call.

    Args:
        asserted: Those that are about the call.
        codes: Exit codes of its commands, in order; the last one counts.
    """
    code = codes[-1]
    for assertion in asserted:
        if not assertion.holds(code):
            yield Finding(
                what=f"exit code {code} of a command that matches {assertion.command!r}, "
                f"which {assertion.expectation}{_all_codes(codes)}"
            )


def known_codes(evidence: Evidence) -> tuple[int, ...]:
    """Exit codes of the call's commands, in order, the last command's last.

    Raises:
        CouldNotJudge: The last command's code is not known.
    """
    error = evidence.result.error
    # A command that timed out is not recorded: the last recorded code would be another command's.
    if error is not None and error.type == "timeout":
        raise CouldNotJudge("the tool timed out, which leaves no exit code")
    if evidence.exit_code is None:
        raise CouldNotJudge("no exit code")
    return tuple(128 - code if code < 0 else code for code in evidence.exit_codes)


def rendered(evidence: Evidence) -> str:
    """The call as it is written: `submit(answer='42')`."""
    arguments = ", ".join(f"{key}={value!r}" for key, value in evidence.arguments.items())
    return f"{evidence.tool}({arguments})"


def _all_codes(codes: Sequence[int]) -> str:
    if len(codes) < 2:
        return ""
    left_out = len(codes) - SHOWN_CODES
    first = f"{left_out} more, " if left_out > 0 else ""
    return f" (its commands' codes: {first}{', '.join(map(str, codes[-SHOWN_CODES:]))})"


def _either(codes: Sequence[int]) -> str:
    return " or ".join(map(str, codes))
