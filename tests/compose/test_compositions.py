"""Reviewers made of reviewers."""

from __future__ import annotations

from typing import Any

import pytest
from inspect_ai.review import Review, Reviewer
from inspect_ai.review import reviewer as host_reviewer

from reviewers import _host
from reviewers.compose.panel import panel
from reviewers.compose.sampled import draw, sampled
from reviewers.compose.shadow import shadow
from reviewers.compose.stop_flagged import stop_flagged
from reviewers.evidence import Earlier
from reviewers.judging import JudgingReviewer, reviewer
from reviewers.outcome import Outcome, ReviewersError, clear, flagged
from reviewers.rules.pattern import pattern
from reviewers.testing import evidence, judge


@pytest.fixture(autouse=True)
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What a panel would have written into the transcript."""
    written: list[tuple[str, str]] = []
    monkeypatch.setattr(
        _host, "record_review", lambda name, _, __, review: written.append((name, review.decision))
    )
    return written


def monitor(seen: list[Any], decision: Any = "continue") -> Reviewer:
    """A reviewer that counts as a model's, and notes what it was told."""

    @reviewer(family="monitor")
    def asking() -> Reviewer:
        async def judge_it(given: Any) -> Outcome:
            seen.append([earlier.outcome for earlier in given.earlier])
            return clear()

        return JudgingReviewer(judge_it, lambda outcome: decision)

    return asking()


STOPPING = {"name": "pattern", "deny": ["stop"]}
PASSING_ON = {"name": "pattern", "deny": ["pass"], "on_flag": "escalate"}


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("nothing", "continue"),
        ("pass", "escalate"),
        ("stop", "terminate"),
        ("pass and stop", "terminate"),
    ],
)
async def test_the_strictest_decision_wins(text: str, decision: str) -> None:
    review = await judge(panel([STOPPING, PASSING_ON]), text)

    assert review.decision == decision


async def test_every_members_decision_is_recorded(recorded: list[tuple[str, str]]) -> None:
    await judge(panel([STOPPING, PASSING_ON]), "stop")

    assert recorded == [("reviewers/pattern", "terminate"), ("reviewers/pattern", "escalate")]


async def test_models_are_asked_only_if_no_rule_terminated_and_see_what_rules_found() -> None:
    seen: list[Any] = []
    both = panel([monitor(seen), PASSING_ON, STOPPING])

    await judge(both, "stop")
    await judge(both, "pass")

    assert seen == [["flagged", "clear"]]


async def test_a_member_is_asked_only_about_the_tools_it_covers(
    recorded: list[tuple[str, str]],
) -> None:
    review = await judge(panel([{**STOPPING, "tools": "python"}]), "stop", tool="bash")

    assert review.decision == "continue"
    assert recorded == []


async def test_a_failure_is_not_clear_and_a_flag_is_more_than_a_failure() -> None:
    failing = {"name": "exit_code", "assertions": [{"command": ".*", "must_succeed": True}]}

    failed = await judge(panel([failing, STOPPING]), "fine", command="make")
    both = await judge(panel([failing, PASSING_ON]), "pass", command="make")

    assert ((failed.metadata or {})["outcome"], failed.decision) == ("failed", "escalate")
    assert (both.metadata or {})["outcome"] == "flagged"


async def test_a_panel_may_decide_otherwise_than_its_members() -> None:
    review = await judge(panel([STOPPING], on_flag="escalate"), "stop")

    assert review.decision == "escalate"


async def test_a_clear_panel_passes_on_what_was_flagged_before_it() -> None:
    before = [Earlier("reviewers/no_network", "escalate", "flagged")]

    assert (await judge(panel([STOPPING]), "nothing", earlier=before)).decision == "escalate"


async def test_another_packages_reviewer_can_be_a_member() -> None:
    @host_reviewer
    def foreign() -> Any:
        async def review(*arguments: Any) -> Review:
            return Review(decision="terminate", explanation="Because.")

        return review

    review = await judge(panel([foreign()]), "x")

    assert review.decision == "terminate"
    assert "Because." in (review.explanation or "")


@pytest.mark.parametrize("name", ["human", "reviewers/human", "reviewers/stop_flagged"])
def test_what_ends_a_policy_cannot_be_a_member(name: str) -> None:
    with pytest.raises(ReviewersError, match="ends a policy and cannot be a member"):
        panel([name])


def test_a_panel_takes_members_or_a_pack_and_not_both() -> None:
    with pytest.raises(ReviewersError, match="either reviewers or pack"):
        panel(["no_network"], pack="sandbox")


async def test_a_pack_can_be_a_panel() -> None:
    review = await judge(panel(pack="sandbox"), "nothing")

    assert review.decision == "continue"
    assert len((review.metadata or {})["members"]) >= 2


async def test_shadow_records_and_always_passes_on() -> None:
    review = await judge(shadow(STOPPING), "stop")

    assert review.decision == "escalate"
    metadata = review.metadata or {}
    assert (metadata["outcome"], metadata["would_decide"]) == ("flagged", "terminate")


async def test_what_is_in_shadow_does_not_flag_a_panel() -> None:
    review = await judge(panel([{"name": "reviewers/shadow", "reviewer": STOPPING}]), "stop")

    assert review.decision == "continue"


async def test_a_sample_of_results_is_the_same_every_time_and_grows_with_the_rate() -> None:
    keys = [f"s/1/{number}" for number in range(2000)]

    few = {key for key in keys if draw(key, 1) < 0.1}
    more = {key for key in keys if draw(key, 1) < 0.3}

    assert few < more
    assert len(few) == pytest.approx(200, abs=50)
    assert few != {key for key in keys if draw(key, 2) < 0.1}


async def test_what_was_not_drawn_passes_on_and_says_that_nobody_looked() -> None:
    review = await judge(sampled(STOPPING, rate=0), "stop")

    assert review.decision == "escalate"
    assert (review.metadata or {})["sampled"] is False


async def test_what_was_drawn_is_decided_as_the_reviewer_decides() -> None:
    assert (await judge(sampled(STOPPING, rate=1), "stop")).decision == "terminate"


def test_a_rate_beyond_one_is_refused() -> None:
    with pytest.raises(ReviewersError, match="rate is 2"):
        sampled(STOPPING, rate=2)


@pytest.mark.parametrize(
    ("outcome", "decision"),
    [("flagged", "terminate"), ("failed", "terminate"), ("clear", "continue")],
)
async def test_stop_flagged_stops_what_was_flagged_or_failed(outcome: str, decision: str) -> None:
    before = [Earlier("other/monitor", "escalate", outcome, "It leaked.")]

    review = await judge(stop_flagged(), earlier=before)

    assert review.decision == decision
    assert ("It leaked." in (review.explanation or "")) == (decision == "terminate")


async def test_a_secret_is_shown_nowhere_in_a_panels_review() -> None:
    from reviewers.rules.secret_leak import AWS_KEY

    review = await judge(panel(["secret_leak"]), f"aws_access_key_id = {AWS_KEY}")

    assert review.decision == "terminate"
    assert AWS_KEY not in review.model_dump_json()


async def test_evidence_is_worked_out_once_for_all_members() -> None:
    given = evidence("text")

    assert given.with_earlier(()).text is given.text
    assert flagged([]).state == "clear"


async def test_a_reviewer_without_a_pattern_of_its_own_is_told_by_its_parameters() -> None:
    assert pattern(deny=["a"]).spec.parameters_hash != pattern(deny=["b"]).spec.parameters_hash  # type: ignore[attr-defined]
