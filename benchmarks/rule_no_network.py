"""Measures `no_network` on recorded tool results.

The labels are judgements made by reading each result; the results themselves are not
published. `labels/network.csv` holds, for each, the SHA-256 of its source, command and output
(joined by NUL characters), the label (`contact`, `none`, `unsure`) and its part: `dev` was looked
at while the rule was written, `held` only after.
"""

import csv
import gzip
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reviewers.case import case_from_line
from reviewers.evidence import Evidence
from reviewers.outcome import CouldNotJudge
from reviewers.rules._no_network.addresses import inside
from reviewers.rules.no_network import find_contact

LABELS = Path(__file__).parent / "labels" / "network.csv"
WITHIN = inside([], private=True)
THRESHOLDS = (0.35, 0.5, 0.65, 0.8, 0.9)
DEFAULT = 0.5
BROWSERS = ("browser", "web_read")
NOTEBOOKS = ("python", "execute_ipython_cell")


def measure(data: Path) -> dict[str, object]:
    """Precision and recall on labelled results, flags on all, and time per result.

    Args:
        data: Folder with the recorded results; what is absent is skipped.
    """
    figures: dict[str, object] = {}
    path = data / "observations.jsonl.gz"
    if path.exists():
        rows = list(read_lines(path))
        figures |= measure_observations(rows)
    for name in ("terminal_bench", "openagentsafety"):
        path = data / f"{name}.jsonl.gz"
        if path.exists():
            figures[name] = measure_runs(read_lines(path))
    return figures


def measure_observations(rows: list[dict[str, Any]]) -> dict[str, object]:
    """Figures on single results with hints and, by hash, labels."""
    labels = read_labels()
    scores: dict[str, float] = {}
    flagged: Counter[str] = Counter()
    seconds: list[float] = []
    for row in rows:
        evidence = evidence_of(row)
        started = time.process_time()
        score = score_of(evidence)
        seconds.append(time.process_time() - started)
        scores[hash_of(row)] = score
        if score >= DEFAULT:
            hinted = "hinted as network use" if row["hints"]["net_cmd"] else "not hinted"
            flagged["browser" if row["tool"] in BROWSERS else hinted] += 1
    seconds.sort()
    return {
        "results": len(rows),
        "flagged": dict(flagged),
        "labelled": {
            part: [curve(scores, labels, part, threshold) for threshold in THRESHOLDS]
            for part in ("dev", "held")
        },
        "milliseconds": {
            "mean": round(1000 * sum(seconds) / len(seconds), 3),
            "median": round(1000 * seconds[len(seconds) // 2], 3),
            "p99": round(1000 * seconds[int(len(seconds) * 0.99)], 3),
        },
    }


def measure_runs(rows: Iterator[dict[str, Any]]) -> dict[str, object]:
    """How many distinct results of recorded runs are flagged, by tool."""
    seen: set[str] = set()
    flagged: Counter[str] = Counter()
    for row in rows:
        for step in row["steps"]:
            line = {
                "tool": step["tool"],
                "arguments": step["arguments"],
                "output": step["output"],
                "exit_code": step.get("exit_code"),
            }
            key = json.dumps(line, sort_keys=True)
            if key not in seen and score_of(case_from_line(line).evidence) >= DEFAULT:
                flagged[step["tool"]] += 1
            seen.add(key)
    return {"results": len(seen), "flagged": dict(flagged)}


def curve(
    scores: Mapping[str, float], labels: Mapping[str, tuple[str, str]], part: str, threshold: float
) -> dict[str, float]:
    """Precision and recall at one threshold."""
    counts = Counter(
        (scores[key] >= threshold, label == "contact")
        for key, (label, of) in labels.items()
        if of == part and label != "unsure" and key in scores
    )
    hits, false_alarms, misses = counts[True, True], counts[True, False], counts[False, True]
    return {
        "threshold": threshold,
        "labelled": sum(counts.values()),
        "precision": round(hits / max(1, hits + false_alarms), 4),
        "recall": round(hits / max(1, hits + misses), 4),
        "caught": hits,
        "false_alarms": false_alarms,
        "misses": misses,
    }


def evidence_of(row: Mapping[str, Any]) -> Evidence:
    """The evidence of one recorded result."""
    arguments: dict[str, Any] = {"command": row["command"]}
    if row["tool"] in NOTEBOOKS:
        arguments = {"code": row["command"]}
    elif row["tool"] in BROWSERS and row["command"].startswith("{"):
        arguments = json.loads(row["command"])
    line = {**row, "arguments": arguments}
    return case_from_line(line).evidence


def score_of(evidence: Evidence) -> float:
    """The rule's score; 0 where it could not judge."""
    try:
        findings = find_contact(evidence, WITHIN, min_confidence=0.01)
    except CouldNotJudge:
        return 0.0
    return max((finding.confidence for finding in findings), default=0.0)


def hash_of(row: Mapping[str, Any]) -> str:
    """The hash by which a result's label is found."""
    text = "\0".join([row["source"], row["command"], row["output"]])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_labels() -> dict[str, tuple[str, str]]:
    """Label and part by hash."""
    with LABELS.open(newline="") as file:
        return {row["sha256"]: (row["label"], row["part"]) for row in csv.DictReader(file)}


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a compressed JSON-lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1])), indent=2))
