"""How long a stretch without a space or mark a pattern needs: most places have none so long.

A gate that is far cheaper than the pattern: where no stretch of the needed length stands near a
literal, the pattern cannot match there. With the characters of an alphabet all replaced by the
same byte, that is a search for a run of it.
"""

import re
from collections.abc import Iterator, Sequence
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

HEX = frozenset(b"ABCDEFabcdef0123456789")
HEX_WORD = HEX | frozenset(b"-")
LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
LETTERS_AND_DIGITS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
WORD = LETTERS_AND_DIGITS | frozenset(b"_-")
WIDER = WORD | frozenset(b"+/=")
ALPHABETS = (HEX, HEX_WORD, LETTERS_AND_DIGITS, WORD, WIDER)
SHAPES = tuple(
    bytes(97 if byte in alphabet else 32 for byte in range(256)) for alphabet in ALPHABETS
)
PIECE = 1 << 16
LOOK_BACK = 256
NARROW = 1_000
END = 1 << 62
SHORTEST = 12
SHORTEST_WORD = 16
LONGEST = 64


class Run(NamedTuple):
    """A stretch that every match of a pattern holds.

    Attributes:
        alphabet: Of which of the alphabets, by its index.
        shape: How it looks in a text's shape of that alphabet.
    """

    alphabet: int
    shape: bytes


class Shapes:
    """A text with each character replaced by whether it is of an alphabet, for each of them.

    Worked out where it is asked for: close to a literal each time anew, in a wide window for a
    piece that moves along with the places.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.pieces = [(0, 0, b"")] * len(ALPHABETS)

    def lacks(self, run: Run, start: int, end: int) -> bool:
        """Whether no such stretch stands between two places."""
        if end - start < NARROW:
            return run.shape not in self.data[start:end].translate(SHAPES[run.alphabet])
        first, last, shape = self.pieces[run.alphabet]
        if start < first or end > last:
            first = max(0, start - LOOK_BACK)
            last = max(end, first + PIECE)
            shape = self.data[first:last].translate(SHAPES[run.alphabet])
            if first + len(shape) == len(self.data):
                last = END
            self.pieces[run.alphabet] = (first, last, shape)
        return shape.find(run.shape, start - first, end - first) < 0

    def lack_all(self, gates: Sequence[tuple[Run, int]], start: int, end: int) -> bool:
        """The same of several stretches, each up to so many bytes after the second place."""
        for run, window in gates:  # noqa: SIM110 a generator takes several times as long
            if not self.lacks(run, start, end + window):
                return False
        return True


class Needs(NamedTuple):
    """What stands in every match of a pattern, as far as that is certain.

    Attributes:
        run: A long stretch of an alphabet's characters.
        word: Whether it holds a word of at least `SHORTEST_WORD` letters, digits, `_` and `-`.
            Fixed letters do not count: they are of a name, and not of what it names.
        text: The longest fixed text besides the literals that is telling, such as `login` or
            `@`: a mark, or three characters.
    """

    run: Run | None = None
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
    return Needs(_needed_run(parsed), word >= SHORTEST_WORD, _needed_text(parsed, literals))


def _needed_run(parsed: Sequence[Any]) -> Run | None:
    for index, alphabet in enumerate(ALPHABETS):
        length = min(LONGEST, _Runs(alphabet, alphabet).longest(parsed))
        if length >= SHORTEST:
            return Run(index, b"a" * length)
    return None


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
