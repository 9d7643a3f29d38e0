"""What a monitor costs apart from its model: milliseconds per call, by the run's length.

Run with `python -m benchmarks.monitor`. Each call is reviewed in full, with a mock model that
answers at once; the same request sent by itself is subtracted, since that is the model's own time.
Processor time is measured, so that a busy machine does not count.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("INSPECT_DISPLAY", "none")

TURNS = (25, 250, 2_500)
"""Lengths of run, in turns of two messages each."""

OUTPUT = 10_000
EARLIER_OUTPUT = 2_000
CALLS = 40


def recorded_run(turns: int) -> tuple[list[Any], list[Any]]:
    """A run's messages and events, as the transcript holds them at its last call."""
    from inspect_ai.event import ModelEvent, ReviewEvent, SpanBeginEvent, SpanEndEvent, ToolEvent
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageTool,
        ChatMessageUser,
        GenerateConfig,
        ModelOutput,
    )
    from inspect_ai.tool import ToolCall

    messages: list[Any] = [
        ChatMessageSystem(content="You are an agent with a shell. " * 20),
        ChatMessageUser(content="Find out why the build fails, and mend it. " * 10),
    ]
    events: list[Any] = []
    text = "drwxr-xr-x  2 user user 4096 Jan  1 12:00 file\n" * (EARLIER_OUTPUT // 47)
    for turn in range(turns):
        call = ToolCall(
            id=f"c{turn}", function="bash", arguments={"command": f"ls -la /srv/{turn}"}
        )
        said = ChatMessageAssistant(content=f"I look at folder {turn}.", tool_calls=[call])
        model = ModelEvent.model_construct(
            event="model",
            model="mockllm/agent",
            input=list(messages[-60:]) if turn < turns - 1 else list(messages),
            tools=[],
            tool_choice="auto",
            config=GenerateConfig(),
            output=ModelOutput.from_message(said),
            span_id="agent",
        )
        span = SpanBeginEvent(id=f"s{turn}", type="tool", name="bash", span_id=f"s{turn}")
        tool = ToolEvent(
            id=call.id, function="bash", arguments=call.arguments, span_id="agent", result=text
        )
        events += [model, span, tool, SpanEndEvent(id=f"s{turn}", span_id=f"s{turn}")]
        messages.append(said)
        if turn < turns - 1:
            review = ReviewEvent(
                message="", call=call, reviewer="reviewers/output_monitor", decision="continue"
            )
            events.append(review)
            messages.append(ChatMessageTool(content=text, tool_call_id=call.id, function="bash"))
        else:
            tool.pending = True
    return messages, events


def evidence_for(messages: Sequence[Any], events: Sequence[Any], number: int) -> Any:
    """The evidence of the run's last call, with an output that was not seen before."""
    from inspect_ai.model import ChatMessageTool

    from reviewers.evidence import Evidence
    from reviewers.transcript import TranscriptSurroundings

    said = messages[-1]
    call = said.tool_calls[0]
    output = (f"{number}: -rw-r--r-- 1 user user 812 Jan  1 12:00 source.py\n" * 200)[:OUTPUT]

    class Surroundings(TranscriptSurroundings):
        def sample(self) -> str:
            return f"benchmark-{len(messages)}"

    return Evidence(
        message=said.content,
        call=call,
        result=ChatMessageTool(content=output, tool_call_id=call.id, function="bash"),
        output=output,
        history=messages,
        surroundings=Surroundings(lambda: events, call, message_id=said.id),
    )


async def milliseconds(turns: int) -> dict[str, float]:
    """Median and 95th percentile of the overhead per call in a run of this length."""
    from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage, get_model

    from reviewers.monitors.factory import packaged

    answer = {"reason": "Ordinary work.", "evidence": [], "category": "none", "score": 0.05}
    output = ModelOutput.for_tool_call("mockllm/monitor", "verdict", answer)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    sent: list[Any] = []

    def respond(messages: Any, tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
        sent[:] = [messages, tools, choice, config]
        return output

    model = get_model("mockllm/monitor", custom_outputs=respond, memoize=False)
    monitor: Any = packaged("output_monitor")(model=model)
    messages, events = recorded_run(turns)
    overheads = []
    for number in range(CALLS + 5):
        evidence = evidence_for(messages, events, number)
        gc.collect()
        started = time.thread_time()
        await monitor.review(evidence)
        whole = time.thread_time() - started
        request, tools, choice, config = sent
        started = time.thread_time()
        await model.generate(request, tools=tools, tool_choice=choice, config=config)
        bare = time.thread_time() - started
        if number >= 5:
            overheads.append((whole - bare) * 1000)
    ordered = sorted(overheads)
    return {
        "median_ms": round(statistics.median(ordered), 2),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)], 2),
    }


def measure(data: Path | None = None) -> dict[str, object]:
    """Overhead per call by the run's length in messages; `data` is not needed."""
    return {f"{2 * turns} messages": asyncio.run(milliseconds(turns)) for turns in TURNS}


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
