"""What a call ran: who in it speaks to the network, and what may have done so unseen."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reviewers.rules._no_network.clients import CLIENTS, python_module, read_call
from reviewers.rules._no_network.code import python_calls, script_calls, shell_lines
from reviewers.rules._no_network.failures import programs_not_there
from reviewers.rules._no_network.hosts import UNKNOWN
from reviewers.rules._no_network.readers import is_opaque, prints, shows_files
from reviewers.rules._no_network.runs import Run
from reviewers.rules._no_network.told import traced_runs, with_told_codes
from reviewers.rules._no_network.wrappers import Script, read_script
from reviewers.rules._shell.wrappers import base_name

MAX_SPEAKERS = 100
"""Clients of one call that are looked at."""

INTERPRETERS = ("python", "node", "deno", "bun", "perl", "ruby", "php", "java")

_PYTHON = re.compile(r"(?:python|pypy)[\d.]*|ipython3?")
_PYTHON_TOOL = re.compile(r"python|jupyter|notebook", re.IGNORECASE)
_CODE_OPTION = re.compile(r"-[cerp]|--eval|-\w+[ce]")


@dataclass(frozen=True)
class Speaker:
    """Something that ran and speaks to the network.

    Attributes:
        client: Its name.
        hosts: Whom it speaks to, `UNKNOWN` where the call does not say.
        run: How it ran.
        reached: Confidence of contact by exit code.
        body: Whether what it received goes to its output.
        direct: For code: whether the call stands at top level, so that it surely was made.
    """

    client: str
    hosts: tuple[str, ...]
    run: Run
    reached: Mapping[int, float] = field(default_factory=dict)
    body: bool = False
    direct: bool = False


@dataclass(frozen=True)
class Ran:
    """What a call ran.

    Attributes:
        speakers: What speaks to the network.
        may_have_spoken: Whether a script, a build or the like may have spoken to it unseen, and
            nothing in the call shows files or logs that would explain what the output says.
        printing: Runs that are to be expected to have printed something.
        complete: Whether the call was read to its end.
    """

    speakers: tuple[Speaker, ...]
    may_have_spoken: bool
    printing: tuple[Run, ...]
    complete: bool


def what_ran(
    tool: str, arguments: Mapping[str, Any], command: str, text: str, exit_code: int | None
) -> Ran:
    """Read a call.

    Args:
        tool: The tool's name.
        arguments: The call's arguments.
        command: What it ran: a command line, or code.
        text: The result's text, for what it says of programs that are not there.
        exit_code: The call's exit code, if known.
    """
    if _is_python(tool, arguments):
        script = _notebook_cell(command, exit_code)
    else:
        script = read_script(command, exit_code)
    if not command.strip() and is_shell(arguments):
        # An empty command asks a shell for what a program that still runs has printed since.
        script = replace(script, runs=(Run(("",)),))
    told = with_told_codes(script.runs, text)
    traced, trace_complete = traced_runs(told, text)
    runs = told + traced
    if any(map(is_opaque, runs)):
        missing = programs_not_there(text)
        runs = [run for run in runs if not _is_missing(run, missing)]
    speakers = list(_speakers(runs, script))
    return Ran(
        tuple(speakers[:MAX_SPEAKERS]),
        _any_opaque(runs, speakers) and not _any_file_shown(script.runs),
        tuple(run for run in script.runs if prints(run)),
        script.complete and trace_complete and len(speakers) <= MAX_SPEAKERS,
    )


def is_shell(arguments: Mapping[str, Any]) -> bool:
    """Whether a call's arguments hold a command line."""
    return any(isinstance(arguments.get(name), str) for name in ("command", "cmd"))


def _is_python(tool: str, arguments: Mapping[str, Any]) -> bool:
    if _PYTHON_TOOL.search(tool):
        return True
    return "code" in arguments and not is_shell(arguments) and "bash" not in tool


def _notebook_cell(code: str, exit_code: int | None) -> Script:
    script = read_script(shell_lines(code))
    cell = Run(("python3", "-"), exit_code, stdin=code)
    return Script((*script.runs, cell), script.files, script.complete)


def _speakers(runs: Sequence[Run], script: Script) -> Iterator[Speaker]:
    for run in runs:
        if call := read_call(python_module(run.argv)):
            yield Speaker(call.client.name, call.hosts, run, call.client.reached, call.body)
        elif speaker := _code_speaker(run, script):
            yield speaker


def _code_speaker(run: Run, script: Script) -> Speaker | None:
    """A run of code that this call holds itself and that makes network calls."""
    program = _interpreter(run, script)
    if not program:
        return None
    code = _code_of(run, script)
    if program == "python":
        calls = python_calls(code)
    else:
        calls = script_calls(code + " ".join(run.argv))
    if calls is None:
        return None
    return Speaker(program, calls.hosts or (UNKNOWN,), run, direct=calls.direct)


def _interpreter(run: Run, script: Script) -> str:
    program = base_name(run.argv[0])
    if _PYTHON.fullmatch(program) or script.text_of(run.argv[0]):
        return "python"
    return program if program in INTERPRETERS else ""


def _code_of(run: Run, script: Script) -> str:
    if text := script.text_of(run.argv[0]):
        return text
    for index, word in enumerate(run.argv[1:], 1):
        if _CODE_OPTION.fullmatch(word):
            return run.argv[index + 1] if index + 1 < len(run.argv) else ""
        if not word.startswith("-"):
            return script.text_of(word)
    return run.stdin


def _is_missing(run: Run, missing: set[str]) -> bool:
    """Whether the shell said that there is no such program."""
    return run.exit_code == 127 or base_name(run.argv[0]) in missing


def _any_opaque(runs: Sequence[Run], speakers: Sequence[Speaker]) -> bool:
    known = {id(speaker.run) for speaker in speakers}
    return any(
        is_opaque(run) and id(run) not in known and base_name(run.argv[0]) not in CLIENTS
        for run in runs
    )


def _any_file_shown(runs: Sequence[Run]) -> bool:
    """Whether a program shows a file, rather than what another of its pipeline printed."""
    first_of_pipe: dict[int, Run] = {}
    for run in runs:
        first_of_pipe.setdefault(run.pipe, run)
    return any(
        shows_files(run) and not run.stdin and first_of_pipe[run.pipe] is run for run in runs
    )
