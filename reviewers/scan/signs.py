"""What shows that a short text is worth reading in another way."""

from operator import eq

from reviewers.scan.runs import LETTERS_AND_DIGITS

UNSEEN = (
    b"\xc2\xad",
    b"\xe2\x80",
    b"\xe2\x81",
    b"\xef\xbb\xbf",
    b"\xcd\x8f",
    b"\xf3\xa0",
)
FOLDABLE = bytes(LETTERS_AND_DIGITS) + b"+/=-_"
WIDE = 32
FEWEST_ENDS = 3
NARROW = (8, 12, 16, 20, 24, 28)


def shows_unseen(data: bytes, is_ascii: bool) -> bool:
    """Whether a text holds what does not show on a screen and may interrupt a word."""
    if b"\x1b" in data or b"\x08" in data:
        return True
    return not is_ascii and any(map(data.__contains__, UNSEEN))


def looks_folded(data: bytes, has_words: bool) -> bool:
    """Whether a whole line is one long word and goes on in the next, or lines are equally long.

    Args:
        data: The text.
        has_words: Whether it holds a long word at all.
    """
    if not has_words and data.count(b"\n") < FEWEST_ENDS:
        return False
    lines = data.split(b"\n")
    sizes = list(map(len, lines))
    same = bytes(map(eq, sizes, sizes[1:-1]))
    if b"\1\1" in same and any(_are_narrow(lines[at : at + 3]) for at in range(len(same) - 1)):
        return True
    return has_words and any(
        size >= WIDE and b" " not in line and _goes_on(line.removesuffix(b"\r"), following)
        for size, line, following in zip(sizes, lines, lines[1:], strict=False)
    )


def _are_narrow(lines: list[bytes]) -> bool:
    first, second, third = lines
    return (
        len(first) in NARROW
        and len(first) == len(second) == len(third)
        and _is_word(first + second + third)
    )


def _goes_on(line: bytes, following: bytes) -> bool:
    return len(following) >= 4 and _is_word(line + following[:4])


def _is_word(text: bytes) -> bool:
    return not text.translate(None, FOLDABLE)
