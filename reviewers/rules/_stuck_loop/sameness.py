"""Whether two calls, results or errors are the same but for what changes by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import regex

LOOKED_AT = 50_000
"""Characters of each end of a result that are compared; its length is compared as well."""

REMEMBERED = 50_000
"""Results whose fingerprints are kept."""

ACKNOWLEDGEMENT = 200
"""Characters up to which a result is news only together with its call: many calls answer `ok`."""

ERROR_WITHIN = 3_000
ERROR_LENGTH = 300
ERROR_LINES = 4
"""The end of a result in which an error is looked for: what ended it comes last."""

# Every alternative begins with a digit, so that a text is searched at its digits only.
_VOLATILE = re.compile(
    r"""
    [0-9] (?:
      (?<![\w.][0-9]) (?:
          \d{3}-\d\d-\d\d (?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)? (?:Z|[+-]\d\d:?\d\d)?
        | \d?:\d\d:\d\d (?:[.,]\d{1,9})?
        | \d{0,12}(?:\.\d{1,12})?[ ]?(?:[nµum]?s|secs?|seconds?|mins?|minutes?)\b
        | x[0-9a-f]{6,16}\b
      )
    | (?: (?<=line[ ][0-9]) | (?<=pid[ =:][0-9]) | (?<=PID[ =:][0-9]) | (?<=process[ ][0-9]) )
      \d{0,9}
    | (?<=\[[0-9]) \d{1,6} (?=\])
    | (?<=(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ ][0-9]) \d? (?=[ ]+\d\d:)
    )
    """,
    re.VERBOSE,
)
_ERROR = regex.compile(
    r"""
    \s* (?:\[\w+\]\s*)? (?:
      [\w.$]*(?:Error|Exception|Interrupt|Failure)(?:\[\w+\])? (?: : | \s*$ )
    | (?:error|fatal|panic|critical|err!|e|npm\ err!|failed)\b\s?(?:\[[^\]]{0,20}\])?[:!]
    | [\w./+-]{1,80}:\s (?:[^\n]{0,200}:\s)? [^\n]{0,100} (?:
        not\ found | no\ such | denied | not\ permitted | refused | timed\ out | invalid | cannot
        | can't | unrecognized | unexpected | syntax\ error | unable\ to | does\ not\ exist | failed
      )
    | [^\n]{0,60}\btimed\ out\b
    )
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
"""A line that reports an error, not one that mentions errors, as source code and logs do."""

_UNTOLD = b"0123456789abcdefABCDEF" + b" \t\n\r\x0b\x0c"
"""Digits, those of addresses and ids among them, and space."""

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Step:
    """One call with what the model saw of it.

    Attributes:
        tool: The tool.
        arguments: What it was called with.
        text: The result, and the error's message if there was one.
    """

    tool: str
    arguments: Mapping[str, Any]
    text: str

    def same_call(self, other: Step) -> bool:
        """Whether both are the same call."""
        return self.tool == other.tool and self.arguments == other.arguments

    def same_result(self, other: Step) -> bool:
        """Whether both returned the same, but for times, addresses and the like."""
        if self.text == other.text:
            return True
        if fingerprint(self.text) != fingerprint(other.text):
            return False
        return result_hash(self.text) == result_hash(other.text)

    def same(self, other: Step) -> bool:
        """Whether both are the same call with the same result."""
        return self.same_call(other) and self.same_result(other)

    def told_before(self, other: Step) -> bool:
        """Whether an earlier step had told what this one tells."""
        if not self.same_result(other):
            return False
        return len(self.text) > ACKNOWLEDGEMENT or self.same_call(other)


class _Remembered(Generic[Value]):
    """What was worked out of a text, kept without keeping the text."""

    def __init__(self, work_out: Callable[[str], Value]) -> None:
        self._work_out = work_out
        self._known: dict[tuple[int, int], Value] = {}

    def __call__(self, text: str) -> Value:
        key = (hash(text), len(text))
        if key not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[key] = self._work_out(text)
        return self._known[key]


def signature(text: str) -> str:
    """A text without what changes by itself: times, durations, addresses, numbers of processes."""
    return " ".join(_VOLATILE.sub("~", _ends(text)).split())


def _last_error(text: str) -> str:
    lines = [line[:ERROR_LENGTH] for line in text[-ERROR_WITHIN:].splitlines() if line.strip()]
    for line in reversed(lines[-ERROR_LINES:]):
        if _ERROR.match(line):
            return signature(line)
    return ""


def _ends(text: str) -> str:
    if len(text) <= 2 * LOOKED_AT:
        return text
    return f"{text[:LOOKED_AT]} {len(text)} {text[-LOOKED_AT:]}"


def _without_digits(text: str) -> int:
    return hash(_ends(text).encode("utf-8", "surrogatepass").translate(None, _UNTOLD))


fingerprint = _Remembered(_without_digits)
"""A number that texts share if they differ in digits and space only; cheap."""

result_hash = _Remembered(lambda text: hash(signature(text)))
"""A number that texts share if they differ only in what changes by itself."""

error_of = _Remembered(_last_error)
"""The error that a result ends with, without what changes by itself; empty if none."""
