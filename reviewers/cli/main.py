"""The `reviewers` command: a group whose commands are imported when they are called."""

from __future__ import annotations

import io
import sys
from importlib import import_module

import click

from reviewers.outcome import ReviewersError
from reviewers.version import VERSION

COMMANDS = {
    "demo": ("demo", "Run the main job in one go, offline, without a key."),
    "list": ("list_", "List the reviewers there are."),
    "explain": ("explain", "Show one reviewer in full."),
    "check": ("check", "Say what a policy does, and what could go unheard."),
    "policy": ("policy", "Print a ready policy file."),
    "try": ("try_", "Try one reviewer on a text."),
    "replay": ("replay", "Review recorded logs again."),
    "bench": ("bench", "Measure reviewers on labelled results."),
    "usage": ("usage", "Sum up what monitors cost."),
}
"""Each command's module in this folder, and its line in the help."""


class Commands(click.Group):
    """Imports a command's module when it is needed: `reviewers --help` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order in which a newcomer needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        if cmd_name not in COMMANDS:
            return None
        module = COMMANDS[cmd_name][0]
        command: click.Command = getattr(import_module(f"reviewers.cli.{module}"), module)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help's list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> object:
        """Run; a mistake that the user can mend is one sentence and exit 2."""
        # A terminal that cannot show a letter shows something in its place.
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        try:
            return super().invoke(ctx)
        except ReviewersError as error:
            click.echo(str(error), err=True)
            ctx.exit(2)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="reviewers")
def main() -> None:
    """Prebuilt reviewers for Inspect's tool result review.

    Exit codes: 0 it holds, 1 it does not, 2 bad usage.
    """


if __name__ == "__main__":
    main()
