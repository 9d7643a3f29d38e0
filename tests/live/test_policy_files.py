"""The policy files of Inspect's own page on the subject, word for word, from its command line."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, read_eval_log

from tests.evals import said, sample

TASK = """
    from inspect_ai import Task, task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageAssistant, execute_tools
    from inspect_ai.solver import solver
    from inspect_ai.tool import ToolCall, bash

    @solver
    def one_call():
        async def solve(state, generate):
            call = ToolCall(id="c0", function="bash", arguments={"command": "echo hello"})
            state.messages.append(ChatMessageAssistant(content="", tool_calls=[call]))
            await execute_tools(state.messages, [bash()])
            return state
        return solve

    @task
    def small():
        return Task(dataset=[Sample(input="Go.")], solver=one_call(), sandbox="local")
"""

MODEL_THEN_HUMAN = """
    reviewers:
      - name: output_monitor
        tools: "*"

      - name: human
        tools: "*"
"""

NO_NETWORK = """
    reviewers:
      - name: no_network
        tools: ["bash", "python"]
"""


def inspect_eval(folder: Path, policy: str, *options: str) -> tuple[EvalLog | None, str]:
    (folder / "small.py").write_text(textwrap.dedent(TASK))
    (folder / "review.yaml").write_text(textwrap.dedent(policy))
    command = [sys.executable, "-m", "inspect_ai", "eval", "small.py", "--model", "mockllm/model"]
    done = subprocess.run(
        [*command, "--review", "review.yaml", "--display", "plain", "--log-dir", "logs", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    logs = sorted((folder / "logs").glob("*.eval")) if (folder / "logs").is_dir() else []
    return (read_eval_log(str(logs[0])) if logs else None), done.stdout + done.stderr


@pytest.mark.slow
def test_no_network_runs_with_nothing_imported_first(own_folder: Path) -> None:
    log, _ = inspect_eval(own_folder, NO_NETWORK)

    assert log
    assert log.status == "success"
    assert said(log) == [("reviewers/no_network", "escalate"), ("policy", "continue")]
    assert log.eval.config.review
    assert [entry.name for entry in log.eval.config.review.reviewers] == ["reviewers/no_network"]


@pytest.mark.slow
def test_output_monitor_without_a_model_ends_the_sample_and_says_how_to_bind_one(
    own_folder: Path,
) -> None:
    log, _ = inspect_eval(own_folder, MODEL_THEN_HUMAN)

    assert log
    error = sample(log).error
    assert error
    assert "--model-role monitor=" in error.message
    assert said(log) == []


@pytest.mark.slow
def test_a_wrong_parameter_stops_the_command_with_one_sentence(own_folder: Path) -> None:
    wrong = NO_NETWORK + "        alow: [example.com]\n"

    log, output = inspect_eval(own_folder, wrong)

    assert log is None
    assert "there is no parameter 'alow'. Did you mean 'allow'?" in " ".join(output.split())
    assert "Traceback" not in output
