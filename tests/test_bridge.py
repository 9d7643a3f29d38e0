"""Review of a bridged agent's own tool results."""

from __future__ import annotations

from typing import Any

from inspect_ai.agent import Agent, AgentState, agent, agent_bridge
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool
from inspect_ai.review import ReviewPolicy
from inspect_ai.tool import ToolCall
from openai import AsyncOpenAI

from reviewers.bridge import new_results, reviewing
from reviewers.compose.stop_flagged import stop_flagged
from reviewers.rules.pattern import pattern
from tests.evals import reviews, run, said, stopped

POLICY = [
    ReviewPolicy(pattern(deny=["root-password"], on_flag="escalate"), tools="*"),
    ReviewPolicy(stop_flagged(), tools="*"),
]
TOOL: Any = {
    "type": "function",
    "function": {
        "name": "shell",
        "description": "Runs.",
        "parameters": {"type": "object", "properties": {}},
    },
}


def own_loop(results: list[str], policies: list[ReviewPolicy] | None) -> Agent:
    """An agent that talks to OpenAI's API and runs its tools itself."""

    @agent
    def bridged() -> Agent:
        async def execute(state: AgentState) -> AgentState:
            async with agent_bridge(state, filter=reviewing(policies)) as bridge:
                client = AsyncOpenAI(api_key="none", base_url="http://localhost:1")
                messages: list[Any] = [{"role": "user", "content": "Go."}]
                for result in [*results, ""]:
                    answer = await client.chat.completions.create(
                        model="inspect", messages=messages, tools=[TOOL]
                    )
                    message = answer.choices[0].message
                    messages.append(message.model_dump(exclude_none=True))
                    for call in message.tool_calls or []:
                        messages.append(
                            {"role": "tool", "tool_call_id": call.id, "content": result}
                        )
                return bridge.state

        return execute

    return bridged()


def test_a_bridged_agents_result_can_end_the_sample_before_the_model_reads_it() -> None:
    log = run(
        {"shell": {}},
        {"shell": {}},
        "Done.",
        agent=own_loop(["hello", "root-password"], POLICY),
        sandbox=None,
    )

    assert stopped(log)
    assert said(log) == [
        ("reviewers/pattern", "escalate"),
        ("reviewers/stop_flagged", "continue"),
        ("reviewers/pattern", "escalate"),
        ("reviewers/stop_flagged", "terminate"),
    ]


def test_the_evals_own_policies_apply_where_none_are_given() -> None:
    log = run(
        {"shell": {}},
        "Done.",
        agent=own_loop(["root-password"], None),
        sandbox=None,
        review=POLICY,
    )

    assert stopped(log)


def test_a_result_is_reviewed_once_though_the_agent_sends_its_history_each_time() -> None:
    log = run(
        {"shell": {}},
        {"shell": {}},
        "Done.",
        agent=own_loop(["one", "two"], POLICY),
        sandbox=None,
    )

    assert len(reviews(log)) == 4


def test_a_second_result_that_looks_the_same_is_reviewed_too() -> None:
    from collections import Counter

    call = ToolCall(id="same", function="shell", arguments={})
    turn: list[Any] = [
        ChatMessageAssistant(content="", tool_calls=[call]),
        ChatMessageTool(content="x", tool_call_id="same"),
    ]
    seen: Counter[Any] = Counter()

    first = list(new_results(turn, seen))
    second = list(new_results(turn * 2, seen))

    assert len(first) == 1
    assert len(second) == 1
