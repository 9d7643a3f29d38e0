"""Programs that run other programs: `sudo`, `timeout 5`, `xargs`, `bash -c '…'`."""

import re
from collections.abc import Mapping
from itertools import pairwise

WRAPPERS: Mapping[str, tuple[frozenset[str], int]] = {
    "sudo": (
        frozenset(
            {"-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "-D", "-R", "-T", "--user", "--group"}
        ),
        0,
    ),
    "doas": (frozenset({"-u", "-C"}), 0),
    "env": (frozenset({"-u", "-C", "-S"}), 0),
    "timeout": (frozenset({"-s", "-k", "--signal", "--kill-after"}), 1),
    "nohup": (frozenset(), 0),
    "nice": (frozenset({"-n"}), 0),
    "ionice": (frozenset({"-c", "-n", "-p"}), 0),
    "time": (frozenset({"-f", "-o"}), 0),
    "coproc": (frozenset(), 0),
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
    "xargs": (frozenset({"-n", "-I", "-P", "-d", "-L", "-a", "-s", "-E", "--arg-file"}), 0),
    "parallel": (frozenset({"-j"}), 0),
    "flock": (frozenset({"-w"}), 1),
    "chroot": (frozenset({"-u", "--userspec"}), 1),
    "busybox": (frozenset(), 0),
}
"""Programs that run the rest of their words, with those of their options that take a value, and
how many operands come before the command that they run."""

ARGUMENT_FILE = ("-a", "--arg-file")
"""Options of `xargs` that name the file which holds its words."""

SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ash", "ksh"})
WITH_COMMAND = frozenset({"su", "runuser", "script", "pwsh", "powershell", "powershell.exe"})
"""Programs that have a shell run, or run themselves, what follows their option `-c`."""

MAX_INNER = 4
"""Command lines within command lines that are read."""

MAX_WRAPPERS = 10
"""Wrappers within one another that are taken off."""

_COMMAND = re.compile(r"-\w*c|--?[Cc]ommand")
_ASSIGNMENT = re.compile(r"\w+=")


def unwrapped(words: tuple[str, ...], item: str = "") -> tuple[str, ...]:
    """The words of the command that wrappers run in the end.

    Args:
        words: A command's words.
        item: Stands for the words that `xargs` or `parallel` adds; empty for none.
    """
    for _ in range(MAX_WRAPPERS):
        name = base_name(words[0]) if words else ""
        if name not in WRAPPERS:
            return words
        if name == "command" and words[1:2] in (("-v",), ("-V",)):
            return ("which", *words[2:])
        inner = _wrapped(words[1:], *WRAPPERS[name])
        if not inner:
            return words
        words = (*inner, item) if item and name in ("xargs", "parallel") else inner
    return words


def argument_file(words: tuple[str, ...]) -> str:
    """The file that `xargs` takes words from; empty without one."""
    for _ in range(MAX_WRAPPERS):
        name = base_name(words[0]) if words else ""
        if name == "xargs":
            return next((file for word, file in pairwise(words) if word in ARGUMENT_FILE), "")
        if name not in WRAPPERS:
            return ""
        words = _wrapped(words[1:], *WRAPPERS[name])
    return ""


def script_in(words: tuple[str, ...]) -> str | None:
    """The command line that `bash -c …`, `su -c …` or `eval …` is given; None for others."""
    program = base_name(words[0]) if words else ""
    if program == "eval":
        return " ".join(words[1:])
    if program in WITH_COMMAND:
        return next((text for option, text in pairwise(words) if _COMMAND.fullmatch(option)), None)
    if program not in SHELLS:
        return None
    for index, word in enumerate(words[1:], 1):
        if word.startswith("-") and not word.startswith("--") and "c" in word:
            return words[index + 1] if index + 1 < len(words) else ""
        if not word.startswith(("-", "+")):
            return None
    return None


def file_run(words: tuple[str, ...]) -> str:
    """The script file that a shell runs; empty if it reads its standard input."""
    return next((word for word in words[1:] if not word.startswith(("-", "+"))), "")


def base_name(program: str) -> str:
    """A program's name without its folder."""
    return program.rsplit("/", 1)[-1]


def _wrapped(words: tuple[str, ...], valued: frozenset[str], skip: int) -> tuple[str, ...]:
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
