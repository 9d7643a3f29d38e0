"""`sed` and `perl` one-liners: what they put in the place of what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from reviewers.outcome import CouldNotJudge

MAX_PARTS = 200
"""Commands of one `sed` script."""

EDIT_TIMEOUT_S = 0.5
"""Time that one expression may take on a known text; past it its plain text is compared instead."""


@dataclass(frozen=True, slots=True)
class Part:
    """One command of a script.

    Attributes:
        action: `s`, `d`, `i`, `a` or `c`.
        address: The lines that it is for, as written; empty for all.
        old: The text that it takes away, as far as its pattern says so plainly; None if unknown.
        new: The text that it puts there.
        pattern: For `s`: its pattern as a regular expression; None where it is none.
        template: For `s`: its replacement with groups.
        everywhere: For `s`: whether it replaces all matches of a line.
    """

    action: str
    address: str = ""
    old: str | None = None
    new: str | None = None
    pattern: regex.Pattern[str] | None = None
    template: str = ""
    everywhere: bool = False

    def substituted(self, text: str) -> str:
        """A text after the substitution."""
        if self.pattern is None:
            return text.replace(self.old, self.new or "") if self.old else text
        count = 0 if self.everywhere else 1
        try:
            return self.pattern.sub(self.template, text, count=count, timeout=EDIT_TIMEOUT_S)
        except (IndexError, regex.error):
            return text.replace(self.old, self.new or "") if self.old else text


def substitution(old: str, new: str, flags: str, address: str = "", extended: bool = True) -> Part:
    """A substitution from its pattern and replacement as written."""
    return Part(
        "s",
        address,
        plain(old),
        plain_new(new),
        _compiled(old if extended else _extended(old), "i" in flags.lower()),
        re.sub(r"(?<!\\)&", r"\\g<0>", re.sub(r"\$(\d)", r"\\\1", new)),
        "g" in flags,
    )


def _compiled(pattern: str, ignore_case: bool) -> regex.Pattern[str] | None:
    pattern = pattern.replace("[[:space:]]", r"\s").replace("[:space:]", r"\s")
    try:
        return regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
    except (regex.error, OverflowError, RecursionError):
        return None


def _extended(pattern: str) -> str:
    """A basic regular expression, in which plain parentheses stand for themselves, as extended."""
    return re.sub(
        r"\\([(){}+?|])|([(){}+?|])",
        lambda found: found[1] if found[1] else "\\" + found[2],
        pattern,
    )


SED_ADDRESS = r"(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)(?:,(?:\+?\d+|\$|/(?:[^/\\\n]|\\.)*/))?!?\s*"
SED_DELETE = re.compile(rf"(?P<address>{SED_ADDRESS})\s*d")
SED_TEXT = re.compile(
    rf"(?P<address>{SED_ADDRESS})?(?P<action>[iac])(?:\\\s*\n?|\s+)?(?P<text>.*)", re.S
)
SED_SUBSTITUTE = re.compile(rf"(?P<address>{SED_ADDRESS})?s(?P<mark>[^\w\s\\])", re.S)


def sed_parts(expression: str, extended: bool = False) -> Iterator[Part]:
    """The commands of a `sed` expression, up to the first that is not understood."""
    rest = expression.strip()
    for _ in range(MAX_PARTS):
        rest = rest.lstrip(" ;\n{}")
        if not rest:
            return
        if found := SED_SUBSTITUTE.match(rest):
            mark = found["mark"]
            old, after = _delimited(rest[found.end() :], mark)
            new, after = _delimited(after, mark)
            flags = re.match(r"[gIiMmpe\d]*", after)
            taken = flags[0] if flags else ""
            yield substitution(old, new, taken, found["address"] or "", extended)
            rest = after[len(taken) :]
        elif found := SED_DELETE.match(rest):
            address = found["address"]
            pattern = re.match(r"/((?:[^/\\]|\\.)*)/", address)
            yield Part("d", address, plain(pattern[1]) if pattern else None, "")
            rest = rest[found.end() :]
        elif found := SED_TEXT.match(rest):
            before = None if found["action"] == "c" else ""
            text = plain_new(found["text"])
            yield Part(found["action"], found["address"] or "", before, text + "\n")
            return
        else:
            return
    raise CouldNotJudge("sed script too long")


def _delimited(text: str, mark: str) -> tuple[str, str]:
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        if text[at] == mark:
            return text[:at], text[at + 1 :]
        at += 1
    return text, ""


def plain(pattern: str) -> str:
    """A `sed` pattern as the text that it most plainly stands for."""
    pattern = re.sub(r"\\\((.*?)\\\)", r"\1", pattern)
    pattern = pattern.replace(".*", "").strip("^$")
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), pattern)


def plain_new(text: str) -> str:
    """A replacement as the text that it puts there."""
    return re.sub(r"\\(\D)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text)


def applied(parts: Sequence[Part], text: str) -> str | None:
    """The text after a script; None where it is not understood, or takes too long."""
    try:
        return _applied(parts, text)
    except TimeoutError:
        return None


def _applied(parts: Sequence[Part], text: str) -> str | None:
    lines = text.split("\n")
    for part in parts:
        chosen = _addressed(part.address, lines)
        if chosen is None:
            return None
        lines = list(_sed_lines(part, lines, chosen))
    return "\n".join(lines)


def _addressed(address: str, lines: list[str]) -> set[int] | None:
    address = address.strip()
    if not address:
        return set(range(len(lines)))
    found = re.fullmatch(r"(\d+|\$|/(?:[^/\\]|\\.)*/)(?:,(\+?\d+|\$|/(?:[^/\\]|\\.)*/))?", address)
    if not found:
        return None
    first, second = found[1], found[2]
    last_line = len(lines) - 2 if lines and not lines[-1] else len(lines) - 1
    if first.startswith("/"):
        wanted = plain(first[1:-1])
        starts = [at for at, line in enumerate(lines) if wanted and wanted in line]
    else:
        starts = [last_line if first == "$" else int(first) - 1]
    if second is None:
        return set(starts)
    chosen: set[int] = set()
    for start in starts:
        if second.startswith("+"):
            end = start + int(second[1:])
        elif second.startswith("/"):
            wanted = plain(second[1:-1])
            end = next(
                (at for at in range(start + 1, len(lines)) if wanted in lines[at]), last_line
            )
        else:
            end = last_line if second == "$" else int(second) - 1
        chosen.update(range(start, min(end, len(lines)) + 1))
    return chosen


def _sed_lines(part: Part, lines: list[str], chosen: set[int]) -> Iterator[str]:
    for at, line in enumerate(lines):
        if at not in chosen:
            yield line
        elif part.action == "s":
            yield part.substituted(line)
        elif part.action == "i":
            yield from (*(part.new or "").rstrip("\n").split("\n"), line)
        elif part.action == "a":
            yield from (line, *(part.new or "").rstrip("\n").split("\n"))
        elif part.action == "c" and at == min(chosen):
            yield from (part.new or "").rstrip("\n").split("\n")
