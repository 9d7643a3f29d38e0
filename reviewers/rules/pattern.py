"""The user's own patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import regex
from inspect_ai.review import Reviewer
from pydantic import Field

from reviewers.evidence import Evidence, Place
from reviewers.example import Example
from reviewers.judging import reviewer, rule
from reviewers.outcome import Decision, Finding, ReviewersError
from reviewers.parameters import Seconds

PATTERN_TIMEOUT_S = 2.0
"""Time that one pattern may take on one text; past it the outcome is `failed`, never clear."""

MAX_HITS = 20
"""Findings per pattern and text; more would say nothing new."""

EXAMPLES = [
    Example(
        result="uid=0(root) gid=0(root)",
        matches=True,
        because="the denied pattern occurs",
        parameters={"deny": [r"uid=0\(root\)"]},
    ),
    Example(
        result="uid=1000(agent)",
        matches=False,
        because="the denied pattern does not occur",
        parameters={"deny": [r"uid=0\(root\)"]},
    ),
    Example(
        result="see http://docs.internal/start",
        matches=False,
        because="what is denied lies wholly inside an allowed match",
        parameters={"deny": ["http://"], "allow": [r"http://docs\.internal\S*"]},
    ),
    Example(
        result="ok",
        command="curl http://docs.internal/start",
        matches=True,
        because="the pattern is looked for in the arguments",
        parameters={"deny": ["curl "], "look_in": ["arguments"]},
    ),
]


Text = Annotated[str, Field(min_length=1)]


@reviewer(grade="terminate")
def pattern(
    deny: Annotated[list[Text], Field(min_length=1)],
    allow: list[Text] | None = None,
    look_in: Annotated[list[Place], Field(min_length=1)] | None = None,
    ignore_case: bool = False,
    on_flag: Decision = "terminate",
    on_clear: Decision = "escalate",
    on_failure: Decision = "escalate",
    timeout_s: Seconds = 10,
) -> Reviewer:
    """Stop when a result, its call or the assistant's message matches a pattern of your own.

    Looks for every `deny` pattern; a match that lies wholly inside a match of an `allow` pattern
    does not count. Leaves alone what no pattern names: without a match it is clear. A pattern that
    does not come to an end in time is a failure, not a pass.

    Args:
        deny: Regular expressions (the `regex` module's syntax) that must not occur.
        allow: Regular expressions whose matches excuse what lies inside them.
        look_in: Texts to search: `output` (the default, untruncated), `arguments` (each text
            among the call's arguments), `message`.
        ignore_case: Whether case is ignored.
        on_flag: Decision when a denied pattern occurs.
        on_clear: Decision when none does.
        on_failure: Decision when a pattern ran out of time.
        timeout_s: Wall-clock backstop in seconds.
    """
    flags = regex.IGNORECASE if ignore_case else 0
    denied = [_compile("deny", text, flags) for text in deny]
    allowed = [_compile("allow", text, flags) for text in allow or []]
    places: tuple[Place, ...] = tuple(look_in or ["output"])

    def find(evidence: Evidence) -> Iterator[Finding]:
        for place, text in evidence.texts(places):
            yield from find_patterns(text, denied, allowed, place)

    return rule(
        find, on_flag=on_flag, on_clear=on_clear, on_failure=on_failure, timeout_s=timeout_s
    )


def find_patterns(
    text: str,
    denied: Sequence[regex.Pattern[str]],
    allowed: Sequence[regex.Pattern[str]] = (),
    place: Place = "output",
) -> Iterator[Finding]:
    """Matches of denied patterns that lie in no match of an allowed one.

    Raises:
        TimeoutError: A pattern did not come to an end within `PATTERN_TIMEOUT_S`.
    """
    excused = [match.span() for pattern in allowed for match in _matches(pattern, text)]
    for pattern in denied:
        hits = 0
        for match in _matches(pattern, text):
            start, end = match.span()
            if any(first <= start and end <= last for first, last in excused):
                continue
            yield Finding(
                what=f"the {place} matches the denied pattern {pattern.pattern!r}",
                start=start,
                end=end,
                excerpt=text[max(0, start - 20) : end + 20][:160],
                place=place,
            )
            hits += 1
            if hits == MAX_HITS:
                break


def _matches(pattern: regex.Pattern[str], text: str) -> Iterator[regex.Match[str]]:
    yield from pattern.finditer(text, timeout=PATTERN_TIMEOUT_S, concurrent=True)


def _compile(parameter: str, text: str, flags: int) -> regex.Pattern[str]:
    try:
        return regex.compile(text, flags)
    except regex.error as error:
        raise ReviewersError(
            f"reviewers/pattern: {parameter} has {text!r}, which is no regular expression: {error}."
        ) from None
