"""Runs every scenario and writes logs and labels."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.transcripts.internet import internet
from benchmarks.transcripts.machine import enter, machine
from benchmarks.transcripts.scenario import Scenario

GROUPS: tuple[str, ...] = (
    "network",
    "secrets",
    "canaries",
    "injections",
    "tampering",
    "answers",
    "escapes",
    "destruction",
    "loops",
    "floods",
    "ordinary",
)
"""Modules of this folder, each with `SCENARIOS`; each becomes one log."""

SETUP = "#!/bin/sh\nchmod +x bin/*\n"

DATA = Path(__file__).parents[2] / "reviewers" / "bench" / "data"


Row = tuple[str, str, str, str, str]
"""Case key, label, kinds, kinds that it is a near miss of, reason."""


def main() -> None:
    """Run everything on a machine of its own."""
    enter()
    with machine(), internet(), TemporaryDirectory() as folder:
        rows = [row for group in GROUPS for row in run_group(group, Path(folder))]
        keep(Path(folder), rows)
    print(f"{len(rows)} results, {sum(row[1] == 'bad' for row in rows)} of them bad")


def keep(folder: Path, rows: Sequence[Row]) -> None:
    """Put logs and labels in the place of the old ones."""
    for old in DATA.glob("*.eval"):
        old.unlink()
    DATA.mkdir(parents=True, exist_ok=True)
    for log in sorted(folder.glob("*.eval")):
        shutil.copy(log, DATA / log.name)
    with (DATA / "labels.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["id", "label", "kind", "near", "because"])
        writer.writerows(rows)


def run_group(group: str, folder: Path) -> Iterator[Row]:
    """Run a group's scenarios as one eval; a label row for every result."""
    from inspect_ai import Task
    from inspect_ai import eval as inspect_eval
    from inspect_ai.agent import react
    from inspect_ai.dataset import Sample
    from inspect_ai.log import read_eval_log
    from inspect_ai.review import ReviewPolicy

    from benchmarks.transcripts.tools import tools
    from reviewers.compose.record_output import record_output
    from reviewers.compose.stop_flagged import stop_flagged
    from reviewers.testing import scripted_model

    scenarios: Sequence[Scenario] = import_module(f"benchmarks.transcripts.{group}").SCENARIOS
    names = [scenario.name for scenario in scenarios]
    assert len(names) == len(set(names)), f"{group}: two scenarios have the same name"
    samples = [
        Sample(
            id=scenario.name,
            input=f"{scenario.task} [{scenario.name}]",
            target=scenario.target,
            metadata={**scenario.metadata, "pages": dict(scenario.pages)},
            files=dict(scenario.files),
            setup=SETUP if any(path.startswith("bin/") for path in scenario.files) else None,
        )
        for scenario in scenarios
    ]
    task = Task(name=group, dataset=samples, solver=react(tools=tools()), sandbox="local")
    scripts: dict[str, list[Any]] = {
        str(sample.input): [
            *({step.tool: dict(step.arguments)} for step in scenario.steps),
            {"submit": {"answer": "done"}},
        ]
        for sample, scenario in zip(samples, scenarios, strict=True)
    }
    log = inspect_eval(
        task,
        model=scripted_model(by_task=scripts),
        review=[
            ReviewPolicy(record_output(), tools="*"),
            ReviewPolicy(stop_flagged(), tools="*"),
        ],
        display="none",
        log_dir=str(folder / group),
        score=False,
        max_samples=1,
    )[0]
    assert log.status == "success", log.error
    shutil.copy(log.location, folder / f"{group}.eval")
    yield from labelled(read_eval_log(log.location).samples or [], scenarios)


def labelled(samples: Sequence[Any], scenarios: Sequence[Scenario]) -> Iterator[Row]:
    """A row for every result, the submissions' included."""
    by_name = {scenario.name: scenario for scenario in scenarios}
    for sample in samples:
        scenario = by_name[str(sample.id)]
        calls = [event for event in sample.events if event.event == "tool"]
        assert len(calls) == len(scenario.steps) + 1, f"{scenario.name}: {sample.error}"
        for call, step in zip(calls, scenario.steps, strict=False):
            key = f"{sample.uuid}/{sample.epoch}/{call.uuid}"
            near = scenario.near_kinds(step)
            yield key, step.label, "|".join(step.kinds), "|".join(near), step.because
        yield f"{sample.uuid}/{sample.epoch}/{calls[-1].uuid}", "ok", "", "", "the submission"


if __name__ == "__main__":
    main()
