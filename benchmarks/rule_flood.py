"""Figures of `flood`: how much of ordinary work is large or binary, and what it costs."""

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
from reviewers.rules.flood import find_flood
from reviewers.testing import evidence


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
    counts = tally(find_flood, recorded)
    if not counts.results:
        return {}
    kinds = Counter(finding.kind for _, outcome in counts.flagged for finding in outcome.findings)
    return counts.figures | {"kinds": dict(kinds)}


def _cost() -> dict[str, object]:
    texts = {
        "10kB": "drwxr-xr-x 2 root root 4096 name\n" * 300,
        "10MiB": "drwxr-xr-x 2 root root 4096 name\n" * 320_000,
        "10MiB_binary": "\ufffd\x00\udcff\x01" * (10 * 2**20 // 4),
    }
    return {f"ms_{name}": _time(evidence(text)) for name, text in texts.items()}


def _time(given: Evidence) -> float:
    return milliseconds(partial(_read, given), times=5)


def _read(given: Evidence) -> None:
    list(find_flood(given))


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1])), indent=2))
