"""Every rule's figures: false alarms on ordinary work, time per call, and what its own module says.

    python -m benchmarks.rules --data PATH_OF_THE_DEVELOPMENT_DATA

Results go to `benchmarks/results/rules.json`, and what `reviewers explain` shows to
`reviewers/figures.json`. What needs data that is not there is skipped.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, cast

import click
from inspect_ai.review import Reviewer

from benchmarks._live import milliseconds_live, named, unseeing
from benchmarks._recordings import Recorded, observations
from benchmarks.accuracy import labelled
from benchmarks.docs import results
from reviewers import _host
from reviewers.evidence import Evidence
from reviewers.judging import JudgingReviewer
from reviewers.packs import PACKS
from reviewers.testing import evidence

RESULTS = Path(__file__).parent / "results" / "rules.json"
FIGURES = Path(__file__).parent.parent / "reviewers" / "figures.json"

LINE = "drwxr-xr-x 2 root root 4096 Jan  1 00:00 some/folder/name.py: value = compute(3)\n"
NEW_LINE = LINE.replace("name", "NAME")
COMMAND = "ls -lR src/NAME && cat notes.txt"
REPEATS = 30


@click.command()
@click.option("--data", type=click.Path(path_type=Path), required=True)
@click.option(
    "--cheat-index",
    type=click.Path(path_type=Path),
    help="The unpacked source distribution of PyPI's cheat-index, to measure test_tampering on.",
)
@click.option("--only", multiple=True, help="Only these rules.")
def main(data: Path, cheat_index: Path | None, only: tuple[str, ...]) -> None:
    """Measure, print, and keep the figures."""
    recorded = list(observations(data))
    kept, scans = results("rules"), results("scan_quality")
    for name, parameters in PACKS["all_rules"].members:
        short = name.partition("/")[2]
        if only and short not in only:
            continue
        reviewer = cast("JudgingReviewer", _host.create(name, dict(parameters)))
        further = [cheat_index] if cheat_index and short == "test_tampering" else []
        kept[short] = asyncio.run(measured(reviewer, recorded)) | details(short, data, *further)
        click.echo(f"{short}: {json.dumps(kept[short], indent=2)}")
    together, each = measured_together()
    kept["all_rules together"] = together
    for name, cost in each.items():
        if name in kept:
            kept[name]["ms"]["10 KB"] = cost
    click.echo(f"all rules together: {json.dumps(together)}, each: {json.dumps(each)}")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    FIGURES.write_text(json.dumps(short_figures(kept, scans), indent=1) + "\n", "utf-8")


async def measured(reviewer: JudgingReviewer, recorded: list[Recorded]) -> dict[str, Any]:
    """A rule's flags on ordinary work, and its milliseconds per call."""
    figures: dict[str, Any] = {}
    if recorded:
        outcomes = [(await reviewer.judge(one.evidence)) for one in recorded]
        flagged = sum(outcome.state == "flagged" for outcome in outcomes)
        sure = sum(reviewer.decide(outcome) == "terminate" for outcome in outcomes)
        figures["observations"] = {
            "results": len(outcomes),
            "flagged": flagged,
            "would_terminate": sure,
            "failed": sum(outcome.state == "failed" for outcome in outcomes),
        }
    figures["ms"] = {
        "200 B": await milliseconds(reviewer, LINE * 3),
        "1 MB": await milliseconds(reviewer, LINE * (1_000_000 // len(LINE)), 3),
        "10 MiB": await milliseconds(reviewer, LINE * (10 * 2**20 // len(LINE)), 1),
    }
    return figures


async def milliseconds(reviewer: JudgingReviewer, text: str, repeats: int = REPEATS) -> float:
    """Median time of a review of a fresh result with this text."""
    await reviewer.judge(_given(text))
    times = []
    for _ in range(repeats):
        given = _given(text)
        started = perf_counter()
        await reviewer.judge(given)
        times.append(1000 * (perf_counter() - started))
    return rounded(median(times))


def measured_together() -> tuple[dict[str, float], dict[str, float]]:
    """Milliseconds of all rules on one result: one after the other, and in a live eval.

    Live, Inspect's own work for ten reviewers is taken off. It comes out higher than in a loop:
    between two results the processor has done much else.

    Returns:
        The figures of all; and of each rule, by its name, its part of all on 10 KB.
    """
    members = PACKS["all_rules"].members
    rules = [_host.create(name, dict(parameters)) for name, parameters in members]
    short = NEW_LINE * (10_000 // len(NEW_LINE))
    long = NEW_LINE * (10 * 2**20 // len(NEW_LINE))
    ours = milliseconds_live(rules, short, COMMAND, REPEATS)
    hosts = milliseconds_live([unseeing()] * len(rules), short, COMMAND, REPEATS)
    each = asyncio.run(milliseconds_in_turn(rules, short, REPEATS))
    together = {
        "10 KB": rounded(sum(each)),
        "10 KB, live": rounded(ours["processor"] - hosts["processor"]),
        "10 KB, live, by the clock": rounded(ours["wall"] - hosts["wall"]),
        "10 KB, Inspect's own": rounded(hosts["processor"]),
        "10 MiB": rounded(sum(asyncio.run(milliseconds_in_turn(rules, long, 1)))),
    }
    names = [name.partition("/")[2] for name, _ in members]
    return together, dict(zip(names, map(rounded, each), strict=True))


async def milliseconds_in_turn(rules: Sequence[Reviewer], text: str, repeats: int) -> list[float]:
    """Median processor time of each of some rules, asked one after the other.

    Evidence is shared as live: who asks first pays for what several need. `NAME` in the text and
    in the command is another word each time: nothing is known before.
    """
    rows = []
    for number in range(repeats + 1):
        given = evidence(named(text, number), command=named(COMMAND, number), exit_code=0)
        row = []
        for one in cast("Sequence[JudgingReviewer]", rules):
            started = process_time()
            await one.review(given.with_earlier(()))
            row.append(1000 * (process_time() - started))
        rows.append(row)
    # The first one made everything ready.
    return [median(times) for times in zip(*rows[1:], strict=True)]


def _given(text: str) -> Evidence:
    return evidence(text, command="ls -lR src && cat notes.txt", exit_code=0)


def details(rule: str, *data: Path) -> dict[str, Any]:
    """What the rule's own module of measurements says."""
    module = f"benchmarks.rule_{rule}"
    if find_spec(module) is None:
        return {}
    return {"details": import_module(module).measure(*data)}


def short_figures(kept: dict[str, Any], scans: dict[str, Any]) -> dict[str, dict[str, str]]:
    """What `reviewers explain` and the catalogue show of each rule."""
    shown: dict[str, dict[str, str]] = {}
    for rule, figures in kept.items():
        if "ms" not in figures:
            continue
        lines = {"time per call": f"{figures['ms']['10 KB']:g} ms on a 10 KB result"}
        seen = figures.get("observations")
        if seen:
            lines["ordinary work"] = f"{seen['flagged']} of {seen['results']:,} results flagged"
        shown[rule] = lines
    for row in labelled(kept, scans):
        shown[row.rule][row.on] = f"found {row.found}, wrongly flagged {row.wrong}"
    return shown


def rounded(value: float) -> float:
    """Three significant digits."""
    return float(f"{value:.3g}") if math.isfinite(value) else value


if __name__ == "__main__":
    main()
