"""The build-time check of the format files: `python -m reviewers.scan.verify [FILE or FOLDER]`.

Every format needs a documented source, literals that its matches hold, examples that are found,
counterexamples that are not, each with its reason, and a pattern that stays fast on hostile text.
"""

import re
import sys
import time
from collections.abc import Iterator

from reviewers.scan.checks import looks_like_placeholder
from reviewers.scan.confirm import Confirmed, Confirmer
from reviewers.scan.format import Example, Format, FormatError, load_formats
from reviewers.scan.notation import NotationError, expand
from reviewers.scan.stretches import Stretches

SEEDS = ("a", "b", "c")
HIGH = 0.9
DEFAULT = 0.6
SLOW_S = 0.0001
SLOW_BYTE_S = 6e-8
GROWTH = 3.0
AGAIN = 4
# A machine that does other things as well disturbs most of them.
MOST_ROUNDS = 16
# The regex engine gives up at once where a character that the pattern needs is nowhere ahead.
LAST = "!" + "".join(chr(code) for code in range(127, 31, -1))
FILLS = (*"a0A-_ /.\"'=:+,@\n\\", "aA0", "a ", "a-", "a.", "a:", "= ", "\n ", "ab1\n")


def problems(format: Format) -> list[str]:
    """What is wrong with a format, in sentences; none if nothing is."""
    try:
        confirmer = Confirmer(format)
        found = [
            *_missing_parts(format),
            *_wrong_examples(confirmer),
            *_slow_texts(confirmer),
        ]
    except (FormatError, NotationError) as error:
        return [str(error)]
    return [f"{format.id}: {problem}" for problem in found]


def _missing_parts(format: Format) -> Iterator[str]:
    if not format.source:
        yield "no source."
    if not format.examples:
        yield "no examples."
    if not format.counterexamples:
        yield "no counterexamples."
    for example in (*format.examples, *format.counterexamples):
        if not example.because.strip():
            yield f"{example.text!r} has no reason."
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", format.id):
        yield "the id is not in kebab-case."


def _wrong_examples(confirmer: Confirmer) -> Iterator[str]:
    for example in confirmer.format.examples:
        for seed in SEEDS:
            text = expand(example.text, seed)
            found = find(confirmer, text)
            if not found:
                yield f"{example.text!r} is not found ({_why_not(confirmer.format, text)})."
                break
    for example in confirmer.format.counterexamples:
        yield from _wrongly_found(confirmer, example)


def _wrongly_found(confirmer: Confirmer, example: Example) -> Iterator[str]:
    for seed in SEEDS:
        text = expand(example.text, seed)
        for found in find(confirmer, text):
            secret = text.encode()[found.secret_start : found.secret_end].decode()
            allowed = HIGH if looks_like_placeholder(secret) else DEFAULT
            if found.confidence >= min(allowed, HIGH):
                yield f"{example.text!r} is found at {found.confidence:.2f} ({example.because})."
                return


def _why_not(format: Format, text: str) -> str:
    if not any(_places(format, text.encode())):
        return f"none of its literals {', '.join(format.literals)} is in it"
    return "the pattern, context or checks refuse it, or no long word is near"


def find(confirmer: Confirmer, text: str) -> list[Confirmed]:
    """Every place where one format stands in a text."""
    data = text.encode("utf-8", "surrogatepass")
    near = Stretches(data).near if confirmer.needs_word else [(0, len(data))]
    found = []
    for at, end in _places(confirmer.format, data):
        if not any(first <= at and end <= last for first, last in near):
            continue
        confirmed = confirmer.confirm(data, at, end)
        if confirmed is not None:
            found.append(confirmed)
    return found


def _places(format: Format, data: bytes) -> Iterator[tuple[int, int]]:
    flags = re.IGNORECASE if format.ignore_case else 0
    for literal in format.literals:
        for match in re.finditer(re.escape(literal).encode(), data, flags):
            yield match.span()


def _still_grows(confirmer: Confirmer, literal: str, fill: str, window: int, slow: float) -> bool:
    """Whether the time grows in every further measurement: one alone deceives on a busy machine."""
    for _ in range(AGAIN):
        long = _seconds(confirmer, literal, fill, window, slow)
        half = _seconds(confirmer, literal, fill, window // 2, 0.0)
        if long < slow or long <= half * GROWTH:
            return False
    return True


def _slow_texts(confirmer: Confirmer) -> Iterator[str]:
    """Texts on which the time for one place grows faster than the window does."""
    window = confirmer.format.window + confirmer.format.before
    slow = SLOW_S + SLOW_BYTE_S * window
    for literal in confirmer.format.literals:
        for fill in (*FILLS, literal, literal + "=", literal + " "):
            try:
                long = _seconds(confirmer, literal, fill, window, slow)
                if long < slow:
                    continue
                half = _seconds(confirmer, literal, fill, window // 2, 0.0)
                grows = long > half * GROWTH and _still_grows(
                    confirmer, literal, fill, window, slow
                )
            except TimeoutError:
                yield f"{literal!r} followed by {fill!r} repeated takes too long."
                return
            if grows:
                yield f"{literal!r} followed by {fill!r} repeated grows faster than the text."
                return


def _seconds(confirmer: Confirmer, literal: str, fill: str, window: int, enough: float) -> float:
    """The best of a few times for one place; a first one below `enough` will do."""
    before = fill * (confirmer.format.before // len(fill))
    text = before + literal + fill * (max(0, window - len(LAST)) // len(fill)) + LAST
    data = text.encode()
    at = len(before)
    best = float("inf")
    for _ in range(MOST_ROUNDS):
        start = time.thread_time()
        confirmer.match(data, 0 if before else at, at + len(literal) + window)
        best = min(best, time.thread_time() - start)
        if best < enough:
            break
    return best


def main(arguments: list[str]) -> int:
    """Prints what is wrong with the formats; 0 if nothing is."""
    try:
        formats = load_formats(arguments[0] if arguments else None)
    except (FormatError, OSError, TypeError) as error:
        print(error)
        return 1
    wrong = [problem for format in formats for problem in problems(format)]
    print("\n".join([*wrong, f"{len(formats)} formats, {len(wrong)} problems."]))
    return 1 if wrong or not formats else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
