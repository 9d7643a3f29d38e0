"""Mock models that stand in for monitors, offline; every output carries a usage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

Answering = Callable[["Request"], ModelOutput]


class Request:
    """One request as a mock model got it."""

    def __init__(
        self,
        messages: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> None:
        self.messages = messages
        self.tools = tools
        self.tool_choice = tool_choice
        self.config = config

    @property
    def system(self) -> str:
        """The system message."""
        return self.messages[0].text

    @property
    def blocks(self) -> list[str]:
        """The content blocks of the first user message."""
        content = self.messages[1].content
        assert not isinstance(content, str)
        return [part.text for part in content if part.type == "text"]

    @property
    def shown(self) -> str:
        """All that the user message shows."""
        return "\n".join(self.blocks)

    @property
    def steps(self) -> list[str]:
        """Ids of the steps to judge, where there are several."""
        verdicts = self.tools[0].parameters.properties.get("verdicts") if self.tools else None
        if verdicts is None or verdicts.items is None:
            return []
        return list((verdicts.items.properties or {})["step"].enum or [])


USAGE = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}


def called(arguments: dict[str, Any], usage: dict[str, Any] | None = None) -> ModelOutput:
    """An output that calls the verdict tool."""
    output = ModelOutput.for_tool_call("mockllm/monitor", "verdict", arguments)
    output.usage = ModelUsage(**(usage or USAGE))
    return output


def verdict(score: float, **more: Any) -> dict[str, Any]:
    """A verdict's arguments."""
    category = "harm" if score >= 0.5 else "none"
    return {"reason": "It is so.", "evidence": [], "category": category, "score": score, **more}


def gives(score: float, **more: Any) -> ModelOutput:
    """An output with a verdict of this score."""
    return called(verdict(score, **more))


def says(text: str, stop_reason: Any = "stop") -> ModelOutput:
    """An output of text."""
    output = ModelOutput.from_content("mockllm/monitor", text, stop_reason)
    output.usage = ModelUsage(**USAGE)
    return output


def mock(*answers: ModelOutput | Answering, name: str = "monitor") -> tuple[Model, list[Request]]:
    """A mock model that gives these answers in turn (the last one again and again), and its log."""
    requests: list[Request] = []

    def answer(
        messages: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        request = Request(messages, tools, tool_choice, config)
        requests.append(request)
        given = answers[min(len(requests), len(answers)) - 1]
        output = given(request) if callable(given) else given
        return output.model_copy(deep=True)

    return get_model(f"mockllm/{name}", custom_outputs=answer, memoize=False), requests


def for_all_steps(request: Request, score: float) -> ModelOutput:
    """The same score for whatever the request asks to be judged."""
    if not request.steps:
        return gives(score)
    return called({"verdicts": [verdict(score, step=step) for step in request.steps]})


def call_of(output: ModelOutput) -> ToolCall:
    """The only tool call of an output."""
    (call,) = output.message.tool_calls or []
    return call


def texts(requests: Sequence[Request]) -> list[str]:
    """What each request showed."""
    return [request.shown for request in requests]
