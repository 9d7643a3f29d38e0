"""`reviewers policy PACK`."""

from __future__ import annotations

import click

from reviewers.packs import PACKS, pack_yaml


@click.command("policy", epilog=f"Packs: {', '.join(PACKS)}.")
@click.argument("pack")
@click.option("--human", is_flag=True, help="Ask a person about what is flagged.")
def policy(pack: str, human: bool) -> None:
    """Print a pack as a policy file for `inspect eval --review`."""
    click.echo(pack_yaml(pack, human), nl=False)
