"""Reading logs: our reader sees what Inspect's own reader sees, and reads what it is given."""

from __future__ import annotations

import zipfile
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import as_tool, handoff, react
from inspect_ai.dataset import Sample
from inspect_ai.log import (
    EvalLog,
    read_eval_log_sample,
)
from inspect_ai.model import ContentImage, ContentText
from inspect_ai.scorer import includes
from inspect_ai.tool import Tool, bash, tool

from reviewers.case import Case
from reviewers.compose.record_output import record_output
from reviewers.compose.stop_flagged import stop_flagged
from reviewers.replay.cases import cases_of
from reviewers.replay.lines import sample_from_json
from reviewers.replay.samples import sample_from_inspect
from reviewers.rules.pattern import pattern
from reviewers.testing import scripted_model
from tests.replay.replaying import policies

LONG = "a long text " * 60
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"


def in_full(case: Case) -> dict[str, Any]:
    """Everything that a reviewer could look up."""
    evidence = case.evidence
    surroundings: Any = evidence.surroundings
    return {
        "id": case.id,
        "sample": case.sample,
        "fidelity": case.fidelity,
        "message": evidence.message,
        "call": evidence.call,
        "result": evidence.result.model_dump(exclude={"id"}),
        "output": evidence.output,
        "view": evidence.view,
        "history": [message.model_dump(exclude={"id"}) for message in evidence.history],
        "model_input": [
            message.model_dump(exclude={"id"}) for message in evidence.model_input or ()
        ],
        "tools": [info.model_dump() for info in evidence.tools or ()],
        "executions": evidence.executions,
        "past_calls": evidence.past_calls,
        "people": evidence.people,
        "truncated": evidence.truncated,
        "target": evidence.target,
        "metadata": evidence.metadata,
        "reviews": [
            (review.reviewer, review.decision, review.explanation, review.metadata, review.call)
            for review in surroundings.reviews()
        ],
        "scores": surroundings.recorded_sample().scores,
    }


def by_inspect(log: EvalLog) -> list[dict[str, Any]]:
    """The cases of a log when Inspect's own reader reads it."""
    found = []
    for one in log.samples or []:
        sample = read_eval_log_sample(log.location, one.id, one.epoch, resolve_attachments="core")
        found += cases_of(sample_from_inspect(sample, log.location, log.eval.eval_id))
    return [in_full(case) for case in found]


def by_us(log: EvalLog) -> list[dict[str, Any]]:
    """The cases of a log when only our reader may read it."""
    found: list[Case] = []
    with zipfile.ZipFile(log.location) as file:
        for one in log.samples or []:
            data = file.read(f"samples/{one.id}_epoch_{one.epoch}.json")
            found += cases_of(sample_from_json(data, log.location, lambda: log.eval.eval_id))
    return [in_full(case) for case in found]


@tool
def camera() -> Tool:
    async def execute() -> list[Any]:
        """Take a picture."""
        return [ContentText(text=LONG), ContentImage(image=PIXEL + LONG)]

    return execute


def a_log_with_everything() -> EvalLog:
    """Parallel calls, a handoff, an agent as a tool, pictures, long texts, errors, reviews."""
    inner = react(name="inner", description="Helps.", tools=[bash()])
    other = react(name="other", description="Helps too.", tools=[bash()])
    done = {"submit": {"answer": "done"}}
    turns: list[Any] = [
        [{"id": "c0", "bash": {"command": f"echo {LONG}"}}, {"id": "c1", "camera": {}}],
        {"id": "c0", "transfer_to_inner": {}},
        {"id": "c0", "bash": {"command": "echo inside; exit 2"}},
        done,
        {"id": "c0", "other": {"input": LONG}},
        {"id": "c0", "bash": {"command": "seq 1 20000"}},
        done,
        {"id": "c0", "bash": {"cmd": "wrong"}},
        LONG,
        done,
    ]
    task = Task(
        dataset=[
            Sample(id="first", input=LONG, target=["yes", "no"], metadata={"note": LONG}),
            Sample(id=2, input="Again.", target="yes"),
        ],
        solver=react(tools=[bash(), camera(), handoff(inner), as_tool(other)]),
        scorer=includes(),
        sandbox="local",
        epochs=2,
    )
    review = policies(record_output(), pattern(deny=["badword"]), stop_flagged())
    return inspect_eval(
        task,
        model=scripted_model(*turns * 4, *[done] * 4),
        review=review,
        display="none",
        max_samples=1,
    )[0]


def test_our_reader_sees_what_inspects_sees() -> None:
    log = a_log_with_everything()

    assert by_us(log) == by_inspect(log)
    assert len(by_us(log)) > 20
