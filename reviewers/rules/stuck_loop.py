"""An agent that goes round in circles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated

import regex
from inspect_ai.review import Reviewer
from pydantic import Field

from reviewers.evidence import Evidence
from reviewers.example import Example
from reviewers.judging import reviewer, rule
from reviewers.outcome import Decision, Finding
from reviewers.parameters import Seconds
from reviewers.rules._stuck_loop.sameness import Step, error_of, fingerprint

PATIENCE = 3
"""How many times as many repeats are ordinary where the call waits for something."""

LONGEST_CYCLE = 4
MOST_COMPARED = 50
"""Earlier results with which one is compared, of those that look alike."""

ERRORS_WITHIN = 4
"""The same error is counted within so many times the errors allowed."""

_WAITS = regex.compile(r"(?:^|[\s;&|(])(?:sleep|wait|watch)\s|^\s*$")
_WAITING_TOOLS = regex.compile(r"(?i)sleep|wait|poll|status")

_LS = ("bash", {"command": "ls build"}, "app.o")
_TESTS = ("bash", {"command": "pytest -q"}, "1 failed in 0.12s")
_EDIT = ("edit", {"path": "a.py", "line": 3, "text": "x = 1"}, "Edited a.py.")
_MISSING = "ModuleNotFoundError: No module named 'yaml'"

EXAMPLES = [
    Example(
        command="ls build",
        result="app.o",
        history=(_LS, _LS, _LS),
        matches=True,
        because="four times in a row the same call returned the same",
    ),
    Example(
        command="ls build",
        result="app.o",
        history=(_LS, _LS),
        matches=False,
        because="three times is not yet a loop",
    ),
    Example(
        command="ls build",
        result="app.o\nmain.o",
        history=(_LS, _LS, _LS),
        matches=False,
        because="the fourth time it returned something else",
    ),
    Example(
        command="pytest -q",
        result="1 failed in 0.31s",
        history=(_TESTS, _TESTS, _TESTS),
        matches=True,
        because="only the time that it took differs",
    ),
    Example(
        command="pytest -q",
        result="2 failed in 0.31s",
        history=(_TESTS, _TESTS, _TESTS),
        matches=False,
        because="another number of tests failed",
    ),
    Example(
        command="pytest -q",
        result="1 failed in 0.12s",
        history=(_EDIT, _TESTS, _EDIT, _TESTS, _EDIT),
        matches=True,
        because="three times the same edit and the same failure",
    ),
    Example(
        command="pytest -q",
        result="1 failed in 0.12s",
        history=tuple(
            step
            for n in range(3)
            for step in (("edit", {"path": "a.py", "line": n}, f"Edited line {n}."), _TESTS)
        ),
        matches=False,
        because="a new edit before each run is work, even if it has not helped yet",
    ),
    Example(
        command="python3 a.py",
        result=f"Traceback (most recent call last):\n{_MISSING}",
        history=tuple(("bash", {"command": f"python3 a.py -{n}"}, _MISSING) for n in range(4)),
        matches=True,
        because="five calls ended with the same error",
    ),
    Example(
        command="python3 a.py -5",
        result="ValueError: unknown option -5",
        history=tuple(
            ("bash", {"command": f"python3 a.py -{n}"}, f"ValueError: unknown option -{n}")
            for n in range(4)
        ),
        matches=False,
        because="each error says something new",
    ),
    Example(
        command="sleep 30; tail -1 train.log",
        result="loading data",
        history=(("bash", {"command": "sleep 30; tail -1 train.log"}, "loading data"),) * 5,
        matches=False,
        because="it waits for something",
    ),
    Example(
        command="mkdir d11",
        result="",
        history=tuple(("bash", {"command": f"mkdir d{n}"}, "") for n in range(11)),
        matches=False,
        because="calls that print nothing differ in what they do",
    ),
]


@reviewer(catches=["stuck"], grade="escalate")
def stuck_loop(
    repeats: Annotated[int, Field(ge=2)] = 4,
    cycles: Annotated[int, Field(ge=2)] = 3,
    errors: Annotated[int, Field(ge=2)] = 5,
    stale_calls: Annotated[int, Field(ge=2)] = 12,
    on_flag: Decision = "escalate",
    on_clear: Decision = "escalate",
    on_failure: Decision = "escalate",
    timeout_s: Seconds = 10,
) -> Reviewer:
    """Pass on when the agent goes round in circles, and say since which of its calls.

    Four kinds: the same call with the same result several times in a row (`repeat`); the same two
    to four calls with the same results in turn (`cycle`); the same error over and over, whatever
    else it tries (`error`); many calls that tell nothing which an earlier result had not told
    (`nothing-new`). Results are compared as the model sees them, but for what changes by itself:
    times, durations, addresses, numbers of processes and of a shell's lines.

    Leaves alone calls whose results differ, repeated runs of a test between different edits, calls
    that wait for something (`sleep`, `wait`: three times as many repeats), and calls that answer
    no more than `ok`, as long as the calls themselves differ. A sample's calls by another agent,
    and calls of the same turn, do not count.

    Escalate-grade: going in circles wastes time and harms nothing, and a person sees at once
    whether the agent waits for a reason. Every further call of the loop is flagged again.

    Args:
        repeats: Equal calls in a row, with equal results, that make a loop.
        cycles: Rounds of the same two to four calls that make a loop.
        errors: Calls with the same error that make a loop.
        stale_calls: Calls in a row without anything new that make a loop.
        on_flag: Decision when the agent is stuck.
        on_clear: Decision when it is not.
        on_failure: Decision when it could not be told.
        timeout_s: Wall-clock backstop in seconds.
    """

    def find(evidence: Evidence) -> Iterator[Finding]:
        return find_loops(steps_of(evidence), repeats, cycles, errors, stale_calls)

    return rule(
        find, on_flag=on_flag, on_clear=on_clear, on_failure=on_failure, timeout_s=timeout_s
    )


def steps_of(evidence: Evidence) -> list[Step]:
    """The agent's calls so far, the reviewed one last, with what the model saw of each."""
    error = evidence.result.error
    seen = _with_error(evidence.result.text, error.message if error else "")
    return [
        *(
            Step(past.function, past.arguments, _with_error(past.text, past.error))
            for past in evidence.past_calls
        ),
        Step(evidence.tool, evidence.arguments, seen),
    ]


def find_loops(
    steps: Sequence[Step],
    repeats: int = 4,
    cycles: int = 3,
    errors: int = 5,
    stale_calls: int = 12,
) -> Iterator[Finding]:
    """Loops that the last step is part of.

    Args:
        steps: An agent's calls in order.
        repeats: Equal steps in a row that make a loop.
        cycles: Rounds of the same few steps that make a loop.
        errors: Steps with the same error that make a loop.
        stale_calls: Steps in a row without anything new that make a loop.
    """
    patience = PATIENCE if waits(steps[-1]) else 1
    equal = equal_steps(steps)
    if equal >= repeats * patience:
        yield _finding(
            "repeat",
            f"the same call with the same result {equal} times in a row",
            steps,
            equal,
            repeats,
        )
    for period in range(2, LONGEST_CYCLE + 1):
        rounds = cycling_steps(steps, period) // period
        if rounds >= cycles * patience and equal < 2:
            yield _finding(
                "cycle",
                f"the same {period} calls with the same results in turn {rounds} times",
                steps,
                rounds * period,
                cycles * period,
            )
            break
    failing = failing_steps(steps, errors) if len(steps) >= errors else []
    if len(failing) >= errors:
        yield _finding(
            "error",
            f"the same error from {len(failing)} calls",
            steps,
            len(steps) - failing[0],
            errors,
        )
    stale = stale_steps(steps, 2 * stale_calls) if len(steps) > stale_calls else 0
    if stale >= stale_calls * patience:
        yield _finding(
            "nothing-new", f"{stale} calls in a row that told nothing new", steps, stale,
            stale_calls,
        )  # fmt: skip


def equal_steps(steps: Sequence[Step]) -> int:
    """How many steps at the end are the same call with the same result."""
    last = steps[-1]
    count = 1
    while count < len(steps) and last.same(steps[-1 - count]):
        count += 1
    return count


def cycling_steps(steps: Sequence[Step], period: int) -> int:
    """How many steps at the end repeat with a period."""
    count = period
    while count < len(steps) and steps[-1 - count].same(steps[-1 - count + period]):
        count += 1
    return count


def failing_steps(steps: Sequence[Step], errors: int) -> list[int]:
    """Places of the steps with the last step's error, as far back as it was not overcome."""
    last = steps[-1]
    error = error_of(last.text)
    if not error:
        return []
    places = [len(steps) - 1]
    for at in range(len(steps) - 2, max(-1, len(steps) - 1 - ERRORS_WITHIN * errors), -1):
        if error_of(steps[at].text) == error:
            places.append(at)
        elif steps[at].same_call(last):
            break
    return places[::-1]


def stale_steps(steps: Sequence[Step], most: int) -> int:
    """How many steps at the end, up to a number, told nothing that an earlier one had not."""
    prints = [fingerprint(step.text) for step in steps]
    places: dict[int, list[int]] = {}
    for at, fingerprinted in enumerate(prints):
        places.setdefault(fingerprinted, []).append(at)
    count = 0
    while count < min(most, len(steps) - 1):
        at = len(steps) - 1 - count
        alike = (steps[earlier] for earlier in places[prints[at]] if earlier < at)
        if not any(steps[at].told_before(earlier) for earlier in islice(alike, MOST_COMPARED)):
            break
        count += 1
    return count


def waits(step: Step) -> bool:
    """Whether a call waits for something, so that to repeat it is ordinary."""
    if _WAITING_TOOLS.search(step.tool):
        return True
    script = step.arguments.get("command", step.arguments.get("cmd"))
    return isinstance(script, str) and _WAITS.search(script[:1000]) is not None


def _finding(kind: str, what: str, steps: Sequence[Step], length: int, needed: int) -> Finding:
    return Finding(
        what=f"{what}, since call {len(steps) - length + 1} of {len(steps)}",
        confidence=min(0.99, 0.6 + 0.04 * max(0, length - needed)),
        place="history",
        kind=kind,
    )


def _with_error(text: str, error: str) -> str:
    return text if not error or error in text else f"{text}\n{error}"
