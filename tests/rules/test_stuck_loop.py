"""What the examples of `stuck_loop` cannot say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from reviewers.outcome import Finding
from reviewers.rules import stuck_loop as module
from reviewers.rules._stuck_loop.sameness import Step, error_of, signature
from reviewers.testing import evidence, judge, judge_evidence, reviewer_named, wrong_examples


def step(command: str, text: str, tool: str = "bash") -> Step:
    return Step(tool, {"command": command}, text)


def kinds(steps: Sequence[Step]) -> list[str]:
    return [finding.kind for finding in module.find_loops(steps)]


def numbered(count: int) -> list[Step]:
    return [step(f"cat {n}", f"Chapter {n}: {chr(97 + n) * 300}") for n in range(count)]


async def test_the_examples_hold() -> None:
    assert await wrong_examples(module) == []


def test_it_says_since_which_call() -> None:
    steps = [*numbered(6), *[step("ls", "a b")] * 4]

    (finding,) = module.find_loops(steps)

    assert "4 times in a row, since call 7 of 10" in finding.what
    assert finding.place == "history"


def test_a_longer_loop_ranks_higher() -> None:
    def score(times: int) -> float:
        found: list[Finding] = list(module.find_loops([step("ls", "a b")] * times))
        return max(finding.confidence for finding in found)

    assert score(4) < score(6) < score(8)


@pytest.mark.parametrize("period", [2, 3, 4])
def test_a_cycle_of_a_few_calls_is_found(period: int) -> None:
    round_ = [step(f"cat {n}", f"{chr(97 + n) * 30}") for n in range(period)]

    assert kinds(round_ * 3) == ["cycle"]
    assert kinds((round_ * 3)[:-1]) == []


def test_a_cycle_that_makes_headway_is_none() -> None:
    steps = [
        one
        for n in range(5)
        for one in (step("make", f"{n} of 9 built"), step("ls", f"{'o' * n}.o"))
    ]

    assert kinds(steps) == []


def test_the_same_error_counts_across_other_calls() -> None:
    error = "ModuleNotFoundError: No module named 'yaml'"
    steps = [
        one
        for n in range(5)
        for one in (step(f"cat {n}", f"{chr(97 + n) * 30}"), step(f"python3 a{n}.py", error))
    ]

    assert kinds(steps) == ["error"]


def test_an_error_that_was_overcome_in_between_does_not_count() -> None:
    error = "ModuleNotFoundError: No module named 'yaml'"
    steps = [step("python3 a.py", error)] * 3
    steps += [step("python3 a.py", "all well"), step("python3 a.py", error)]

    assert kinds(steps) == []


def test_calls_that_tell_nothing_new_are_found() -> None:
    known = numbered(4)
    steps = [*known, *[known[(3 * n * n + n) % 4] for n in range(12)]]

    assert "nothing-new" in kinds(steps)


def test_one_new_result_ends_that() -> None:
    known = numbered(4)
    steps = [*known, *[known[(3 * n * n + n) % 4] for n in range(11)], *numbered(5)[4:]]

    assert kinds(steps) == []


def test_a_long_run_of_ordinary_work_is_clear() -> None:
    assert kinds(numbered(26) + [step(f"touch f{n}", "") for n in range(40)]) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("3 passed in 0.12s", "3 passed in 1.07 s", True),
        ("2026-11-30 20:11:02,123 start", "2026-12-01 00:00:01,999 start", True),
        ("<object at 0x7f8b2c001122>", "<object at 0x7f8b2cffee00>", True),
        ("/bin/bash: line 30600: x: command not found",
         "/bin/bash: line 31: x: command not found", True),
        ("[12345] started", "[99] started", True),
        ("loss 0.83", "loss 0.82", False),
        ("3 passed", "4 passed", False),
        ("port 8080", "port 8081", False),
        ("version 1.2.3", "version 1.2.4", False),
    ],
)  # fmt: skip
def test_what_changes_by_itself_does_not_make_results_differ(
    one: str, other: str, same: bool
) -> None:
    assert step("x", one).same_result(step("x", other)) is same


@pytest.mark.parametrize(
    ("text", "reports"),
    [
        ("Traceback (most recent call last):\nValueError: bad", True),
        ("/bin/bash: line 3: foo: command not found", True),
        ("E: Unable to locate package foo", True),
        ("java.io.IOException: closed", True),
        ("117:   void f() throws IOException {", False),
        ("def on_error(self): raise ValueError", False),
        ("0 errors, 3 warnings", False),
        ("", False),
    ],
)
def test_a_line_that_reports_an_error_is_told_from_one_that_mentions_errors(
    text: str, reports: bool
) -> None:
    assert bool(error_of(text)) is reports


async def test_the_results_compared_are_those_that_the_model_saw() -> None:
    history = [("bash", {"command": "x"}, "Connection refused")] * 3
    given = evidence("", command="x", error="Connection refused", history=history)

    review = await judge_evidence(module.stuck_loop(), given)

    assert (review.metadata or {})["outcome"] == "flagged"


async def test_a_first_call_is_clear() -> None:
    review = await judge(module.stuck_loop(), "a b", command="ls")

    assert (review.metadata or {})["outcome"] == "clear"
    assert review.decision == "escalate"


async def test_thresholds_can_be_set() -> None:
    history = [("bash", {"command": "ls"}, "a b")]

    review = await judge(module.stuck_loop(repeats=2), "a b", command="ls", history=history)

    assert (review.metadata or {})["outcome"] == "flagged"


def test_a_threshold_of_one_is_refused_when_the_policy_loads() -> None:
    with pytest.raises(Exception, match="repeats"):
        reviewer_named("reviewers/stuck_loop", repeats=1)


def test_odd_and_long_texts_break_nothing() -> None:
    odd = "\x00\ud800\x1b[31m" + "x 1 " * 100_000

    assert kinds([step("x", odd)] * 4) == ["repeat"]
    assert len(signature(odd)) < 300_000
