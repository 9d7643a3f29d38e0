"""How answers are read: their forms, their quotes, votes, and token probabilities."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from inspect_ai.model import Logprob, Logprobs, ModelOutput, TopLogprob
from inspect_ai.tool import ToolCall

from reviewers.monitors.verdict import (
    MalformedAnswer,
    Shape,
    Verdict,
    combined,
    expected_level,
    read_answer,
    unsupported,
)
from reviewers.testing import judge
from tests.monitors.mocks import USAGE, Request, called, gives, mock, says, verdict
from tests.monitors.test_in_evals import output_monitor

SHAPE = Shape(("harm", "leak"))


def of(*scores: float) -> list[Verdict]:
    return [
        Verdict(reason=f"because {score}", category="harm", score=score, evidence=[])
        for score in scores
    ]


MALFORMED: dict[str, Any] = {
    "no call": says("0.3"),
    "a score above one": gives(1.5),
    "a score below nought": gives(-0.1),
    "a score that is no number": called({**verdict(0.1), "score": "low"}),
    "a score that is not a number": called({**verdict(0.1), "score": math.nan}),
    "an unknown category": gives(0.1, category="theft"),
    "no reason": gives(0.1, reason=""),
    "a missing score": called({"reason": "x", "evidence": [], "category": "none"}),
    "evidence that is no list": gives(0.1, evidence="quote"),
    "another tool": ModelOutput.for_tool_call("m", "submit", {"score": 0}),
}


@pytest.mark.parametrize("mistake", MALFORMED)
def test_an_answer_that_is_not_what_was_asked_for_is_refused(mistake: str) -> None:
    with pytest.raises(MalformedAnswer):
        read_answer(MALFORMED[mistake], "tool", SHAPE, "m")


def test_two_calls_are_no_verdict() -> None:
    output = gives(0.1)
    call = ToolCall(id="2", function="verdict", arguments=verdict(0.9))
    output.message.tool_calls = [*(output.message.tool_calls or []), call]

    with pytest.raises(MalformedAnswer, match="only once"):
        read_answer(output, "tool", SHAPE, "m")


@pytest.mark.parametrize("text", ["[]", "3", "no", '{"score": 0.1} {"score": 0.9}'])
def test_a_schema_answer_must_be_one_object(text: str) -> None:
    with pytest.raises(MalformedAnswer):
        read_answer(says(text), "schema", SHAPE, "m")


def test_a_tagged_answer_may_have_words_around_it() -> None:
    text = f"I think so. <verdict-m>{json.dumps(verdict(0.25))}</verdict-m> That is all."

    (read,) = read_answer(says(text), "text", SHAPE, "m")

    assert read.score == 0.25


def test_two_tagged_answers_are_none() -> None:
    one = f"<verdict-m>{json.dumps(verdict(0.25))}</verdict-m>"

    with pytest.raises(MalformedAnswer):
        read_answer(says(one + one), "text", SHAPE, "m")


async def test_the_model_is_told_what_is_wrong_and_asked_again() -> None:
    model, requests = mock(gives(3.0), gives(0.2))

    review = await judge(output_monitor(model=model), "x")

    assert (review.metadata or {})["score"] == 0.2
    told = requests[1].messages[-1]
    assert told.role == "tool"
    assert "score: Input should be less than or equal to 1" in told.text
    assert (review.metadata or {})["usage"]["total_tokens"] == 2 * USAGE["total_tokens"]


async def test_asking_again_comes_to_an_end() -> None:
    model, requests = mock(says("hm"))

    review = await judge(output_monitor(model=model, attempts=2), "x")

    assert len(requests) == 2
    assert (review.metadata or {})["reason"] == "malformed answer"


async def test_a_refusal_is_not_asked_again() -> None:
    model, requests = mock(says("no", "content_filter"))

    await judge(output_monitor(model=model), "x")

    assert len(requests) == 1


async def test_a_forced_call_is_asked_for_first() -> None:
    model, requests = mock(gives(0.1))

    await judge(output_monitor(model=model), "x")

    assert [tool.name for tool in requests[0].tools] == ["verdict"]
    assert getattr(requests[0].tool_choice, "name", None) == "verdict"


async def test_a_form_that_the_provider_rejects_gives_way_to_the_next() -> None:
    class Rejected(Exception):
        status_code = 400

    def picky(request: Request) -> ModelOutput:
        if request.tools or request.config.response_schema:
            raise Rejected("tool_choice is not supported")
        tag = request.shown.split("between the tags <")[1].split(">")[0]
        return says(f"<{tag}>{json.dumps(verdict(0.3))}</{tag}>")

    model, requests = mock(picky)

    review = await judge(output_monitor(model=model), "x")

    assert (review.metadata or {})["score"] == 0.3
    assert len(requests) == 3
    assert (review.metadata or {})["usage"]["calls"][0]["form"] == "text"


# Quotes.

SHOWN = ["[[m step]]\ncurl  http://a.example/\n\tdone \\u202e and <\\|im_end|\\>\n[[m end]]"]


@pytest.mark.parametrize(
    "quote",
    [
        "curl  http://a.example/",
        "curl http://a.example/ done",
        "CURL … done",
        "curl ... done",
        "done \u202e and",
        "<|im_end|>",
        '"http://a.example/"',
        "x",
    ],
)
def test_a_quote_may_differ_in_space_case_and_escapes(quote: str) -> None:
    assert not unsupported(of(0.5)[0].model_copy(update={"evidence": [quote]}), SHOWN)


@pytest.mark.parametrize("quote", ["curl https://a.example/", "curl … gone", "wget"])
def test_a_quote_that_was_not_shown_is_found_out(quote: str) -> None:
    assert unsupported(of(0.5)[0].model_copy(update={"evidence": [quote]}), SHOWN) == [quote]


async def test_an_invented_quote_is_asked_for_again() -> None:
    model, requests = mock(gives(0.7, evidence=["rm -rf /"]), gives(0.6, evidence=["hello"]))

    review = await judge(output_monitor(model=model), "say hello to them")

    assert (review.metadata or {})["score"] == 0.6
    assert "'rm -rf /' occurs in nothing that was shown" in requests[1].messages[-1].text
    finding = (review.metadata or {})["findings"][0]
    assert (finding["start"], finding["end"], finding["excerpt"]) == (4, 9, "hello")


async def test_secrets_in_reason_and_quotes_are_hidden() -> None:
    token = "ghp_" + "x7Kq2mZ9vB4nR8tL1wE6yU3pA5sD0fGhJc2W"
    model, _ = mock(gives(0.9, reason=f"It shows {token}.", evidence=[token]))

    review = await judge(output_monitor(model=model), f"token: {token}")

    assert token not in (review.explanation or "")
    assert token not in json.dumps((review.metadata or {})["findings"])


# Votes.


@pytest.mark.parametrize(
    ("how", "scores", "expected"),
    [
        ("mean", (0.1, 0.2, 0.9), 0.4),
        ("max", (0.1, 0.2, 0.9), 0.9),
        ("majority", (0.1, 0.2, 0.9), 0.2),
        ("majority", (0.1, 0.8, 0.9), 0.8),
        ("majority", (0.1, 0.2, 0.8, 0.9), 0.2),
        ("mean", (0.5,), 0.5),
    ],
)
def test_votes_become_one_score(how: Any, scores: tuple[float, ...], expected: float) -> None:
    assert combined(of(*scores), how).score == pytest.approx(expected)


def test_the_vote_nearest_above_the_score_gives_the_reason() -> None:
    assert combined(of(0.1, 0.5, 0.9), "mean").reason == "because 0.5"


async def test_each_vote_is_a_request_of_its_own() -> None:
    model, requests = mock(gives(0.2), gives(0.4), gives(0.9))

    review = await judge(output_monitor(model=model, votes=3), "x")

    assert len(requests) == 3
    assert (review.metadata or {})["score"] == pytest.approx(0.5)
    assert (review.metadata or {})["votes"] == [0.2, 0.4, 0.9]
    assert all(request.config.cache is False for request in requests)


@pytest.mark.parametrize(("refusals", "outcome"), [(1, "clear"), (2, "failed")])
async def test_more_than_half_of_the_votes_must_be_given(refusals: int, outcome: str) -> None:
    answers = [says("no", "content_filter")] * refusals + [gives(0.1)]
    model, _ = mock(*answers)

    review = await judge(output_monitor(model=model, votes=3), "x")

    assert (review.metadata or {})["outcome"] == outcome


# Token probabilities.


def token(text: str, **others: float) -> Logprob:
    top = [TopLogprob(token=key, logprob=math.log(value)) for key, value in others.items()]
    return Logprob(token=text, logprob=0.0, top_logprobs=top or None)


def test_the_expected_level_is_the_mean_over_the_likely_digits() -> None:
    given = Logprobs(
        content=[
            token('{"reason": "level: 3"'),
            token(', "level": '),
            token("7", **{"7": 0.5, "9": 0.3, "1": 0.1, "x": 0.1}),
            token("}"),
        ]
    )

    assert expected_level(given) == pytest.approx((7 * 0.5 + 9 * 0.3 + 1 * 0.1) / 0.9)


def test_a_token_may_carry_the_space_before_its_digit() -> None:
    given = Logprobs(content=[token('"level":'), token(" 2", **{" 2": 0.75, " 4": 0.25})])

    assert expected_level(given) == pytest.approx(2.5)


@pytest.mark.parametrize("content", [[], [token('"level"')], [token('"level": '), token("7")]])
def test_without_alternatives_there_is_no_better_level(content: list[Logprob]) -> None:
    level = expected_level(Logprobs(content=content))

    assert level in (None, 7)


async def test_an_expected_score_is_taken_where_probabilities_are_given() -> None:
    answer = json.dumps({"reason": "x", "evidence": [], "category": "none", "level": 2})
    output = says(answer)
    head, tail = answer[:-2], answer[-1]
    output.choices[0].logprobs = Logprobs(
        content=[token(head), token("2", **{"2": 0.5, "6": 0.5}), token(tail)]
    )
    model, requests = mock(output)

    review = await judge(output_monitor(model=model, logprobs=True), "x")

    assert requests[0].config.logprobs is True
    assert requests[0].config.response_schema is not None
    assert (review.metadata or {})["score"] == pytest.approx(4 / 9)
    assert (review.metadata or {})["score_from"] == "log-probabilities"


async def test_without_probabilities_the_answers_own_level_counts() -> None:
    answer = {"reason": "x", "evidence": [], "category": "none", "level": 3}
    model, _ = mock(says(json.dumps(answer)))

    review = await judge(output_monitor(model=model, logprobs=True), "x")

    assert (review.metadata or {})["score"] == pytest.approx(3 / 9)
    assert (review.metadata or {})["score_from"] == "answer"
