"""How a case differs from what a reviewer saw live, and which calls are cases at all."""

from __future__ import annotations

import time
from typing import Any

from inspect_ai.approval import ApprovalPolicy, auto_approver
from inspect_ai.event import CompactionEvent, ModelEvent
from inspect_ai.log import EvalLog
from inspect_ai.model import ContentImage, execute_tools, get_model
from inspect_ai.review import Reviewer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, bash, tool

from reviewers.compose.record_output import record_output
from reviewers.evidence import Evidence
from reviewers.judging import reviewer, rule
from reviewers.outcome import Finding
from reviewers.replay import outcomes, reviewer_asked
from reviewers.rules.canary import canary
from reviewers.rules.pattern import pattern
from tests.evals import run
from tests.replay.replaying import agreement, cases, fidelity, policies
from tests.test_bridge import own_loop

ECHO = {"bash": {"command": "echo hello"}}
LONG = {"bash": {"command": "seq 1 30000"}}
SUBMITTED: tuple[str, ...] = ()


def tools_in(log: EvalLog) -> list[str]:
    return [case.evidence.tool for case in cases(log)]


def agent(*tools: Tool, **more: Any) -> Solver:
    """Asks the model and runs its calls until it makes none; events may be put between."""

    @solver
    def loop() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            model = get_model()
            for turn in range(more.get("turns", 3)):
                output = await model.generate(state.messages, tools=list(tools))
                state.messages.append(output.message)
                if not output.message.tool_calls:
                    break
                result = await execute_tools(state.messages, list(tools))
                state.messages.extend(result.messages)
                if "between" in more:
                    more["between"](turn, state)
            return state

        return solve

    return loop()


def test_a_result_that_is_all_there_is_as_it_was_live() -> None:
    log = run(ECHO, review=policies(pattern(deny=["badword"])))

    assert fidelity(log) == [(), SUBMITTED]


def test_a_cut_output_is_truncated() -> None:
    [case, _] = cases(run(LONG))

    assert case.fidelity == ("truncated",)
    assert case.evidence.truncated is not None
    assert "START_TOOL_OUTPUT" not in case.evidence.text
    assert case.evidence.text.startswith("1\n2\n")


def test_a_cut_output_that_was_recorded_is_whole() -> None:
    [case, _] = cases(run(LONG, review=policies(record_output())))

    assert case.fidelity == ()
    assert case.evidence.text == "".join(f"{number}\n" for number in range(1, 30001))


def test_of_an_output_past_the_bound_both_ends_are_recorded() -> None:
    [case, _] = cases(run(LONG, review=policies(record_output(max_bytes=40_000))))

    assert case.fidelity == ("truncated",)
    assert case.evidence.text.startswith("1\n2\n")
    assert case.evidence.text.endswith("29999\n30000\n")
    assert len(case.evidence.text) == 40_000


def test_text_that_no_encoding_likes_is_recorded_as_it_is() -> None:
    command = "head -c 30000 /dev/zero | tr '\\0' 'x'; printf '\\033[31m\\001\\342\\202\\254'"
    [case, _] = cases(run({"bash": {"command": command}}, review=policies(record_output())))

    assert case.fidelity == ()
    assert case.evidence.text == "x" * 30000 + "\x1b[31m\x01€"


def test_after_a_compaction_the_history_is_another() -> None:
    def compact(turn: int, state: TaskState) -> None:
        from inspect_ai.log import transcript

        if turn == 0:
            transcript()._event(CompactionEvent(type="trim"))

    log = run(ECHO, ECHO, "Done.", agent=agent(bash(), between=compact))

    assert fidelity(log) == [(), ("history",)]


def test_a_picture_that_was_not_logged_is_missed() -> None:
    @tool
    def camera() -> Tool:
        async def execute() -> list[Any]:
            """Take a picture."""
            return [ContentImage(image="data:image/png;base64,iVBORw0KGgo=")]

        return execute

    without = run({"camera": {}}, "Done.", agent=agent(camera()), log_images=False)
    with_it = run({"camera": {}}, "Done.", agent=agent(camera()), log_images=True)

    assert fidelity(without) == [("image",)]
    assert fidelity(with_it) == [()]


def test_a_bridged_agents_result_is_a_case_and_says_so() -> None:
    log = run({"shell": {}}, "Done.", agent=own_loop(["a result"], None), sandbox=None)

    [case] = cases(log)

    assert case.fidelity == ("bridged",)
    assert case.evidence.text == "a result"
    assert case.evidence.tool == "shell"


def test_a_bridged_agents_reviews_are_replayed() -> None:
    policy = policies(pattern(deny=["badword"], on_clear="continue"))
    log = run(
        {"shell": {}}, {"shell": {}}, "Done.", agent=own_loop(["one", "two"], policy), sandbox=None
    )

    agreed = agreement(log, policy)

    assert agreed.differences == []
    assert agreed.calls == 2


def test_a_reviewer_that_reads_the_environment_says_so_in_its_own_lines(monkeypatch: Any) -> None:
    monkeypatch.setenv("MY_CANARY", "violet-otter-7141")
    log = run({"bash": {"command": "echo violet-otter-7141"}})
    asked = [
        reviewer_asked(canary(canaries=["env:MY_CANARY"]), "outside"),
        reviewer_asked(pattern(deny=["otter"]), "inside"),
    ]

    lines = list(outcomes(cases(log)[:1], asked))

    assert {line.reviewer: line.fidelity for line in lines} == {
        "outside": ("environment",),
        "inside": (),
    }


def test_metadata_that_changed_while_the_sample_ran_is_another_state() -> None:
    def change(turn: int, state: TaskState) -> None:
        state.metadata["changed"] = turn

    log = run(ECHO, ECHO, "Done.", agent=agent(bash(), between=change), metadata={"a": 1})

    assert fidelity(log) == [("state",), ("state",)]


SLOW = {"now": True}


@reviewer
def slow_once(timeout_s: float = 0.05) -> Reviewer:
    """Stop what takes too long."""

    def find(evidence: Evidence) -> list[Finding]:
        if SLOW["now"]:
            time.sleep(0.5)
        return []

    return rule(find, timeout_s=timeout_s)


def test_a_decision_that_the_clock_made_says_so() -> None:
    log = run(
        {"bash": {"command": "head -c 17000 /dev/zero | tr '\\0' 'x'"}},
        review=policies(record_output(), slow_once()),
    )
    SLOW["now"] = False

    assert fidelity(log) == [("time",), SUBMITTED]


def test_a_call_whose_arguments_did_not_parse_may_not_have_run() -> None:
    log = run({"bash": {"cmd": "echo hello"}}, {"no_such_tool": {}})

    assert fidelity(log) == [("may_not_have_run",), ("may_not_have_run",), SUBMITTED]


def test_a_parsing_error_that_was_reviewed_live_did_run() -> None:
    turn = {"bash": {"command": "echo a\0b"}}
    reviewed = run(turn, review=policies(pattern(deny=["badword"])))
    not_reviewed = run(turn)

    assert fidelity(reviewed) == [(), SUBMITTED]
    assert fidelity(not_reviewed) == [("may_not_have_run",), SUBMITTED]
    assert "null byte" in cases(reviewed)[0].evidence.text


def test_a_rejected_call_is_no_case() -> None:
    approval = [
        ApprovalPolicy(auto_approver("reject"), "python"),
        ApprovalPolicy(auto_approver("approve"), "*"),
    ]

    log = run({"python": {"code": "print(1)"}}, ECHO, approval=approval)

    assert tools_in(log) == ["bash", "submit"]


def test_calls_of_the_same_id_are_told_apart() -> None:
    first = {"id": "c0", "bash": {"command": "echo first"}}
    second = {"id": "c0", "bash": {"command": "echo second"}}

    found = cases(run(first, second))

    assert [case.evidence.text.strip() for case in found[:2]] == ["first", "second"]
    assert [len(case.evidence.past_calls) for case in found[:2]] == [0, 1]
    assert len({case.id for case in found}) == len(found)


def test_a_reviewers_own_model_is_no_agents() -> None:
    from inspect_ai.util import span

    @tool
    def asks() -> Tool:
        async def execute() -> str:
            """Ask."""
            async with span("asking", type="reviewer"):
                await get_model().generate("Is this well?")
            return "asked"

        return execute

    log = run({"asks": {}}, "Yes.", "Done.", agent=agent(asks()))
    [case] = cases(log)

    assert log.samples
    assert sum(isinstance(event, ModelEvent) for event in log.samples[0].events) == 3
    assert case.evidence.model_input is not None
    assert [message.text for message in case.evidence.model_input] == ["Do the task."]


def test_a_host_key_that_was_found_live_makes_a_case_depend_on_the_environment(
    monkeypatch: Any,
) -> None:
    from inspect_ai.review import ReviewPolicy

    from reviewers.rules.secret_leak import secret_leak

    key = "vQ7r-" + "8Zt2mWc5xLb9Ke4N"
    monkeypatch.setenv("SOME_LAB_API_KEY", key)
    review = [ReviewPolicy(secret_leak(on_flag="escalate"), tools="*")]
    log = run(ECHO, {"bash": {"command": f"echo {key}"}}, "Done.", review=review)
    monkeypatch.delenv("SOME_LAB_API_KEY")

    lines = list(outcomes(cases(log), [reviewer_asked("secret_leak")]))

    assert [line.fidelity for line in lines[:2]] == [(), ("environment",)]
    assert [line.outcome for line in lines[:2]] == ["clear", "clear"]
