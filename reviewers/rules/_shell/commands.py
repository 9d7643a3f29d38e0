"""The commands that a shell script runs, flat and in order, as far as its text tells.

A walk over the script's tree. It follows `cd` and `pushd`, plain assignments and `for` lists,
takes wrappers off (`sudo`, `timeout`), and looks into `bash -c`, `eval` and `$(…)`. What it cannot
know, such as the output of a substitution, stays as it is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from posixpath import join, normpath

from reviewers.rules._shell import tree
from reviewers.rules._shell.grammar import parse, parse_line
from reviewers.rules._shell.tokens import Budget
from reviewers.rules._shell.tree import (
    AndOr,
    Expansion,
    Group,
    Node,
    Pipeline,
    Sequence,
    Simple,
    Word,
)
from reviewers.rules._shell.wrappers import (
    MAX_INNER,
    SHELLS,
    argument_file,
    base_name,
    file_run,
    script_in,
    unwrapped,
)

MAX_VALUE = 4_000
"""Characters kept of a variable's value."""

MAX_PUSHED = 100
"""Folders that `popd` can lead back to."""

MAX_WORDS = 4_000
"""Words of one command."""

MAX_VARIABLES = 1_000
"""Variables of one script."""

MAX_FILLED = 4_000_000
"""Characters filled in for the variables and substitutions of one script."""


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
        start: Where it begins in the script.
        end: Where it ends.
    """

    words: tuple[str, ...]
    redirects: tuple[Redirect, ...] = ()
    stdin: str | None = None
    after: str = ""
    folder: str = ""
    start: int = 0
    end: int = 0

    @property
    def name(self) -> str:
        """The program, without its folder."""
        return base_name(self.words[0]) if self.words else ""

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


def commands(script: str) -> tuple[Command, ...]:
    """The simple commands of a script in order, wrappers taken off."""
    return _read(script)[0]


def all_read(script: str) -> bool:
    """Whether the script was small enough for `commands` to give all that it runs."""
    return _read(script)[1]


@lru_cache(maxsize=32)
def _read(script: str) -> tuple[tuple[Command, ...], bool]:
    program, budget = parse_line(script)
    walk = _Walk(budget)
    found = tuple(walk.node(program, _Scene(), ""))
    return found, not walk.budget.spent


@dataclass(slots=True)
class _Scene:
    """What a process knows: its folder, its variables, and which of these a loop sets.

    Attributes:
        folder: Where it is, seen from where the script began.
        previous: Where it was before, for `cd -`.
        pushed: Where `popd` leads back to, the next one last.
        variables: Their values.
        looped: Names of those that stand for each of several words.
        at: The stretch of the script that stands for all it runs; None for the script itself.
        inner: How many scripts it lies in.
    """

    folder: str = ""
    previous: str = ""
    pushed: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    looped: set[str] = field(default_factory=set)
    at: tuple[int, int] | None = None
    inner: int = 0

    def child(self, at: tuple[int, int] | None = None) -> _Scene:
        """A process that this one starts, by the stretch `at` of the script."""
        return replace(
            self, variables=dict(self.variables), looped=set(self.looped), at=self.at or at
        )

    def within(self, at: tuple[int, int]) -> _Scene:
        """A script that this one runs."""
        return replace(self.child(at), inner=self.inner + 1)

    def follow(self, command: Command) -> None:
        """Goes where `cd`, `pushd` and `popd` lead."""
        target = next(iter(command.operands), "")
        if command.name == "popd" and self.pushed:
            *pushed, target = self.pushed
            self.pushed, self.previous, self.folder = tuple(pushed), self.folder, target
        elif command.name == "cd" and target == "-":
            self.previous, self.folder = self.folder, self.previous
        elif command.name in ("cd", "pushd") and target:
            if command.name == "pushd":
                self.pushed = (*self.pushed, self.folder)[-MAX_PUSHED:]
            self.previous, self.folder = self.folder, command.path(target)

    def set(self, name: str, value: str) -> None:
        """Gives a variable a value."""
        if name in self.variables or len(self.variables) < MAX_VARIABLES:
            self.variables[name] = value[:MAX_VALUE]


class _Walk:
    """Goes through a script and the scripts in it."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._filled = 0
        self._depth = 0

    def script(self, text: str, scene: _Scene, after: str) -> Iterator[Command]:
        """The commands of a script; `after` stands before the first."""
        yield from self.node(parse(text, self.budget, self._depth), scene, after)

    def node(self, node: Node, scene: _Scene, after: str) -> Iterator[Command]:
        """The commands of a node; `after` stands before the first."""
        if isinstance(node, Simple):
            yield from self._simple(node, scene, after)
        elif isinstance(node, Group):
            self._depth += 1
            yield from self._group(node, scene, after)
            self._depth -= 1
        else:
            for child, operator in zip(node.nodes, (after, *_operators(node)), strict=False):
                yield from self.node(child, scene, operator)

    def _group(self, group: Group, scene: _Scene, after: str) -> Iterator[Command]:
        if group.subshell:
            scene = scene.child()
        for word in group.head:
            yield from self._nested(word, scene)
        if group.loops and len(group.head) > 2:
            self._set_loop(group.head, scene)
        for body in group.bodies:
            yield from self.node(body, scene, after)
            after = ";"
        for redirect in group.redirects:
            yield from self._nested(redirect.target, scene)
        redirects = tuple(self._redirects(group.redirects, scene))
        if redirects:
            start, end = scene.at or (group.start, group.end)
            yield Command((), redirects, None, ";", scene.folder, start, end)

    def _set_loop(self, head: list[Word], scene: _Scene) -> None:
        name = head[0].text
        values = [value for word in head[2:] for value in self._filled_in(word, scene)]
        scene.looped.add(name)
        scene.set(name, " ".join(values))

    def _simple(self, node: Simple, scene: _Scene, after: str) -> Iterator[Command]:
        at = scene.at or (node.start, node.end)
        targets = [redirect.target for redirect in node.redirects]
        for word in (*node.assignments, *node.words, *targets):
            yield from self._nested(word, scene)
        for word in node.assignments:
            self._assign(word, scene)
        values = (value for word in node.words for value in self._filled_in(word, scene))
        words = tuple(islice(values, MAX_WORDS))
        # Where `xargs` takes its words from is read like a redirected input.
        read = [Redirect("<", path)] if (path := argument_file(words)) else []
        command = Command(
            unwrapped(words),
            (*self._redirects(node.redirects, scene), *read),
            self._stdin(node.redirects, scene),
            after,
            scene.folder,
            *at,
        )
        if not command.words and not command.redirects:
            return
        scene.follow(command)
        inner = _inner_script(command)
        if inner is None or scene.inner >= MAX_INNER:
            yield command
        else:
            self._depth += 1
            yield from self.script(inner, scene.within(at), after)
            self._depth -= 1

    def _nested(self, word: Word, scene: _Scene) -> Iterator[Command]:
        """The commands of a word's substitutions."""
        self._depth += 1
        for part in word.expansions:
            if part.nested is not None:
                yield from self.node(part.nested, scene.child((part.start, part.end)), "$(")
        self._depth -= 1

    def _assign(self, word: Word, scene: _Scene) -> None:
        name, _, value = " ".join(self._filled_in(word, scene)).partition("=")
        if not value.startswith("("):
            scene.set(name.removesuffix("+"), value)

    def _redirects(self, redirects: list[tree.Redirect], scene: _Scene) -> Iterator[Redirect]:
        for redirect in redirects:
            if redirect.body is not None or redirect.op in ("<<", "<<-"):
                continue
            target = " ".join(self._filled_in(redirect.target, scene))
            if redirect.op in (">&", "<&") and (target.isdigit() or target == "-"):
                continue
            yield Redirect(_SHOWN_OPERATORS.get(redirect.op, redirect.op), target)

    def _stdin(self, redirects: list[tree.Redirect], scene: _Scene) -> str | None:
        """The text of the last heredoc or here-string."""
        for redirect in reversed(redirects):
            if redirect.op == "<<<":
                return " ".join(self._filled_in(redirect.target, scene)) + "\n"
            if redirect.op in ("<<", "<<-"):
                return redirect.body or ""
        return None

    def _filled_in(self, word: Word, scene: _Scene) -> list[str]:
        """A word with its variables filled in; several where an unquoted one holds several."""
        built: list[list[str]] = [[]]
        for part in word.parts:
            if isinstance(part, str):
                built[-1].append(part)
                continue
            first, *rest = self._values(part, scene)
            built[-1].append(first)
            built.extend([value] for value in rest)
        return ["".join(pieces) for pieces in built]

    def _values(self, part: Expansion, scene: _Scene) -> list[str]:
        value = scene.variables.get(part.variable) if part.variable else None
        self._filled += part.end - part.start if value is None else len(value)
        if self._filled > MAX_FILLED:
            self.budget.spent = True
            return [part.text]
        if value is None:
            return [part.source]
        if part.quoted and part.variable not in scene.looped:
            return [value]
        return value.split() or [""]


_SHOWN_OPERATORS = {">|": ">", ">&": ">", "&>": ">", "&>>": ">>", "<&": "<"}


def _operators(node: Pipeline | AndOr | Sequence) -> list[str]:
    """What stands between a node's children."""
    if isinstance(node, Pipeline):
        return ["|"] * (len(node.nodes) - 1)
    if isinstance(node, AndOr):
        return node.operators
    return ["&" if background else ";" for background in node.background[:-1]]


def _inner_script(command: Command) -> str | None:
    """The script that a shell or `eval` runs; None for other commands."""
    inner = script_in(command.words)
    if inner is None and command.name in SHELLS and not file_run(command.words):
        return command.stdin
    return inner or None
