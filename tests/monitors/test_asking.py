"""Two stages, budgets, and what a replay allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from reviewers.case import case_from_line
from reviewers.evidence import Evidence
from reviewers.monitors import failures
from reviewers.monitors.recorded import Asking, asking
from reviewers.testing import judge, judge_evidence
from tests.monitors.mocks import USAGE, gives, mock, says
from tests.monitors.test_in_evals import output_monitor

# Two stages.


async def test_what_the_first_model_clears_the_main_one_never_sees() -> None:
    cheap, _ = mock(gives(0.1), name="cheap")
    dear, asked = mock(gives(0.9), name="dear")

    review = await judge(output_monitor(model=dear, first=cheap), "x")

    assert not asked
    assert (review.metadata or {})["outcome"] == "clear"
    assert (review.metadata or {})["stage"] == "first"
    assert (review.metadata or {})["score"] == 0.1


async def test_what_the_first_model_does_not_clear_the_main_one_decides() -> None:
    cheap, _ = mock(gives(0.9), name="cheap")
    dear, _ = mock(gives(0.3), name="dear")

    review = await judge(output_monitor(model=dear, first=cheap), "x")

    metadata = review.metadata or {}
    assert metadata["outcome"] == "clear"
    assert (metadata["score"], metadata["first_score"]) == (0.3, 0.9)
    assert metadata["models"] == ["mockllm/cheap", "mockllm/dear"]
    assert [call["model"] for call in metadata["usage"]["calls"]] == metadata["models"]


async def test_where_the_first_model_fails_the_main_one_is_asked() -> None:
    cheap, _ = mock(says("no", "content_filter"), name="cheap")
    dear, asked = mock(gives(0.8), name="dear")

    review = await judge(output_monitor(model=dear, first=cheap), "x")

    assert len(asked) == 1
    assert (review.metadata or {})["outcome"] == "flagged"


# Time and money.


async def test_what_was_spent_until_the_time_was_over_is_accounted_for() -> None:
    calls = 0

    async def answer(*args: Any) -> ModelOutput:
        nonlocal calls
        calls += 1
        await anyio.sleep(0 if calls == 1 else 60)
        return gives(0.1)

    model = get_model("mockllm/monitor", custom_outputs=answer, memoize=False)

    review = await judge(output_monitor(model=model, votes=3, timeout_s=0.5), "x")

    metadata = review.metadata or {}
    assert metadata["reason"] == "timed out"
    assert metadata["usage"]["total_tokens"] == USAGE["total_tokens"]
    assert metadata["usage"]["requests"] == 3


async def test_windows_under_way_count_against_the_budget() -> None:
    model, requests = mock(gives(0.1))

    review = await judge(output_monitor(model=model, budget_tokens=40_000), "word " * 60_000)

    assert len(requests) < 6
    assert (review.metadata or {})["reason"] == "budget spent"


async def test_cached_tokens_are_kept_apart() -> None:
    output = gives(0.1)
    output.usage = ModelUsage(
        input_tokens=10,
        output_tokens=5,
        total_tokens=115,
        input_tokens_cache_read=80,
        input_tokens_cache_write=20,
    )
    model, _ = mock(output)

    usage = ((await judge(output_monitor(model=model), "x")).metadata or {})["usage"]

    assert (usage["cache_read_tokens"], usage["cache_write_tokens"]) == (80, 20)
    assert usage["calls"][0]["cache_read_tokens"] == 80


# Names of failures.


class Status(Exception):
    def __init__(self, status_code: int) -> None:
        self.status_code = status_code


class APITimeoutError(Exception):
    pass


class APIConnectionError(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Status(429), "rate limited"),
        (Status(401), "access denied"),
        (Status(413), "context exceeded"),
        (Status(529), "provider error"),
        (Status(400), "request rejected"),
        (TimeoutError(), "timed out"),
        (APITimeoutError(), "timed out"),
        (APIConnectionError(), "connection failed"),
        (ConnectionResetError(), "connection failed"),
        (ValueError("odd"), "provider error"),
    ],
)
def test_what_a_provider_raises_has_a_name(error: Exception, reason: str) -> None:
    wrapped = RuntimeError("wrapped")
    wrapped.__cause__ = error

    assert failures.in_error(error).reason == reason
    assert failures.in_error(wrapped).reason == reason


# Replay.


def case() -> Evidence:
    return case_from_line({"tool": "bash", "output": "x", "id": "case 1"}).evidence


async def replayed(
    metadata: Mapping[str, Any] | None, when: Any, monitor: Any, **more: Any
) -> Mapping[str, Any]:
    before = asking.set(Asking(when, lambda evidence, spec: metadata, **more))
    try:
        review = await judge_evidence(monitor, case())
    finally:
        asking.reset(before)
    return review.metadata or {}


async def test_a_recorded_verdict_stands_instead_of_a_request() -> None:
    model, requests = mock(gives(0.8, evidence=["x"]), gives(0.1))
    live = (await judge_evidence(output_monitor(model=model), case())).metadata or {}

    again = await replayed(live, "never", output_monitor(model=model))

    assert len(requests) == 1
    for key in ("outcome", "score", "findings", "category", "version", "parameters_hash"):
        assert again[key] == live[key], key
    assert again["recorded"] is True
    assert not again["usage"]


async def test_a_recorded_failure_stands_as_well() -> None:
    model, _ = mock(says("no", "content_filter"))
    live = (await judge_evidence(output_monitor(model=model), case())).metadata or {}

    again = await replayed(live, "never", output_monitor(model=model))

    assert (again["outcome"], again["reason"]) == ("failed", "refusal")


@pytest.mark.parametrize(
    "change", [{"version": "0.0+other-1-x"}, {"parameters_hash": "x"}, {"models": ["a/b"]}]
)
async def test_a_recorded_verdict_of_another_monitor_is_not_reused(change: Any) -> None:
    model, requests = mock(gives(0.8), gives(0.2))
    live = (await judge_evidence(output_monitor(model=model), case())).metadata or {}

    never = await replayed({**live, **change}, "never", output_monitor(model=model))
    missing = await replayed({**live, **change}, "missing", output_monitor(model=model))

    assert (never["outcome"], never["reason"]) == ("failed", "not asked")
    assert missing["score"] == 0.2
    assert len(requests) == 2


async def test_without_a_model_bound_the_recorded_one_stands() -> None:
    model, _ = mock(gives(0.8))
    live = dict((await judge_evidence(output_monitor(model=model), case())).metadata or {})
    unbound = output_monitor()
    live["parameters_hash"] = unbound.spec.parameters_hash  # type: ignore[attr-defined]

    again = await replayed(live, "never", unbound)

    assert again["score"] == 0.8


async def test_always_asks_again() -> None:
    model, requests = mock(gives(0.8), gives(0.2))
    live = (await judge_evidence(output_monitor(model=model), case())).metadata or {}

    again = await replayed(live, "always", output_monitor(model=model))

    assert again["score"] == 0.2
    assert len(requests) == 2


async def test_a_replays_own_budget_is_kept_and_told_what_was_spent() -> None:
    model, requests = mock(gives(0.1))
    told: list[Any] = []

    first = await replayed(None, "missing", output_monitor(model=model), spent=told.append)
    second = await replayed(None, "missing", output_monitor(model=model), may_spend=lambda: False)

    assert first["outcome"] == "clear"
    assert [usage["total_tokens"] for usage in told] == [USAGE["total_tokens"]]
    assert second["reason"] == "not asked"
    assert len(requests) == 1
