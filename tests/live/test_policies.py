"""Reviewers in real Inspect evals: where policies can stand, and what they see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai.agent import AgentState, agent, handoff, react
from inspect_ai.approval import ApprovalPolicy, auto_approver
from inspect_ai.model import ChatMessage, ChatMessageTool, execute_tools, get_model
from inspect_ai.review import Review, Reviewer, ReviewPolicy
from inspect_ai.review import reviewer as host_reviewer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolCall, ToolCallView, ToolError, ToolResult, bash, tool

from reviewers.compose.human import human
from reviewers.compose.panel import panel
from reviewers.compose.stop_flagged import stop_flagged
from reviewers.rules.exit_code import Assertion, exit_code
from reviewers.rules.pattern import pattern
from tests.evals import reviews, run, said, sample, stopped, tool_results

SECRET = pattern(deny=["root-password"])
SHOW = {"bash": {"command": "echo root-password"}}
HARMLESS = {"bash": {"command": "echo hello"}}


def policy(*reviewers: Reviewer, tools: str = "*") -> list[ReviewPolicy]:
    return [ReviewPolicy(reviewer, tools=tools) for reviewer in reviewers]


def test_an_eval_policy_stops_the_sample_on_evidence() -> None:
    log = run(HARMLESS, SHOW, HARMLESS, review=policy(SECRET, stop_flagged()))

    assert stopped(log)
    assert said(log)[-1] == ("reviewers/pattern", "terminate")
    assert len(tool_results(log)) == 2


def test_a_clear_result_reaches_the_agent() -> None:
    log = run(HARMLESS, review=policy(SECRET, stop_flagged()))

    assert not stopped(log)
    assert said(log)[:2] == [
        ("reviewers/pattern", "escalate"),
        ("reviewers/stop_flagged", "continue"),
    ]


def test_a_task_policy_stops_the_sample() -> None:
    assert stopped(run(SHOW, task_review=policy(SECRET)))


def test_a_react_policy_stops_the_sample() -> None:
    assert stopped(run(SHOW, agent=react(tools=[bash()], review=policy(SECRET))))


def test_a_policy_of_execute_tools_stops_the_sample() -> None:
    @solver
    def loop() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            output = await get_model().generate(state.messages, tools=[bash()])
            state.messages.append(output.message)
            await execute_tools(state.messages, [bash()], review=policy(SECRET))
            return state

        return solve

    assert stopped(run(SHOW, agent=loop()))


def test_a_policy_file_names_reviewers_without_an_import(own_folder: Path) -> None:
    file = own_folder / "review.yaml"
    file.write_text(
        'reviewers:\n  - name: pattern\n    tools: ["bash"]\n    deny: ["root-password"]\n'
    )

    log = run(SHOW, review=str(file))

    assert stopped(log)
    assert said(log) == [("reviewers/pattern", "terminate")]
    assert log.eval.config.review
    assert log.eval.config.review.reviewers[0].name == "reviewers/pattern"


def test_a_handed_off_agents_results_are_reviewed_and_the_handoff_too() -> None:
    @agent(description="Helps.")
    def helper() -> Any:
        inner = react(tools=[bash()], submit=False)

        async def execute(state: AgentState) -> AgentState:
            return await inner(state)

        return execute

    log = run(
        {"transfer_to_helper": {}, "id": "c0"},
        {**HARMLESS, "id": "c0"},
        "I am done.",
        agent=react(tools=[handoff(helper())]),
        review=policy(SECRET, stop_flagged()),
    )

    reviewed = [(event.call.function, event.reviewer) for event in reviews(log)]
    assert ("bash", "reviewers/stop_flagged") in reviewed
    assert ("transfer_to_helper", "reviewers/stop_flagged") in reviewed


def test_of_parallel_calls_one_can_end_the_sample() -> None:
    log = run([HARMLESS, SHOW, HARMLESS], review=policy(SECRET))

    assert stopped(log)
    terminated = [event for event in reviews(log) if event.decision == "terminate"]
    assert [event.call.id for event in terminated] == ["call_0_1"]


def test_parallel_calls_keep_their_own_exit_codes() -> None:
    asserting = exit_code(
        assertions=[Assertion(command="exit", only=[0])], on_flag="escalate", on_clear="continue"
    )
    codes = [3, 0, 5]
    calls = [{"bash": {"command": f"sleep 0.{3 - n}; exit {code}"}} for n, code in enumerate(codes)]

    log = run(calls, review=policy(asserting))

    flagged = {
        event.call.id: event.explanation or ""
        for event in reviews(log)
        if (event.metadata or {}).get("outcome") == "flagged"
    }
    assert set(flagged) == {"call_0_0", "call_0_2"}
    assert "3" in flagged["call_0_0"]
    assert "5" in flagged["call_0_2"]


def test_what_a_tool_raises_is_reviewed() -> None:
    @tool
    def failing() -> Tool:
        async def execute() -> str:
            """Fails."""
            raise ToolError("the root-password is wrong")

        return execute

    log = run({"failing": {}}, agent=react(tools=[failing()]), review=policy(SECRET))

    assert stopped(log)


def test_a_call_that_an_approver_rejected_is_not_reviewed() -> None:
    log = run(
        SHOW,
        review=policy(SECRET, stop_flagged()),
        approval=[
            ApprovalPolicy(auto_approver("reject"), "bash"),
            ApprovalPolicy(auto_approver(), "*"),
        ],
    )

    assert not stopped(log)
    assert all(event.call.function != "bash" for event in reviews(log))


def test_evidence_in_the_cut_part_of_an_output_counts() -> None:
    filler = "head -c 40000 /dev/zero | tr '\\0' a"
    command = f"{filler}; echo root-password; {filler}"

    log = run({"bash": {"command": command}}, review=policy(SECRET))

    assert stopped(log)
    assert "root-password" not in tool_results(log)[0]


def test_a_reviewer_that_raises_ends_the_sample_as_an_error() -> None:
    @host_reviewer
    def raising() -> Reviewer:
        async def review(
            message: str,
            call: ToolCall,
            result: ChatMessageTool,
            output: ToolResult,
            view: ToolCallView,
            history: list[ChatMessage],
        ) -> Review:
            raise RuntimeError("broken")

        return review

    log = run(HARMLESS, review=policy(raising()))

    assert sample(log).error
    assert reviews(log) == []


def test_a_reviewer_of_ours_that_breaks_has_failed_and_is_not_clear() -> None:
    from reviewers.judging import reviewer, rule

    @reviewer
    def breaking() -> Reviewer:
        def find(evidence: Any) -> list[Any]:
            raise RecursionError("too deep")

        return rule(find)

    log = run(HARMLESS, review=policy(breaking(), stop_flagged()))

    assert stopped(log)
    assert (reviews(log)[0].metadata or {})["outcome"] == "failed"


def test_a_panel_records_each_members_decision() -> None:
    members = [{"name": "pattern", "deny": ["hello"], "on_flag": "escalate"}, SECRET]

    log = run(HARMLESS, review=policy(panel(reviewers=members), stop_flagged()))

    assert said(log) == [
        ("reviewers/pattern", "escalate"),
        ("reviewers/pattern", "escalate"),
        ("reviewers/panel", "escalate"),
        ("reviewers/stop_flagged", "terminate"),
    ]


def test_a_clear_reviewer_does_not_take_back_an_earlier_flag() -> None:
    flagging = pattern(deny=["hello"], on_flag="escalate")
    continuing = pattern(deny=["nothing"], on_clear="continue")

    log = run(HARMLESS, review=policy(flagging, continuing, stop_flagged()))

    assert stopped(log)


def test_a_failure_that_nobody_takes_is_stopped_at_the_end() -> None:
    asserting = exit_code(assertions=[Assertion(command=".*", must_succeed=True)])

    @tool
    def no_sandbox() -> Tool:
        async def execute(command: str) -> str:
            """Runs nothing.

            Args:
                command: The command.
            """
            return "ran"

        return execute

    log = run(
        {"no_sandbox": {"command": "make"}},
        agent=react(tools=[no_sandbox()]),
        review=policy(asserting, stop_flagged(), tools="no_sandbox"),
    )

    assert stopped(log)
    assert (reviews(log)[0].metadata or {})["outcome"] == "failed"


def test_the_person_is_asked_about_nothing_when_all_is_clear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = run(HARMLESS, HARMLESS, review=policy(SECRET, human()))

    assert not stopped(log)
    asked = [
        (event.metadata or {}).get("asked") for event in reviews(log) if "human" in event.reviewer
    ]
    assert asked == [False, False, False]


@pytest.mark.parametrize("policies", [1, 2])
def test_a_policy_of_one_reviewer_may_end_in_itself(policies: int) -> None:
    alone = pattern(deny=["root-password"], on_clear="continue", on_failure="terminate")

    log = run(HARMLESS, SHOW, review=policy(*[alone] * policies))

    assert stopped(log)
    assert said(log)[0] == ("reviewers/pattern", "continue")


def test_a_review_that_is_cancelled_leaves_the_result_and_no_decision() -> None:
    from reviewers.evidence import Evidence
    from reviewers.judging import JudgingReviewer, reviewer
    from reviewers.outcome import Outcome

    @reviewer
    def slow() -> Reviewer:
        async def judge(evidence: Evidence) -> Outcome:
            await anyio.sleep(60)
            raise AssertionError

        return JudgingReviewer(judge, lambda outcome: "continue")

    waiting = {"bash": {"command": "echo waiting"}}
    stopping = {"bash": {"command": "sleep 1; echo root-password"}}
    policies = [
        ReviewPolicy(slow(), tools="bash(command='echo waiting*"),
        ReviewPolicy(SECRET, tools="*"),
    ]

    log = run([waiting, stopping], review=policies)

    assert stopped(log)
    assert said(log) == [("reviewers/pattern", "terminate")]
    assert "waiting\n" in tool_results(log)
