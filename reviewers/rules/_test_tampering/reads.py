"""Which files a shell command shows or copies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from posixpath import basename, join

from reviewers.rules._shell.commands import Command
from reviewers.rules._test_tampering.changes import Change

READERS = frozenset(
    [
        "cat", "head", "tail", "less", "more", "bat", "nl", "tac", "rev", "grep", "egrep", "fgrep",
        "rg", "ag", "awk", "gawk", "strings", "xxd", "od", "hexdump", "base64", "base32", "view",
        "vim", "vi", "nano", "ed", "ex", "diff", "comm", "cmp", "join", "paste", "sort", "uniq",
        "cut", "fold", "column", "jq", "yq", "zcat", "tr", "mapfile",
    ]
)  # fmt: skip
"""Programs that show what is in the files that they are given."""

SEARCHERS = frozenset(["grep", "egrep", "fgrep", "rg", "ag"])
"""Those that search a folder's files."""

CODE_READS = re.compile(
    r"(?:readFile\w*|\bopen|\bFile\.(?:read|open)|slurp|file_get_contents|\bfopen|readlines)"
    r"\s*\(?\s*[\"'](?P<path>[^\"'\n]{1,300})[\"']"
)


def read_changes(command: Command, named_by: Command | None) -> Iterator[Change]:
    """The files that a command shows or copies.

    Args:
        command: The command.
        named_by: The command that names them to `xargs`; None without one.
    """
    name, operands, words = command.name, command.operands, command.words
    yield from (
        Change(redirect.target, "read")
        for redirect in command.redirects
        if redirect.operator == "<"
    )
    if name in READERS or (name in ("sed", "perl") and not command.has("-i", "--in-place")):
        yield from (Change(path, "read") for path in operands)
        if named_by is not None and named_by.name == "find":
            yield from (Change(join(root, "*"), "read") for root in named_by.operands[:1])
    if name in SEARCHERS:
        yield from (Change(path, "read") for path in _within(operands[1:]))
    elif name == "find" and "-exec" in words[:-1]:
        if basename(words[words.index("-exec") + 1]) in READERS:
            yield from (Change(join(root, "*"), "read") for root in operands[:1])
    elif name == "git" and operands[:1] in (("show",), ("cat-file",)):
        yield from (Change(word.partition(":")[2], "read") for word in operands[1:] if ":" in word)
    elif name == "dd":
        yield from (Change(word[3:], "read") for word in words if word.startswith("if="))
    elif name in ("cp", "scp", "rsync", "tar", "zip", "install", "ln"):
        yield from (Change(path, "copy") for path in (*operands, *_within(operands)))
    elif name in ("node", "ruby", "php", "perl", "deno", "bun"):
        code = " ".join(words[1:])
        yield from (Change(found["path"], "read") for found in CODE_READS.finditer(code))


def _within(paths: Iterable[str]) -> Iterator[str]:
    """What lies in those of the paths that look like folders."""
    return (join(path, "*") for path in paths if "." not in basename(path))
