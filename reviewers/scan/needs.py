"""What stands in every match of a pattern, as far as that is certain.

Known before any text is scanned, it tells where the pattern need not be tried.
"""

import re
from collections.abc import Iterator, Sequence
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
LETTERS_AND_DIGITS = LETTERS | frozenset(b"0123456789")
WORD = LETTERS_AND_DIGITS | frozenset(b"_-")
SHORTEST_WORD = 16
# What a word goes on after. The two letters that end a terminal's colours are none of it: a text
# of more colours than that is read without them too.
IN_FRONT = LETTERS_AND_DIGITS - frozenset(b"mK")
# By how much a literal says of what stands directly before it: it means nothing after these.
NOT_AFTER = (frozenset[int](), IN_FRONT, IN_FRONT | frozenset(b"_"))


class Needs(NamedTuple):
    """What stands in every match of a pattern.

    Attributes:
        word: Whether it holds a word of at least `SHORTEST_WORD` letters, digits, `_` and `-`.
            Fixed letters do not count: they are of a name, and not of what it names.
        text: The longest fixed text besides the literals that is telling, such as `login` or
            `@`: a mark, or three characters.
    """

    word: bool = False
    text: bytes | None = None


def needs_of(pattern: str, literals: Sequence[str]) -> Needs:
    """What a pattern needs; if `re` cannot read it, nothing is certain.

    Args:
        pattern: The pattern.
        literals: Fixed text of which one is known to stand there.
    """
    try:
        parsed = parser.parse(pattern.encode())
    except re.error:
        return Needs()
    word = _Runs(WORD, WORD - LETTERS).longest(parsed)
    return Needs(word >= SHORTEST_WORD, _needed_text(parsed, literals))


def _needed_text(parsed: Sequence[Any], literals: Sequence[str]) -> bytes | None:
    texts = list(_fixed_texts(parsed))
    telling = [text for text in texts if len(text) >= 3 or not LETTERS_AND_DIGITS.issuperset(text)]
    further = [text for text in telling if not any(text in one.encode() for one in literals)]
    return max(further, key=len, default=None)


def _fixed_texts(items: Sequence[Any]) -> Iterator[bytes]:
    text = b""
    for op, argument in items:
        if op is code.LITERAL:
            text += bytes([argument])
            continue
        if text:
            yield text
        text = b""
        if op is code.SUBPATTERN:
            yield from _fixed_texts(argument[-1])
    if text:
        yield text


class _Runs:
    """Measures the stretches of an alphabet's characters in a parsed pattern.

    Args:
        alphabet: The characters.
        fixed: Those of them that count where the pattern names one alone.
    """

    def __init__(self, alphabet: frozenset[int], fixed: frozenset[int]) -> None:
        self.alphabet = alphabet
        self.fixed = fixed

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
            return 1 if argument in self.fixed else None
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
