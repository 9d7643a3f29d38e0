"""How fast a replay reads and reviews logs, beside a plain loop over Inspect's own reader.

python -m benchmarks.replay LOG_OR_FOLDER
python -m benchmarks.replay LOG --megabytes 2000    # memory, on a folder made by repeating
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

LOG = "inspect_ctf.eval"
PACK = "sandbox"


def measure(data: Path) -> dict[str, object]:
    """Speeds on the log in a folder of data, or on a log; empty where there is none."""
    log = data / LOG if data.is_dir() else data
    return speed(log) if log.is_file() else {}


def speed(log: Path) -> dict[str, object]:
    """Megabytes of unpacked log a second, by one core, each the best of three."""
    from reviewers.replay import iter_cases, outcomes, policy_asked, reviewer_asked

    size = unpacked(log) / 1e6
    pack = [policy_asked(PACK)]
    one = [reviewer_asked("pattern:deny=[no such text]")]
    plain = best(lambda: plain_loop(log), times=1)
    reading = best(lambda: sum(1 for _ in iter_cases([str(log)])))
    reviewing = best(lambda: sum(1 for _ in outcomes(iter_cases([str(log)]), pack)))
    with_one = best(lambda: sum(1 for _ in outcomes(iter_cases([str(log)]), one)))
    return {
        "log_mb": round(size, 2),
        "cases": sum(1 for _ in iter_cases([str(log)])),
        "plain_loop_mb_s": round(size / plain, 2),
        "cases_only_mb_s": round(size / reading, 1),
        "one_rule_mb_s": round(size / with_one, 1),
        f"pack_{PACK}_mb_s": round(size / reviewing, 1),
        "times_a_plain_loop": round(plain / reviewing, 1),
    }


def plain_loop(log: Path) -> int:
    """What anybody would write: every sample by Inspect's reader, and its tool events."""
    from inspect_ai.event import ToolEvent
    from inspect_ai.log import read_eval_log_samples

    samples = read_eval_log_samples(log, all_samples_required=False, resolve_attachments=True)
    return sum(isinstance(event, ToolEvent) for sample in samples for event in sample.events)


def best(work: Callable[[], object], times: int = 3) -> float:
    """Seconds of this process's own time, the least of several runs after one to warm up."""
    work()
    taken = []
    for _ in range(times):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


def unpacked(log: Path) -> int:
    """Bytes of a log's samples, unpacked."""
    with zipfile.ZipFile(log) as file:
        return sum(
            info.file_size for info in file.infolist() if info.filename.startswith("samples/")
        )


def memory(log: Path, megabytes: int) -> dict[str, object]:
    """The most memory that a replay of a folder takes which repeats a log to some size."""
    times = max(1, round(megabytes * 1e6 / unpacked(log)))
    with tempfile.TemporaryDirectory() as folder:
        for number in range(times):
            shutil.copy(log, Path(folder) / f"{number:06}.eval")
        started = time.monotonic()
        command = [sys.executable, "-m", "reviewers.cli.main", "replay", folder]
        command += ["--policy", PACK, "--out", f"{folder}/out.jsonl"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - started
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        lines = Path(folder, "out.jsonl").read_bytes().count(b"\n")
    return {
        "logs": times,
        "unpacked_mb": round(times * unpacked(log) / 1e6),
        "lines": lines,
        "seconds": round(seconds, 1),
        "most_memory_mb": round(most),
    }


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("--megabytes", type=int, help="Measure memory on so much instead.")
    given = parser.parse_args()
    figures = memory(given.log, given.megabytes) if given.megabytes else measure(given.log)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
