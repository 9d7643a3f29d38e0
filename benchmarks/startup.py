"""What importing our entry point adds to `import inspect_ai`, in fresh processes.

Run it with `python -m benchmarks.startup`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import median

OUT = Path(__file__).parent / "results" / "startup.json"
RUNS = 9

PROGRAM = """
import time, sys
import inspect_ai
started = time.perf_counter()
import reviewers._registry
print(1000 * (time.perf_counter() - started))
heavy = {"openai", "anthropic", "regex", "pandas", "ahocorasick_rs", "hyperscan"}
print(*sorted(heavy & set(sys.modules)))
"""


def main() -> None:
    """Measure, print, and keep the figures."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for _ in range(RUNS + 1)
    ][1:]
    times = [float(run[0]) for run in runs]
    figures = {
        "added_ms": {
            "median": round(median(times), 1),
            "min": round(min(times), 1),
            "max": round(max(times), 1),
        },
        "heavy_modules_loaded": runs[0][1].split(),
        "runs": RUNS,
    }
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
