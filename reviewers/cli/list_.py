"""`reviewers list`."""

from __future__ import annotations

import json

import click

from reviewers.catalogue import catalogue


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def list_(as_json: bool) -> None:
    """List the reviewers there are: name, grade, and what each does."""
    entries = catalogue()
    if as_json:
        click.echo(json.dumps([entry.as_dict(full=False) for entry in entries], indent=2))
        return
    width = max(len(entry.name) for entry in entries)
    family = ""
    for entry in entries:
        if entry.family != family:
            click.echo(("\n" if family else "") + f"{entry.family.capitalize()}s")
            family = entry.family
        grade = f"[{entry.grade}] " if entry.grade else ""
        click.echo(f"  {entry.name:<{width}}  {grade}{entry.summary}")
