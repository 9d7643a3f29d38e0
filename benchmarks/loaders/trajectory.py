"""A recorded run, and the case lines that come of it."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Line = dict[str, Any]

MOST_HISTORY = 200_000
"""Characters of history in one case line; a longer one loses what is behind the task."""


@dataclass(frozen=True)
class Judgement:
    """A label with its kinds.

    Attributes:
        label: `bad`, `ok` or `unsure`; None if nobody judged.
        kinds: What it is bad for.
    """

    label: str | None = None
    kinds: tuple[str, ...] = ()


OK = Judgement("ok")
UNSURE = Judgement("unsure")
UNJUDGED = Judgement()


@dataclass(frozen=True)
class Step:
    """One tool call and its result.

    Attributes:
        tool: The tool's name.
        arguments: What it was called with.
        output: What it returned; None if the recording has no result, so that it is no case.
        message: Text that the assistant wrote beside the call.
        call_id: The call's id.
        exit_code: The command's, if known.
        error: The tool's error message.
        judgement: What is said of the result.
        fidelity: How the result differs from what a reviewer would have seen live.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    output: str | None = ""
    message: str = ""
    call_id: str = ""
    exit_code: int | None = None
    error: str | None = None
    judgement: Judgement = UNJUDGED
    fidelity: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """A run of an agent.

    Attributes:
        id: Its key; becomes the sample by which intervals are clustered.
        source: The set.
        steps: Its calls in order.
        task: What the user asked for.
        system: The system message.
        metadata: What else the set says, for those who look into the file.
    """

    id: str
    source: str
    steps: Sequence[Step]
    task: str = ""
    system: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


def lines_of(run: Run) -> Iterator[Line]:
    """A case line for every step that has a result."""
    history = [
        {"role": role, "content": text}
        for role, text in (("system", run.system), ("user", run.task))
        if text
    ]
    opening = len(history)
    for number, step in enumerate(run.steps, start=1):
        call_id = step.call_id or f"call_{number}"
        if step.output is not None:
            yield _line(run, number, step, call_id, *_bounded(history, opening))
        history += _messages(step, call_id)


def _line(
    run: Run, number: int, step: Step, call_id: str, history: list[Line], fidelity: list[str]
) -> Line:
    line: Line = {
        "id": f"{run.id}/{number}",
        "sample": run.id,
        "source": run.source,
        "tool": step.tool,
        "arguments": dict(step.arguments),
        "output": step.output,
        "message": step.message,
        "call_id": call_id,
        "history": history,
    }
    optional = {
        "exit_code": step.exit_code,
        "error": step.error,
        "label": step.judgement.label,
        "kind": list(step.judgement.kinds),
        "metadata": dict(run.metadata),
        "fidelity": [*step.fidelity, *fidelity],
    }
    return line | {name: value for name, value in optional.items() if value not in (None, [], {})}


def _messages(step: Step, call_id: str) -> list[Line]:
    call = {
        "id": call_id,
        "function": step.tool,
        "arguments": dict(step.arguments),
        "type": "function",
    }
    said: Line = {"role": "assistant", "content": step.message, "tool_calls": [call]}
    if step.output is None:
        return [said]
    result = {
        "role": "tool",
        "content": step.output,
        "tool_call_id": call_id,
        "function": step.tool,
    }
    return [said, result]


def _bounded(history: list[Line], opening: int) -> tuple[list[Line], list[str]]:
    """The newest messages that fit, behind the opening; and how that differs from live."""
    room = MOST_HISTORY - sum(len(str(message["content"])) for message in history[:opening])
    start = len(history)
    while start > opening and room >= 0:
        start -= 1
        room -= len(json.dumps(history[start]))
    if room < 0:
        start += 1
    # A result without the call that it answers would be no conversation.
    while start < len(history) and history[start]["role"] == "tool":
        start += 1
    fidelity = ["history"] if start > opening else []
    return history[:opening] + history[start:], fidelity


def judged_at_the_end(steps: Sequence[Step], bad: Judgement) -> list[Step]:
    """Steps of a run of which only the whole is known to be bad.

    Its last result is bad: by then a reviewer that follows the run must have seen it. Where in the
    run it turned bad nobody has said, so the results before are `unsure`.
    """
    last = max((n for n, step in enumerate(steps) if step.output is not None), default=-1)
    return [judged(step, bad if n == last else UNSURE) for n, step in enumerate(steps)]


def judged_from(steps: Sequence[Step], first_bad: int, bad: Judgement) -> list[Step]:
    """Steps of a run whose first bad call is known by its number from 1.

    Results before it are ok, those behind it unsure: they may well be part of it.
    """
    return [
        judged(step, OK if number < first_bad else bad if number == first_bad else UNSURE)
        for number, step in enumerate(steps, start=1)
    ]


def judged_alike(steps: Sequence[Step], judgement: Judgement) -> list[Step]:
    """Steps that are all judged the same."""
    return [judged(step, judgement) for step in steps]


def judged(step: Step, judgement: Judgement) -> Step:
    """A step with a judgement."""
    return replace(step, judgement=judgement)


def arguments_of(written: Any) -> dict[str, Any]:
    """Arguments from what a set has of them: an object, or one written as JSON or as Python."""
    if isinstance(written, Mapping):
        return dict(written)
    if not isinstance(written, str) or not written.strip():
        return {}
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(written)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(value, dict):
            return {str(name): one for name, one in value.items()}
    return {"input": written}


def text_of(content: Any) -> str:
    """The text of a message's content: text, or a list of parts with texts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for text in map(_part_text, content) if text)
    return json.dumps(content, ensure_ascii=False)


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return ""
    return str(part.get("text") or part.get("content") or "")
