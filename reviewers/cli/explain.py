"""`reviewers explain NAME`."""

from __future__ import annotations

import json

import click

from reviewers.catalogue import Entry, find
from reviewers.compose.human import harmless
from reviewers.errors import ReviewersError
from reviewers.example import Example
from reviewers.packs import PACKS


@click.command("explain")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def explain(name: str, as_json: bool) -> None:
    """Show one reviewer in full: parameters, examples with reasons, measured figures."""
    refuse_packs(name)
    entry = find(name)
    if as_json:
        click.echo(json.dumps(entry.as_dict(), indent=2, default=str))
        return
    for part in (_head(entry), _figures(entry), _parameters(entry), _examples(entry)):
        if part:
            click.echo(part + "\n")


def refuse_packs(name: str) -> None:
    """Say so where a pack is named in place of a reviewer."""
    if name in PACKS:
        raise ReviewersError(f"{name} is a pack; `reviewers policy {name}` shows what is in it.")


def _head(entry: Entry) -> str:
    kinds = ", ".join(entry.catches) or "all kinds"
    grade = f", {entry.grade}-grade" if entry.grade else ""
    return f"{entry.name} ({entry.family}{grade}; catches {kinds})\n\n{entry.text}"


def _parameters(entry: Entry) -> str:
    if not entry.parameters:
        return "It takes no parameters."
    lines = ["Parameters"]
    for p in entry.parameters:
        default = f" = {p.default}" if p.default else " (must be given)"
        lines.append(f"  {p.name}: {p.kind}{default}")
        lines.append(click.wrap_text(p.meaning, 90, "      ", "      "))
    return "\n".join(lines)


def _examples(entry: Entry) -> str:
    if not entry.examples:
        return ""
    lines = ["Examples"]
    for example in entry.examples:
        verdict = "could not judge" if example.fails else "flags" if example.matches else "passes"
        lines.append(f"  {verdict}: {_shown(example)}")
        lines.append(f"      because {example.because}")
    return "\n".join(lines)


def _shown(example: Example) -> str:
    """The example on one line: command, result and exit code, shortened."""
    parts = [f"$ {example.command}"] if example.command else []
    if example.arguments:
        parts.append(f"{example.tool} {json.dumps(dict(example.arguments))}")
    if example.result:
        parts.append(example.result)
    if example.exit_code is not None:
        parts.append(f"(exit {example.exit_code})")
    text = harmless(" ⏎ ".join(parts)).replace("\n", " ⏎ ")
    return text if len(text) <= 110 else text[:107] + "…"


def _figures(entry: Entry) -> str:
    if not entry.figures:
        return ""
    return "Measured\n" + "\n".join(f"  {name}: {value}" for name, value in entry.figures.items())
