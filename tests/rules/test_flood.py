"""What the examples of `flood` cannot say."""

from __future__ import annotations

from typing import Any

import pytest

from reviewers.case import case_from_line
from reviewers.compose.stop_flagged import stop_flagged
from reviewers.evidence import Earlier
from reviewers.rules import flood as module
from reviewers.testing import evidence, judge, judge_evidence, reviewer_named, wrong_examples


def kinds(line: dict[str, Any]) -> list[str]:
    given = case_from_line({"tool": "bash", "output": "", **line}).evidence
    return [finding.kind for finding in module.find_flood(given)]


async def test_the_examples_hold() -> None:
    assert await wrong_examples(module) == []


async def test_a_flag_is_recorded_and_nobody_acts_on_it() -> None:
    review = await judge(module.flood(max_characters=10), "x" * 11)
    metadata = review.metadata or {}
    recorded = Earlier(
        reviewer="reviewers/flood",
        decision=review.decision,
        outcome=metadata["outcome"],
        metadata=metadata,
    )

    after = await judge_evidence(stop_flagged(), evidence("x" * 11, earlier=[recorded]))

    assert (metadata["outcome"], review.decision) == ("flagged", "escalate")
    assert after.decision == "continue"


@pytest.mark.parametrize("on_flag", ["escalate", "terminate"])
async def test_a_flag_counts_where_the_policy_asks_for_it(on_flag: Any) -> None:
    reviewer = module.flood(max_characters=10, record_only=False, on_flag=on_flag)

    review = await judge(reviewer, "x" * 11)

    assert review.decision == on_flag
    assert "shadow" not in (review.metadata or {})


def test_a_cut_is_told_with_its_size() -> None:
    given = case_from_line({"output": "x", "truncated": [40_000, 16_384]}).evidence

    (finding,) = module.find_flood(given)

    assert finding.what == "a result of 40,000 bytes, of which the model saw 16,384"


def test_the_more_is_hidden_the_higher_it_ranks() -> None:
    def score(before: int) -> float:
        given = case_from_line({"output": "x", "truncated": [before, 1000]}).evidence
        return max(finding.confidence for finding in module.find_flood(given))

    assert score(1100) < score(2000) < score(1_000_000)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"type": "unicode_decode", "message": "Error decoding bytes to utf-8"}, ["binary"]),
        ({"type": "limit", "message": "The tool exceeded its output limit of 10 MiB."},
         ["truncated"]),
        ({"type": "limit", "message": "The tool exceeded its token limit of 10."}, []),
        ({"type": "timeout", "message": "Command timed out."}, []),
    ],
)  # fmt: skip
def test_a_tools_own_error_may_say_that_something_is_missing(
    error: dict[str, str], expected: list[str]
) -> None:
    assert kinds({"error": error}) == expected


@pytest.mark.parametrize("junk", ["\x00", "\ufffd", chr(0xDCFF), "\x01", "\x7f"])
def test_what_is_no_text_is_binary_however_it_was_decoded(junk: str) -> None:
    assert kinds({"output": "ab" + junk * 30}) == ["binary"]


def test_images_are_no_flood() -> None:
    image = {"type": "image", "image": "data:image/png;base64,AAAA"}

    assert kinds({"output": [image]}) == []


def test_a_bound_below_one_is_refused_when_the_policy_loads() -> None:
    with pytest.raises(Exception, match="max_characters"):
        reviewer_named("reviewers/flood", max_characters=0)
