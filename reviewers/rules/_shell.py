"""Reads shell scripts into simple commands: words, redirections, heredocs.

Not a shell: it follows quoting, heredocs, `cd`, plain assignments and `for` lists, and knows the
wrappers that agents use (`sudo`, `timeout`, `bash -c`). What it cannot know, such as the output of
a substitution, stays as it is written. It takes one pass, never fails, and is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from posixpath import join, normpath

MAX_COMMANDS = 2_000
"""Commands read from one script."""

MAX_DEPTH = 4
"""How deep scripts within scripts are read (`bash -c`, `$(…)`)."""

MAX_VALUE = 4_000
"""Characters kept of a variable's value."""

MAX_WORDS = 4_000
"""Words of one command."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection: `>` or `>>` and the file, `<` and the file."""

    operator: str
    target: str


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command.

    Attributes:
        words: Its words with quotes removed and known variables filled in.
        redirects: Where its streams go.
        stdin: The text of its heredoc or here-string; None without one.
        after: The operator that stands before it: ``, `;`, `&&`, `||`, `|`, `&`, `$(`.
        folder: The folder that earlier `cd` commands lead to; empty if there were none.
        assigned: Variables set for it alone.
        start: Where it begins in the script.
        end: Where it ends.
    """

    words: tuple[str, ...]
    redirects: tuple[Redirect, ...] = ()
    stdin: str | None = None
    after: str = ""
    folder: str = ""
    assigned: tuple[tuple[str, str], ...] = ()
    start: int = 0
    end: int = 0

    @property
    def name(self) -> str:
        """The program, without its folder."""
        return self.words[0].rpartition("/")[2] if self.words else ""

    @property
    def options(self) -> tuple[str, ...]:
        """Words after the first that begin with a dash, up to `--`."""
        words = self.words[1:]
        end = words.index("--") if "--" in words else len(words)
        return tuple(word for word in words[:end] if word.startswith("-") and len(word) > 1)

    @property
    def operands(self) -> tuple[str, ...]:
        """Words after the first that are no options."""
        words = self.words[1:]
        end = words.index("--") if "--" in words else len(words)
        plain = tuple(word for word in words[:end] if not word.startswith("-") or word == "-")
        return plain + words[end + 1 :]

    def has(self, *flags: str) -> bool:
        """Whether one of the options is given: `-f` also within `-rf`, `--force` also with `=`."""
        for option in self.options:
            for flag in flags:
                if option.partition("=")[0] == flag:
                    return True
                if len(flag) == 2 and not option.startswith("--") and flag[1] in option[1:]:
                    return True
        return False

    def path(self, word: str) -> str:
        """A word as a path, seen from where the script began."""
        if not self.folder or word.startswith(("/", "~", "$")):
            return word
        return normpath(join(self.folder, word)) if word else self.folder


@lru_cache(maxsize=32)
def commands(script: str) -> tuple[Command, ...]:
    """The simple commands of a script in order, wrappers taken off."""
    return tuple(_commands(script, 0, {}))


def _commands(script: str, depth: int, variables: Mapping[str, str]) -> Iterator[Command]:
    reader = _Reader(script, dict(variables))
    folder = ""
    for read in islice(reader.read(), MAX_COMMANDS):
        command = replace(read, folder=folder)
        if command.name == "cd" and command.operands:
            folder = command.path(command.operands[0])
        for inner in reader.take_substitutions():
            if depth < MAX_DEPTH:
                yield from (
                    replace(found, after=found.after or "$(", start=read.start, end=read.end)
                    for found in _commands(inner, depth + 1, reader.variables)
                )
        yield from _unwrapped(command, depth, reader.variables)


WRAPPERS: Mapping[str, frozenset[str]] = {
    "sudo": frozenset({"-u", "-g", "-p", "-C", "-h", "-U", "--user", "--group"}),
    "doas": frozenset({"-u"}),
    "env": frozenset({"-u", "-C", "-S"}),
    "timeout": frozenset({"-k", "-s", "--signal", "--kill-after"}),
    "nohup": frozenset(),
    "time": frozenset({"-f", "-o"}),
    "nice": frozenset({"-n"}),
    "ionice": frozenset({"-c", "-n"}),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "command": frozenset(),
    "exec": frozenset({"-a"}),
    "builtin": frozenset(),
    "xargs": frozenset({"-n", "-I", "-P", "-d", "-L", "-s", "-a", "-E"}),
    "setsid": frozenset(),
    "unbuffer": frozenset(),
    "chroot": frozenset(),
}
"""Programs that run the rest of their words, with their options that take a value."""

SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ash", "ksh"})


def _unwrapped(command: Command, depth: int, variables: Mapping[str, str]) -> Iterator[Command]:
    for _ in range(8):
        if command.name not in WRAPPERS:
            break
        rest = _wrapped_words(command)
        if not rest:
            break
        command = replace(command, words=rest)
    script = _inner_script(command)
    if script is None or depth >= MAX_DEPTH:
        yield command
        return
    for inner in _commands(script, depth + 1, variables):
        yield replace(
            inner,
            after=inner.after or command.after,
            folder=command.path(inner.folder) if inner.folder else command.folder,
            start=command.start,
            end=command.end,
        )


def _wrapped_words(command: Command) -> tuple[str, ...]:
    with_value = WRAPPERS[command.name]
    words = list(command.words[1:])
    while words:
        word = words[0]
        if word == "--":
            return tuple(words[1:])
        if word in with_value:
            words = words[2:]
        elif word.startswith("-") or (command.name in ("env", "sudo") and _is_assignment(word)):
            words = words[1:]
        else:
            break
    if command.name == "timeout" or command.name == "chroot":
        words = words[1:]
    return tuple(words)


def _inner_script(command: Command) -> str | None:
    if command.name in SHELLS:
        for index, word in enumerate(command.words[1:], 1):
            if word.startswith("-") and not word.startswith("--") and "c" in word:
                return command.words[index + 1] if index + 1 < len(command.words) else None
            if not word.startswith("-"):
                return None
        return command.stdin
    if command.name == "eval" and len(command.words) > 1:
        return " ".join(command.words[1:])
    return None


ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)\+?=(?P<value>.*)", re.S)
PLAIN = re.compile(r"[^\s\\'\"$`|&;<>()#]+")
VARIABLE = re.compile(r"\$(?:(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})")
QUOTED = re.compile(r'[^"\\$`]+')
OPERATOR = re.compile(r"\|\||&&|\|&|;;|[|;&()\n]")
REDIRECT = re.compile(r"(?P<fd>\d*|&|\{\w+\})(?P<operator><<<|<<-?|>>|>\||<>|<&|>&|>|<)")
RESERVED = frozenset(
    [
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "do",
        "done",
        "while",
        "until",
        "in",
        "{",
        "}",
        "!",
        "time",
        "coproc",
        "select",
        "function",
        "[[",
        "]]",
        "esac",
    ]
)


def _is_assignment(word: str) -> bool:
    return ASSIGNMENT.fullmatch(word) is not None


@dataclass(slots=True)
class _Pending:
    """A command under construction."""

    after: str = ""
    start: int = 0
    words: list[str] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    assigned: list[tuple[str, str]] = field(default_factory=list)
    stdin: str | None = None
    heredocs: list[tuple[str, bool]] = field(default_factory=list)

    def command(self, end: int) -> Command:
        return Command(
            tuple(self.words[:MAX_WORDS]),
            tuple(self.redirects),
            self.stdin,
            self.after,
            "",
            tuple(self.assigned),
            self.start,
            end,
        )


class _Reader:
    """One pass over a script."""

    def __init__(self, script: str, variables: dict[str, str]) -> None:
        self.script = script
        self.variables = variables
        self.at = 0
        self._substitutions: list[str] = []
        self._looped: set[str] = set()

    def take_substitutions(self) -> list[str]:
        """The scripts within `$(…)` and backquotes met since the last call."""
        taken, self._substitutions = self._substitutions, []
        return taken

    def read(self) -> Iterator[Command]:
        """The commands in order; those of one line come once its heredocs are read."""
        line: list[tuple[_Pending, int]] = []
        pending = _Pending(start=self.at)
        while True:
            self._skip_blanks()
            if self.at >= len(self.script):
                line.append((pending, self.at))
                break
            if operator := OPERATOR.match(self.script, self.at):
                line.append((pending, self.at))
                self.at = operator.end()
                if operator[0] == "\n":
                    self._read_heredocs(line)
                    yield from self._finished(line)
                    line = []
                pending = _Pending(after=_joining(operator[0]), start=self.at)
                if len(line) > MAX_COMMANDS:
                    break
            elif (redirect := REDIRECT.match(self.script, self.at)) or self._ampersand_redirect():
                self._read_redirect(redirect, pending)
            else:
                self._read_word(pending)
        self._read_heredocs(line)
        yield from self._finished(line)

    def _finished(self, line: list[tuple[_Pending, int]]) -> Iterator[Command]:
        for pending, end in line:
            if pending.words or pending.redirects:
                yield pending.command(end)

    def _skip_blanks(self) -> None:
        script = self.script
        while self.at < len(script):
            letter = script[self.at]
            if letter in " \t\r":
                self.at += 1
            elif script.startswith("\\\n", self.at):
                self.at += 2
            elif letter == "#":
                end = script.find("\n", self.at)
                self.at = len(script) if end < 0 else end
            else:
                return

    def _ampersand_redirect(self) -> bool:
        return self.script.startswith("&>", self.at)

    def _read_redirect(self, found: re.Match[str] | None, pending: _Pending) -> None:
        if found is None:
            append = self.script.startswith("&>>", self.at)
            self.at += 3 if append else 2
            operator = ">>" if append else ">"
        else:
            self.at = found.end()
            operator = found["operator"]
        self._skip_blanks()
        if operator in ("<<", "<<-"):
            delimiter = " ".join(self._word())
            pending.heredocs.append((delimiter, operator == "<<-"))
            return
        target = " ".join(self._word())
        if operator == "<<<":
            pending.stdin = target
        elif not (operator in (">&", "<&") and (target.isdigit() or target == "-")):
            shown = {">|": ">", ">&": ">", "<&": "<"}.get(operator, operator)
            pending.redirects.append(Redirect(shown, target))

    def _read_heredocs(self, line: list[tuple[_Pending, int]]) -> None:
        for pending, _ in line:
            for delimiter, dashed in pending.heredocs:
                pending.stdin = self._heredoc(delimiter, dashed)

    def _heredoc(self, delimiter: str, dashed: bool) -> str:
        start = at = self.at
        while at < len(self.script):
            end = self.script.find("\n", at)
            end = len(self.script) if end < 0 else end
            text = self.script[at:end]
            if (text.lstrip("\t") if dashed else text).rstrip("\r") == delimiter:
                self.at = min(end + 1, len(self.script))
                return self.script[start:at]
            at = end + 1
        self.at = len(self.script)
        return self.script[start:]

    def _read_word(self, pending: _Pending) -> None:
        start = self.at
        values = self._word()
        if self.at == start:
            self.at += 1
            return
        raw = self.script[start : self.at]
        if not pending.words:
            if raw in RESERVED:
                pending.start = self.at
                return
            found = ASSIGNMENT.fullmatch(" ".join(values))
            if found and ASSIGNMENT.match(raw):
                self.variables[found["name"]] = found["value"][:MAX_VALUE]
                pending.assigned.append((found["name"], found["value"]))
                return
            pending.start = start
        if pending.words[:1] == ["for"] and len(pending.words) > 2:
            name = pending.words[1]
            self._looped.add(name)
            known = self.variables.get(name, "") if len(pending.words) > 3 else ""
            self.variables[name] = " ".join([known, *values]).strip()[:MAX_VALUE]
        pending.words.extend(values)

    def _word(self) -> list[str]:
        """The next word; several where an unquoted variable holds several."""
        script = self.script
        parts: list[list[str]] = [[]]
        while self.at < len(script):
            letter = script[self.at]
            if run := PLAIN.match(script, self.at):
                parts[-1].append(run[0])
                self.at = run.end()
            elif letter == "\\":
                follows = script[self.at + 1 : self.at + 2]
                parts[-1].append("" if follows == "\n" else follows)
                self.at += 2
            elif letter == "'":
                parts[-1].append(self._until("'"))
            elif letter == '"':
                self._double_quoted(parts)
            elif letter == "#":
                parts[-1].append(letter)
                self.at += 1
            elif script.startswith("$'", self.at):
                self.at += 1
                parts[-1].append(_ansi(self._until_unescaped("'")))
            elif letter in "$`":
                self._expansion(parts, quoted=False)
            elif letter in "<>" and script.startswith("(", self.at + 1):
                self.at += 1
                parts[-1].append(letter + self._parenthesised())
            else:
                break
        return ["".join(pieces) for pieces in parts]

    def _until(self, quote: str) -> str:
        end = self.script.find(quote, self.at + 1)
        end = len(self.script) if end < 0 else end
        text = self.script[self.at + 1 : end]
        self.at = end + 1
        return text

    def _until_unescaped(self, quote: str) -> str:
        start = at = self.at + 1
        while at < len(self.script) and self.script[at] != quote:
            at += 2 if self.script[at] == "\\" else 1
        self.at = at + 1
        return self.script[start:at]

    def _double_quoted(self, parts: list[list[str]]) -> None:
        script = self.script
        self.at += 1
        while self.at < len(script):
            run = QUOTED.match(script, self.at)
            if run:
                parts[-1].append(run[0])
                self.at = run.end()
                continue
            letter = script[self.at]
            if letter == '"':
                self.at += 1
                return
            if letter == "\\":
                follows = script[self.at + 1 : self.at + 2]
                if follows == "\n":
                    pass
                elif follows in ('"', "\\", "$", "`"):
                    parts[-1].append(follows)
                else:
                    parts[-1].append("\\" + follows)
                self.at += 2
            else:
                self._expansion(parts, quoted=True)

    def _expansion(self, parts: list[list[str]], quoted: bool) -> None:
        script = self.script
        if script[self.at] == "`":
            inner = self._until("`")
            self._substitutions.append(inner)
            parts[-1].append(f"`{inner}`")
            return
        if script.startswith("$((", self.at):
            self.at += 1
            parts[-1].append("$" + self._parenthesised(keep=False))
            return
        if script.startswith("$(", self.at):
            self.at += 1
            parts[-1].append("$" + self._parenthesised())
            return
        found = VARIABLE.match(script, self.at)
        name = (found["name"] or found["braced"]) if found else ""
        if found and name in self.variables:
            self.at = found.end()
            value = self.variables[name]
            if quoted and name not in self._looped:
                parts[-1].append(value)
            else:
                first, *rest = value.split()[:MAX_WORDS] or [""]
                parts[-1].append(first)
                parts.extend([word] for word in rest)
            return
        if script.startswith("${", self.at):
            end = script.find("}", self.at)
            end = len(script) if end < 0 else end + 1
        else:
            end = found.end() if found else self.at + 1
        parts[-1].append(script[self.at : end])
        self.at = end

    def _parenthesised(self, keep: bool = True) -> str:
        """From an opening parenthesis to its closing one; what is within is a script."""
        start, depth = self.at, 0
        at = start
        while at < len(self.script):
            letter = self.script[at]
            if letter == "\\":
                at += 1
            elif letter in "'\"":
                end = self.script.find(letter, at + 1)
                at = len(self.script) if end < 0 else end
            elif letter == "(":
                depth += 1
            elif letter == ")":
                depth -= 1
                if depth == 0:
                    break
            at += 1
        self.at = min(at + 1, len(self.script))
        if keep:
            self._substitutions.append(self.script[start + 1 : at])
        return self.script[start : self.at]


def _joining(operator: str) -> str:
    return {"\n": ";", "(": ";", ")": ";", ";;": ";", "|&": "|"}.get(operator, operator)


def _ansi(text: str) -> str:
    escapes = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a"}
    return re.sub(r"\\(.)", lambda found: escapes.get(found[1], found[0]), text)
