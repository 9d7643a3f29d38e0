"""Reading logs: our reader sees what Inspect's own reader sees, and reads what it is given."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import as_tool, handoff, react
from inspect_ai.dataset import Sample
from inspect_ai.log import (
    EvalLog,
    convert_eval_logs,
    read_eval_log_sample,
)
from inspect_ai.model import ContentImage, ContentText
from inspect_ai.scorer import includes
from inspect_ai.tool import Tool, bash, tool

from reviewers.case import Case
from reviewers.compose.record_output import record_output
from reviewers.compose.stop_flagged import stop_flagged
from reviewers.replay import Problems, SourceError, find_sources, iter_cases
from reviewers.replay.cases import cases_of
from reviewers.replay.sample_file import NotReadable, sample_from_json
from reviewers.replay.samples import sample_from_inspect
from reviewers.rules.pattern import pattern
from reviewers.testing import scripted_model
from tests.evals import run
from tests.replay.replaying import cases, policies

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
    found: list[Case] = []
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


def test_a_json_log_gives_the_same_cases(own_folder: Path) -> None:
    log = a_log_with_everything()
    convert_eval_logs(log.location, "json", str(own_folder / "as_json"))
    [converted] = find_sources([str(own_folder / "as_json")])

    as_json = {case.id: in_full(case) for case in iter_cases([converted])}

    assert as_json == {case["id"]: case for case in by_us(log)}


def test_what_our_reader_does_not_know_inspects_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    log = run({"bash": {"command": "echo hello"}})
    expected = [in_full(case) for case in cases(log)]

    def knows_nothing(*args: Any) -> Any:
        raise NotReadable("no")

    monkeypatch.setattr("reviewers.replay.sources.sample_from_json", knows_nothing)

    assert [in_full(case) for case in cases(log)] == expected


def test_a_folder_a_glob_and_a_file_name_the_same_logs_once(own_folder: Path) -> None:
    log = run({"bash": {"command": "echo hello"}})
    folder = str(Path(log.location.removeprefix("file://")).parent)

    by_folder = find_sources([folder])

    assert len(by_folder) == 1
    assert find_sources([f"{folder}/*.eval", folder, by_folder[0].path]) == by_folder


def test_an_address_of_another_file_system_is_read(own_folder: Path) -> None:
    import fsspec  # type: ignore[import-untyped]

    log = run({"bash": {"command": "echo hello"}})
    data = Path(log.location.removeprefix("file://")).read_bytes()
    with fsspec.open("memory://logs/one.eval", "wb") as stream:
        stream.write(data)

    found = list(iter_cases(["memory://logs"]))

    assert [case.id for case in found] == [case.id for case in cases(log)]


def test_a_source_that_is_not_there_is_named() -> None:
    with pytest.raises(SourceError, match="nowhere: there is no log"):
        find_sources(["nowhere"])


def test_a_damaged_log_is_named_and_the_rest_goes_on(own_folder: Path) -> None:
    whole = run({"bash": {"command": "echo hello"}})
    location = Path(whole.location.removeprefix("file://"))
    damaged = location.with_name("0-damaged.eval")
    damaged.write_bytes(location.read_bytes()[:-200])
    problems = Problems()

    found = list(iter_cases([str(location.parent)], problems))

    assert [case.id for case in found] == [case.id for case in cases(whole)]
    [(what, why)] = problems.skipped
    assert what == str(damaged)
    assert why


def test_a_damaged_sample_is_named_and_the_others_are_read(own_folder: Path) -> None:
    log = a_log_with_everything()
    location = Path(log.location.removeprefix("file://"))
    with zipfile.ZipFile(location) as source, zipfile.ZipFile("damaged.eval", "w") as target:
        for name in source.namelist():
            data = source.read(name)
            target.writestr(name, data[:-100] if name.startswith("samples/first_epoch_1") else data)
    problems = Problems()

    found = list(iter_cases(["damaged.eval"], problems))

    expected = [case for case in cases(log) if case.evidence.surroundings.epoch() == 2]
    assert {case.id for case in expected} < {case.id for case in found}
    assert [what for what, _ in problems.skipped] == ["damaged.eval (samples/first_epoch_1.json)"]


def test_without_a_place_for_problems_a_damaged_log_raises(own_folder: Path) -> None:
    Path("damaged.eval").write_bytes(b"PK nothing")

    with pytest.raises(zipfile.BadZipFile):
        list(iter_cases(["damaged.eval"]))


@pytest.mark.parametrize("name", ["cases.jsonl", "cases.jsonl.gz"])
def test_a_case_file_is_read_line_by_line(own_folder: Path, name: str) -> None:
    line = {"id": "a", "tool": "bash", "arguments": {"command": "ls"}, "output": "x", "label": "ok"}
    data = (json.dumps(line) + "\n\n" + json.dumps({**line, "id": "b"}) + "\n").encode()
    Path(name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)

    found = list(iter_cases([name]))

    assert [(case.id, case.evidence.command, case.label) for case in found] == [
        ("a", "ls", "ok"),
        ("b", "ls", "ok"),
    ]


def test_a_line_that_is_no_case_is_named_and_the_others_are_read(own_folder: Path) -> None:
    lines = ['{"id": "a", "output": "x"}', '{"id": "b", "output": 3', "[1]", '{"output": "y"}']
    Path("cases.jsonl").write_text("\n".join(lines), "utf-8")
    problems = Problems()

    found = list(iter_cases(["cases.jsonl"], problems))

    assert [case.evidence.text for case in found] == ["x", "y"]
    assert [what for what, _ in problems.skipped] == ["cases.jsonl:2", "cases.jsonl:3"]
    assert problems.skipped[0][1].startswith("this is not JSON")
    assert problems.skipped[1][1] == "a case is a JSON object, not list."
