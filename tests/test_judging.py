"""Our `@reviewer`: names, parameters that are checked, and what a reviewer does with an outcome."""

from __future__ import annotations

import inspect
import subprocess
import sys
import time
from typing import Any

import anyio
import pytest
from inspect_ai.review import Reviewer

from reviewers.evidence import Earlier, Evidence
from reviewers.judging import JudgingReviewer, reviewer, rule
from reviewers.outcome import CouldNotJudge, Decision, Finding, Outcome, ReviewersError
from reviewers.rules.pattern import pattern
from reviewers.testing import evidence, judge, reviewer_named


@reviewer(catches=["network"], grade="escalate")
def sample_rule(word: str = "bad", on_flag: Decision = "escalate") -> Reviewer:
    """Pass on results that hold a word."""

    def find(given: Evidence) -> list[Finding]:
        at = given.text.find(word)
        return [] if at < 0 else [Finding(f"the word {word!r}", at, at + len(word))]

    return rule(find, on_flag=on_flag)


def test_docstring_and_signature_are_kept() -> None:
    assert sample_rule.__doc__ == "Pass on results that hold a word."
    assert list(inspect.signature(sample_rule).parameters) == ["word", "on_flag"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"denny": ["x"]}, "there is no parameter 'denny'. Did you mean 'deny'?"),
        ({}, "the parameter 'deny' is missing."),
        ({"deny": "x"}, "deny is 'x'; input should be a valid list."),
        (
            {"deny": ["x"], "on_flag": "stop"},
            "on_flag is 'stop'; input should be 'continue', 'terminate' or 'escalate'.",
        ),
        ({"deny": ["("]}, "deny has '('"),
    ],
)
def test_a_wrong_parameter_is_refused_in_one_sentence_when_the_policy_loads(
    given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ReviewersError) as error:
        reviewer_named("reviewers/pattern", **given)

    assert str(error.value).startswith("reviewers/pattern: ")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_a_parameter_may_not_have_a_name_that_policies_use() -> None:
    with pytest.raises(TypeError, match="cannot be called 'tools'"):

        @reviewer
        def wrong(tools: str) -> Reviewer:
            raise AssertionError


def test_a_decision_that_there_is_not_is_refused_when_a_rule_is_made() -> None:
    with pytest.raises(ReviewersError, match="on_flag is 'stop'; it should be one of continue"):
        rule(lambda evidence: [], on_flag="stop")  # type: ignore[arg-type]


async def test_two_uses_of_a_rule_are_told_apart_by_their_parameters() -> None:
    first = await judge(pattern(deny=["a"]))
    same = await judge(pattern(deny=["a"], on_clear="escalate"))
    other = await judge(pattern(deny=["b"]))

    hashes = [(review.metadata or {})["parameters_hash"] for review in (first, same, other)]
    assert hashes[0] == hashes[1] != hashes[2]


async def test_a_review_says_all_that_the_log_needs() -> None:
    review = await judge(sample_rule(), "a bad thing")

    assert review.decision == "escalate"
    assert review.explanation == "The word 'bad'."
    assert set(review.metadata or {}) == {
        "outcome",
        "score",
        "findings",
        "usage",
        "seconds",
        "version",
        "parameters_hash",
    }


async def test_a_detector_that_lacks_its_evidence_has_failed_and_says_so() -> None:
    def find(given: Evidence) -> list[Finding]:
        raise CouldNotJudge("no target")

    review = await judge(rule(find, on_failure="terminate"))

    assert review.decision == "terminate"
    assert (review.metadata or {})["reason"] == "no target"


async def test_a_detector_that_breaks_has_failed_and_is_not_clear() -> None:
    def find(given: Evidence) -> list[Finding]:
        raise RecursionError

    review = await judge(rule(find))

    assert (review.metadata or {})["outcome"] == "failed"
    assert review.decision == "escalate"


async def test_a_slow_detector_is_cut_off_and_has_failed() -> None:
    async def slow(given: Evidence) -> Outcome:
        await anyio.sleep(60)
        raise AssertionError

    outcome = await JudgingReviewer(slow, lambda o: "escalate", timeout_s=0.05).judge(evidence())

    assert outcome.state == "failed"
    assert outcome.reason == "timed out"


async def test_a_large_result_is_searched_off_the_event_loop() -> None:
    def find(given: Evidence) -> list[Finding]:
        time.sleep(0.3)
        return []

    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await anyio.sleep(0.01)
            ticks += 1

    async with anyio.create_task_group() as group:
        group.start_soon(tick)
        await judge(rule(find), "x" * 100_000)
        group.cancel_scope.cancel()

    assert ticks > 5


async def test_clear_does_not_take_back_an_earlier_flag() -> None:
    earlier = [Earlier("other/monitor", "escalate", "flagged")]

    review = await judge(pattern(deny=["x"], on_clear="continue"), "y", earlier=earlier)

    assert review.decision == "escalate"


async def test_what_was_only_tried_in_shadow_counts_for_nothing() -> None:
    earlier = [Earlier("reviewers/shadow", "escalate", "flagged", metadata={"shadow": True})]

    review = await judge(pattern(deny=["x"], on_clear="continue"), "y", earlier=earlier)

    assert review.decision == "continue"


def test_a_users_own_bare_name_is_not_taken() -> None:
    program = """
from inspect_ai.review import Review, reviewer
@reviewer(name="pattern")
def mine():
    async def review(message, call, result, output, view, history):
        return Review(decision="continue")
    return review
from inspect_ai._util.registry import registry_lookup, registry_info
import reviewers._registry
print(registry_info(registry_lookup("reviewer", "pattern")).name)
print(registry_info(registry_lookup("reviewer", "reviewers/pattern")).name)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout.split() == ["pattern", "reviewers/pattern"], done.stderr


def test_the_entry_point_is_light() -> None:
    program = """
import sys, inspect_ai
before = set(sys.modules)
import reviewers._registry
added = {name.partition('.')[0] for name in set(sys.modules) - before}
print(*sorted(added - sys.stdlib_module_names))
heavy = ('openai', 'anthropic', 'regex', 'pandas', 'numpy', 'ahocorasick_rs')
print(*[name for name in heavy if name in sys.modules])
print(*[m for m in sys.modules if m.startswith('reviewers.')])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    added, heavy, ours = done.stdout.splitlines()
    assert added == "reviewers", done.stderr
    assert heavy == ""
    assert "reviewers.scan" not in ours
    assert "reviewers.rules.pattern" not in ours


async def test_a_secret_is_hidden_in_whatever_a_rule_says_of_it() -> None:
    from reviewers.rules.secret_leak import AWS_KEY

    review = await judge(pattern(deny=["AKIA.*"]), f"the key is {AWS_KEY}")

    assert review.decision == "terminate"
    assert AWS_KEY not in review.model_dump_json()
