"""Monitors inside Inspect evals: what becomes of the sample, and on whose account."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from inspect_ai.event import ModelEvent, ReviewEvent, SpanBeginEvent
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    Model,
    ModelCost,
    ModelInfo,
    ModelOutput,
    ModelUsage,
    get_model,
    set_model_info,
)
from inspect_ai.review import Review, ReviewPolicy, reviewer

from reviewers.compose.panel import panel
from reviewers.compose.stop_flagged import stop_flagged
from reviewers.monitors.factory import packaged
from reviewers.rules.pattern import pattern
from tests.evals import reviews, run, said, sample, stopped
from tests.monitors.mocks import USAGE, Request, gives, mock, says

ECHO = {"bash": {"command": "echo hello"}}
PRICE = ModelCost(input=10_000, output=10_000, input_cache_write=0, input_cache_read=0)

output_monitor = packaged("output_monitor")
injection_monitor = packaged("injection_monitor")


def policies(*reviewers: Any) -> list[ReviewPolicy]:
    return [ReviewPolicy(one, "bash") for one in reviewers]


def monitored(
    model: Model, *reviewers: Any, turns: tuple[Any, ...] = (ECHO,), **more: Any
) -> EvalLog:
    return run(*turns, review=policies(*reviewers), model_roles={"monitor": model}, **more)


@reviewer(name="person")
def approving_person() -> Any:
    """Stands in for Inspect's `human`, which needs a terminal."""

    async def person(*args: Any) -> Review:
        return Review(decision="continue", explanation="I have looked at it.")

    return person


# What becomes of a score.


def test_a_score_below_escalate_at_lets_the_sample_go_on() -> None:
    model, _ = mock(gives(0.1))

    log = monitored(model, output_monitor())

    assert said(log) == [("reviewers/output_monitor", "continue")]
    assert not stopped(log)


def test_a_score_from_escalate_at_goes_to_the_next_reviewer() -> None:
    model, _ = mock(gives(0.6))

    log = monitored(model, output_monitor(), stop_flagged())

    assert said(log) == [
        ("reviewers/output_monitor", "escalate"),
        ("reviewers/stop_flagged", "terminate"),
    ]
    assert stopped(log)


def test_a_score_from_terminate_at_ends_the_sample() -> None:
    model, _ = mock(gives(0.95))

    log = monitored(model, output_monitor(terminate_at=0.9), stop_flagged())

    assert said(log) == [("reviewers/output_monitor", "terminate")]
    assert stopped(log)


FAILURES = {
    "refusal": says("I cannot help with that.", "content_filter"),
    "length stop": says("Let me think", "max_tokens"),
    "context exceeded": says("", "model_length"),
    "empty answer": says(""),
    "malformed answer": says("It looks fine to me."),
    "unsupported evidence": gives(0.1, evidence=["words that nobody ever showed"]),
}


@pytest.mark.parametrize("reason", FAILURES)
def test_every_failure_has_its_name_and_never_passes_for_clear(reason: str) -> None:
    model, _ = mock(FAILURES[reason])

    log = monitored(model, output_monitor(), stop_flagged())

    review = reviews(log)[0]
    assert (review.metadata or {})["outcome"] == "failed"
    assert (review.metadata or {})["reason"] == reason
    assert [decision for _, decision in said(log)] == ["escalate", "terminate"]


@pytest.mark.parametrize("decision", ["continue", "escalate", "terminate"])
def test_a_failure_becomes_exactly_the_decision_of_on_failure(decision: Any) -> None:
    model, _ = mock(says("no", "content_filter"))

    log = monitored(model, output_monitor(on_failure=decision))

    assert said(log)[0] == ("reviewers/output_monitor", decision)


def test_a_slow_model_is_a_failure_within_the_time_limit() -> None:
    async def slow(*args: Any) -> ModelOutput:
        await anyio.sleep(60)
        return gives(0.0)

    model = get_model("mockllm/monitor", custom_outputs=slow, memoize=False)

    log = monitored(model, output_monitor(timeout_s=0.5), stop_flagged())

    assert (reviews(log)[0].metadata or {})["reason"] == "timed out"
    assert stopped(log)


def test_a_provider_that_raises_is_a_failure() -> None:
    def broken(request: Request) -> ModelOutput:
        raise ConnectionResetError("gone")

    model, _ = mock(broken)

    log = monitored(model, output_monitor(), stop_flagged())

    assert (reviews(log)[0].metadata or {})["reason"] == "connection failed"
    assert stopped(log)


# Which model is asked.


def test_without_a_monitor_model_the_sample_ends_as_an_error_that_says_how_to_bind_one() -> None:
    log = run(ECHO, review=policies(output_monitor()))

    assert log.status == "error"
    assert "--model-role monitor=MODEL" in str(log.error and log.error.message)


def test_the_agents_own_model_is_asked_only_where_that_is_allowed() -> None:
    log = run(ECHO, review=policies(output_monitor(allow_agent_model=True)), fail_on_error=False)

    asked = [e for e in sample(log).events if isinstance(e, ModelEvent) and e.role == "monitor"]
    assert [event.model for event in asked][:1] == ["mockllm/agent"]


def test_a_model_given_by_parameter_is_logged_under_a_role_of_its_own() -> None:
    model, _ = mock(gives(0.1), name="given")
    bound, unasked = mock(gives(0.1), name="bound")

    log = monitored(bound, output_monitor(model=model))

    assert not unasked
    assert list(sample(log).role_usage) == ["monitor"]
    assert "mockllm/given" in sample(log).model_usage


def test_another_role_may_be_named() -> None:
    model, requests = mock(gives(0.1))

    run(ECHO, review=policies(output_monitor(model="overseer")), model_roles={"overseer": model})

    assert len(requests) == 1


# What the model is shown.


def test_the_monitor_is_shown_exactly_what_the_agents_model_saw() -> None:
    model, requests = mock(gives(0.1))

    log = monitored(model, output_monitor(), turns=(ECHO, {"bash": {"command": "echo again"}}))

    second = requests[1]
    assert "Do the task." in second.shown
    assert "echo hello" in second.shown
    assert "tool result | call call_0_0 of bash" in second.shown
    assert "Use this function to execute bash commands" in second.shown
    assert "exit code 0" in second.shown
    assert "fidelity" not in (reviews(log)[1].metadata or {})


def test_a_long_output_is_shown_whole_and_marked_as_cut_for_the_agent() -> None:
    model, requests = mock(gives(0.1))

    monitored(model, output_monitor(), turns=({"bash": {"command": "seq 1 8000"}},))

    assert "the agent's model sees" in requests[0].shown
    assert "\n4000\n" in requests[0].shown


def test_the_request_begins_as_the_one_before_it() -> None:
    model, requests = mock(gives(0.1))

    monitored(model, output_monitor(), turns=(ECHO, ECHO, ECHO))

    first, second, third = requests
    assert first.system == second.system == third.system
    stable = [block for block in first.blocks if "message" in block.splitlines()[0]]
    assert second.blocks[: len(stable)] == stable
    assert third.blocks[: len(second.blocks) - 4] == second.blocks[: len(second.blocks) - 4]


def test_a_result_that_a_person_let_pass_is_shown_as_such_on_the_very_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("reviewers.transcript.PEOPLE", ("person",))
    model, requests = mock(gives(0.6), gives(0.1), gives(0.1))
    same_id = [{"bash": {"command": f"echo {n}"}, "id": "c0"} for n in range(3)]

    monitored(model, output_monitor(), approving_person(), turns=tuple(same_id))

    marked = [block for block in requests[2].blocks if "a person looked at this result" in block]
    assert len(marked) == 1
    assert marked[0].splitlines()[1] == "0"
    assert "decided: continue" in marked[0]


# Whose account it is on.


def test_a_monitors_spending_does_not_end_a_sample_under_limits() -> None:
    for name in ("mockllm/agent", "mockllm/monitor"):
        set_model_info(name, ModelInfo(cost=PRICE))
    dear = gives(0.1)
    dear.usage = ModelUsage(input_tokens=50_000, output_tokens=50_000, total_tokens=100_000)
    model, _ = mock(dear)

    log = monitored(
        model,
        output_monitor(votes=3),
        turns=(ECHO, ECHO),
        token_limit=1_000,
        cost_limit=5.0,
        turn_limit=5,
        message_limit=12,
        working_limit=60,
    )

    assert sample(log).limit is None
    assert sample(log).output.completion == "done"
    usage = (reviews(log)[0].metadata or {})["usage"]
    assert usage["total_tokens"] == 300_000
    assert usage["cost"] == pytest.approx(3_000)


def test_the_message_limit_does_not_count_the_monitors_own_messages() -> None:
    model, _ = mock(says("no"), says("no"), gives(0.1))

    log = monitored(model, output_monitor(attempts=3), message_limit=6)

    assert said(log)[0] == ("reviewers/output_monitor", "continue")


def test_a_budget_of_tokens_is_kept_for_the_whole_sample() -> None:
    big = gives(0.1)
    big.usage = ModelUsage(input_tokens=9_000, output_tokens=1_000, total_tokens=10_000)
    model, requests = mock(big)

    log = monitored(model, output_monitor(budget_tokens=11_000), stop_flagged(), turns=(ECHO, ECHO))

    assert len(requests) == 1
    assert (reviews(log)[1].metadata or {})["reason"] == "budget spent"
    assert stopped(log)


def test_a_budget_in_dollars_needs_a_price() -> None:
    model, _ = mock(gives(0.1), name="unpriced")

    log = monitored(model, output_monitor(budget_cost=1.0))

    assert log.status == "error"
    assert "has no price" in str(log.error and log.error.message)


def test_every_request_runs_in_a_reviewers_span() -> None:
    model, _ = mock(gives(0.1))

    log = monitored(model, output_monitor(votes=3))

    events = sample(log).events
    spans = {e.id: e for e in events if isinstance(e, SpanBeginEvent) and e.type == "reviewer"}
    asked = [e for e in events if isinstance(e, ModelEvent) and e.model == "mockllm/monitor"]
    assert len(asked) == 3
    assert {event.span_id for event in asked} == set(spans)
    assert {span.name for span in spans.values()} == {"reviewers/output_monitor"}
    calls = (reviews(log)[0].metadata or {})["usage"]["calls"]
    assert {id for call in calls for id in call["spans"]} == set(spans)


# Composition.


def test_rules_then_monitor_then_person() -> None:
    model, requests = mock(gives(0.7))

    log = monitored(model, pattern(["never there"]), output_monitor(), approving_person())

    assert [name for name, _ in said(log)] == [
        "reviewers/pattern",
        "reviewers/output_monitor",
        "person",
    ]
    assert len(requests) == 1
    assert not stopped(log)


def test_a_panel_asks_its_monitors_at_the_same_time() -> None:
    under_way = 0
    most = 0

    async def answer(*args: Any) -> ModelOutput:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await anyio.sleep(0.2)
        under_way -= 1
        return gives(0.1, category="none")

    model = get_model("mockllm/monitor", custom_outputs=answer, memoize=False)

    log = monitored(model, panel([output_monitor(), injection_monitor()]), stop_flagged())

    assert most == 2
    assert [decision for _, decision in said(log)] == ["continue"] * 3


def test_a_panels_usage_is_in_its_members_reviews_only() -> None:
    model, _ = mock(gives(0.1))

    log = monitored(model, panel([output_monitor(), injection_monitor()]))

    totals = [
        ((event.metadata or {}).get("usage") or {}).get("total_tokens", 0)
        for event in sample(log).events
        if isinstance(event, ReviewEvent)
    ]
    assert sum(totals) == 2 * USAGE["total_tokens"]
