"""`python -m benchmarks.loaders NAME SOURCE OUT.jsonl`."""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO

from benchmarks.loaders import (
    agentdojo,
    asb,
    claimcheck,
    injecagent,
    malt,
    openagentsafety,
    rjudge,
    scout,
    shade,
)
from benchmarks.loaders.trajectory import Line

LOADERS: Mapping[str, Callable[[Path], Iterator[Line]]] = {
    "agentdojo": agentdojo.load,
    "asb": asb.load,
    "claimcheck": claimcheck.load,
    "injecagent": injecagent.load,
    "malt": malt.load,
    "openagentsafety": openagentsafety.load,
    "rjudge": rjudge.load,
    "scout": scout.load,
    "shade": shade.load,
}

USAGE = f"""\
python -m benchmarks.loaders NAME SOURCE OUT.jsonl

NAME is one of {", ".join(LOADERS)}; SOURCE the set's file or folder. OUT may end in .jsonl.gz.
"""


def main(arguments: list[str]) -> int:
    """Write the case file; 0 if there are cases in it, 1 if not, 2 for bad usage."""
    if len(arguments) != 3 or arguments[0] not in LOADERS:
        sys.stderr.write(USAGE)
        return 2
    name, source, out = arguments[0], Path(arguments[1]), Path(arguments[2])
    try:
        labels = write(LOADERS[name](source), out)
    except (OSError, ValueError, ModuleNotFoundError) as error:
        sys.stderr.write(f"{name}: {error}\n")
        return 1
    said = ", ".join(f"{count:,} {label}" for label, count in sorted(labels.items()))
    sys.stderr.write(f"{out}: {sum(labels.values()):,} cases ({said or 'none'}).\n")
    return 0 if labels else 1


def write(lines: Iterable[Line], out: Path) -> Counter[str]:
    """Write case lines to a file, and count them by label."""
    labels: Counter[str] = Counter()
    with _opened(out) as file:
        for line in lines:
            # Escaped, so that half a surrogate pair can be written as well.
            file.write(json.dumps(line) + "\n")
            labels[line.get("label", "unlabelled")] += 1
    return labels


def _opened(out: Path) -> IO[str]:
    if out.suffix == ".gz":
        return gzip.open(out, "wt", encoding="utf-8")
    return out.open("w", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
