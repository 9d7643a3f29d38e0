"""What of a result and of the run before it is shown to a monitor."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.model import ContentImage, ContentText

from reviewers.case import case_from_line
from reviewers.evidence import Evidence
from reviewers.monitors.blocks import chosen, tokens_in
from reviewers.monitors.escape import visible
from reviewers.monitors.windows import plan
from reviewers.testing import judge, judge_evidence
from tests.monitors.mocks import Request, gives, mock
from tests.monitors.test_in_evals import output_monitor

PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY"
    "42YAAAAASUVORK5CYII="
)


def conversation(turns: int, size: int = 10) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are an agent.", "id": "s"},
        {"role": "user", "content": "Do the task.", "id": "u"},
    ]
    for turn in range(turns):
        call = {"id": f"c{turn}", "function": "bash", "arguments": {"command": f"echo {turn}"}}
        messages += [
            {
                "role": "assistant",
                "content": f"turn {turn}",
                "tool_calls": [call],
                "id": f"a{turn}",
            },
            {
                "role": "tool",
                "content": "x" * size,
                "tool_call_id": f"c{turn}",
                "function": "bash",
                "id": f"t{turn}",
            },
        ]
    return messages


def evidence_of(output: Any = "ok", **line: Any) -> Evidence:
    arguments = {"command": "true"}
    return case_from_line(
        {"tool": "bash", "arguments": arguments, "output": output, **line}
    ).evidence


async def shown_to(evidence: Evidence, **parameters: Any) -> Request:
    model, requests = mock(gives(0.1))
    await judge_evidence(output_monitor(model=model, **parameters), evidence)
    return requests[0]


# The conversation.


async def test_the_models_exact_input_is_shown_where_it_is_known() -> None:
    line = {"input": conversation(1), "history": conversation(3)}

    request = await shown_to(evidence_of(**line))

    assert "turn 0" in request.shown
    assert "turn 1" not in request.shown
    assert "exact input" not in request.shown


async def test_where_the_exact_input_is_not_known_the_prompt_and_the_metadata_say_so() -> None:
    model, requests = mock(gives(0.1))

    review = await judge_evidence(
        output_monitor(model=model), evidence_of(history=conversation(1), tools=None)
    )

    assert "the exact input of the agent's model is not known" in requests[0].shown
    assert "turn 0" in requests[0].shown
    assert (review.metadata or {})["fidelity"] == ["history"]


async def test_one_message_is_one_content_block() -> None:
    request = await shown_to(evidence_of(input=conversation(4)))

    headings = [block.splitlines()[0] for block in request.blocks]
    assert sum("assistant message" in heading for heading in headings) == 4
    assert sum("tool result" in heading for heading in headings) == 4


async def test_an_earlier_start_of_a_long_run_is_left_out_and_the_request_says_so() -> None:
    request = await shown_to(evidence_of(input=conversation(400, size=900)), history_tokens=4_000)

    assert "Do the task." in request.shown
    assert "turn 399" in request.shown
    assert "turn 3\n" not in request.shown
    assert "messages are left out here" in request.shown
    assert tokens_in(request.shown) < 7_000


async def test_turns_can_be_counted_instead() -> None:
    request = await shown_to(evidence_of(input=conversation(40)), history_turns=4)

    assert "turn 39" in request.shown
    assert "turn 35" not in request.shown


def test_the_shown_end_stays_where_it_is_for_several_calls() -> None:
    from reviewers.case import read_messages

    messages = read_messages(conversation(300, size=600))
    starts = [
        chosen(messages[: 2 + 2 * turn], 4_000, None, 2_000).start for turn in range(200, 300)
    ]

    assert starts == sorted(starts)
    assert len(set(starts)) < 40


async def test_one_huge_earlier_message_is_shown_in_part_and_says_so() -> None:
    messages = conversation(1, size=3_000_000)

    request = await shown_to(evidence_of(input=messages))

    assert "characters left out" in request.shown
    assert tokens_in(request.shown) < 20_000


async def test_a_summary_after_a_compaction_is_shown_as_one() -> None:
    messages = conversation(1)
    messages.insert(2, {"role": "user", "content": "so far", "metadata": {"summary": True}})

    request = await shown_to(evidence_of(input=messages))

    assert "user message | a summary that replaced earlier messages" in request.shown


async def test_a_withheld_message_is_marked() -> None:
    messages = conversation(1)
    messages[-1]["metadata"] = {"withheld": True}

    request = await shown_to(evidence_of(input=messages))

    assert "withheld from the agent" in request.shown


REASONED = [
    {"type": "reasoning", "reasoning": "my secret plan"},
    {"type": "text", "text": "my words"},
]


@pytest.mark.parametrize(
    ("sees", "plan_shown", "words_shown"),
    [("all", True, True), ("no_reasoning", False, True), ("actions", False, False)],
)
async def test_what_of_the_agent_is_seen_can_be_chosen(
    sees: str, plan_shown: bool, words_shown: bool
) -> None:
    messages = conversation(1)
    messages[2]["content"] = REASONED
    given = evidence_of(input=messages, message="my words beside the call")

    request = await shown_to(given, sees=sees)

    assert ("my secret plan" in request.shown) is plan_shown
    assert ("my words\n" in request.shown) is words_shown
    assert ("my words beside the call" in request.shown) is words_shown
    assert "echo 0" in request.shown


async def test_redacted_reasoning_is_marked_as_withheld() -> None:
    messages = conversation(1)
    messages[2]["content"] = [{"type": "reasoning", "reasoning": "gAAAAB", "redacted": True}]

    request = await shown_to(evidence_of(input=messages))

    assert "withheld by its provider" in request.shown
    assert "gAAAAB" not in request.shown


# The step.


async def test_the_tools_definition_and_an_error_are_shown() -> None:
    tool = {"name": "bash", "description": "Runs a command.", "parameters": {"properties": {}}}
    given = evidence_of("", tools=[tool], error={"type": "timeout", "message": "too slow"})

    request = await shown_to(given)

    assert "Runs a command." in request.shown
    assert "the tool reported an error (timeout)" in request.shown
    assert "too slow" in request.shown


@pytest.mark.parametrize(
    ("fidelity", "said"),
    [([], "here is what the tool returned"), (["truncated"], "the rest was not recorded")],
)
async def test_what_the_agents_model_sees_of_a_cut_output_is_said(
    fidelity: list[str], said: str
) -> None:
    request = await shown_to(evidence_of("x" * 50, truncated=[90_000, 50], fidelity=fidelity))

    assert f"the agent's model sees 50 of its 90,000 bytes; {said}" in request.shown


async def test_an_image_that_cannot_be_shown_is_counted_and_never_clear() -> None:
    model, requests = mock(gives(0.1))
    output = [ContentText(text="a screen").model_dump(), ContentImage(image=PIXEL).model_dump()]

    review = await judge_evidence(output_monitor(model=model), evidence_of(output))

    assert "1 part (image) cannot be shown to you" in requests[0].shown
    assert (review.metadata or {})["reason"] == "unshowable content"


async def test_a_note_about_an_image_may_do() -> None:
    model, _ = mock(gives(0.1))
    output = [ContentImage(image=PIXEL).model_dump()]

    review = await judge_evidence(
        output_monitor(model=model, on_unshowable="note"), evidence_of(output)
    )

    assert (review.metadata or {})["outcome"] == "clear"
    assert (review.metadata or {})["unshown"] == {"image": 1}


async def test_a_model_that_takes_images_gets_them() -> None:
    model, requests = mock(gives(0.1))
    output = [ContentText(text="a screen").model_dump(), ContentImage(image=PIXEL).model_dump()]

    review = await judge_evidence(output_monitor(model=model, images=True), evidence_of(output))

    content = requests[0].messages[1].content
    assert [part.type for part in content if not isinstance(part, str)].count("image") == 1
    assert (review.metadata or {})["outcome"] == "clear"


# Long outputs.

LONG = "".join(f"line {n}\n" for n in range(20_000))


async def test_every_character_of_a_long_output_is_shown() -> None:
    model, requests = mock(gives(0.1))

    review = await judge(output_monitor(model=model, window_tokens=16_000), LONG)

    seen = [part for request in requests for part in request.shown.splitlines()]
    assert set(LONG.splitlines()) <= set(seen)
    assert (review.metadata or {})["outcome"] == "clear"
    assert len((review.metadata or {})["windows"]) == len(requests) > 1


async def test_the_worst_window_counts_and_is_named() -> None:
    text = LONG.replace("line 15000\n", "rm -rf /srv\n")
    model, _ = mock(
        lambda request: (
            gives(0.8, evidence=["rm -rf /srv"]) if "rm -rf /srv" in request.shown else gives(0.1)
        )
    )

    review = await judge(output_monitor(model=model), text)

    metadata = review.metadata or {}
    worst = metadata["windows"][metadata["worst_window"]]
    at = text.index("rm -rf /srv")
    assert metadata["score"] == 0.8
    assert worst["start"] <= at < worst["end"]
    assert f"{worst['start']:,}" in (review.explanation or "")
    assert metadata["findings"][0]["start"] == at


async def test_ten_mebibytes_take_a_bounded_number_of_requests_and_are_not_clear() -> None:
    model, requests = mock(gives(0.1))

    review = await judge(output_monitor(model=model), "A" * (10 << 20))

    assert len(requests) == 6
    assert (review.metadata or {})["reason"] == "not all read"
    assert review.decision == "escalate"


async def test_a_part_may_do_where_that_is_allowed() -> None:
    model, _ = mock(gives(0.1))

    review = await judge(output_monitor(model=model, sample_long=True), "A" * (10 << 20))

    assert (review.metadata or {})["outcome"] == "clear"
    assert (review.metadata or {})["read_in_part"] is True


async def test_a_flag_in_the_part_that_was_read_is_a_flag() -> None:
    model, _ = mock(gives(0.1), gives(0.9))

    review = await judge(output_monitor(model=model), "A" * (10 << 20))

    assert (review.metadata or {})["outcome"] == "flagged"


async def test_the_places_that_rules_pointed_at_are_read() -> None:
    from reviewers.evidence import Earlier

    text = "A" * 5_000_000 + "NEEDLE" + "A" * 5_000_000
    pointed = Earlier(
        "reviewers/secret_leak", "escalate", "flagged", findings=({"start": 5_000_000, "end": 1},)
    )
    model, requests = mock(gives(0.1))

    await judge(output_monitor(model=model, max_windows=3), text, earlier=[pointed])

    assert any("NEEDLE" in request.shown for request in requests)


async def test_a_huge_argument_that_was_shown_in_part_is_not_clear() -> None:
    model, requests = mock(gives(0.1))

    review = await judge(output_monitor(model=model), "ok", command="A" * (10 << 20))

    assert "characters left out" in requests[0].shown
    assert (review.metadata or {})["reason"] == "not all read"


@settings(max_examples=60, deadline=None)
@given(
    text=st.text(
        st.sampled_from(["a", "é", "\u4e2d", "\x00", "\U000e0041", "\n", "😀", "\ud800"]),
        max_size=4_000,
    ),
    tokens=st.integers(100, 400),
    windows=st.integers(1, 5),
)
def test_windows_cover_the_text_and_keep_to_their_size(
    text: str, tokens: int, windows: int
) -> None:
    planned = plan(text, tokens, windows, 20, places=[len(text) // 3])

    assert 1 <= len(planned.windows) <= windows
    for window in planned.windows:
        assert tokens_in(visible(text[window.start : window.end])) <= tokens
    if planned.complete:
        ends = [0, *(window.end for window in planned.windows)]
        assert all(w.start <= end for w, end in zip(planned.windows, ends, strict=False))
        assert planned.windows[-1].end == len(text)


PRINTED_MARKS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
"""Formatting characters that are drawn, and so hide nothing."""


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Ll"]), max_size=200))
def test_nothing_hidden_is_left_in_what_is_shown(text: str) -> None:
    shown = set(visible(text)) - PRINTED_MARKS - {"\n", "\t", "\U000110bd", "\U000110cd"}

    assert not {c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
