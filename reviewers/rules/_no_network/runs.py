"""The simple commands that a line runs, and what its exit code says of each."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from reviewers.rules._shell.tree import AndOr, Group, Node, Pipeline, Sequence, Simple


class Run(NamedTuple):
    """A simple command that the line runs, and what is known of how it went.

    Attributes:
        argv: Its words.
        exit_code: Its own exit code where the line's says it; else None.
        certain: Whether it surely ran.
        shown: Whether its output (or what the pipeline makes of it) is in the result.
        pipe: Number of its pipeline; commands of one pipeline share it.
        piped: Whether its own output is another command's input.
        stdin: Text that it is fed from a here-document or here-string.
        writes: Files that its output is redirected to.
        background: Whether nobody waited for it.
        proves: Whether it runs only if the command before it succeeded.
    """

    argv: tuple[str, ...]
    exit_code: int | None = None
    certain: bool = True
    shown: bool = True
    pipe: int = 0
    piped: bool = False
    stdin: str = ""
    writes: tuple[str, ...] = ()
    background: bool = False
    proves: bool = False


class _How(NamedTuple):
    """What is known of how a node ran."""

    exit_code: int | None
    certain: bool = True
    shown: bool = True
    piped: bool = False
    background: bool = False
    proves: bool = False


HARDLY_FAILING = {"cd", "echo", "printf", "export", "mkdir", "sleep", "true", ":", "set", "pwd"}
"""Commands taken to have succeeded where one other of an `&&` list can have failed."""


class PipeNumbers:
    """Numbers pipelines."""

    def __init__(self) -> None:
        self.last = 0

    def next(self) -> int:
        """The next number."""
        self.last += 1
        return self.last


def runs(program: Node, exit_code: int | None, pipes: PipeNumbers) -> list[Run]:
    """The simple commands of a line in order.

    Args:
        program: The line's tree.
        exit_code: The line's exit code; None or a negative number where it is not known.
        pipes: Numbers its pipelines.
    """
    if exit_code is not None and exit_code < 0:
        exit_code = None
    return list(_walk(program, _How(exit_code), pipes))


PASSES_ON = {"bash", "sh", "zsh", "eval", "source", ".", "python3", "python", "echo", "printf"}
"""Commands that run or print what a substitution among their words gives them."""

_SOCKET = re.compile(r"(/dev/(?:tcp|udp))/([^/\s]+)/(\w+)")
"""The shell's own sockets, as the target of a redirection."""


def _walk(node: Node, how: _How, pipes: PipeNumbers, pipe: int | None = None) -> Iterator[Run]:
    if isinstance(node, Simple):
        yield from _walk_simple(node, how, pipes, pipe)
    elif isinstance(node, Pipeline):
        number = pipes.next()
        for index, child in enumerate(node.nodes):
            last = index == len(node.nodes) - 1
            code = how.exit_code if last and not node.negated else None
            proves = how.proves and index == 0
            inner = how._replace(exit_code=code, piped=how.piped or not last, proves=proves)
            yield from _walk(child, inner, pipes, number)
    elif isinstance(node, AndOr):
        for index, (child, code, certain) in enumerate(_and_or(node, how.exit_code)):
            proves = _needs_success(node, index) if index else how.proves
            inner = how._replace(exit_code=code, certain=how.certain and certain, proves=proves)
            yield from _walk(child, inner, pipes, pipe)
    elif isinstance(node, Sequence):
        stops_at_errors = how.exit_code == 0 and _sets_errexit(node)
        for index, child in enumerate(node.nodes):
            known = index == len(node.nodes) - 1 or stops_at_errors
            background = node.background[index]
            code = how.exit_code if known and not background else None
            inner = how._replace(
                exit_code=code,
                background=how.background or background,
                proves=how.proves and index == 0,
            )
            yield from _walk(child, inner, pipes, pipe)
    else:
        hidden = any(redirect.hides_output for redirect in node.redirects)
        for program in [nested for word in node.head for nested in word.nested]:
            inner = how._replace(exit_code=None, shown=how.shown and not hidden)
            yield from _walk(program, inner, pipes, pipe)
        for index, body in enumerate(node.bodies):
            code = how.exit_code if len(node.bodies) == 1 and node.certain else None
            inner = how._replace(
                exit_code=code,
                certain=how.certain and node.certain,
                shown=how.shown and not hidden,
                proves=_needs_success(node, index) if index else how.proves,
            )
            yield from _walk(body, inner, pipes, pipe)


def _walk_simple(node: Simple, how: _How, pipes: PipeNumbers, pipe: int | None) -> Iterator[Run]:
    words = node.assignments + node.words
    targets = [redirect.target for redirect in node.redirects]
    nested = [inner for word in words + targets for inner in word.nested]
    alone = not node.words and len(nested) == 1
    passes_on = bool(node.words) and node.words[0].text in PASSES_ON
    if pipe is None:
        pipe = pipes.next()
    for inner in nested:
        captured = how._replace(
            exit_code=how.exit_code if alone else None, shown=how.shown and passes_on
        )
        yield from _walk(inner, captured, pipes, pipe if passes_on else None)
    for target in targets:
        if match := _SOCKET.match(target.text):
            yield Run(match.groups(), how.exit_code, how.certain, shown=True, pipe=pipe)
    if not node.words:
        return
    yield Run(
        argv=tuple(word.text for word in node.words),
        exit_code=how.exit_code,
        certain=how.certain,
        shown=how.shown and not any(redirect.hides_output for redirect in node.redirects),
        pipe=pipe,
        piped=how.piped,
        stdin="".join(redirect.body or "" for redirect in node.redirects),
        writes=tuple(r.target.text for r in node.redirects if r.hides_output),
        background=how.background,
        proves=how.proves,
    )


def _and_or(node: AndOr, code: int | None) -> Iterator[tuple[Node, int | None, bool]]:
    """Each part with its exit code, where the whole one tells, and whether it surely ran."""
    codes: list[int | None] = [None] * len(node.nodes)
    last = len(node.nodes) - 1
    if code == 0:
        while last >= 0 and (last == 0 or node.operators[last - 1] == "&&"):
            codes[last] = 0
            last -= 1
        if last > 0:
            codes[last] = None
        certain = [index > last or index == 0 for index in range(len(codes))]
    elif code is not None and all(operator == "||" for operator in node.operators):
        codes[-1] = code
        certain = [True] * len(codes)
    else:
        likely = [i for i, child in enumerate(node.nodes) if not _hardly_fails(child)]
        if code is not None and len(likely) == 1 and "||" not in node.operators:
            codes[likely[0]] = code
        certain = [index == 0 or index in likely[:1] for index in range(len(codes))]
    yield from zip(node.nodes, codes, certain, strict=True)


def _needs_success(node: AndOr | Group, index: int) -> bool:
    """Whether a part runs only if the one before it succeeded."""
    if isinstance(node, AndOr):
        return node.operators[index - 1] == "&&" and not _negates(node.nodes[index - 1])
    return node.condition and index == 1 and not _negates(node.bodies[0])


def _negates(node: Node) -> bool:
    """Whether a node succeeds where its last command fails."""
    while not isinstance(node, Simple):
        if isinstance(node, Pipeline) and node.negated:
            return True
        parts = node.bodies if isinstance(node, Group) else node.nodes
        if not parts:
            return False
        node = parts[-1]
    return False


def _hardly_fails(node: Node) -> bool:
    return isinstance(node, Simple) and (not node.words or node.words[0].text in HARDLY_FAILING)


def _sets_errexit(node: Sequence) -> bool:
    first = node.nodes[0] if node.nodes else None
    return (
        isinstance(first, Simple)
        and [word.text for word in first.words[:1]] == ["set"]
        and any(re.match(r"-\w*e", word.text) for word in first.words[1:])
    )
