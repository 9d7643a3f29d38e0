"""Runs small Inspect evals offline: a scripted agent, real tools, the local sandbox."""

from __future__ import annotations

from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import Agent, react
from inspect_ai.dataset import Sample
from inspect_ai.event import ReviewEvent, ToolEvent
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.solver import Solver
from inspect_ai.tool import bash, python

from reviewers.testing import scripted_model


def run(
    *turns: Any,
    review: Any = None,
    task_review: Any = None,
    agent: Agent | Solver | None = None,
    sandbox: str | None = "local",
    target: str = "",
    metadata: dict[str, Any] | None = None,
    **options: Any,
) -> EvalLog:
    """Run one sample whose agent takes these turns; the log as Inspect returns it.

    Args:
        turns: What the scripted model says or calls; see `scripted_model`.
        review: The eval's review policies.
        task_review: The task's review policies.
        agent: The solver; a `react()` agent with bash and python by default.
        sandbox: The sample's sandbox.
        target: The sample's target.
        metadata: The sample's metadata.
        options: More for `inspect_ai.eval`.
    """
    task = Task(
        dataset=[Sample(input="Do the task.", target=target, metadata=metadata)],
        solver=agent or react(tools=[bash(), python()]),
        sandbox=sandbox,
        review=task_review,
    )
    done = {"submit": {"answer": "done"}}
    return inspect_eval(
        task,
        model=scripted_model(*turns, *[done] * 3),
        review=review,
        display="none",
        **options,
    )[0]


def sample(log: EvalLog) -> EvalSample:
    """The log's only sample."""
    assert log.samples, log.error
    return log.samples[0]


def reviews(log: EvalLog) -> list[ReviewEvent]:
    """All reviews of the log's sample, in order."""
    return [event for event in sample(log).events if isinstance(event, ReviewEvent)]


def said(log: EvalLog) -> list[tuple[str, str]]:
    """All reviews as `(reviewer, decision)`."""
    return [(event.reviewer, event.decision) for event in reviews(log)]


def tool_results(log: EvalLog) -> list[str]:
    """The text of every tool result, in order."""
    return [str(event.result) for event in sample(log).events if isinstance(event, ToolEvent)]


def stopped(log: EvalLog) -> bool:
    """Whether the sample was ended by an operator limit, as a reviewer's `terminate` does."""
    limit = sample(log).limit
    return limit is not None and limit.type == "operator"
