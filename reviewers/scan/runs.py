"""How long a stretch without a space or mark a pattern needs: most places have none so long.

A gate that is far cheaper than the pattern: where no stretch of the needed length stands near a
keyword, the pattern cannot match there.
"""

from collections.abc import Callable, Sequence
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
WIDER = WORD | frozenset(b"+/=")
SHORTEST = 12
LONGEST = 64
Gate = Callable[[bytes, int, int], bool]


def gate(pattern: str) -> Gate | None:
    """Says whether a stretch that every match needs stands between two places.

    Args:
        pattern: What `re` can read.

    Returns:
        The gate; None if no long stretch is certain.
    """
    parsed = parser.parse(pattern.encode())
    for alphabet in (WORD, WIDER):
        length = min(LONGEST, _Runs(alphabet).longest(parsed))
        if length >= SHORTEST:
            shape = bytes(97 if byte in alphabet else 32 for byte in range(256))
            stretch = b"a" * length
            return lambda data, start, end: stretch in data[start:end].translate(shape)
    return None


class _Runs:
    """Measures the stretches of an alphabet's characters in a parsed pattern."""

    def __init__(self, alphabet: frozenset[int]) -> None:
        self.alphabet = alphabet

    def longest(self, items: Sequence[Any]) -> int:
        """Of items in a row: neighbours that are nothing but such characters count together."""
        best = run = 0
        for op, argument in items:
            alone = self._run_length(op, argument)
            if alone is not None:
                run += alone
                best = max(best, run)
                continue
            inner = self._inner(op, argument)
            best, run = max(best, inner), 0
        return best

    def _inner(self, op: Any, argument: Any) -> int:
        """The stretch that is certain within something that is not one as a whole."""
        if op is code.SUBPATTERN:
            return self.longest(argument[-1])
        if op is code.ATOMIC_GROUP:
            return self.longest(argument)
        if op is code.BRANCH:
            return min(self.longest(branch) for branch in argument[1])
        if op in (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT) and argument[0] > 0:
            return self.longest(argument[2])
        return 0

    def _run_length(self, op: Any, argument: Any) -> int | None:
        """The least length of something that holds nothing else; None if it may."""
        if op is code.LITERAL:
            return 1 if argument in self.alphabet else None
        if op is code.IN:
            return 1 if all(map(self._within, argument)) else None
        if op in (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT):
            inner = self._row_length(argument[2])
            return None if inner is None else argument[0] * inner
        if op is code.SUBPATTERN:
            return self._row_length(argument[-1])
        if op is code.ATOMIC_GROUP:
            return self._row_length(argument)
        if op is code.BRANCH:
            lengths = [self._row_length(branch) for branch in argument[1]]
            return None if None in lengths else min(one for one in lengths if one is not None)
        if op in (code.ASSERT, code.ASSERT_NOT, code.AT):
            return 0
        return None

    def _row_length(self, items: Sequence[Any]) -> int | None:
        total = 0
        for op, argument in items:
            length = self._run_length(op, argument)
            if length is None:
                return None
            total += length
        return total

    def _within(self, member: tuple[Any, Any]) -> bool:
        op, argument = member
        if op is code.LITERAL:
            return argument in self.alphabet
        if op is code.RANGE:
            return all(byte in self.alphabet for byte in range(argument[0], argument[1] + 1))
        return bool(op is code.CATEGORY and argument is code.CATEGORY_DIGIT)
