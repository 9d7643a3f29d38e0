"""A contract: what `_host.py` uses of Inspect's private parts, and the review API it builds on.

When a new Inspect changes one of these, the failing test names it.
"""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import get_args

import pytest
from inspect_ai.review import Review, ReviewDecision, Reviewer, ReviewPolicy
from inspect_ai.tool import ToolCall

from reviewers import _host
from reviewers.outcome import ReviewersError

PRIVATE = {
    "inspect_ai._util.registry": {
        "RegistryInfo": None,
        "registry_add": ["o", "info"],
        "registry_has": ["type", "name"],
        "registry_name": ["o", "name"],
        "registry_tag": ["type", "o", "info", "args", "kwargs"],
        "registry_log_name": ["o"],
        "registry_lookup": ["type", "name"],
        "registry_find": ["predicate"],
        "registry_info": ["o"],
        "create_registry_object": ["type", "name", "args"],
    },
    "inspect_ai._util.entrypoints": {"ensure_entry_points": ["package"]},
    "inspect_ai._util.error": {"PrerequisiteError": ["self", "message"]},
    "inspect_ai._util.format": {"format_function_call": None},
    "inspect_ai.solver._task_state": {"sample_state": []},
    "inspect_ai.review._call": {
        "record_review": ["reviewer_name", "message", "call", "review"],
    },
    "inspect_ai.util._limit": {
        "cost_limit_tree": None,
        "suspend_token_limit": [],
        "suspend_turn_limit": [],
        "suspend_working_limit": [],
    },
}


@pytest.mark.parametrize(
    ("module", "name", "parameters"),
    [(module, name, given) for module, names in PRIVATE.items() for name, given in names.items()],
)
def test_a_private_name_is_there_and_takes_what_it_took(
    module: str, name: str, parameters: list[str] | None
) -> None:
    found = getattr(__import__(module, fromlist=[name]), name)

    if parameters is not None:
        function = found.__init__ if inspect.isclass(found) else found
        assert list(inspect.signature(function).parameters) == parameters


def test_a_review_has_a_decision_an_explanation_and_metadata() -> None:
    assert set(Review.model_fields) == {"decision", "explanation", "metadata"}
    assert set(get_args(ReviewDecision)) == {"continue", "terminate", "escalate"}


def test_a_reviewer_gets_six_arguments() -> None:
    assert list(inspect.signature(Reviewer.__call__).parameters) == [
        "self",
        "message",
        "call",
        "result",
        "output",
        "view",
        "history",
    ]


def test_a_policy_is_a_reviewer_and_its_tools() -> None:
    assert [field.name for field in fields(ReviewPolicy)] == ["reviewer", "tools"]


def test_the_cost_limit_tree_keeps_its_leaf_in_a_context_variable() -> None:
    from inspect_ai.util import cost_limit
    from inspect_ai.util._limit import cost_limit_tree, record_model_cost

    with cost_limit(1.0) as limit:
        with _host.cost_limit_suspended():
            record_model_cost(5.0)
        charged = limit.usage

    assert charged == 0
    assert cost_limit_tree.get() is None


@pytest.mark.parametrize(
    ("tools", "call", "covered"),
    [
        ("bash", ToolCall("1", "bash", {"command": "ls"}), True),
        ("bash", ToolCall("1", "bash_session", {}), True),
        ("bash,python", ToolCall("1", "python", {"code": "1"}), True),
        (["python"], ToolCall("1", "bash", {"command": "ls"}), False),
        ("bash(command='curl*", ToolCall("1", "bash", {"command": "curl x"}), True),
        ("bash(command='curl*", ToolCall("1", "bash", {"command": "ls"}), False),
        ("*", ToolCall("1", "anything", {}), True),
        ("", ToolCall("1", "bash", {}), False),
    ],
)
async def test_a_policys_tools_cover_what_inspect_says_they_cover(
    tools: str | list[str], call: ToolCall, covered: bool
) -> None:
    from inspect_ai.model import ChatMessageTool
    from inspect_ai.review._policy import policy_reviewer
    from inspect_ai.tool import ToolCallView

    from reviewers.rules.pattern import pattern

    stopping = pattern(deny=["."], on_flag="terminate")
    policy = policy_reviewer([ReviewPolicy(stopping, tools)])
    result = ChatMessageTool(content="x", tool_call_id="1", function=call.function)
    review = await policy("", call, result, "x", ToolCallView(), [])

    assert _host.tool_matcher(tools)(call) is covered
    assert (review.decision == "terminate") is covered


def test_the_frame_around_a_truncated_output_is_still_the_same() -> None:
    from inspect_ai.model import ChatMessageTool
    from inspect_ai.model._call_tools import truncate_tool_output

    output = "x" * 5000
    cut = truncate_tool_output("bash", output, 1000)

    assert cut is not None
    message = ChatMessageTool(content=cut.output, tool_call_id="1")
    assert _host.truncation(message, output) == (cut.raw_bytes, cut.truncated_bytes)


def test_an_output_that_shows_the_frame_itself_was_not_truncated() -> None:
    from inspect_ai.model import ChatMessageTool

    output = f"{_host.TRUNCATED_START}x{_host.TRUNCATED_END}"

    assert _host.truncation(ChatMessageTool(content=output, tool_call_id="1"), output) is None


def test_inspects_command_line_prints_a_policy_error_as_a_sentence() -> None:
    from inspect_ai._util.error import PrerequisiteError

    error = _host.policy_error(ReviewersError("deny is [x]; that is wrong."))

    assert isinstance(error, PrerequisiteError)
    assert isinstance(error, ReviewersError)
    assert str(error) == "deny is [x]; that is wrong."
    assert str(error.message) == "deny is [x]; that is wrong."
