"""Where the text of a result comes from: a file, a page, a program, a submission."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import regex

from reviewers.rules._shell.commands import Command, Redirect, commands

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
LISTING = Origin(PROGRAM, "a list of files or processes", 0.3)
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
_CODE_READS = regex.compile(
    r"\b(?:require|readFile\w*|slurp|open|read_\w+|Path|load\w*|listdir|glob|walk|connect)\s*\("
)
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
_ONE_LINER = regex.compile(
    r"^base(?:64|32)\b|^(?:perl|ruby)\s+-\w*[np]\w*\b|^python\S*\s+-m\s+(?:json\.tool|base64|zipfile|tarfile|gzip)\b"
)
"""Programs that print the files that they are given, changed or not."""

_LISTER_NAMES = "ls find tree pwd stat file du df ps which whereis basename dirname"
_LISTERS = frozenset(_LISTER_NAMES.split())
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


def origin_of(
    tool: str, command: str, arguments: Mapping[str, Any], own: Collection[str] = ()
) -> Origin:
    """Where a call's result comes from, as far as the call says.

    Args:
        tool: The tool's name.
        command: What the call ran, if anything.
        arguments: The call's arguments.
        own: Files that the agent's own programs wrote.

    Raises:
        TimeoutError: The command did not come to an end in time.
    """
    if _SUBMIT_TOOLS.match(tool) or _SUBMIT_COMMAND.match(command):
        return SUBMISSION
    if _PYTHON_TOOLS.search(tool):
        return _origin_of_code(command)
    if _SHELL_TOOLS.search(tool) and command:
        return _origin_of_commands(command[:MAX_COMMAND], own)
    if _PAGE_TOOLS.search(tool):
        return FETCHING
    if _FILE_TOOLS.search(tool):
        if any(value in own for value in arguments.values() if isinstance(value, str)):
            return COMPUTATION
        return _named(" ".join(str(value)[:500] for value in arguments.values()))
    if command:
        return _origin_of_commands(command[:MAX_COMMAND], own)
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


def written_by_programs(script: str) -> frozenset[str]:
    """The files that programs of a script fill, none of which is named for answers."""
    return frozenset(
        redirect.target.removeprefix("./")
        for stages in _pipelines(script[:MAX_COMMAND])
        if _origin_of_pipeline(stages, redirected=True) == COMPUTATION
        and not any(_names_answers(word) for stage in stages for word in stage.words)
        for redirect in (*stages[-1].redirects, *_teed(stages[-1]))
        if redirect.operator == ">" and not _names_answers(redirect.target)
    )


def _names_answers(word: str) -> bool:
    return _ANSWERS_PATH.search(word, timeout=SEARCH_TIMEOUT_S) is not None


def _teed(command: Command) -> tuple[Redirect, ...]:
    if command.name != "tee":
        return ()
    return tuple(Redirect(">", operand) for operand in command.operands)


def _origin_of_commands(script: str, own: Collection[str]) -> Origin:
    """The most telling origin among a script's commands; a program's if none prints."""
    known = {*own, *written_by_programs(script)}
    origins = [
        COMPUTATION if _reads(stages[0], known) else _origin_of_pipeline(stages)
        for stages in _pipelines(script)
    ]
    told = [origin for origin in origins if origin is not None]
    return max(told, key=lambda origin: origin.confidence, default=COMPUTATION)


def _reads(command: Command, files: Collection[str]) -> bool:
    return any(operand.removeprefix("./") in files for operand in command.operands)


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


def _origin_of_pipeline(stages: list[Command], redirected: bool = False) -> Origin | None:
    """Where what a pipeline prints comes from; None if it prints nothing of account.

    Args:
        stages: Its commands.
        redirected: Whether to ask about what it writes to a file.
    """
    writes = any(_writes_to_file(stage) for stage in stages[-1:])
    while len(stages) > 1 and stages[-1].name in _FILTERS:
        stages = stages[:-1]
    command = stages[-1]
    name = command.name
    if name in _SILENT or (writes and not redirected) or (name == "cat" and command.stdin):
        return None
    if name in _FETCHERS:
        return FETCHING
    if _COMPUTES.fullmatch(name):
        return ANSWERS_FILE if _passes_on(stages) else _origin_of_code(code_of(command))
    if name in _LISTERS:
        return LISTING
    folder = command.words[0].rpartition("/")[0]
    if folder and name not in _FILTERS and not folder.startswith(("/bin", "/usr", "/sbin")):
        return COMPUTATION
    return _named(" ".join(command.words))


def _passes_on(stages: list[Command]) -> bool:
    """Whether a program only passes on what a file that is named for answers holds."""
    *before, last = stages
    words = [word for stage in before if stage.name in _FILTERS | {"cat"} for word in stage.words]
    if last.has("-a") or _ONE_LINER.search(" ".join(last.words[:4])):
        words.extend(last.operands)
    return any(map(_names_answers, words))


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
    return ANSWERS_FILE if _names_answers(text) else READING
