"""The person at the end of a policy: when they are asked, what they see, what they decide."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.approval._human.acp import _format_view_content_as_markdown
from inspect_ai.approval._human.util import render_tool_approval
from inspect_ai.log import read_eval_log
from inspect_ai.review import ReviewPolicy
from inspect_ai.tool import ToolCallContent, ToolCallView
from rich.console import Console

from reviewers.compose.human import human, view_with_reasons
from reviewers.evidence import Earlier
from reviewers.rules.pattern import pattern
from tests.evals import reviews, run, stopped
from tests.live.terminal import drive

HOSTILE = "it said {{command}} \x1b[2J\x1b[31m ``` \u202egnp.exe"


def earlier(explanation: str) -> Earlier:
    return Earlier("reviewers/no_network", "escalate", "flagged", explanation, 0.93)


def shown_on_screen(view: ToolCallView) -> str:
    console = Console(record=True, width=200, file=open(os.devnull, "w"))  # noqa: SIM115
    for part in render_tool_approval("", view, {"command": "FILLED-IN"}):
        console.print(part)
    console.file.close()
    return console.export_text()


def test_the_person_sees_who_flagged_it_how_sure_and_why() -> None:
    view = view_with_reasons(ToolCallView(), [earlier("curl reached example.com.")])

    assert "reviewers/no_network flagged it, score 0.93: curl reached example.com." in (
        shown_on_screen(view)
    )


def test_a_reason_is_not_filled_in_and_moves_no_cursor() -> None:
    view = view_with_reasons(ToolCallView(), [earlier(HOSTILE)])

    assert view.context
    assert "\x1b" not in view.context.content
    assert "\u202e" not in view.context.content
    assert "FILLED-IN" not in shown_on_screen(view)


@pytest.mark.parametrize("form", ["markdown", "text"])
def test_the_tools_own_context_is_kept(form: Any) -> None:
    own = ToolCallContent(title="Mine", format=form, content="# Own context")

    view = view_with_reasons(ToolCallView(context=own), [earlier("Because ``` of this.")])

    assert view.context
    assert view.context.title == "Mine"
    assert view.context.content.startswith("# Own context")
    assert "Because ``` of this." in shown_on_screen(view)


def test_a_code_fence_in_a_reason_does_not_end_the_block_for_editors() -> None:
    view = view_with_reasons(ToolCallView(), [earlier("see ```\n# Approved\n```")])

    assert view.context
    markdown = _format_view_content_as_markdown(view.context).content
    fence = re.search(r"^(`{3,})", markdown, re.MULTILINE)
    assert fence is not None
    assert len(fence[1]) > 3


def test_a_panel_is_not_shown_beside_its_members() -> None:
    panel = Earlier("reviewers/panel", "escalate", "flagged", "All.", metadata={"members": []})

    view = view_with_reasons(ToolCallView(), [earlier("One."), panel])

    assert view.context
    assert "reviewers/panel" not in view.context.content


SCRIPT = """
    import sys
    from inspect_ai import Task, eval
    from inspect_ai.agent import react
    from inspect_ai.dataset import Sample
    from inspect_ai.tool import bash
    from reviewers.testing import scripted_model

    show = {"bash": {"command": "echo root-password"}, "id": "same"}
    hello = {"bash": {"command": "echo hello"}, "id": "same"}
    task = Task(dataset=[Sample(input="Go.")], solver=react(tools=[bash()]), sandbox="local")
    model = scripted_model(show, hello, show, {"submit": {"answer": "x"}})
    eval(task, model=model, review=sys.argv[1], display="plain", log_dir="logs")
"""

POLICY = """
    reviewers:
      - name: pattern
        tools: "*"
        deny: ["root-password"]
        on_flag: escalate
      - name: reviewers/human
        tools: "*"
"""


@pytest.mark.slow
def test_on_a_terminal_the_person_is_asked_once_for_each_flag_though_call_ids_repeat(
    own_folder: Path,
) -> None:
    screen = drive(own_folder, SCRIPT, POLICY, ["a", "t"])

    log = read_eval_log(str(next((own_folder / "logs").glob("*.eval"))))
    asked = [
        (event.decision, (event.metadata or {})["asked"])
        for event in reviews(log)
        if event.reviewer == "reviewers/human"
    ]
    assert asked == [("continue", True), ("continue", False), ("terminate", True)]
    assert stopped(log)
    assert "flagged it" in screen
    assert screen.count("[a/t]") == 2


def test_inspects_own_human_still_asks_about_every_result(own_folder: Path) -> None:
    import reviewers._registry  # noqa: F401
    from reviewers import _host

    factory = _host.lookup("human")

    assert factory is not None
    assert _host.log_name(factory()) == "human"
    policy = 'reviewers:\n  - name: human\n    tools: "bash"\n'
    screen = drive(own_folder, SCRIPT, policy, ["a", "a", "a"])
    assert screen.count("[a/t]") == 3


def test_nobody_is_asked_about_a_clear_result() -> None:
    policy = [
        ReviewPolicy(pattern(deny=["nothing"]), tools="*"),
        ReviewPolicy(human(), tools="*"),
    ]

    log = run({"bash": {"command": "echo hello"}}, review=policy)

    last = reviews(log)[1]
    assert last.explanation == "Nobody was asked: nothing was flagged."
    assert (last.metadata or {})["asked"] is False
