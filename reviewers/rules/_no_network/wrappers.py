"""What a command line really runs: `bash -c '…'` and scripts of its own making looked into."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reviewers.rules._no_network.runs import PipeNumbers, Run, runs
from reviewers.rules._shell.grammar import parse, parse_line
from reviewers.rules._shell.tokens import Budget
from reviewers.rules._shell.tree import Node
from reviewers.rules._shell.wrappers import (
    MAX_INNER,
    SHELLS,
    base_name,
    file_run,
    script_in,
    unwrapped,
)

_ACTION = re.compile(r"\s*[A-Za-z]\w*\[(.+)\]\s*", re.DOTALL)
"""How some scaffolds write what to run: `execute[ls -l]`."""


@dataclass(frozen=True)
class Script:
    """All that a command line runs.

    Attributes:
        runs: Its simple commands, wrappers looked through, in order.
        files: Texts that it writes to files by here-documents, by path.
        complete: Whether all of it was read.
    """

    runs: tuple[Run, ...]
    files: Mapping[str, str]
    complete: bool

    def text_of(self, path: str) -> str:
        """What this call wrote to a file; empty if it did not."""
        return self.files.get(path) or self.files.get(path.removeprefix("./")) or ""


def read_script(text: str, exit_code: int | None = None) -> Script:
    """What a command line runs, inner command lines included.

    Args:
        text: The command line.
        exit_code: Its exit code, if known.
    """
    action = _ACTION.fullmatch(text)
    program, budget = parse_line(action[1] if action else text)
    reader = _Reader(budget)
    found = tuple(reader.read(program, exit_code, 0))
    return Script(found, reader.files, not budget.spent)


class _Reader:
    def __init__(self, budget: Budget) -> None:
        self.files: dict[str, str] = {}
        self._budget = budget
        self._pipes = PipeNumbers()

    def read(self, program: Node, exit_code: int | None, depth: int) -> Iterator[Run]:
        for run in runs(program, exit_code, self._pipes):
            plain = run._replace(argv=unwrapped(run.argv, "$item"))
            self._note_file(plain)
            inner = self._inner_text(plain)
            if inner and depth < MAX_INNER:
                yield from self._inner(inner, plain, depth)
            elif plain.argv:
                yield plain

    def _inner(self, text: str, outer: Run, depth: int) -> Iterator[Run]:
        for run in self.read(parse(text, self._budget), outer.exit_code, depth + 1):
            yield run._replace(
                certain=run.certain and outer.certain,
                shown=run.shown and outer.shown,
                piped=run.piped or outer.piped,
                background=run.background or outer.background,
                pipe=outer.pipe if outer.piped else run.pipe,
            )

    def _note_file(self, run: Run) -> None:
        targets = run.writes
        if run.argv[:1] == ("tee",):
            targets = run.argv[1:]
        written = run.stdin
        if run.argv[:1] in (("echo",), ("printf",)) and run.writes:
            written = "\n".join(run.argv[1:])
        if written:
            self.files.update(dict.fromkeys(targets, written))

    def _inner_text(self, run: Run) -> str:
        """The command line that a shell, `eval` or a script written in this call runs."""
        argv = run.argv
        if not argv:
            return ""
        program = base_name(argv[0])
        if (inner := script_in(argv)) is not None:
            return inner
        if program in SHELLS:
            path = file_run(argv)
            return self._text_of(path) if path else run.stdin
        if program in ("source", ".") and len(argv) > 1:
            return self.files.get(argv[1], "")
        script = self._text_of(argv[0])
        return script if script and not _is_python(script) else ""

    def _text_of(self, path: str) -> str:
        return self.files.get(path, "") or self.files.get(path.removeprefix("./"), "")


def _is_python(script: str) -> bool:
    return "python" in script[:80].split("\n", 1)[0] or script.lstrip().startswith(
        ("import ", "from ")
    )
