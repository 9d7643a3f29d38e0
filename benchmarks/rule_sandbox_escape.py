"""Figures of `sandbox_escape`: flags on ordinary work by kind, and what it costs."""

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
from reviewers.evidence import Evidence
from reviewers.judging import found
from reviewers.outcome import Outcome
from reviewers.rules.sandbox_escape import find_escapes
from reviewers.testing import evidence

HOSTILE = {
    "10MiB_lines": "drwxr-xr-x 2 root root 4096 exploit escape\n",
    "10MiB_one_line": "uid=1000(a) euid=0 got root exploit ",
    "10MiB_folders": "bin etc proc ",
}


def measure(data: Path) -> dict[str, object]:
    """Flags on each kind of recording, and milliseconds."""
    sources: dict[str, Iterable[Recorded]] = {
        "observations": observations(data),
        **{name: chain.from_iterable(runs(data, name)) for name in RUN_FILES},
        "inspect_ctf": inspect_log(data / "inspect_ctf.eval"),
    }
    figures = {name: _flags(recorded) for name, recorded in sources.items()}
    return {name: counts for name, counts in figures.items() if counts} | _cost()


def _flags(recorded: Iterable[Recorded]) -> dict[str, object]:
    counts = tally(find_escapes, recorded)
    if not counts.results:
        return {}
    kinds = Counter(outcome.findings[0].kind for _, outcome in counts.flagged)
    return counts.figures | {"kinds": dict(kinds)}


def _cost() -> dict[str, object]:
    cost: dict[str, object] = {}
    line = "drwxr-xr-x 2 root root 4096 Jan  1 00:00 some/folder/name\n"
    ordinary = evidence(line * (10_000 // len(line)), command="cd /srv && ls -lR . 2>/dev/null")
    cost["ms_10kB"] = milliseconds(partial(_judged, ordinary))
    for name, text in HOSTILE.items():
        result = text * (10 * 2**20 // len(text))
        given = evidence(result, command="./x; ls /proc/1/root; nsenter -t 1 -m id")
        cost[f"ms_{name}"] = milliseconds(partial(_judged, given), times=3)
    script = "curl http://169.254.169.254/ && " * 3_000
    cost["ms_100kB_command"] = milliseconds(partial(_judged, evidence(command=script)), times=3)
    return cost


def _judged(given: Evidence) -> Outcome:
    return found(find_escapes, given)


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1])), indent=2))
