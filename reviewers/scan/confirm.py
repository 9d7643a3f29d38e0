"""Whether a format really stands where its literal was found, and how sure that is."""

import contextlib
import re
import string
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol, cast

import regex

from reviewers.scan.checks import (
    CHECKS,
    CHECKSUMS,
    Check,
    looks_like_placeholder,
    looks_made_up,
)
from reviewers.scan.format import LEVELS, Format, FormatError
from reviewers.scan.needs import Needs, needs_of

TIMEOUT_S = 0.05
CONTEXT_BEFORE = 200
CHECKSUM_HELD = 0.99
LESS_THAN_HIGH = 0.8
BARELY_MEDIUM = 0.65
BELOW_MEDIUM = 0.5
LETTERS_AND_DIGITS = string.ascii_letters + string.digits
# Words, such as `machine `, and the beginnings of addresses stand at a line's end in any text.
WORDS = re.compile(r"[a-z. ]+|https?://")
CAPITALS = re.compile(r"[A-Z0-9][A-Z0-9][A-Za-z0-9]")
NAME_BEFORE = 48
HASH_NAMED = re.compile(
    rb"(?:sha-?(?:1|224|256|384|512)|md5|checksum|integrity|digest|commit|revision|etag"
    rb"|\bh1|ENC\[)[^\n]{0,16}\Z",
    re.IGNORECASE,
)
RUN_AROUND = 120
RUN_JOINTS = (b"+", b"/")
RUN_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
FLAGS_IN_FRONT = re.compile(r"\(\?([aimsux]+)\)")


class Found(Protocol):
    """What `re` and `regex` both give of a match."""

    def start(self) -> int: ...

    def end(self) -> int: ...

    def span(self, group: str | int = 0) -> tuple[int, int]: ...

    def __getitem__(self, group: int) -> bytes: ...


class Search(Protocol):
    """Looks for a pattern in data, from a place up to another."""

    def __call__(self, data: bytes, start: int, end: int, /) -> Found | None: ...


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
        self.distinctive = format.distinctive
        self.has_secret_group = "(?P<secret>" in format.pattern

    @cached_property
    def may_begin(self) -> Search:
        """Says whether what must hold directly before a match holds at a place."""
        return search_of(self.format.left, self.format, anchored=True)

    @cached_property
    def not_after(self) -> int:
        """Directly after what nothing matches, as a place in `NOT_AFTER`."""
        if self.format.before or any(map(self._may_follow, LETTERS_AND_DIGITS)):
            return 0
        return 1 if self._may_follow("_") else 2

    def _may_follow(self, character: str) -> bool:
        return self.may_begin(character.encode() + b"x", 1, 2) is not None

    @cached_property
    def match(self) -> Search:
        """Matches from the literal on, or around it if the format says so."""
        pattern = self.format.left + scoped(self.format.pattern)
        return search_of(pattern, self.format, anchored=not self.format.before)

    @cached_property
    def needs(self) -> Needs:
        """What stands in every match; most places of a literal have none of it."""
        if self._may_begin_before:
            return Needs()
        return needs_of(self._ahead, self.format.literals)

    @property
    def needs_word(self) -> bool:
        """Whether it is looked for only near long words."""
        return self.needs.word or (self.format.word and not self._may_begin_before)

    @property
    def needed_text(self) -> bytes | None:
        """Text besides the literal that stands in every match, if any is certain."""
        return None if self.format.ignore_case else self.needs.text

    @cached_property
    def quick(self) -> "re.Pattern[bytes] | None":
        """Matches wherever the format may, much faster than `match`; None if that is not sure."""
        if self._may_begin_before:
            return None
        try:
            pattern = self.format.quick or self._ahead
            return re.compile(pattern.encode(), _flags(self.format))
        except re.error:
            return None

    @property
    def _may_begin_before(self) -> bool:
        return bool(self.format.before) or not self.format.trusted

    @cached_property
    def _ahead(self) -> str:
        """The pattern as `re` can read it: one group of a name, no look back by varying lengths."""
        unnamed = self.format.pattern.replace("(?P<secret>", "(?:")
        return scoped(without_look_behind(without_first_exclusion(unnamed)))

    @cached_property
    def context(self) -> Search | None:
        """Finds what must stand near the match, if anything."""
        if not self.format.context:
            return None
        return search_of(scoped(self.format.context), self.format, anchored=False)

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
            match = self.match(data, max(0, at - format.before), end)
            if match is None or match.start() > at or match.end() < literal_end:
                return None
        else:
            match = self.match(data, at, end)
            if match is None:
                return None
        if not self._in_context(data, match.start(), match.end()):
            return None
        start, stop = match.span("secret") if self.has_secret_group else match.span()
        if start < 0:
            return None
        confidence = self._confidence(
            data[start:stop].decode("utf-8", "replace"),
            match[0].decode("utf-8", "replace"),
        )
        if confidence is None:
            return None
        is_named_hash = not format.distinctive and HASH_NAMED.search(
            data, max(0, start - NAME_BEFORE), start
        )
        if is_named_hash or _in_long_run(data, match.start(), match.end()):
            confidence = min(confidence, BELOW_MEDIUM)
        return Confirmed(match.start(), match.end(), start, stop, confidence)

    def _in_context(self, data: bytes, start: int, end: int) -> bool:
        if self.context is None:
            return True
        return self.context(data, max(0, start - CONTEXT_BEFORE), end) is not None

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


def one_of(patterns: Iterable["re.Pattern[bytes] | None"]) -> Search | None:
    """Matches wherever one of several patterns does; None if that is not sure."""
    alternatives = []
    for pattern in patterns:
        if pattern is None or pattern.groups:
            return None
        case = b"i:" if pattern.flags & re.IGNORECASE else b":"
        alternatives.append(b"(?%b%b)" % (case, pattern.pattern))
    return cast(Search, re.compile(b"|".join(alternatives)).match)


def tells_enough(literal: str) -> bool:
    """Whether a literal is seldom there by chance: no word, no three capitals or digits."""
    return not WORDS.fullmatch(literal) and not CAPITALS.fullmatch(literal)


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


def _in_long_run(data: bytes, start: int, end: int) -> bool:
    """Whether a match is a piece of a long stretch of base64, such as an image."""
    if data[start - 1 : start] not in RUN_JOINTS and data[end : end + 1] not in RUN_JOINTS:
        return False
    before = data[max(0, start - RUN_AROUND) : start]
    after = data[end : end + RUN_AROUND]
    around = len(before) - len(before.rstrip(RUN_ALPHABET))
    around += len(after) - len(after.lstrip(RUN_ALPHABET))
    return around >= RUN_AROUND


def scoped(pattern: str) -> str:
    """A pattern as a group of its own, with its leading flags, so that it can stand anywhere."""
    flags = FLAGS_IN_FRONT.match(pattern)
    if flags is None:
        return f"(?:{pattern})"
    letters = flags[1].replace("a", "").replace("u", "")
    return f"(?{letters}:{pattern[flags.end() :]})"


def without_first_exclusion(pattern: str) -> str:
    """A pattern without what it rules out first: that takes long and seldom decides."""
    return pattern[_group_end(pattern, 0) :] if pattern.startswith("(?!") else pattern


def without_look_behind(pattern: str) -> str:
    """A pattern that matches all that the given one does, and more: nothing is looked back at."""
    kept = []
    at = 0
    while at < len(pattern):
        if pattern.startswith(("(?<!", "(?<="), at):
            at = _group_end(pattern, at)
        else:
            step = 2 if pattern[at] == "\\" else 1
            kept.append(pattern[at : at + step])
            at += step
    return "".join(kept)


def _group_end(pattern: str, at: int) -> int:
    depth = 0
    in_class = False
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 1
        elif in_class:
            in_class = character != "]"
        elif character == "[":
            in_class = True
            at += pattern.startswith(("[]", "[^]"), at) + pattern.startswith("[^]", at)
        elif character in "()":
            depth += 1 if character == "(" else -1
            if not depth:
                return at + 1
        at += 1
    return at


def search_of(pattern: str, format: Format, *, anchored: bool) -> Search:
    """A pattern, ready to be looked for in a stretch of bytes.

    `re` is the fastest at a short match, but has no time limit; `regex` knows more. So a trusted
    pattern runs in `re` if that can read it, and one that nobody has checked in `regex`, with a
    time limit.
    """
    if format.trusted:
        with contextlib.suppress(re.error):
            quick = re.compile(pattern.encode(), _flags(format))
            return cast(Search, quick.match if anchored else quick.search)
    try:
        able = regex.compile(pattern.encode(), regex.IGNORECASE if format.ignore_case else 0)
    except regex.error as error:
        raise FormatError(f"{format.id}: {error}") from error
    look = able.match if anchored else able.search
    if format.trusted:
        return cast(Search, look)
    return cast(Search, partial(look, timeout=TIMEOUT_S, concurrent=True))


def _flags(format: Format) -> int:
    return re.IGNORECASE if format.ignore_case else 0


def _check(name: str, id: str) -> tuple[Check, str, bool]:
    kind, _, argument = name.partition(":")
    if kind not in CHECKS:
        raise FormatError(f"{id}: no check {kind!r}; there are {', '.join(sorted(CHECKS))}.")
    return CHECKS[kind], argument, kind in CHECKSUMS
