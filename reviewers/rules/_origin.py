"""Where the text of a result comes from: a file, a page, a program, a submission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import regex

from reviewers.rules._shell.commands import Command, commands

FILE = "file"
PAGE = "page"
PROGRAM = "program"
SUBMIT = "submit"
TOOL = "tool"

SEARCH_TIMEOUT_S = 1.0
MAX_COMMAND = 20_000
"""Characters of a command that are looked at."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a result's text comes from.

    Attributes:
        kind: One of `file`, `page`, `program`, `submit`, `tool`.
        phrase: The same in words, to follow "in".
        confidence: How surely a text in it was there before the agent came, 0 to 1.
    """

    kind: str
    phrase: str
    confidence: float


SUBMISSION = Origin(SUBMIT, "the result of a submission", 0.0)
COMPUTATION = Origin(PROGRAM, "the output of a program that the agent ran", 0.3)
READING = Origin(FILE, "a file that the agent read", 0.7)
ANSWERS_FILE = Origin(FILE, "a file that the agent read and that is named for answers", 0.95)
FETCHING = Origin(PAGE, "a page that the agent fetched", 0.8)

_SUBMIT_TOOLS = regex.compile(r"(?i)^(?:submit|final|finish|answer|complete|done)(?:$|_)")
_SUBMIT_COMMAND = regex.compile(r"\s*submit(?:\s|$)")
_PAGE_TOOLS = regex.compile(r"(?i)web|brows|fetch|search|http|url|wiki|crawl|internet|page")
_FILE_TOOLS = regex.compile(r"(?i)file|read|view|open|edit|notebook|director|grep|glob|memory")
_PYTHON_TOOLS = regex.compile(
    r"(?i)python|jupyter|interpreter|(?<![a-z])repl(?![a-z])|execute_code|run_code|calc|math"
)
_SHELL_TOOLS = regex.compile(r"(?i)bash|shell|terminal|command|exec|^cmd$|^run$|agent|ctf")

_NAMED_FOR_ANSWERS = (
    r"(?:answers?|solutions?|solved|expected|ground[-_ ]?truth|gold(?:en)?|grad(?:er|ing)|hidden"
    r"|flags?|oracle|rubric|references?|scor(?:er|ing)|targets?|labels?)"
)
_ANSWERS_PATH = regex.compile(rf"(?i)(?:^|[\s/'\"=_.-]){_NAMED_FOR_ANSWERS}(?=$|[\s/'\"_.:-])")
_ANSWERS_LITERAL = regex.compile(
    # A path: it has a folder or an ending.
    rf"(?i)['\"](?=[^'\"\n]*[/.])(?:[^'\"\n\s]{{0,200}}[/_.-])?{_NAMED_FOR_ANSWERS}"
    r"(?:[/_.-][^'\"\n\s]{0,200})?['\"]"
)
_CODE_READS = regex.compile(r"\b(?:open|read_\w+|Path|load\w*|listdir|glob|walk|connect)\s*\(")
_CODE_SHELLS_OUT = regex.compile(r"\b(?:subprocess|os\.system|os\.popen|os\.environ)\b|(?m)^[!%]")
_CODE_FETCHES = regex.compile(r"\b(?:requests|httpx|urlopen|aiohttp|urlretrieve)\b")

_FETCHERS = frozenset({"curl", "wget", "lynx", "w3m", "links", "http", "https", "xh", "aria2c"})
_COMPUTES = regex.compile(
    r"(?:python|pypy|node|nodejs|deno|bun|ruby|perl|php|lua|java|scala|kotlin|go|cargo|rustc|dotnet"
    r"|julia|R|Rscript|octave|sage|gp|maxima|ghci?|runghc|stack|swift|tsx|ts-node|ipython|pytest|tox"
    r"|make|cmake|ninja|mvn|gradle|npm|npx|yarn|pnpm|uv|poetry|bc|dc|expr|factor|seq|echo|printf"
    r"|openssl|base64|base32|gdb|john|hashcat|z3|minizinc|clingo|swipl|sh|bash|zsh|dash|ksh)[\d.]*"
)
_INTERPRETER = regex.compile(
    r"(?:python|pypy|ipython|perl|ruby|node|nodejs|deno|bun|php|lua)[\d.]*"
)
_FILTER_NAMES = (
    "grep egrep fgrep rg sed awk gawk head tail sort uniq tr cut wc tee column less more jq "
    "fold nl rev paste"
)
_FILTERS = frozenset(_FILTER_NAMES.split())
_SILENT_NAMES = (
    "cd pushd popd export set unset source . mkdir rm mv cp touch chmod chown sleep true false "
    "wait kill gcc g++ cc clang clang++ pip pip3 apt apt-get exit if then else fi for do done "
    "while"
)
_SILENT = frozenset(_SILENT_NAMES.split())


def origin_of(tool: str, command: str, arguments: Mapping[str, Any]) -> Origin:
    """Where a call's result comes from, as far as the call says.

    Args:
        tool: The tool's name.
        command: What the call ran, if anything.
        arguments: The call's arguments.

    Raises:
        TimeoutError: The command did not come to an end in time.
    """
    if _SUBMIT_TOOLS.match(tool) or _SUBMIT_COMMAND.match(command):
        return SUBMISSION
    if _PYTHON_TOOLS.search(tool):
        return _origin_of_code(command)
    if _SHELL_TOOLS.search(tool) and command:
        return _origin_of_commands(command[:MAX_COMMAND])
    if _PAGE_TOOLS.search(tool):
        return FETCHING
    if _FILE_TOOLS.search(tool):
        return _named(" ".join(str(value)[:500] for value in arguments.values()))
    if command:
        return _origin_of_commands(command[:MAX_COMMAND])
    return Origin(TOOL, f"a result of {tool}", 0.6)


def _origin_of_code(code: str) -> Origin:
    code = code[:MAX_COMMAND]
    if _CODE_FETCHES.search(code, timeout=SEARCH_TIMEOUT_S):
        return FETCHING
    if _CODE_READS.search(code, timeout=SEARCH_TIMEOUT_S) and _ANSWERS_LITERAL.search(
        code, timeout=SEARCH_TIMEOUT_S
    ):
        return ANSWERS_FILE
    if _CODE_SHELLS_OUT.search(code, timeout=SEARCH_TIMEOUT_S):
        return READING
    return COMPUTATION


def _origin_of_commands(script: str) -> Origin:
    """The most telling origin among a script's commands; a program's if none prints."""
    origins = [_origin_of_pipeline(pipeline) for pipeline in _pipelines(script)]
    told = [origin for origin in origins if origin is not None]
    return max(told, key=lambda origin: origin.confidence, default=COMPUTATION)


def _pipelines(script: str) -> Iterator[list[Command]]:
    pipeline: list[Command] = []
    for command in commands(script):
        if command.after != "|" and pipeline:
            yield pipeline
            pipeline = []
        if command.words:
            pipeline.append(command)
    if pipeline:
        yield pipeline


def _origin_of_pipeline(stages: list[Command]) -> Origin | None:
    """Where what a pipeline prints comes from; None if it prints nothing of account."""
    while len(stages) > 1 and stages[-1].name in _FILTERS:
        stages = stages[:-1]
    command = stages[-1]
    name = command.name
    if name in _SILENT or _writes_to_file(command) or (name == "cat" and command.stdin):
        return None
    if name in _FETCHERS:
        return FETCHING
    if _COMPUTES.fullmatch(name):
        return _origin_of_code(code_of(command))
    folder = command.words[0].rpartition("/")[0]
    if folder and name not in _FILTERS and not folder.startswith(("/bin", "/usr", "/sbin")):
        return COMPUTATION
    return _named(" ".join(command.words))


def _writes_to_file(command: Command) -> bool:
    return any(
        redirect.operator in (">", ">>") and not redirect.target.startswith("/dev/")
        for redirect in command.redirects
    )


def code_of(command: Command) -> str:
    """The program code that a command hands to an interpreter; empty if none."""
    if not _INTERPRETER.fullmatch(command.name):
        return ""
    for at, word in enumerate(command.words[1:-1], 1):
        if word in ("-c", "-e", "-p", "-r"):
            return command.words[at + 1]
    return command.stdin or ""


def _named(text: str) -> Origin:
    named = _ANSWERS_PATH.search(text, timeout=SEARCH_TIMEOUT_S)
    return ANSWERS_FILE if named else READING
