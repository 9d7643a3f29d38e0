"""Where the text of a result comes from: a file, a page, a program, a submission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import regex

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

_HEREDOC = regex.compile(r"<<-?\s*(['\"]?)(\w+)\1(.*?)(?:^\s*\2\s*$|\Z)", regex.S | regex.M)
_QUOTED = regex.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", regex.S)
_FETCHERS = frozenset({"curl", "wget", "lynx", "w3m", "links", "http", "https", "xh", "aria2c"})
_INTERPRETERS = regex.compile(
    r"(?:python|pypy|node|nodejs|deno|bun|ruby|perl|php|lua|java|scala|kotlin|go|cargo|rustc|dotnet"
    r"|julia|R|Rscript|octave|sage|gp|maxima|ghci?|runghc|stack|swift|tsx|ts-node|ipython|pytest|tox"
    r"|make|cmake|ninja|mvn|gradle|npm|npx|yarn|pnpm|uv|poetry|bc|dc|expr|factor|seq|echo|printf"
    r"|openssl|base64|base32|gdb|john|hashcat|z3|minizinc|clingo|swipl|sh|bash|zsh|dash|ksh)[\d.]*"
)
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh"})
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
_WRAPPER_NAMES = "sudo env time timeout nice nohup stdbuf exec command xargs then do"
_WRAPPERS = frozenset(_WRAPPER_NAMES.split())


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


def _origin_of_commands(command: str) -> Origin:
    """The most telling origin among a command line's commands; a program's if none prints."""
    origins = list(_origins(command))
    return max(origins, key=lambda origin: origin.confidence, default=COMPUTATION)


def _origins(command: str) -> Iterator[Origin]:
    heredocs = [match[3] for match in _HEREDOC.finditer(command, timeout=SEARCH_TIMEOUT_S)]
    line = _HEREDOC.sub(" <<HEREDOC ", command, timeout=SEARCH_TIMEOUT_S)
    held: list[str] = []

    def hold(match: regex.Match[str]) -> str:
        held.append(match[0])
        return f"\x00{len(held) - 1}\x00"

    # Quoted text holds no operators; it is put back where its words are looked at.
    bare = _QUOTED.sub(hold, line.replace("\x00", " "), timeout=SEARCH_TIMEOUT_S)
    for part in regex.split(r"&&|\|\||;|\n|(?<!>)&(?!>)|\$\(|`", bare):
        stages = [_words(stage, held) for stage in part.split("|")]
        origin = _origin_of_pipeline([words for words in stages if words], heredocs)
        if origin is not None:
            yield origin


def _words(stage: str, held: list[str]) -> list[str]:
    words = [
        regex.sub(r"\x00(\d+)\x00", lambda match: held[int(match[1])], word)
        for word in stage.strip(" \t(){}").split()
    ]
    while len(words) > 1 and (
        words[0] in _WRAPPERS or regex.fullmatch(r"\w+=.*|-\S+|\d+[smh]?", words[0], regex.S)
    ):
        words = words[1:]
    return words


def _origin_of_pipeline(stages: list[list[str]], heredocs: list[str]) -> Origin | None:
    """Where what a pipeline prints comes from; None if it prints nothing of account."""
    while len(stages) > 1 and stages[-1][0] in _FILTERS:
        stages = stages[:-1]
    if not stages:
        return None
    words = stages[-1]
    program, text = words[0], " ".join(words)
    name = program.rpartition("/")[2]
    if name in _SILENT or (name in ("cat", "tee") and ("<<HEREDOC" in words or ">" in text)):
        return None
    if name in _FETCHERS:
        return FETCHING
    if name in _SHELLS and len(words) > 2 and words[1].startswith("-"):
        return _origin_of_commands(words[-1].strip("'\""))
    if _INTERPRETERS.fullmatch(name):
        code = " ".join((*words[1:], *heredocs)) if _runs_given_code(words) else ""
        return _origin_of_code(code)
    if "/" in program and name not in _FILTERS and not program.startswith(("/bin", "/usr")):
        return COMPUTATION
    return _named(text)


def _runs_given_code(words: list[str]) -> bool:
    return any(word in ("-c", "-e", "-p", "-r", "-", "<<HEREDOC") for word in words[1:])


def _named(text: str) -> Origin:
    named = _ANSWERS_PATH.search(text, timeout=SEARCH_TIMEOUT_S)
    return ANSWERS_FILE if named else READING
