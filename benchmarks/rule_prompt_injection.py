"""How good `prompt_injection` is, beside two packaged guards.

    python -m benchmarks.rule_prompt_injection DATA [--leave-out] [--peers PYTHON]

Recorded outputs are distinct ones of tasks that the weights were not learnt from. The project's
own attacks and near misses were never learnt from; each is measured as it is and inside an
ordinary result. The unseen ones are by an author who did not know the rule, twenty kinds of attack
and near misses made to be hard; the attacks were not read when the rule was made.
`--leave-out` learns anew without the styles of attack that are then measured.
`--peers` names a Python that has `toolwall-guard` and `metatronnanoguard`; they run there, on
texts drawn at random with a fixed seed, and the rule is measured on the same.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PEERS = {"toolwall": 100, "nanoguard": 25}
"""The guards measured beside the rule, and on how many texts of each set: nanoguard takes seconds
for one."""

SEED = 7
PEER_TIMEOUT_S = 1_200
WEB_TOOLS = ("browser", "web_read")

CARRIERS: list[Callable[[str], str]] = [
    lambda text: text,
    lambda text: json.dumps({"reviews": [{"author": "mia", "stars": 4, "text": text}], "page": 1}),
    lambda text: f"From: Ola\nTo: Ines\nSubject: minutes\n\nHi Ines, the minutes:\n\n{text}\n\nOla",
    lambda text: f"<html><h1>Garden tips</h1><p>Water early.</p>\n<p>{text}</p>\n</html>",
    lambda text: (
        f"# pathtools\n\nSmall helpers for paths.\n\n{text}\n\n## Usage\n\n    join(a, b)\n"
    ),
    lambda text: f"id,date,note\n1,2024-02-01,paid\n2,2024-02-03,{text}\n3,2024-02-09,open\n",
]
"""Ordinary results that carry a text: bare, JSON, mail, web page, README, table."""

Scorer = Callable[[Sequence[str]], list[float]]


def wilson(hits: int, count: int) -> dict[str, float | None]:
    """A rate with its 95 % interval; None where nothing was counted."""
    if not count:
        return {"value": None, "low": None, "high": None}
    z, rate = 1.959964, hits / count
    middle = (rate + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(rate * (1 - rate) / count + z * z / (4 * count**2)) / (1 + z * z / count)
    return {
        "value": round(rate, 4),
        "low": round(middle - half, 4),
        "high": round(middle + half, 4),
    }


def roc_auc(bad: Sequence[float], good: Sequence[float]) -> float | None:
    """The chance that a bad text scores above a good one; ties count half."""
    if not bad or not good:
        return None
    ranked = sorted(good)
    wins = sum(bisect_left(ranked, score) + bisect_right(ranked, score) for score in bad)
    return round(wins / (2 * len(bad) * len(good)), 4)


def recall_at(rate: float, bad: Sequence[float], good: Sequence[float]) -> dict[str, float | None]:
    """Recall at the threshold that at most this share of good texts lies above."""
    if not good:
        return wilson(0, 0)
    threshold = sorted(good, reverse=True)[math.floor(rate * len(good))]
    return wilson(sum(score > threshold for score in bad), len(bad))


def ranked(bad: Sequence[float], good: Sequence[float], flag_at: float) -> dict[str, object]:
    """The figures for one set of bad and good texts."""
    return {
        "attacks": len(bad),
        "others": len(good),
        "roc_auc": roc_auc(bad, good),
        "recall_at_1_percent": recall_at(0.01, bad, good),
        "recall": wilson(sum(score >= flag_at for score in bad), len(bad)),
        "false_alarms": wilson(sum(score >= flag_at for score in good), len(good)),
    }


def carried(texts: Iterable[str]) -> list[str]:
    """Each text inside one of the ordinary results, in turn."""
    return [CARRIERS[place % len(CARRIERS)](text) for place, text in enumerate(texts)]


def own(name: str) -> list[dict[str, Any]]:
    """The project's own texts of one kind."""
    lines = (HERE / "corpora" / f"injection_{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def texts_of(data: Path, sample: int | None = None) -> dict[str, list[str]]:
    """All texts that are measured, by set; sets whose file is absent are empty."""
    from benchmarks.train_injection import is_training, ordinary, rows, steps

    recorded = [
        step
        for name in ("agentdojo_recorded", "asb")
        for step in steps(data, name)
        if not is_training(step[1])
    ]
    web = [
        row["output"]
        for row in rows(data / "observations.jsonl.gz")
        if row["tool"] in WEB_TOOLS and row["output"] and not is_training(row["transcript"])
    ]
    observed = [
        row["output"]
        for row in rows(data / "observations.jsonl.gz")
        if row["output"] and not is_training(row["transcript"])
    ]
    work = [text for key, text in ordinary(data) if not is_training(key)]
    attacks = [row["text"] for row in own("attacks")]
    unseen = own("unseen")
    sets = {
        "recorded_attacks": [text for *_, bad, text in recorded if bad],
        "recorded_others": [text for *_, bad, text in recorded if not bad],
        "observations": observed,
        "web_pages": web,
        "ordinary_work": work[len(observed) :],
        "attacks": attacks,
        "attacks_carried": carried(attacks),
        "near_misses": [row["text"] for row in own("near_misses")],
        "unseen_attacks": [row["text"] for row in unseen if row["label"] == "bad"],
        "unseen_near_misses": [row["text"] for row in unseen if row["label"] == "ok"],
    }
    return sets if sample is None else {name: _drawn(of, sample) for name, of in sets.items()}


def _drawn(texts: list[str], most: int) -> list[str]:
    return texts if len(texts) <= most else random.Random(SEED).sample(texts, most)


def figures(texts: dict[str, list[str]], scorer: Scorer, flag_at: float) -> dict[str, object]:
    """What one scorer makes of all sets."""
    scores = {name: scorer(of) for name, of in texts.items()}
    result: dict[str, object] = {
        "recorded": ranked(scores["recorded_attacks"], scores["recorded_others"], flag_at),
        "own": ranked(scores["attacks"], scores["near_misses"], flag_at),
        "own_carried": ranked(scores["attacks_carried"], scores["near_misses"], flag_at),
        "unseen": ranked(scores["unseen_attacks"], scores["unseen_near_misses"], flag_at),
    }
    for name in ("observations", "web_pages", "ordinary_work"):
        flagged = sum(score >= flag_at for score in scores[name])
        result[name] = {
            "others": len(scores[name]),
            "false_alarms": wilson(flagged, len(scores[name])),
        }
    return result


def by_style(flag_at: float) -> dict[str, object]:
    """Recall on the project's own attacks, style by style."""
    from reviewers.rules.prompt_injection import injection_score

    found: dict[str, list[bool]] = {}
    for row in own("attacks"):
        found.setdefault(row["style"], []).append(injection_score(row["text"]) >= flag_at)
    return {style: f"{sum(flags)} of {len(flags)}" for style, flags in found.items()}


def left_out(data: Path) -> dict[str, object]:
    """Recall on recorded attacks of styles that nothing was learnt from."""
    from benchmarks import train_injection as train
    from reviewers.rules._prompt_injection import score

    recorded = [
        (style, bad, train.windows(text))
        for name in ("agentdojo_recorded", "asb")
        for style, _, bad, text in train.steps(data, name)
    ]
    styles = sorted({style for style, bad, _ in recorded if bad})
    suites = [[style] for style in styles]
    suites += [[style for style in styles if style != "agentdojo"], styles] if styles else []
    every = train.documents(data)
    result: dict[str, object] = {}
    for suite in suites:
        model = train.fit([d for d in every if not d.bad or d.style not in suite])

        def worst(held: tuple[frozenset[str], ...], model: score.Weights = model) -> float:
            return max(map(model.logit, held), default=model.bias)

        bad = [worst(held) for style, is_bad, held in recorded if is_bad and style in suite]
        good = [worst(held) for _, is_bad, held in recorded if not is_bad]
        result[", ".join(suite)] = {
            "attacks": len(bad),
            "roc_auc": roc_auc(bad, good),
            "recall_at_1_percent": recall_at(0.01, bad, good),
        }
    return result


def seconds(texts: Sequence[str]) -> dict[str, float]:
    """Processor time of the rule, in milliseconds per 10,000 characters."""
    from reviewers.rules.prompt_injection import injection_score

    long = [text for text in texts if len(text) > 1_000][:400]
    for text in long[:50]:
        injection_score(text)
    started = time.process_time()
    for text in long:
        injection_score(text)
    spent = time.process_time() - started
    return {"ms_per_10k": round(spent * 1e7 / max(1, sum(map(len, long))), 3), "texts": len(long)}


def measure(data: Path, *, leave_out: bool = False, peers: str | None = None) -> dict[str, object]:
    """The rule's figures, and those of the peers that can be run.

    Args:
        data: Folder of recorded runs; what is absent is skipped.
        leave_out: Whether to learn anew without each style of attack.
        peers: A Python that has the peers; None to leave them out.
    """
    from reviewers.rules.prompt_injection import FLAG_AT, injection_score

    def scorer(texts: Sequence[str]) -> list[float]:
        return [injection_score(text) for text in texts]

    texts = texts_of(data)
    result: dict[str, object] = {
        "flag_at": FLAG_AT,
        "rule": figures(texts, scorer, FLAG_AT),
        "by_style": by_style(FLAG_AT),
        "speed": seconds(texts["observations"] or texts["near_misses"]),
    }
    if leave_out:
        result["left_out"] = left_out(data)
    if peers:
        for name, sample in PEERS.items():
            sampled = texts_of(data, sample)
            result[name] = {
                "texts_of_each_set": sample,
                "peer": _peer(peers, name, sampled),
                "rule": figures(sampled, scorer, FLAG_AT),
            }
    return result


def _peer(python: str, name: str, texts: dict[str, list[str]]) -> dict[str, object]:
    every = [text for of in texts.values() for text in of]
    try:
        done = subprocess.run(
            [python, __file__, "--score-as", name],
            input=json.dumps(every),
            capture_output=True,
            text=True,
            timeout=PEER_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return {"skipped": str(getattr(error, "stderr", "") or error).strip()[-200:]}
    scores = dict(zip(every, json.loads(done.stdout), strict=True))
    return figures(texts, lambda of: [scores[text] for text in of], 0.5)


def score_as(name: str, texts: Sequence[str]) -> list[float]:
    """A peer's scores, in a Python that has it; its own way to read one text."""
    if name == "toolwall":
        from toolwall.detect import CompositeDetector  # type: ignore[import-not-found]

        detector = CompositeDetector(use_judge=False)
        return [float(detector.score(text)[0]) for text in texts]
    from nanoguard import NanoGuard  # type: ignore[import-not-found]

    guard = NanoGuard(device="cpu")
    return [float(guard.scan(text).injection_score) for text in texts]


def main(arguments: Sequence[str]) -> int:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("data", type=Path, nargs="?", default=Path("data"))
    parser.add_argument("--leave-out", action="store_true")
    parser.add_argument("--peers", metavar="PYTHON")
    parser.add_argument("--score-as", choices=PEERS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.score_as:
        print(json.dumps(score_as(options.score_as, json.load(sys.stdin))))
        return 0
    result = measure(options.data, leave_out=options.leave_out, peers=options.peers)
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
