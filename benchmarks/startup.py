"""What importing our entry point adds to `import inspect_ai`, in fresh processes.

Milliseconds of the processor's time, with our modules compiled before, and with none compiled.

Run it with `python -m benchmarks.startup`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

OUT = Path(__file__).parent / "results" / "startup.json"
RUNS = 9

PROGRAM = """
import time, sys
import inspect_ai
if sys.argv[1] == "uncached":
    sys.pycache_prefix = "/nowhere"
    sys.dont_write_bytecode = True
started = time.process_time()
import reviewers._registry
print(1000 * (time.process_time() - started))
heavy = {"openai", "anthropic", "regex", "pandas", "numpy", "ahocorasick_rs", "hyperscan"}
print(*sorted(heavy & set(sys.modules)))
"""


def main() -> None:
    """Measure, print, and keep the figures."""
    figures = {kind: added(kind) for kind in ("cached", "uncached")}
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    print(json.dumps(figures, indent=2))


def added(kind: str) -> dict[str, object]:
    """What the import adds with modules compiled before (`cached`) or not (`uncached`)."""
    runs = [output_of_run(kind) for _ in range(RUNS + 1)][1:]
    times = [float(run[0]) for run in runs]
    return {
        "added_ms": {
            "median": round(median(times), 1),
            "min": round(min(times), 1),
            "max": round(max(times), 1),
        },
        "heavy_modules_loaded": runs[0][1].split(),
        "runs": RUNS,
    }


def output_of_run(kind: str) -> list[str]:
    """The lines that one fresh process prints; the first of all leaves compiled modules behind."""
    command = [sys.executable, "-c", PROGRAM, kind]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout.splitlines()


if __name__ == "__main__":
    main()
