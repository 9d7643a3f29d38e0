"""What reviewing costs in a live eval, where Inspect asks the reviewers and writes the log."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import count
from statistics import median
from time import perf_counter, process_time
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.review import Review, Reviewer, ReviewPolicy
from inspect_ai.review import reviewer as host_reviewer
from inspect_ai.tool import Tool, tool

from reviewers.outcome import clear, to_review
from reviewers.testing import scripted_model

Moment = tuple[float, float]
"""Processor time of this process, and the clock's."""


def milliseconds_live(
    reviewers: Sequence[Reviewer], text: str, command: str, calls: int
) -> dict[str, float]:
    """Median milliseconds that reviewers take for a tool result in a running eval.

    `NAME` in text and command is another word in each call: an agent that always does the same
    goes in circles, which is another case. The time runs from before the first reviewer to after
    the last, so what Inspect does for each of them is part of it. The first call, which makes
    everything ready, is left out.

    Args:
        reviewers: Asked in turn; each must pass on what it finds clear.
        text: The tool's output.
        command: The tool's argument.
        calls: How many calls are measured.

    Returns:
        `processor` and `wall`.
    """
    begun: list[Moment] = []
    ended: list[Moment] = []
    chain = [watch(begun), *reviewers, watch(ended)]
    task = Task(dataset=[Sample(input="Go.")], solver=react(tools=[shell(text)]))
    turns = [{"shell": {"command": named(command, at)}} for at in range(calls + 1)]
    with tempfile.TemporaryDirectory() as folder:
        log = inspect_eval(
            task,
            model=scripted_model(*turns, {"submit": {"answer": "done"}}),
            review=[ReviewPolicy(one, tools="shell") for one in chain],
            display="none",
            log_dir=folder,
            log_realtime=False,
        )[0]
    if log.status != "success" or len(ended) <= calls:
        raise RuntimeError(f"The eval did not run to its end: {log.status}, {log.error}.")
    spans = [
        (1000 * (after[0] - before[0]), 1000 * (after[1] - before[1]))
        for before, after in list(zip(begun, ended, strict=True))[1:]
    ]
    processor, wall = zip(*spans, strict=True)
    return {"processor": median(processor), "wall": median(wall)}


@tool
def shell(text: str) -> Tool:
    """A tool that returns a text."""
    numbers = count()

    async def execute(command: str) -> str:
        """Runs a command.

        Args:
            command: The command.
        """
        return named(text, next(numbers))

    return execute


def named(text: str, number: int) -> str:
    """A text with a word that stands for a number in place of `NAME`."""
    # Letters that are no hexadecimal digits: those may be an address, which is no news.
    return text.replace("NAME", "".join("ghijklmnop"[int(digit)] for digit in str(number)))


@host_reviewer
def watch(moments: list[Moment]) -> Reviewer:
    """A reviewer that only notes when it was asked."""

    async def review(*_: Any, **__: Any) -> Review:
        moments.append((process_time(), perf_counter()))
        return Review(decision="escalate")

    return review


@host_reviewer
def unseeing() -> Reviewer:
    """A reviewer that does not look: what Inspect needs to ask one and to record what it said."""

    async def review(*_: Any, **__: Any) -> Review:
        return to_review(clear(), "escalate", seconds=0, version="1", parameters_hash="")

    return review
