"""`reviewers usage`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from reviewers.usage import Account, Line

HEAD = ("reviewer", "model", "requests", "input", "cached", "output", "total", "cost", "seconds")


@click.command("usage")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option("--json", "as_json", is_flag=True, help="Print the account as JSON.")
def usage(logs: tuple[str, ...], as_json: bool) -> None:
    """Sum up what monitors cost: per reviewer and model, from logs, folders or globs of logs.

    Exits 1 where the reviews, the model events and Inspect's own sums differ; each difference is
    named.
    """
    from reviewers.replay.sources import find_sources
    from reviewers.usage import account

    paths = [source.path for source in find_sources(logs) if source.kind == "log"]
    total = account(paths)
    click.echo(json.dumps(as_dict(total), indent=2) if as_json else table(total))
    for difference in total.differences:
        click.echo(difference, err=True)
    if total.differences:
        raise SystemExit(1)


def as_dict(total: Account) -> dict[str, Any]:
    """The account as plain JSON values."""
    return {
        "samples": total.samples,
        "lines": [line.as_dict() for line in total.lines.values()],
        "differences": total.differences,
    }


def table(total: Account) -> str:
    """The account as text in columns."""
    if not total.lines:
        plural = "" if total.samples == 1 else "s"
        return f"No monitor asked a model in {total.samples:,} sample{plural}."
    rows = [HEAD, *(_row(line) for line in total.lines.values())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = [_aligned(row, widths) for row in rows]
    for line in total.lines.values():
        lines += [f"{line.reviewer} on {line.model}: {said}" for said in _notes(line)]
    return "\n".join(lines)


def _row(line: Line) -> tuple[str, ...]:
    cost = "unknown" if line.cost is None else f"${line.cost:.4f}"
    counts = (line.input_tokens, line.cache_read_tokens, line.output_tokens, line.total_tokens)
    return (
        line.reviewer,
        line.model,
        f"{line.requests:,}",
        *(f"{count:,}" for count in counts),
        cost,
        f"{line.seconds:.1f}",
    )


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    names = [f"{cell:<{width}}" for cell, width in zip(row[:2], widths[:2], strict=True)]
    numbers = [f"{cell:>{width}}" for cell, width in zip(row[2:], widths[2:], strict=True)]
    return "  ".join([*names, *numbers]).rstrip()


def _notes(line: Line) -> list[str]:
    notes = [f"{count} failed ({reason})" for reason, count in line.failures.most_common()]
    if line.interrupted:
        notes.append(f"{line.interrupted} interrupted: sent, but they led to no decision")
    return notes
