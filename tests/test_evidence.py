"""What a reviewer can know of one tool result."""

from __future__ import annotations

from typing import Any

from inspect_ai.agent import AgentState, agent, handoff, react
from inspect_ai.event import ModelEvent
from inspect_ai.model import ContentImage, ContentText
from inspect_ai.review import Reviewer, ReviewPolicy
from inspect_ai.tool import Tool, ToolError, bash, tool
from inspect_ai.util import sandbox

from reviewers.evidence import Evidence
from reviewers.judging import JudgingReviewer, reviewer
from reviewers.outcome import Outcome, clear
from reviewers.testing import evidence
from tests.evals import run, sample


def looking(seen: list[Any], look: Any) -> list[ReviewPolicy]:
    """A policy of one reviewer that notes something of each piece of evidence."""

    @reviewer
    def noting() -> Reviewer:
        async def judge(given: Evidence) -> Outcome:
            seen.append(look(given))
            return clear()

        return JudgingReviewer(judge, lambda outcome: "continue")

    return [ReviewPolicy(noting(), tools="*")]


def test_text_joins_the_parts_of_a_list_and_counts_what_is_no_text() -> None:
    image = ContentImage(image="data:image/png;base64,AAAA")

    given = evidence([ContentText(text="one"), image, ContentText(text="two"), image])

    assert given.text == "one\ntwo"
    assert given.unshowable == {"image": 2}


def test_a_tools_error_message_is_part_of_the_text() -> None:
    assert evidence("partial", error="it broke").text == "partial\nit broke"


def test_the_exit_code_is_the_last_commands_and_all_are_available() -> None:
    @tool
    def three() -> Tool:
        async def execute() -> str:
            """Runs three commands."""
            for code in (0, 7, 3):
                await sandbox().exec(["sh", "-c", f"exit {code}"])
            return "ran"

        return execute

    seen: list[Any] = []
    run(
        {"three": {}},
        agent=react(tools=[three()]),
        review=looking(seen, lambda given: (given.exit_code, given.exit_codes)),
    )

    assert seen[0] == (3, (0, 7, 3))


def test_a_call_that_ran_no_command_has_no_exit_code() -> None:
    seen: list[Any] = []

    run({"submit": {"answer": "x"}}, review=looking(seen, lambda given: given.exit_code))

    assert seen == [None]


def test_nested_calls_keep_their_exit_codes_to_themselves() -> None:
    @agent(description="Helps.")
    def helper() -> Any:
        inner = react(tools=[bash()], submit=False)

        async def execute(state: AgentState) -> AgentState:
            return await inner(state)

        return execute

    seen: list[Any] = []
    run(
        {"transfer_to_helper": {}},
        {"bash": {"command": "exit 5"}},
        "Done.",
        agent=react(tools=[handoff(helper())]),
        review=looking(seen, lambda given: (given.tool, given.exit_codes)),
    )

    assert seen[:2] == [("bash", (5,)), ("transfer_to_helper", ())]


def test_the_model_input_is_exactly_what_the_producing_call_was_shown() -> None:
    seen: list[Any] = []

    log = run(
        {"bash": {"command": "echo one"}, "id": "same"},
        {"bash": {"command": "echo two"}, "id": "same"},
        review=looking(seen, lambda given: [message.id for message in given.model_input]),
    )

    shown = [
        [message.id for message in event.input]
        for event in sample(log).events
        if isinstance(event, ModelEvent)
    ]
    assert seen == shown


def test_without_a_transcript_the_model_input_is_an_explicit_none() -> None:
    assert evidence("x").model_input is None


def test_truncation_is_known_while_the_call_is_still_under_review() -> None:
    seen: list[Any] = []

    run(
        {"bash": {"command": "head -c 20000 /dev/zero | tr '\\0' a"}},
        review=looking(seen, lambda given: (given.truncated, len(given.text))),
    )

    assert seen[0] == ((20000, 16384), 20000)


def test_target_metadata_tools_and_key_come_from_the_sample() -> None:
    seen: list[Any] = []

    log = run(
        {"bash": {"command": "true"}},
        target="42",
        metadata={"flag": "f"},
        review=looking(
            seen, lambda g: (g.target, dict(g.metadata), g.tool_definition.name, g.key, g.epoch)
        ),
    )

    target, metadata, name, key, epoch = seen[0]
    assert (target, metadata, name, epoch) == (("42",), {"flag": "f"}, "bash", 1)
    assert key.startswith(f"{sample(log).uuid}/1/")


def test_earlier_reviewers_of_this_very_call_are_known_though_ids_repeat() -> None:
    from reviewers.rules.pattern import pattern

    seen: list[Any] = []
    flagging = ReviewPolicy(pattern(deny=["one"], on_flag="escalate"), tools="*")

    run(
        {"bash": {"command": "echo one"}, "id": "same"},
        {"bash": {"command": "echo two"}, "id": "same"},
        review=[flagging, *looking(seen, lambda g: [e.outcome for e in g.earlier])],
    )

    assert seen[:2] == [["flagged"], ["clear"]]


def test_past_calls_are_those_of_earlier_turns_with_their_results() -> None:
    seen: list[Any] = []

    run(
        {"bash": {"command": "echo one"}},
        [{"bash": {"command": "echo two"}}, {"bash": {"command": "echo three"}}],
        review=looking(seen, lambda g: [call.text.strip() for call in g.past_calls]),
    )

    assert seen[:3] == [[], ["one"], ["one"]]


def test_what_a_tool_raises_is_known_as_its_error() -> None:
    @tool
    def failing() -> Tool:
        async def execute() -> str:
            """Fails."""
            raise ToolError("no such thing")

        return execute

    seen: list[Any] = []
    run(
        {"failing": {}},
        agent=react(tools=[failing()]),
        review=looking(seen, lambda g: (g.error and g.error.message, g.text)),
    )

    assert seen[0] == ("no such thing", "no such thing")


def test_lone_surrogates_and_nul_bytes_are_text_like_any_other() -> None:
    assert evidence("a\x00b\ud800").text == "a\x00b\ud800"
