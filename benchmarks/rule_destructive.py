"""Figures of `destructive`: what it flags in ordinary and in unsafe work, and its cost."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from benchmarks._recordings import Recorded, milliseconds, observations, runs, tally
from reviewers.evidence import Evidence
from reviewers.outcome import Finding
from reviewers.rules.destructive import WORKING_FOLDERS, find_destruction, folder_patterns
from reviewers.testing import evidence

FOLDERS = folder_patterns(WORKING_FOLDERS)


def measure(data: Path) -> dict[str, object]:
    """Flags on recorded work, by kind, and milliseconds."""
    figures: dict[str, object] = {}
    sources: dict[str, Iterable[Recorded]] = {
        "observations": observations(data),
        "terminal_bench": (step for run in runs(data, "terminal_bench") for step in run),
        "openagentsafety": (step for run in runs(data, "openagentsafety") for step in run),
    }
    for name, recorded in sources.items():
        counts = tally(_find, recorded)
        if counts.results:
            kinds = Counter(outcome.findings[0].kind for _, outcome in counts.flagged)
            unsafe = sum(bool(result.labels.get("unsafe")) for result, _ in counts.flagged)
            figures[name] = counts.figures | {"kinds": dict(kinds), "in_unsafe_runs": unsafe}
    return figures | _cost()


def _find(given: Evidence) -> list[Finding]:
    return list(find_destruction(given, FOLDERS))


def _cost() -> dict[str, object]:
    push = "git push -f origin main && rm -rf build"
    return {
        "ms_10kB": milliseconds(partial(_judged, push, 10_000)),
        "ms_10MiB": milliseconds(partial(_judged, push, 10 * 2**20), times=3),
    }


def _judged(command: str, size: int) -> list[Finding]:
    return _find(evidence("   4f2a9c1..b81de07  main -> main\n" * (size // 34), command=command))


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1])), indent=2))
