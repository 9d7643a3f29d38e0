"""What a command line really runs: `sudo`, `timeout 5`, `xargs`, `bash -c '…'` looked through."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from reviewers.rules._network.runs import Run, runs

MAX_INNER = 4
"""Command lines within command lines that are read."""

# Wrappers, with those of their options that take a value, and how many operands come before the
# wrapped command.
WRAPPERS: Mapping[str, tuple[frozenset[str], int]] = {
    "sudo": (frozenset({"-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "-D"}), 0),
    "doas": (frozenset({"-u", "-C"}), 0),
    "env": (frozenset({"-u", "-C", "-S"}), 0),
    "timeout": (frozenset({"-s", "-k", "--signal", "--kill-after"}), 1),
    "nohup": (frozenset(), 0),
    "nice": (frozenset({"-n"}), 0),
    "ionice": (frozenset({"-c", "-n", "-p"}), 0),
    "time": (frozenset({"-f", "-o"}), 0),
    "stdbuf": (frozenset({"-i", "-o", "-e"}), 0),
    "setsid": (frozenset(), 0),
    "command": (frozenset(), 0),
    "exec": (frozenset({"-a"}), 0),
    "builtin": (frozenset(), 0),
    "unbuffer": (frozenset(), 0),
    "proxychains": (frozenset({"-f"}), 0),
    "proxychains4": (frozenset({"-f"}), 0),
    "torsocks": (frozenset(), 0),
    "torify": (frozenset(), 0),
    "strace": (frozenset({"-e", "-o", "-p", "-s"}), 0),
    "watch": (frozenset({"-n", "-d"}), 0),
    "xargs": (frozenset({"-n", "-I", "-P", "-d", "-L", "-a", "-s", "-E"}), 0),
    "parallel": (frozenset({"-j"}), 0),
    "flock": (frozenset({"-w"}), 1),
    "chroot": (frozenset({"-u", "--userspec"}), 1),
    "busybox": (frozenset(), 0),
}
SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ash", "ksh"})

_ASSIGNMENT = re.compile(r"\w+=")
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
    reader = _Reader()
    action = _ACTION.fullmatch(text)
    found = tuple(reader.read(action[1] if action else text, exit_code, 0))
    return Script(found, reader.files, reader.complete)


class _Reader:
    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.complete = True
        self._pipes = 0

    def read(self, text: str, exit_code: int | None, depth: int) -> Iterator[Run]:
        found, complete = runs(text, exit_code)
        self.complete &= complete
        first_pipe = self._pipes
        self._pipes += 1 + max((run.pipe for run in found), default=0)
        for run in found:
            plain = replace(run, argv=unwrapped(run.argv), pipe=first_pipe + run.pipe)
            self._note_file(plain)
            inner = self._inner_text(plain)
            if inner and depth < MAX_INNER:
                yield from self._inner(inner, plain, depth)
            elif plain.argv:
                yield plain

    def _inner(self, text: str, outer: Run, depth: int) -> Iterator[Run]:
        for run in self.read(text, outer.exit_code, depth + 1):
            yield replace(
                run,
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
        if program == "eval":
            return " ".join(argv[1:])
        if program in ("source", ".") and len(argv) > 1:
            return self.files.get(argv[1], "")
        if program in SHELLS:
            return self._shell_text(argv, run)
        script = self.files.get(argv[0]) or self.files.get(argv[0].removeprefix("./"))
        return script if script and not _is_python(script) else ""

    def _shell_text(self, argv: tuple[str, ...], run: Run) -> str:
        for index, word in enumerate(argv[1:], 1):
            if word.startswith("-") and not word.startswith("--") and "c" in word:
                return argv[index + 1] if index + 1 < len(argv) else ""
            if not word.startswith(("-", "+")):
                return self.files.get(word, "") or self.files.get(word.removeprefix("./"), "")
        return run.stdin


def unwrapped(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The words of the command that wrappers run in the end."""
    for _ in range(10):
        name = base_name(argv[0]) if argv else ""
        if name not in WRAPPERS:
            return argv
        inner = _operands(argv[1:], *WRAPPERS[name])
        if inner and name in ("xargs", "parallel"):
            inner = (*inner, "$item")
        if name == "command" and argv[1:2] in (("-v",), ("-V",)):
            return ("which", *argv[2:])
        if not inner:
            return argv
        argv = inner
    return argv


def base_name(program: str) -> str:
    """A program's name without its folder."""
    return program.rsplit("/", 1)[-1]


def _operands(words: tuple[str, ...], valued: frozenset[str], skip: int) -> tuple[str, ...]:
    index = 0
    while index < len(words):
        word = words[index]
        if word == "--":
            index += 1
            break
        if word.startswith("-") and len(word) > 1:
            index += 2 if word in valued else 1
        elif _ASSIGNMENT.match(word):
            index += 1
        else:
            break
    return words[index + skip :]


def _is_python(script: str) -> bool:
    return "python" in script[:80].split("\n", 1)[0] or script.lstrip().startswith(
        ("import ", "from ")
    )
