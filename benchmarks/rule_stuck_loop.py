"""Figures of `stuck_loop`: loops in recorded runs by kind, and what a call costs.

Recordings hold real loops, so a flag is no false alarm by itself: runs are counted, to be read.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from functools import partial
from itertools import chain
from pathlib import Path

from benchmarks._recordings import (
    RUN_FILES,
    Recorded,
    inspect_log,
    milliseconds,
    observations,
    runs,
    tally,
)
from reviewers.rules._stuck_loop.sameness import Step
from reviewers.rules.stuck_loop import find_loops, steps_of


def measure(data: Path) -> dict[str, object]:
    """Loops in each kind of recording, and milliseconds."""
    sources: dict[str, Iterable[Recorded]] = {
        "observations": observations(data),
        **{name: chain.from_iterable(runs(data, name)) for name in RUN_FILES},
        "inspect_ctf": inspect_log(data / "inspect_ctf.eval"),
    }
    figures = {name: _loops(recorded) for name, recorded in sources.items()}
    return {name: counts for name, counts in figures.items() if counts} | _cost()


def _loops(recorded: Iterable[Recorded]) -> dict[str, object]:
    results = list(recorded)
    if not results:
        return {}
    counts = tally(lambda evidence: find_loops(steps_of(evidence)), results)
    kinds = Counter(outcome.findings[0].kind for _, outcome in counts.flagged)
    stuck = {result.run for result, _ in counts.flagged}
    return counts.figures | {
        "kinds": dict(kinds),
        "runs": len({result.run for result in results}),
        "runs_flagged": len(stuck),
    }


def _cost() -> dict[str, object]:
    """A call after others whose results were seen before, as in a live run."""
    cost: dict[str, object] = {}
    for calls in (10, 100, 1000):
        steps = [_step(n, 10_000) for n in range(calls)]
        list(find_loops(steps))
        cost[f"ms_10kB_after_{calls}_calls"] = milliseconds(partial(_judged, steps))
    huge = [_step(n, 10 * 2**20) for n in range(4)]
    cost["ms_10MiB_after_4_calls"] = milliseconds(partial(_judged, huge), times=3)
    return cost


def _step(number: int, size: int) -> Step:
    line = f"{chr(97 + number % 26)}: 4096 Jan 12 10:11:12 name{number}\n"
    return Step("bash", {"command": f"cat {number}"}, line * (size // len(line)))


def _judged(steps: list[Step]) -> None:
    last = steps[-1]
    # A text not seen before, as each new result is.
    fresh = Step(last.tool, last.arguments, f"{last.text}{id(object())}")
    list(find_loops([*steps[:-1], fresh]))


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1])), indent=2))
