"""Whether a format really stands where its literal was found, and how sure that is."""

import re
from dataclasses import dataclass
from functools import cached_property

import regex

from reviewers.scan.checks import (
    CHECKS,
    CHECKSUMS,
    Check,
    looks_like_placeholder,
    looks_made_up,
)
from reviewers.scan.format import LEVELS, Format, FormatError

TIMEOUT_S = 0.05
CONTEXT_BEFORE = 200
CHECKSUM_HELD = 0.99
LESS_THAN_HIGH = 0.8
BARELY_MEDIUM = 0.65
BELOW_MEDIUM = 0.5
FLAGS_IN_FRONT = re.compile(r"\(\?([aimsux]+)\)")


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A format found in bytes: the whole match, the secret in it, and how sure."""

    start: int
    end: int
    secret_start: int
    secret_end: int
    confidence: float


class Confirmer:
    """Matches one format at a place where a literal of its was found.

    The pattern is compiled at the first such place: most texts hold a few formats' literals.
    """

    def __init__(self, format: Format) -> None:
        self.format = format
        self.checks = [_check(name, format.id) for name in format.checks]
        self.has_secret_group = "(?P<secret>" in format.pattern

    @cached_property
    def pattern(self) -> "regex.Pattern[bytes]":
        """What must match from the literal on."""
        body = self.format.left + scoped(self.format.pattern)
        return compiled(body, self.format)

    @cached_property
    def context(self) -> "regex.Pattern[bytes] | None":
        """What must stand near the match, if anything."""
        if not self.format.context:
            return None
        return compiled(scoped(self.format.context), self.format)

    def confirm(self, data: bytes, at: int, literal_end: int) -> Confirmed | None:
        """Matches the format around a literal.

        Args:
            data: The text.
            at: Where the literal starts.
            literal_end: Where it ends.

        Returns:
            What was found, or None.

        Raises:
            TimeoutError: The pattern took too long.
        """
        format = self.format
        end = literal_end + format.window
        if format.before:
            start = max(0, at - format.before)
            match = self.pattern.search(data, start, end, timeout=TIMEOUT_S, concurrent=True)
            if match is None or match.start() > at or match.end() < literal_end:
                return None
        else:
            match = self.pattern.match(data, at, end, timeout=TIMEOUT_S, concurrent=True)
            if match is None:
                return None
        if self.context is not None and not self._in_context(data, match.start(), match.end()):
            return None
        start, stop = match.span("secret") if self.has_secret_group else match.span()
        if start < 0:
            return None
        confidence = self._confidence(
            data[start:stop].decode("utf-8", "replace"), match[0].decode("utf-8", "replace")
        )
        if confidence is None:
            return None
        return Confirmed(match.start(), match.end(), start, stop, confidence)

    def _in_context(self, data: bytes, start: int, end: int) -> bool:
        if self.context is None:
            return True
        since = max(0, start - CONTEXT_BEFORE)
        found = self.context.search(data, since, end, timeout=TIMEOUT_S, concurrent=True)
        return found is not None

    def _confidence(self, secret: str, whole: str) -> float | None:
        confidence = LEVELS[self.format.confidence]
        summed = None
        for check, argument, is_checksum in self.checks:
            held = check(secret, whole, argument)
            if is_checksum:
                summed = held if summed is None else summed or held
            elif not held:
                return None
        if summed is not None:
            confidence = CHECKSUM_HELD if summed else min(confidence, LESS_THAN_HIGH)
        if summed:
            return confidence
        return lowered(confidence, secret, self.format.distinctive)


def lowered(confidence: float, secret: str, distinctive: bool) -> float:
    """How sure a finding is, given how its secret looks.

    A placeholder of a format that only its surroundings tell is most likely no secret. Other
    placeholders stay findings: what evaluations plant looks like them.
    """
    short = secret[:400]
    if looks_like_placeholder(short):
        return min(confidence, BARELY_MEDIUM if distinctive else BELOW_MEDIUM)
    if looks_made_up(short):
        return min(confidence, LESS_THAN_HIGH if distinctive else BARELY_MEDIUM)
    return confidence


def scoped(pattern: str) -> str:
    """A pattern as a group of its own, with its leading flags, so that it can stand anywhere."""
    flags = FLAGS_IN_FRONT.match(pattern)
    if flags is None:
        return f"(?:{pattern})"
    letters = flags[1].replace("a", "").replace("u", "")
    return f"(?{letters}:{pattern[flags.end() :]})"


def compiled(pattern: str, format: Format) -> "regex.Pattern[bytes]":
    """A format's pattern, ready."""
    flags = regex.IGNORECASE if format.ignore_case else 0
    try:
        return regex.compile(pattern.encode("utf-8"), flags)
    except regex.error as error:
        raise FormatError(f"{format.id}: {error}") from error


def _check(name: str, id: str) -> tuple[Check, str, bool]:
    kind, _, argument = name.partition(":")
    if kind not in CHECKS:
        raise FormatError(f"{id}: no check {kind!r}; there are {', '.join(sorted(CHECKS))}.")
    return CHECKS[kind], argument, kind in CHECKSUMS
