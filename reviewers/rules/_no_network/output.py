"""A result's text, as far as evidence of contact is concerned."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from reviewers.rules._no_network.addresses import hosts_of_urls
from reviewers.rules._no_network.failures import CURL_ERROR, PROXY_REFUSED, speaks_of_failure
from reviewers.rules._no_network.lines import PARTS, RESOLVED, Line, lines_of

MAX_TRIES = 2_000
"""Places looked at for one kind of line; past it the output is not read to its end."""

MAX_READ = 1_500_000
"""Characters of all the places that are looked at, for all kinds of lines together."""

COST_OF_MATCH = 300
"""What is seen is compared with the call: that costs as much as to read so many characters."""

MAX_LINES = 500
"""Lines at the beginning of which those that the call's own `echo` wrote are taken out."""

EDGE = 60_000
"""Characters at the beginning and at the end that are searched for messages of failure."""

LINE_REACH = 300
"""Characters of a line read to each side of where it is recognised."""


@dataclass(frozen=True)
class Seen:
    """A line of evidence in an output."""

    line: Line
    text: str
    start: int
    end: int
    host: str
    address: str


class Output:
    """A result's text, as far as evidence of contact is concerned.

    Args:
        text: The text.
        command: What was run; lines that it holds itself prove nothing.
    """

    def __init__(self, text: str, command: str = "") -> None:
        self.text = text
        self.command = command
        self.complete = True
        self._left = MAX_READ
        self._held: dict[str, bool] = {}
        self._ends = [text] if len(text) <= 2 * EDGE else [text[:EDGE], text[-EDGE:]]

    def lines(self, clients: frozenset[str]) -> Iterator[Seen]:
        """Lines that these clients print once they were answered."""
        for line in lines_of(clients):
            yield from self._matches(line)

    def addresses(self) -> dict[str, list[str]]:
        """The addresses that the output shows hosts to stand for."""
        found: dict[str, list[str]] = {}
        for needles, pattern in RESOLVED:
            for start, end in self._places(needles):
                for match in pattern.finditer(self.text, start, end):
                    if match[0] not in self.command:
                        found.setdefault(match["host"].lower(), []).append(match["address"])
        return found

    @cached_property
    def curl_errors(self) -> dict[int, str]:
        """Curl's own words for its exit codes, by code."""
        return {int(match[1]): match[0] for end in self._ends for match in CURL_ERROR.finditer(end)}

    @cached_property
    def urls_in_command(self) -> list[str]:
        """The hosts of the URLs in what was run."""
        return hosts_of_urls(self.command)

    @cached_property
    def speaks_of_failure(self) -> bool:
        """Whether it begins or ends with a message of a client that reached nobody."""
        return any(map(speaks_of_failure, self._ends))

    @cached_property
    def refused_by_proxy(self) -> bool:
        """Whether a proxy says that it did not pass a request on."""
        return self.has(PROXY_REFUSED)

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern occurs near the beginning or the end."""
        return any(pattern.search(end) for end in self._ends)

    def without(self, is_said: Callable[[str], bool]) -> str:
        """The beginning of the text, less some of its first lines."""
        *first, rest = [*self._lines[:MAX_LINES], "\n".join(self._lines[MAX_LINES:])]
        return "\n".join([*(line for line in first if not is_said(line)), rest]).strip()

    @cached_property
    def _lines(self) -> list[str]:
        return [line.strip() for line in self._ends[0].splitlines()]

    def _matches(self, line: Line) -> Iterator[Seen]:
        for start, end in self._places(line.needles) if line.needles else [(0, 2 * EDGE)]:
            for match in line.pattern.finditer(self.text[start:end]):
                self._left -= COST_OF_MATCH
                if match[0] in self.command:
                    continue
                groups = match.groupdict()
                yield Seen(
                    line,
                    match[0],
                    start + match.start(),
                    start + match.end(),
                    groups.get("host") or "",
                    groups.get("address") or "",
                )

    def _places(self, needles: tuple[str, ...]) -> Iterator[tuple[int, int]]:
        """Spans of the lines that contain one of the needles."""
        # Most texts hold few of the needles, and nothing is cheaper than to see that.
        for needle in needles:
            if self._holds(needle):
                yield from self._places_of(needle)

    def _holds(self, needle: str) -> bool:
        """Whether the text holds a needle; what needles have in common is looked for once."""
        held = self._held.get(needle)
        if held is None:
            part = PARTS.get(needle)
            held = (part is None or self._holds(part)) and needle in self.text
            self._held[needle] = held
        return held

    def _places_of(self, needle: str) -> Iterator[tuple[int, int]]:
        """Spans of the lines that contain a needle, each line once."""
        position = 0
        for _ in range(MAX_TRIES):
            found = self.text.find(needle, position)
            if found < 0:
                return
            start = max(0, found - LINE_REACH)
            start += 1 + max(self.text[start:found].rfind(mark) for mark in "\n\r")
            end = self._line_end(found)
            self._left -= end - start
            if self._left < 0:
                break
            yield start, end
            position = max(end, found + 1)
        self.complete = False

    def _line_end(self, position: int) -> int:
        limit = min(len(self.text), position + LINE_REACH)
        ends = [self.text.find(mark, position, limit) for mark in "\n\r"]
        return min((end for end in ends if end >= 0), default=limit)
