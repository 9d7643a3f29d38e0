"""The monitors' account from logs equals what their models used, and names what does not add up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, write_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.review import ReviewPolicy
from inspect_ai.tool import ToolCall, bash

from reviewers.cli.usage import usage
from reviewers.compose.panel import panel
from reviewers.monitors.factory import packaged
from reviewers.usage import Account
from tests.evals import run, sample
from tests.monitors.mocks import gives, mock, says

ECHO = {"bash": {"command": "echo hello"}}

output_monitor = packaged("output_monitor")
injection_monitor = packaged("injection_monitor")


def account_of(log: EvalLog) -> Account:
    account = Account()
    account.add(sample(log), "log")
    return account


def monitored(model: Model, *reviewers: Any, **more: Any) -> EvalLog:
    policies = [ReviewPolicy(one, "bash") for one in reviewers]
    return run(ECHO, ECHO, review=policies, model_roles={"monitor": model}, **more)


def with_usage(output: ModelOutput, number: int) -> ModelOutput:
    output.usage = ModelUsage(
        input_tokens=100 + number,
        output_tokens=10 + number,
        total_tokens=110 + 2 * number + 7,
        input_tokens_cache_read=7,
    )
    return output


def test_the_account_equals_the_models_tokens_to_the_unit() -> None:
    outputs = [with_usage(gives(0.1), number) for number in range(6)]
    model, requests = mock(*outputs)

    account = account_of(monitored(model, output_monitor(votes=3)))

    (line,) = account.lines.values()
    assert (line.reviewer, line.model) == ("reviewers/output_monitor", "mockllm/monitor")
    assert line.requests == len(requests) == 6
    used = [output.usage for output in outputs if output.usage]
    assert line.total_tokens == sum(one.total_tokens for one in used)
    assert line.input_tokens == sum(one.input_tokens for one in used)
    assert line.output_tokens == sum(one.output_tokens for one in used)
    assert line.cache_read_tokens == 6 * 7
    assert account.differences == []


def test_agent_and_monitor_on_the_same_model_are_told_apart() -> None:
    def both(messages: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        if any(tool.name == "verdict" for tool in tools):
            return with_usage(gives(0.1), 3)
        done = any(message.role == "tool" for message in messages)
        name, arguments = ("submit", {"answer": "x"}) if done else ("bash", {"command": "true"})
        output = ModelOutput.for_tool_call("mockllm/same", name, arguments)
        output.message.tool_calls = [ToolCall(id=name, function=name, arguments=arguments)]
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = get_model("mockllm/same", custom_outputs=both, memoize=False)
    policy = [ReviewPolicy(output_monitor(allow_agent_model=True), "bash")]

    task = Task([Sample("Do it.")], solver=react(tools=[bash()]), sandbox="local")
    (log,) = inspect_eval(task, model=model, review=policy, display="none")

    account = account_of(log)
    (line,) = account.lines.values()
    assert line.total_tokens == 123
    assert sample(log).model_usage["mockllm/same"].total_tokens == 123 + 2 * 2
    assert account.differences == []


def test_a_panels_members_have_a_line_each() -> None:
    model, _ = mock(gives(0.1))

    account = account_of(monitored(model, panel([output_monitor(), injection_monitor()])))

    assert sorted(name for name, _ in account.lines) == [
        "reviewers/injection_monitor",
        "reviewers/output_monitor",
    ]
    assert account.differences == []


def test_a_second_use_with_other_parameters_has_a_line_of_its_own() -> None:
    model, _ = mock(gives(0.3))

    account = account_of(
        monitored(model, output_monitor(on_clear="escalate"), output_monitor(escalate_at=0.4))
    )

    assert [line.reviewer for line in account.lines.values()] == [
        "reviewers/output_monitor",
        "reviewers/output_monitor#2",
    ]


def test_failures_are_counted_by_name_and_still_cost() -> None:
    model, _ = mock(says("no", "content_filter"))

    account = account_of(monitored(model, output_monitor(on_failure="continue")))

    (line,) = account.lines.values()
    assert line.failures == {"refusal": 2}
    assert line.total_tokens == 2 * 120


def test_a_verdict_that_the_budget_did_not_allow_is_a_failure_without_a_request() -> None:
    model, _ = mock(gives(0.1))

    account = account_of(monitored(model, output_monitor(budget_tokens=100, on_failure="continue")))

    (line,) = account.lines.values()
    assert (line.requests, line.failures) == (0, {"budget spent": 2})


def test_requests_that_led_to_no_decision_are_interrupted() -> None:
    async def never(*args: Any) -> ModelOutput:
        await anyio.sleep(600)
        return gives(0.1)

    model = get_model("mockllm/monitor", custom_outputs=never, memoize=False)

    account = account_of(monitored(model, output_monitor(), time_limit=2))

    (line,) = account.lines.values()
    assert (line.requests, line.interrupted) == (1, 1)


def test_a_difference_is_named() -> None:
    model, _ = mock(gives(0.1))
    log = monitored(model, output_monitor())
    sample(log).role_usage["monitor"].total_tokens += 5

    account = account_of(log)

    (difference,) = account.differences
    assert "role_usage says 245 tokens for the role 'monitor'" in difference
    assert "240 of them reviewers'" in difference


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_the_command_prints_the_account(options: list[str]) -> None:
    model, _ = mock(gives(0.1))
    log = monitored(model, output_monitor())

    result = CliRunner().invoke(usage, [log.location, *options])

    assert result.exit_code == 0, result.output
    if options:
        (line,) = json.loads(result.stdout)["lines"]
        assert line["total_tokens"] == 240
    else:
        assert "reviewers/output_monitor  mockllm/monitor" in result.stdout
        assert "240" in result.stdout


def test_the_command_exits_1_where_the_accounts_differ() -> None:
    model, _ = mock(gives(0.1))
    log = monitored(model, output_monitor())
    sample(log).model_usage["mockllm/monitor"].total_tokens += 5
    write_eval_log(log, log.location)

    result = CliRunner().invoke(usage, [log.location])

    assert result.exit_code == 1
    assert "model_usage says 245 tokens" in result.stderr


def test_a_log_without_monitors_is_said_to_have_none() -> None:
    log = run(ECHO)

    result = CliRunner().invoke(usage, [log.location])

    assert result.exit_code == 0
    assert result.stdout == "No monitor asked a model in 1 sample.\n"


def test_a_log_that_was_cut_off_is_named_and_the_others_are_summed_up(tmp_path: Path) -> None:
    log = Path(run(ECHO).location.removeprefix("file://"))
    folder = tmp_path / "both"
    folder.mkdir()
    (folder / "whole.eval").write_bytes(log.read_bytes())
    (folder / "cut.eval").write_bytes(log.read_bytes()[:500])

    done = CliRunner().invoke(usage, [str(folder)])

    assert done.exit_code == 1
    assert "in 1 sample." in done.stdout
    assert "cut.eval: could not be read to its end" in done.stderr
