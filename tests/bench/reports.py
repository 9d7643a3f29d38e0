"""Made-up runs of the bench for the report's tests."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from reviewers.bench.advice import advise, warnings
from reviewers.bench.labels import Judgement
from reviewers.bench.measure import compare, measure
from reviewers.bench.run import Bench
from reviewers.replay import OutcomeLine

HOSTILE = (
    "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 1'>"
    "\"><svg onload=window.ran=1> {{ 7 * 7 }} <!-- '; window.ran = 1; //"
)
TOKEN = "ghp" + "_" + "0123456789abcdefghijABCDEFGHIJ" + "1fCwGU"


def made_up_bench(samples: int = 20, calls: int = 10, **more: Any) -> Bench:
    """A run with one reviewer that ranks well, one that ranks badly, and one that does not rank."""
    lines = list(_lines(samples, calls))
    return bench_of(lines, {line.id: _label(line) for line in lines}, **more)


def bench_of(lines: Sequence[OutcomeLine], labels: dict[str, Judgement], **more: Any) -> Bench:
    """A run with these outcomes and labels."""
    measured = measure(lines, labels, {})
    bench = Bench(sources=["made-up.eval"], cases=len({line.id for line in lines}))
    bench.samples = len({line.sample for line in lines})
    bench.measured = measured
    bench.warnings = [text for one in measured.values() for text in warnings(one)]
    bench.advice = {
        name: advise(one, false_alarm_rate=0.05, prevalence=0.02)
        for name, one in measured.items()
        if len(set(one.scores)) > 1
    }
    pair = list(measured.values())[:2]
    bench.comparisons = [compare(pair[0], pair[1])] if len(pair) == 2 else []
    bench.provenance = {
        "inspect_ai": "0.3.285",
        "asked": [],
        "labels": "labels.csv",
        "kinds": [],
        "seed": 0,
        "models": {},
        "ask": "never",
    }
    for name, value in more.items():
        setattr(bench, name, value)
    return bench


def outcome(number: int, flagged: bool, score: float | None = None, **more: Any) -> OutcomeLine:
    """One outcome; every ten are of one sample."""
    fields = {
        "reviewer": "watcher",
        "sample": f"sample-{number // 10}",
        "tool": "bash",
        "source": "made-up.eval",
        "explanation": "It was seen." if flagged else "Nothing was found.",
        **more,
    }
    return OutcomeLine(
        id=f"case-{number}",
        outcome="flagged" if flagged else "clear",
        decision="terminate" if flagged else "continue",
        score=score,
        **fields,
    )


def _label(line: OutcomeLine) -> Judgement:
    bad = int(line.id.partition("-")[2]) % 5 == 0
    return Judgement("bad", ("network",)) if bad else Judgement("ok")


def _lines(samples: int, calls: int) -> Iterator[OutcomeLine]:
    chance = random.Random(1)
    for number in range(samples * calls):
        bad = number % 5 == 0
        for name, spread in (("careful", 0.15), ("guessing", 0.6)):
            centre = 0.75 if bad else 0.25
            score = min(1.0, max(0.0, chance.gauss(centre, spread)))
            yield outcome(
                number,
                score >= 0.5,
                score,
                reviewer=name,
                tool=chance.choice(["bash", "python"]),
                seconds=0.001 * number,
            )
        yield outcome(number, bad and number % 3 > 0, reviewer="plain")
