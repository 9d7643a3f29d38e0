"""Helpers for people who write their own reviewers, and for our own tests.

```python
from reviewers.testing import evidence, judge

async def test_a_key_is_stopped():
    review = await judge(private_key(), result=KEY_FILE)

    assert review.decision == "terminate"
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from reviewers import _host
from reviewers.case import case_from_line
from reviewers.evidence import Earlier, Evidence
from reviewers.example import Example
from reviewers.judging import JudgingReviewer

if TYPE_CHECKING:
    from inspect_ai.review import Review, Reviewer


def evidence(
    result: Any = "",
    *,
    command: str = "",
    tool: str = "bash",
    arguments: Mapping[str, Any] | None = None,
    exit_code: int | None = None,
    exit_codes: Sequence[int] | None = None,
    message: str = "",
    error: str = "",
    target: str | Sequence[str] = (),
    metadata: Mapping[str, Any] | None = None,
    history: Sequence[tuple[str, Mapping[str, Any], str]] = (),
    earlier: Sequence[Earlier] = (),
) -> Evidence:
    """Evidence as a reviewer would get it, from what matters to a test.

    Args:
        result: The tool's output: text, or a list of Inspect's content.
        command: What the call ran.
        tool: The tool that was called.
        arguments: The call's arguments; `{"command": command}` by default.
        exit_code: Exit code of the call's command; None if it ran none.
        exit_codes: Exit codes of all its commands, where there were several.
        message: Text the assistant wrote beside the call.
        error: The tool's error message.
        target: The sample's target.
        metadata: The sample's metadata.
        history: Earlier calls as `(function, arguments, result)`.
        earlier: What earlier reviewers of this call said.
    """
    line: dict[str, Any] = {
        "tool": tool,
        "arguments": dict(arguments or ({"command": command} if command else {})),
        "output": result,
        "exit_code": exit_code,
        "exit_codes": exit_codes,
        "message": message,
        "error": error,
        "target": target,
        "metadata": metadata,
        "history": _conversation(history),
    }
    return case_from_line(line).evidence.with_earlier(tuple(earlier))


def _conversation(calls: Sequence[tuple[str, Mapping[str, Any], str]]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for number, (function, arguments, result) in enumerate(calls):
        call = {"id": f"past_{number}", "function": function, "arguments": dict(arguments)}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append(
            {"role": "tool", "content": result, "tool_call_id": call["id"], "function": function}
        )
    return messages


async def judge(reviewer: Reviewer, result: Any = "", **what: Any) -> Review:
    """A reviewer's review of evidence made from the same arguments as `evidence` takes."""
    return await judge_evidence(reviewer, evidence(result, **what))


async def judge_evidence(reviewer: Reviewer, given: Evidence) -> Review:
    """Any reviewer's review of some evidence."""
    if isinstance(reviewer, JudgingReviewer):
        return await reviewer.review(given)
    from inspect_ai.tool import ToolCallView

    return await reviewer(
        given.message,
        given.call,
        given.result,
        given.output,
        given.view or ToolCallView(),
        list(given.history),
    )


def example_evidence(example: Example) -> Evidence:
    """The evidence that an example describes."""
    return evidence(
        example.result,
        command=example.command,
        tool=example.tool,
        arguments=example.arguments,
        exit_code=example.exit_code,
        message=example.message,
        error=example.error,
        target=example.target,
        metadata=example.metadata,
        history=example.history,
    )


async def wrong_examples(module: ModuleType) -> list[str]:
    """The examples of a reviewer's module that do not hold, each as a sentence; empty if all do.

    Args:
        module: Holds a reviewer factory named like the module, and `EXAMPLES`.
    """
    name = module.__name__.rpartition(".")[2]
    wrong = []
    for example in module.EXAMPLES:
        reviewer = getattr(module, name)(**example.parameters)
        outcome = await reviewer.judge(example_evidence(example))
        expected = "failed" if example.fails else "flagged" if example.matches else "clear"
        if outcome.state != expected:
            what = example.command or example.result[:80]
            wrong.append(
                f"{name}: {what!r} ({example.because}) is {outcome.state} "
                f"({outcome.explanation}), not {expected}"
            )
    return wrong


def reviewer_named(name: str, **parameters: Any) -> Reviewer:
    """A registered reviewer, created as a policy file creates it."""
    return _host.create(name, parameters)


Turn = str | dict[str, Any] | list[dict[str, Any]]
"""What a scripted model does in a turn: a text, a call, or several calls at once."""


def scripted_model(
    *turns: Turn, by_task: Mapping[str, Sequence[Turn]] | None = None, name: str = "agent"
) -> Any:
    """A mock model that says or calls what it is told, one turn after the other, offline.

    Each output carries a token usage: without one the mock counts tokens with an encoding that it
    would download.

    Args:
        turns: Each a text, a call `{"bash": {"command": "ls"}}`, or a list of calls made at once.
        by_task: Instead of turns: what it does in each sample, by the sample's input.
        name: Name of the mock model, behind `mockllm/`.
    """
    from inspect_ai.model import get_model

    def by_input(messages: Sequence[Any], *_: Any) -> Any:
        task = next(message.text for message in messages if message.role == "user")
        number = sum(message.role == "assistant" for message in messages)
        return _scripted_turn((by_task or {})[task][number], number)

    outputs = [_scripted_turn(turn, number) for number, turn in enumerate(turns)]
    return get_model(
        f"mockllm/{name}", custom_outputs=by_input if by_task else outputs, memoize=False
    )


def _scripted_turn(turn: Turn, number: int) -> Any:
    from inspect_ai.model import (
        ChatCompletionChoice,
        ChatMessageAssistant,
        ModelOutput,
        ModelUsage,
    )
    from inspect_ai.tool import ToolCall

    usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    if isinstance(turn, str):
        said = ModelOutput.from_content("mockllm/model", turn)
        said.usage = usage
        return said
    made = [turn] if isinstance(turn, dict) else turn
    calls = [
        ToolCall(
            id=str(call.get("id", f"call_{number}_{place}")),
            function=next(key for key in call if key != "id"),
            arguments=next(value for key, value in call.items() if key != "id"),
        )
        for place, call in enumerate(made)
    ]
    message = ChatMessageAssistant(content="", tool_calls=calls, source="generate")
    choice = ChatCompletionChoice(message=message, stop_reason="tool_calls")
    return ModelOutput(model="mockllm/model", choices=[choice], usage=usage)
