"""Three rules and a person in one policy file: what the person is asked about, and what ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, read_eval_log

from tests.evals import reviews, run, said, stopped
from tests.live.terminal import drive

POLICY = """
    reviewers:
      - name: reviewers/no_network
        tools: "*"
        on_flag: escalate
      - name: reviewers/secret_leak
        tools: "*"
        on_flag: escalate
      - name: reviewers/exit_code
        tools: "*"
        assertions: [{command: "make test", must_succeed: true}]
        on_flag: escalate
      - name: reviewers/human
        tools: "*"
"""

HELLO = "echo hello"
KEY = "AKIA" + "QYLPMN5HFIQR7XYA"
"""Put together from parts, so that no scanner takes this file for a leak."""

LEAK = f"echo aws_access_key_id = {KEY}"
CONTACT = "sh get.sh"
LEAK_AND_CONTACT = f"{CONTACT}; {LEAK}"
BROKEN_TESTS = "sh -c 'exit 2' # make test"
NO_EXIT_CODE = "make test"

SCRIPT = """
    import sys
    from inspect_ai import Task, eval
    from inspect_ai.agent import react
    from inspect_ai.dataset import Sample
    from inspect_ai.tool import bash, tool
    from reviewers.testing import scripted_model

    @tool
    def remote_build():
        async def execute(command: str) -> str:
            '''Builds elsewhere, and tells no exit code.

            Args:
                command: What to build.
            '''
            return "built"

        return execute

    fetched = "Get:1 http://deb.debian.org/debian stable InRelease [151 kB]"
    sample = Sample(input="Go.", files={"get.sh": f"echo '{fetched}'"})
    calls = [{tool: {"command": command}, "id": "same"} for tool, command in CALLS]
    task = Task(dataset=[sample], solver=react(tools=[bash(), remote_build()]), sandbox="local")
    model = scripted_model(*calls, {"submit": {"answer": "x"}})
    eval(task, model=model, review=sys.argv[1], display="plain", log_dir="logs")
"""


def asked(folder: Path, calls: list[tuple[str, str]], answers: list[str]) -> list[bool]:
    """Whether the person was asked about each call, and about `submit` at the end."""
    screen = drive(folder, SCRIPT.replace("CALLS", repr(calls)), POLICY, answers)

    log = read_eval_log(str(next((folder / "logs").glob("*.eval"))))
    assert log.status == "success", screen
    of_person = [event for event in reviews(log) if event.reviewer == "reviewers/human"]
    asked = [(event.metadata or {})["asked"] for event in of_person]
    assert screen.count("[a/t]") == sum(asked)
    return asked


@pytest.mark.slow
def test_the_person_is_asked_about_nothing_when_all_is_clear(own_folder: Path) -> None:
    assert asked(own_folder, [("bash", HELLO)] * 3, []) == [False] * 4


@pytest.mark.slow
def test_the_person_is_asked_once_about_each_flag_or_failure_though_call_ids_repeat(
    own_folder: Path,
) -> None:
    calls = [
        ("bash", CONTACT),
        ("bash", HELLO),
        ("bash", LEAK),
        ("bash", LEAK),
        ("bash", BROKEN_TESTS),
        ("remote_build", NO_EXIT_CODE),
        ("bash", LEAK_AND_CONTACT),
        ("bash", HELLO),
    ]

    questions = asked(own_folder, calls, ["a"] * 6)

    assert questions == [command != HELLO for _, command in calls] + [False]


def under_the_defaults(folder: Path, *commands: str) -> EvalLog:
    """Run commands under the same policy without `on_flag`."""
    file = folder / "review.yaml"
    file.write_text(POLICY.replace("        on_flag: escalate\n", ""))
    write_script = "echo \"echo 'Get:1 http://deb.debian.org/debian stable'\" > get.sh"
    return run(*[{"bash": {"command": one}} for one in (write_script, *commands)], review=str(file))


@pytest.mark.parametrize(
    ("command", "rule"),
    [(CONTACT, "no_network"), (LEAK, "secret_leak"), (BROKEN_TESTS, "exit_code")],
)
def test_without_on_flag_a_flag_ends_the_sample(own_folder: Path, command: str, rule: str) -> None:
    log = under_the_defaults(own_folder, HELLO, command, HELLO)

    assert stopped(log)
    assert said(log)[-1] == (f"reviewers/{rule}", "terminate")


def test_without_on_flag_a_clear_sample_is_not_ended(own_folder: Path) -> None:
    log = under_the_defaults(own_folder, HELLO)

    assert not stopped(log)
    assert said(log)[-1] == ("reviewers/human", "continue")
