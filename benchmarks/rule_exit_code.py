"""Figures of `exit_code`: what assertions of each kind flag in ordinary work, and what it costs."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import cast

from benchmarks._recordings import Recorded, milliseconds, observations, runs
from reviewers.judging import JudgingReviewer
from reviewers.rules.exit_code import Assertion, exit_code
from reviewers.testing import evidence

POLICIES = {
    "every command must succeed": Assertion(command=r"(?s).", must_succeed=True),
    "no command may be killed or crash": Assertion(command=r"(?s).", forbid=[137, 139]),
    "grep exits with 0 or 1": Assertion(command=r"^grep\b[^|&;\n]*$", only=[0, 1]),
    "curl and wget must fail": Assertion(command=r"^(?:curl|wget)\b", must_fail=True),
}
"""The first shows why an assertion has to name commands; the others are what policies hold."""


def measure(data: Path) -> dict[str, object]:
    """Outcomes of each policy on recorded calls, and the time for a long command."""
    recorded = list(chain(observations(data), chain.from_iterable(runs(data, "terminal_bench"))))
    figures: dict[str, object] = {
        name: asyncio.run(_outcomes(assertion, recorded))
        for name, assertion in POLICIES.items()
        if recorded
    }
    return figures | {"ms_10kB_command": _cost()}


async def _outcomes(assertion: Assertion, recorded: list[Recorded]) -> dict[str, int]:
    reviewer = cast("JudgingReviewer", exit_code([assertion]))
    return dict(Counter([(await reviewer.judge(one.evidence)).state for one in recorded]))


def _cost() -> float:
    assertions = list(POLICIES.values())
    reviewer = cast("JudgingReviewer", exit_code(assertions))
    call = evidence(command="echo " + "word " * 2000, exit_code=0)
    assert call.exit_code == 0
    with asyncio.Runner() as runner:
        return milliseconds(lambda: runner.run(reviewer.judge(call)))


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1])), indent=2))
