"""The real OpenAI and Anthropic clients against a local server that speaks their APIs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from inspect_ai.model import get_model

from reviewers.testing import judge
from tests.monitors.stub import Reply, Stub, serving
from tests.monitors.test_in_evals import output_monitor

VERDICT = {"reason": "It greets.", "evidence": ["hello"], "category": "harm", "score": 0.7}

PROVIDERS = {
    "openai chat": ("openai/gpt-4o", "/v1"),
    "openai responses": ("openai/gpt-5-mini", "/v1"),
    "anthropic": ("anthropic/claude-opus-4-8", ""),
}
STOPS = {
    "refusal": ("content_filter", "content_filter", "refusal"),
    "length stop": ("length", "max_output_tokens", "max_tokens"),
}

pytestmark = pytest.mark.parametrize("provider", PROVIDERS)


async def reviewed(
    provider: str, *replies: Reply, **parameters: Any
) -> tuple[Mapping[str, Any], Stub]:
    name, path = PROVIDERS[provider]
    with serving(*replies) as stub:
        model = get_model(name, base_url=stub.address + path, api_key="none", memoize=False)
        async with model:
            monitor = output_monitor(model=model, **{"timeout_s": 30, **parameters})
            review = await judge(monitor, "hello there")
    return review.metadata or {}, stub


async def test_a_verdict_is_forced_and_read(provider: str) -> None:
    metadata, stub = await reviewed(provider, Reply(verdict=VERDICT))

    assert (metadata["outcome"], metadata["score"]) == ("flagged", 0.7)
    (request,) = stub.requests
    assert "verdict" in str(request["tool_choice"])
    assert "auto" not in str(request["tool_choice"])


async def test_tokens_and_cache_reads_are_accounted_for(provider: str) -> None:
    metadata, _ = await reviewed(provider, Reply(verdict=VERDICT))

    usage = metadata["usage"]
    assert usage["input_tokens"] == 300
    assert usage["output_tokens"] == 40
    assert usage["cache_read_tokens"] == 600


async def test_a_rate_limit_is_waited_for(provider: str) -> None:
    metadata, stub = await reviewed(provider, Reply(status=429), Reply(verdict=VERDICT))

    assert metadata["score"] == 0.7
    assert len(stub.requests) == 2


async def test_a_rate_limit_that_stays_is_a_failure(provider: str) -> None:
    metadata, _ = await reviewed(provider, Reply(status=429), max_retries=0)

    assert metadata["reason"] == "rate limited"


@pytest.mark.parametrize("reason", STOPS)
async def test_a_stop_that_gives_no_verdict_has_its_name(provider: str, reason: str) -> None:
    stop = STOPS[reason][list(PROVIDERS).index(provider)]

    metadata, stub = await reviewed(provider, Reply(text="I will not", stop=stop))

    assert (metadata["outcome"], metadata["reason"]) == ("failed", reason)
    assert len(stub.requests) == 1


async def test_a_malformed_answer_is_asked_for_again(provider: str) -> None:
    wrong = Reply(verdict={**VERDICT, "score": 7})

    metadata, stub = await reviewed(provider, wrong, Reply(verdict=VERDICT))

    assert metadata["score"] == 0.7
    assert "That answer cannot be used" in str(stub.requests[1])


async def test_malformed_answers_come_to_an_end(provider: str) -> None:
    metadata, stub = await reviewed(provider, Reply(text="It looks fine."), attempts=2)

    assert metadata["reason"] == "malformed answer"
    assert len(stub.requests) == 2


async def test_a_slow_answer_is_not_waited_for_longer_than_allowed(provider: str) -> None:
    slow = Reply(verdict=VERDICT, wait_s=60)

    metadata, _ = await reviewed(provider, slow, timeout_s=1.5)

    assert metadata["reason"] == "timed out"


async def test_a_dropped_connection_is_a_failure(provider: str) -> None:
    metadata, _ = await reviewed(provider, Reply(drop=True), max_retries=0)

    assert metadata["reason"] == "connection failed"


async def test_an_error_of_the_servers_is_a_failure(provider: str) -> None:
    metadata, _ = await reviewed(provider, Reply(status=503), max_retries=0)

    assert metadata["reason"] == "provider error"
