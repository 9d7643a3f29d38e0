"""What program code deletes and runs, as the shell commands that would do the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from reviewers.rules._origin import code_of
from reviewers.rules._shell.commands import Command, commands

MAX_CODE = 200_000
"""Characters of code that are looked at."""

DELETES = re.compile(
    r"""(?x)
    \b(?:rmtree|remove_tree|rm_rf|rm_r|rmSync|rmdirSync|removeSync|rimraf(?:\.sync)?|unlinkSync|unlink
      |os\.remove|File\.delete|fs\.rm)\s*\(?\s*["'](?P<path>[^"'\n]{1,300})["']"""
)
RUNS = re.compile(
    r"""(?x)
    \b(?:os\.system|os\.popen|exec(?:Sync)?|system|shell_exec|passthru|getoutput
      |(?:subprocess\.)?(?:run|call|check_call|check_output|Popen|getstatusoutput))\s*\(\s*
    (?: f?(?P<quote>["'])(?P<line>(?:(?!(?P=quote))[^\n]){1,2000})(?P=quote)
      | \[(?P<words>[^\[\]\n]{1,2000})\] )"""
)
WORD = re.compile(r"""["']([^"'\n]*)["']""")


def commands_of_code(command: Command) -> Iterator[Command]:
    """What the code that a command hands to an interpreter does to files, and runs."""
    yield from code_commands(code_of(command), command)


def code_commands(code: str, place: Command) -> Iterator[Command]:
    """What code does to files, and runs.

    Args:
        code: Program code of any language.
        place: The command that it stands in.
    """
    code = code[:MAX_CODE]
    for found in DELETES.finditer(code):
        yield replace(place, words=("rm", "-r", found["path"]), redirects=(), stdin=None)
    for found in RUNS.finditer(code):
        if found["line"]:
            for inner in commands(found["line"]):
                yield replace(inner, start=place.start, end=place.end)
        else:
            words = tuple(WORD.findall(found["words"]))
            yield replace(place, words=words, redirects=(), stdin=None)
