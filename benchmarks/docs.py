"""Fills the generated parts of the README: the catalogue, the packs and the measured figures.

python -m benchmarks.docs          writes them
python -m benchmarks.docs --check  exits 1 where the README does not say what they say
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from benchmarks.accuracy import labelled
from reviewers.catalogue import FAMILIES, catalogue
from reviewers.packs import PACKS

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
RESULTS = ROOT / "benchmarks" / "results"


@click.command()
@click.option("--check", is_flag=True, help="Only say whether the README is up to date.")
def main(check: bool) -> None:
    """Write or check the generated parts."""
    text = README.read_text("utf-8")
    made = filled(text)
    if made == text:
        return
    if check:
        click.echo("README.md is out of date: run python -m benchmarks.docs", err=True)
        sys.exit(1)
    README.write_text(made, "utf-8")


def filled(text: str) -> str:
    """The README with every generated part made anew.

    Raises:
        KeyError: The README has a part that nothing here makes.
    """

    def part(match: re.Match[str]) -> str:
        return f"<!-- {match[1]} -->\n{PARTS[match[1]]().strip()}\n<!-- end of {match[1]} -->"

    return re.sub(r"<!-- ([\w ]+) -->\n.*?<!-- end of \1 -->", part, text, flags=re.DOTALL)


def catalogue_table() -> str:
    """Every reviewer in a row, by family."""
    lines = []
    for family in FAMILIES:
        lines += [f"\n| {family} | grade | catches | what it does |", "|---|---|---|---|"]
        lines += [
            f"| `{entry.name}` | {entry.grade or '–'} | {', '.join(entry.catches) or 'all'} | "
            f"{entry.summary} |"
            for entry in catalogue()
            if entry.family == family
        ]
    return "\n".join(lines)


def pack_table() -> str:
    """Every pack in a row."""
    lines = ["| pack | reviewers | when |", "|---|---|---|"]
    for pack in PACKS.values():
        members = ", ".join(f"`{name.partition('/')[2]}`" for name, _ in pack.members)
        lines.append(f"| `{pack.name}` | {members} | {pack.when} {pack.costs} |")
    return "\n".join(lines)


def rule_figures() -> str:
    """Every rule's false alarms on ordinary work, and its time."""
    kept = results("rules")
    lines = [
        "| rule | flagged of ordinary results | would end the sample | 10 KB | 10 MiB |",
        "|---|---|---|---|---|",
    ]
    for rule, figures in kept.items():
        if "ms" not in figures:
            continue
        seen = figures.get("observations")
        flagged = f"{seen['flagged']} of {seen['results']:,}" if seen else "–"
        ends = str(seen["would_terminate"]) if seen else "–"
        ms = figures["ms"]
        lines.append(
            f"| `{rule}` | {flagged} | {ends} | {ms['10 KB']:g} ms | {ms['10 MiB']:,.0f} ms |"
        )
    together = kept.get("all_rules together")
    if together:
        lines.append(
            f"| all together | | | {together['10 KB']:g} ms | {together['10 MiB']:,.0f} ms |"
        )
    return "\n".join(lines)


def labelled_figures() -> str:
    """Every rule's recall and false alarms on labelled results."""
    lines = [
        "| rule | on | flagged rightly | flagged wrongly |",
        "|---|---|---|---|",
    ]
    for rule, on, found, wrong in labelled(results("rules"), results("scan_quality")):
        lines.append(f"| `{rule}` | {on} | {found} | {wrong} |")
    return "\n".join(lines)


def scan_figures() -> str:
    """Speed beside other scanners."""
    from benchmarks.scan import scan_table

    kept = results("scan")
    return scan_table(kept) if kept else "Not measured yet."


def results(name: str) -> dict[str, Any]:
    """The kept results of a benchmark; empty if it was not run."""
    file = RESULTS / f"{name}.json"
    read: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return read


PARTS: dict[str, Callable[[], str]] = {
    "catalogue": catalogue_table,
    "packs": pack_table,
    "labelled figures": labelled_figures,
    "rule figures": rule_figures,
    "scan figures": scan_figures,
}


if __name__ == "__main__":
    main()
