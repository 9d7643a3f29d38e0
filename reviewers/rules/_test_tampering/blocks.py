"""Which lines of program text in braces are not reached, or reached under a condition only."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from reviewers.rules._test_tampering.frameworks import TEST

MAX_HEAD = 300
"""Characters before an opening brace that are read for what it opens."""

MAX_BLOCKS = 5_000
MAX_RETURNS = 200
MAX_MARKED = 100_000
"""Blocks, bare returns and lines that are looked at; more are no test's."""

TEXT = re.compile(r"""(?s)"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`""")
BRACE = re.compile(r"[{}]")
ENDED = re.compile(r";[ \t]*\n|\n[ \t]*\n")
CONDITION = re.compile(r"(?:^|[^\w.])(?P<other>else\s+)?if\b\s*(?P<condition>[^{}]{1,200}?)\s*$")
LATER = re.compile(r"\b(?:setTimeout|setImmediate|queueMicrotask|nextTick)\([^{;]*$")
NEVER = re.compile(r"\(?\s*(?:false|0)\s*(?:&&.*)?\)?", re.S)
ANSWERS = re.compile(r"throw|fail|assert|expect|reject|done\(|exit|Error")
EARLY = re.compile(r"^[ \t]*if\s*\((?P<condition>[^\n]{1,200})\)\s*\{?\s*return\b[^\n\w]*$", re.M)
RETURN = re.compile(r"^[ \t]*return[ \t]*(?:nil|null|undefined|Ok\(\(\)\))?[ \t]*;?[ \t]*$", re.M)


@dataclass(frozen=True, slots=True)
class Block:
    """A block in braces.

    Attributes:
        start: Where its text begins, after the brace.
        end: Where it ends.
        head: The statement before the brace.
        follows: What stands after the closing brace.
    """

    start: int
    end: int
    head: str
    follows: str

    @property
    def condition(self) -> str:
        """The condition under which it runs; empty if it has none."""
        found = CONDITION.search(self.head)
        return found["condition"] if found else ""


@dataclass(slots=True)
class Reached:
    """Lines, from 1, that are idle or guarded, with the reason or the condition."""

    idle: dict[int, str] = field(default_factory=dict)
    guard: dict[int, str] = field(default_factory=dict)


def reached(code: str) -> Reached:
    """What keeps lines of a text from being reached, or their failures from being heard."""
    blocks = list(islice(_blocks(code), MAX_BLOCKS))
    lines = [0, *(found.end() for found in re.finditer("\n", code))]
    found = Reached()
    for start, end, why in _idle(code, blocks):
        _mark(found.idle, lines, start, end, why)
    for block in blocks:
        if guard := _guard(block):
            _mark(found.guard, lines, block.start, block.end, guard)
    for start, end, guard in _guards(code, blocks):
        _mark(found.guard, lines, start, end, guard)
    return found


def _blocks(code: str) -> Iterator[Block]:
    bare = TEXT.sub(lambda text: re.sub(r"[^\n]", "_", text[0]), code)
    open_at: list[tuple[int, str]] = []
    before = 0
    for found in BRACE.finditer(bare):
        at = found.end()
        if found[0] == "{":
            head = code[max(before, at - 1 - MAX_HEAD) : at - 1]
            open_at.append((at, ENDED.split(head)[-1]))
        elif open_at:
            start, head = open_at.pop()
            yield Block(start, at - 1, head, code[at : at + 40].lstrip())
        before = at


def _guards(code: str, blocks: list[Block]) -> Iterator[tuple[int, int, str]]:
    """The rest of tests that return early on a condition."""
    for found in islice(EARLY.finditer(code), MAX_RETURNS):
        inner = _innermost(blocks, found.start())
        if inner is not None and TEST.search(inner.head.rpartition("\n")[2]):
            yield found.end(), inner.end, f"not ({found['condition']})"


def _innermost(blocks: list[Block], at: int) -> Block | None:
    around = [block for block in blocks if block.start <= at < block.end]
    return max(around, key=lambda block: block.start, default=None)


def _guard(block: Block) -> str:
    """The condition of a block that has no other branch; empty if it has none."""
    if LATER.search(block.head):
        return "it is waited for"
    found = CONDITION.search(block.head)
    if not found or found["other"] or block.follows.startswith("else"):
        return ""
    return found["condition"].strip("() \n")


def _idle(code: str, blocks: list[Block]) -> Iterator[tuple[int, int, str]]:
    caught = {block.start: block for block in blocks if re.match(r"\s*catch\b", block.head)}
    catches = sorted(caught)
    for block in blocks:
        if block.condition and NEVER.fullmatch(block.condition):
            yield block.start, block.end, "it is never reached"
        elif re.search(r"\btry\s*$", block.head) and block.follows.startswith("catch"):
            handler = caught[catches[bisect_right(catches, block.end)]]
            if not ANSWERS.search(code[handler.start : handler.end]):
                yield block.start, block.end, "an empty catch swallows it"
    for found in islice(RETURN.finditer(code), MAX_RETURNS):
        inner = _innermost(blocks, found.start())
        if inner is None:
            yield found.end(), len(code), "the test returns before it"
        elif TEST.search(inner.head.rpartition("\n")[2]):
            yield found.end(), inner.end, "the test returns before it"


def _mark(lines: dict[int, str], starts: list[int], start: int, end: int, why: str) -> None:
    for number in range(bisect_right(starts, start), bisect_right(starts, end) + 1):
        if len(lines) >= MAX_MARKED:
            return
        lines.setdefault(number, why)
