"""A contract: what `_host.py` uses of Inspect's private parts, and the review API it builds on.

When a new Inspect changes one of these, the failing test names it.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pytest
from inspect_ai.review import Review, ReviewDecision, Reviewer, ReviewPolicy
from inspect_ai.tool import ToolCall

from reviewers import _host
from reviewers.outcome import ReviewersError

CONTRACT: dict[str, Any] = json.loads(
    (Path(__file__).parent / "host_contract.json").read_text("utf-8")
)
"""What each private name looked like in the Inspect that `_host.py` was written for.

Made anew, after a look at what changed, by `python -m tests.test_host`.
"""


def private_names() -> list[tuple[str, str]]:
    """The private modules and names that `_host.py` imports."""
    found: set[tuple[str, str]] = set()
    for node in ast.walk(ast.parse(Path(_host.__file__).read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and "inspect_ai" in (node.module or ""):
            for alias in node.names:
                if re.search(r"\._|^_", f"{node.module}.{alias.name}".removeprefix("inspect_ai")):
                    found.add((node.module or "", alias.name))
    return sorted(found)


def shape(found: Any) -> list[str] | str:
    """What a use depends on: parameters with their kinds, or a class's fields and methods."""
    if inspect.isclass(found) and hasattr(found, "model_fields"):
        return sorted(found.model_fields)
    if inspect.isclass(found):
        return sorted(name for name in vars(found) if not name.startswith("__"))
    if callable(found):
        return [
            f"{'*' * (p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD))}{p.name}"
            f"{'' if p.default is p.empty else '='}"
            for p in inspect.signature(found).parameters.values()
        ]
    return type(found).__name__


@pytest.mark.parametrize(("module", "name"), private_names())
def test_a_private_name_of_inspect_is_what_it_was(module: str, name: str) -> None:
    found = getattr(import_module(module), name)

    assert shape(found) == CONTRACT[f"{module}.{name}"]


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


if __name__ == "__main__":
    shapes = {f"{m}.{n}": shape(getattr(import_module(m), n)) for m, n in private_names()}
    (Path(__file__).parent / "host_contract.json").write_text(json.dumps(shapes, indent=1) + "\n")
