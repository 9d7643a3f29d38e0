"""What the examples of `exit_code` cannot say."""

from __future__ import annotations

from typing import Any

import pytest

from reviewers.case import case_from_line
from reviewers.rules import exit_code as module
from reviewers.testing import evidence, judge, judge_evidence, reviewer_named, wrong_examples

TESTS_PASS = [module.Assertion(command=r"^pytest\b", must_succeed=True)]


async def test_the_examples_hold() -> None:
    assert await wrong_examples(module) == []


async def test_the_last_code_counts_and_all_are_named() -> None:
    review = await judge(module.exit_code(TESTS_PASS), command="pytest", exit_codes=[0, 3, 1])

    assert review.decision == "terminate"
    assert "Exit code 1" in (review.explanation or "")
    assert "0, 3, 1" in (review.explanation or "")


async def test_an_earlier_failing_command_of_the_call_is_no_failure() -> None:
    review = await judge(module.exit_code(TESTS_PASS), command="pytest", exit_codes=[1, 0])

    assert (review.metadata or {})["outcome"] == "clear"


async def test_hundreds_of_commands_in_one_call_make_no_endless_sentence() -> None:
    codes = [0] * 500 + [1]

    review = await judge(module.exit_code(TESTS_PASS), command="pytest", exit_codes=codes)

    assert "481 more" in (review.explanation or "")
    assert len(review.explanation or "") < 300


@pytest.mark.parametrize("exit_codes", [[], [0]])
async def test_a_tool_that_timed_out_is_not_judged_by_an_earlier_commands_code(
    exit_codes: list[int],
) -> None:
    line = {
        "arguments": {"command": "pytest"},
        "output": "",
        "exit_codes": exit_codes,
        "error": {"type": "timeout", "message": "Command timed out before completing."},
    }

    review = await judge_evidence(module.exit_code(TESTS_PASS), case_from_line(line).evidence)

    assert review.decision == "escalate"
    assert "timed out" in (review.explanation or "")
    assert (review.metadata or {})["outcome"] == "failed"


async def test_no_code_matters_only_where_one_is_asserted() -> None:
    reviewer = module.exit_code(TESTS_PASS)

    asserted = await judge(reviewer, command="pytest")
    other = await judge(reviewer, command="ls")

    assert (asserted.metadata or {})["reason"] == "no exit code"
    assert (other.metadata or {})["outcome"] == "clear"


async def test_every_broken_assertion_is_a_finding() -> None:
    both = [*TESTS_PASS, module.Assertion(command="pytest", only=[0, 5])]

    review = await judge(module.exit_code(both), command="pytest", exit_code=1)

    assert len((review.metadata or {})["findings"]) == 2


async def test_a_pattern_that_does_not_end_in_time_is_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PATTERN_TIMEOUT_S", 0.05)
    endless = module.Assertion(command=r"(a|a)*(a|a)*\d$", must_fail=True)
    reviewer = module.exit_code([endless])

    review = await judge(reviewer, command="a" * 4000 + "!", exit_code=0)

    assert (review.metadata or {})["outcome"] == "failed"
    assert review.decision == "escalate"


async def test_a_command_with_odd_characters_is_read() -> None:
    review = await judge(module.exit_code(TESTS_PASS), command="pytest \x00\ud800\x1b", exit_code=1)

    assert review.decision == "terminate"


def test_a_call_without_a_command_is_matched_as_it_is_written() -> None:
    call = evidence(tool="submit", arguments={"answer": "it's 42", "n": 1})

    assert module.rendered(call) == 'submit(answer="it\'s 42", n=1)'


@pytest.mark.parametrize(
    ("assertions", "says"),
    [
        ([], "assertions is []"),
        ([{"command": "ls"}], "exactly one of must_fail, must_succeed, forbid, only, and has none"),
        ([{"command": "ls", "must_fail": True, "only": [1]}], "has must_fail and only"),
        ([{"command": "(ls", "must_fail": True}], "should be a regular expression"),
        ([{"command": "ls", "must_fail": False}], "must_fail"),
        ([{"command": "ls", "forbid": []}], "forbid"),
        ([{"command": "ls", "forbid": [999]}], "less than or equal to 255"),
        ([{"command": "ls", "only": [True]}], "only"),
        ([{"command": "ls", "must_pass": True}], "must_pass"),
        ([{"must_fail": True}], "command"),
    ],
)
def test_a_wrong_assertion_is_refused_when_the_policy_loads(assertions: Any, says: str) -> None:
    with pytest.raises(Exception, match="exit_code") as refused:
        reviewer_named("reviewers/exit_code", assertions=assertions)

    assert says in str(refused.value)
