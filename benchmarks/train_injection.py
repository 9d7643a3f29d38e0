"""Learn the weights of `prompt_injection`, and write them where the rule reads them.

    python benchmarks/train_injection.py DATA [--manuals FOLDER] [--out FILE]

A logistic model over the signs that the rule sees. What speaks to the agent may only count for,
what excuses may only count against, so that the file stays readable. A document is as bad as its
worst window: which one that is depends on the weights, so fitting is repeated.

Read for training: the project's own texts in `corpora/injection_training.jsonl`, and from DATA
the recorded runs of AgentDojo (MIT) and Agent Security Bench (MIT) and ordinary observations as
negatives; of these only the tasks that `is_training` picks, so that the others stay unseen.
Manuals and sources are negatives too, full of orders to people: Python's own (PSF licence), and
what installed distributions say of themselves, so that the weights differ a little from one
environment to another; so do the texts of FOLDER, of which `is_training` picks the same share:
for the weights in the repository 2,100 manual pages, chapters and sources that speak of agents.
Words of the project's own attacks in random order are negatives as well. Nothing of all these is
written but the weights.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import os
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from itertools import chain
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import numpy
from numpy.typing import NDArray
from scipy.optimize import minimize

from reviewers.rules._prompt_injection import hidden, score
from reviewers.rules._prompt_injection.readings import Readings
from reviewers.rules._prompt_injection.signals import signals
from reviewers.rules.prompt_injection import doubt

HERE = Path(__file__).parent
OUT = HERE.parent / "reviewers" / "rules" / "_prompt_injection" / "weights.csv"
PENALTY = 5.0
PRIOR = defaultdict(
    lambda: 1.0,
    {
        "override": 5.5,
        "addressed": 2.0,
        "obey": 2.0,
        "secrecy": 2.0,
        "persona": 2.0,
        "leak": 2.0,
        "exfiltration": 2.0,
        "encoded": 2.0,
        "task": 1.5,
        "tool": 1.5,
        "authority": 1.5,
        "fake turn": 1.5,
        "steering": 1.5,
        "mark": 1.5,
        "leaks_conversation": 5.0,
        "agent_trace": 2.5,
        "override_rest": 2.0,
        "override_and": 2.5,
        "unopened_turn": 3.0,
        "recodes_answer": 3.5,
        "reworks_answer": 2.5,
        "sells_in_answer": 2.5,
        "invisible_text": 6.5,
        "override_instructions": 6.5,
        "told_in_other_language": 3.0,
        "named": 0.5,
        "kinds": 0.3,
        "asks_how": -1.5,
        "context": -1.0,
        "about_attacks": -2.0,
        "coding_rules": -1.5,
        "quoted_trigger": -4.0,
        "reader": 1.5,
        "risk": 0.8,
    },
)
"""What a sign of each kind is worth before anything was learnt; where little is, it stays.
Some are named for themselves: these need to say nothing more to be what they are."""

LEAST = {"override_instructions": 6.2, "invisible_text": 6.2}
"""What a sign stays worth whatever was learnt: enough to be flagged without an excuse."""

ROUNDS = 5
TRAINING_SHARE = 60
MADE_UP = 800
PAGE = 12_000
SALADS = 200
SALAD_WORDS = 60


@dataclass(frozen=True)
class Document:
    """One text with its label and what it counts for.

    Attributes:
        bad: Whether it carries an instruction to the agent.
        weight: What it counts for in fitting.
        style: Which template of attack it follows.
        windows: The features of its windows.
        doubt: Log-odds that it must have over, being long.
    """

    bad: bool
    weight: float
    style: str
    windows: tuple[frozenset[str], ...]
    doubt: float


def document(bad: bool, weight: float, style: str, text: str) -> Document:
    """A text as it is learnt from."""
    return Document(bad, weight, style, windows(text), doubt(text))


def is_training(key: str) -> bool:
    """Whether a task belongs to the part that may be learnt from."""
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % 100 < TRAINING_SHARE


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a JSONL file, compressed or not; none if it is absent."""
    if not path.exists():
        return
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        for line in lines:
            yield json.loads(line)


def masked(text: str) -> str:
    """Without the strings that give a benchmark's template away."""
    for tell in ("<INFORMATION>", "</INFORMATION>"):
        text = text.replace(tell, "")
    return text.replace("attacker tool", "tool").replace("attacker goal", "goal")


def windows(text: str) -> tuple[frozenset[str], ...]:
    """The features of each window of a text, without repetitions."""
    found = (window.names for reading in Readings(text) for window in score.windows(reading))
    return tuple(dict.fromkeys(found))


def steps(data: Path, name: str) -> Iterator[tuple[str, str, bool, str]]:
    """Distinct outputs of recorded runs: style, task, whether injected, text."""
    seen: set[str] = set()
    for row in rows(data / f"{name}.jsonl.gz"):
        style = row["id"].split("/")[2] if name == "asb" else "agentdojo"
        for step in row["steps"]:
            output = step.get("output") or ""
            if output and output not in seen:
                seen.add(output)
                yield style, row["task"], bool(step["labels"].get("injection")), masked(output)


def documents(data: Path, folder: Path | None = None) -> list[Document]:
    """All that is learnt from; recorded attacks of one style count as much as 30 texts.

    Args:
        data: Folder of recorded runs.
        folder: Folder of further manuals.
    """
    every = list(_own())
    for name in ("agentdojo_recorded", "asb"):
        recorded = [step for step in steps(data, name) if is_training(step[1])]
        styles = [style for style, _, bad, _ in recorded if bad]
        for style, _, bad, text in recorded:
            weight = 30 / styles.count(style) if bad else 0.3
            every.append(document(bad, weight, style, text))
    every += [
        document(False, 1.0, "ordinary", text) for key, text in ordinary(data) if is_training(key)
    ]
    every += [document(False, 5.0, "manual", text) for text in manuals()]
    every += [document(False, 3.0, "folder", text) for text in pages_of(folder)]
    every += [document(False, 1.0, "salad", text) for text in salads()]
    return every


def pages_of(folder: Path | None) -> Iterator[str]:
    """Pages of the texts of a folder, of those files that may be learnt from."""
    files = sorted(folder.rglob("*")) if folder else []
    for file in files:
        if file.is_file() and is_training(str(file.relative_to(folder or file))):
            text = file.read_text("utf-8", "replace")
            yield from (text[start : start + PAGE] for start in range(0, len(text), PAGE))


def salads() -> Iterator[str]:
    """Words of the project's own attacks in random order: what they say is in how they stand."""
    texts = rows(HERE / "corpora" / "injection_training.jsonl")
    words = [word for row in texts if row.get("label") == "bad" for word in row["text"].split()]
    draw = random.Random(7)
    for _ in range(SALADS):
        yield " ".join(draw.choices(words, k=SALAD_WORDS))


def manuals() -> Iterator[str]:
    """Pages of Python's manual, a draw of its sources, and installed packages' descriptions."""
    sources = sorted(Path(os.__file__).parent.glob("*.py"))
    described = (one.read_text("METADATA") for one in distributions())
    for text in chain(
        topics.values(),
        (file.read_text("utf-8", "replace") for file in sources),
        (text for text in described if text),
    ):
        for start in range(0, len(text), PAGE):
            yield text[start : start + PAGE]


def ordinary(data: Path) -> Iterator[tuple[str, str]]:
    """Results of ordinary work, each with the run that it is from."""
    for row in rows(data / "observations.jsonl.gz"):
        if row["output"]:
            yield row["transcript"], row["output"]
    for name in ("openagentsafety", "terminal_bench"):
        for row in rows(data / f"{name}.jsonl.gz"):
            # What other people in a run say to the agent is neither ordinary nor an injection.
            outputs = {s["output"] for s in row["steps"] if s["output"] and s["tool"] != "chat"}
            yield from ((row["id"], output) for output in sorted(outputs))


def _own() -> Iterator[Document]:
    texts = list(rows(HERE / "corpora" / "injection_training.jsonl"))
    for row in texts:
        if "label" in row:
            bad = row["label"] == "bad"
            style = row.get("style", "own")
            yield document(bad, 1.5 if bad else 4.0, style, row["text"])
    parts = {
        part: [row["text"] for row in texts if row.get("part") == part]
        for part in ("opener", "order", "closer")
    }
    draw = random.Random(7)
    for _ in range(MADE_UP):
        opener, order, closer = (draw.choice(parts[part]) for part in ("opener", "order", "closer"))
        if not opener or opener.endswith((".", "!", ">", "]", "\n")):
            order = order[0].upper() + order[1:]
        text = " ".join(filter(None, [opener, order + ".", closer]))
        around = draw.choice(
            ["{}", '{{"review": "{}", "stars": 4}}', "Notes\n\n{}\n", "- {}\n- ok"]
        )
        bad = bool(opener or closer)
        yield document(True, 0.25 if bad else 0.08, "made up", around.format(text))


def features() -> dict[str, str]:
    """All features of the model: their kinds by their names."""
    kinds = {signal.name: signal.kind for signal in signals().all}
    return kinds | {"several_kinds": "kinds"} | dict.fromkeys(hidden.SAYS, "mark")


def fit(every: Sequence[Document]) -> score.Weights:
    """The weights that tell the bad documents from the others by their worst window."""
    place = {name: number for number, name in enumerate(features())}
    prior = [PRIOR.get(name, PRIOR[kind]) for name, kind in features().items()]
    model = score.Weights(-4.0, dict(zip(place, prior, strict=True)))
    labels = numpy.array([document.bad for document in every], float)
    counts = numpy.array([document.weight for document in every])
    doubts = numpy.array([document.doubt for document in every])
    for _ in range(ROUNDS):
        worst = [max(d.windows, key=model.logit, default=frozenset[str]()) for d in every]
        table = numpy.zeros((len(every), len(place) + 1))
        table[:, -1] = 1
        for row, held in enumerate(worst):
            for name in held:
                table[row, place[name]] = 1
        least = [LEAST.get(name, 0.0) for name in place]
        fitted = _minimum(table, labels, counts, doubts, prior, least)
        model = score.Weights(
            float(fitted[-1]), {name: float(fitted[number]) for name, number in place.items()}
        )
    return model


def _minimum(
    table: NDArray[Any],
    labels: NDArray[Any],
    counts: NDArray[Any],
    doubts: NDArray[Any],
    prior: list[float],
    least: list[float],
) -> NDArray[Any]:
    def loss(weights: NDArray[Any]) -> tuple[float, NDArray[Any]]:
        logits = table @ weights - doubts
        chance = 1 / (1 + numpy.exp(-logits))
        likelihood = numpy.logaddexp(0, logits) - labels * logits
        penalty = PENALTY * (weights[:-1] - prior)
        slope = table.T @ (counts * (chance - labels))
        slope[:-1] += penalty
        return float(counts @ likelihood + penalty @ penalty / PENALTY / 2), slope

    bounds: list[tuple[float | None, float | None]] = [
        (None, 0) if worth < 0 else (low, None) for worth, low in zip(prior, least, strict=True)
    ]
    bounds.append((None, None))
    start = numpy.zeros(table.shape[1])
    answer = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B")
    return numpy.asarray(answer.x)


def write(model: score.Weights, path: Path) -> None:
    """Write the weights, the largest first."""
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["sign", "weight"])
        table.writerow(["bias", f"{model.bias:.3f}"])
        for name, weight in sorted(model.of.items(), key=lambda item: -item[1]):
            table.writerow([name, f"{weight:.3f}"])


def main(arguments: Sequence[str]) -> int:
    """Learn and write the weights."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--manuals", type=Path, metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    every = documents(options.data, options.manuals)
    write(fit(every), options.out)
    bad = sum(document.bad for document in every)
    print(f"{options.out}: learnt from {bad} attacks and {len(every) - bad} other texts")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
