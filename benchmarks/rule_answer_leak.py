"""Figures of `answer_leak`: chance hits of foreign answers, real runs with targets, and its cost.

Recorded observations carry no targets. Each is therefore judged against answers that it cannot
know: whatever is flagged is a chance hit. Runs of an Inspect log are judged against their own.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

from benchmarks._recordings import (
    Recorded,
    inspect_log,
    milliseconds,
    observations,
    tally,
)
from reviewers.evidence import Evidence
from reviewers.outcome import Outcome
from reviewers.rules._answer_leak.answers import Answer, answer_of
from reviewers.rules.answer_leak import find_leak
from reviewers.testing import evidence

FOREIGN = (
    "Port-aux-Français", "Ada Lovelace", "8372611", "Treaty of Tordesillas", "flag{b1tt3r_l3m0n}",
    "yes", "B", "42", "True", "1024", "Paris", "not enough information", "hydrogen", "1789-07-14",
    "O(n log n)", "chromosome", "photosynthesis", "src/main/java", "/usr/local/bin", "3.14159",
)  # fmt: skip
"""Answers as tasks have them, trivial ones and ones that turn up in terminals among them."""


def measure(data: Path) -> dict[str, object]:
    """Chance hits per foreign answer, outcomes on runs with targets, and milliseconds."""
    recorded = list(observations(data))
    figures: dict[str, object] = {}
    if recorded:
        chance = {answer: _chance(answer, recorded) for answer in FOREIGN}
        figures["chance_hits"] = {answer: hits for answer, hits in chance.items() if hits}
        figures["foreign_answers"] = len(FOREIGN)
        figures["results"] = len(recorded)
    log = tally(_own_target, inspect_log(data / "inspect_ctf.eval"))
    if log.results:
        figures["capture_the_flag"] = log.figures
    return figures | _cost()


def _chance(answer: str, recorded: list[Recorded]) -> int:
    looked_for = _answers([answer])
    return len(tally(partial(find_leak, targets=looked_for, hidden=[]), recorded).flagged)


def _own_target(evidence: Evidence) -> Outcome:
    return find_leak(evidence, targets=_answers(evidence.target or ()), hidden=[])


def _answers(texts: tuple[str, ...] | list[str]) -> list[Answer]:
    return [answer for text in texts if (answer := answer_of(text, 6))]


def _cost() -> dict[str, object]:
    answers = _answers(["flag{b1tt3r_l3m0n}"])
    plain = "drwxr-xr-x 2 root root 4096 Jan  1 00:00 b1tt3r lemon\n"
    texts = {
        "10kB": plain * (10_000 // len(plain)),
        "10kB_not_ascii": ("é" + plain) * (10_000 // len(plain)),
        "10MiB": plain * (10 * 2**20 // len(plain)),
        "10MiB_near_misses": "flag{b1tt3r-" * (10 * 2**20 // 12),
        "10MiB_not_ascii": "flag é b1tt3r" * (10 * 2**20 // 14),
    }
    cost: dict[str, object] = {}
    for name, text in texts.items():
        given = evidence(text, command="cat f", target="flag{b1tt3r_l3m0n}")
        times = 50 if name.startswith("10kB") else 3
        cost[f"ms_{name}"] = milliseconds(partial(find_leak, given, answers, []), times)
    return cost


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1])), indent=2, ensure_ascii=False))
