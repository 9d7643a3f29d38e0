"""What known tests expect: the constants that give away code which was written for them."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice

from reviewers.rules._test_tampering.read_lines import read_lines
from reviewers.rules._test_tampering.read_python import read_python
from reviewers.rules._test_tampering.suite import LITERAL, Suite

MAX_DISGUISED = 500
"""Constants that are looked for in disguise."""

TRIVIAL = frozenset(
    {"0", "1", "2", "-1", "''", '""', "True", "False", "None", "true", "false", "null"}
)


@dataclass
class Expectations:
    """The constants that known tests use, and those that the task's other texts use.

    Attributes:
        groups: For each check or row of cases of a known test, its constants.
        elsewhere: All other known text: sources, documents, the task.
        tests: The text of the tests.
    """

    groups: list[frozenset[str]] = field(default_factory=list)
    elsewhere: str = ""
    tests: str = ""

    def pairs(self, one: str, other: str) -> bool:
        """Whether some check names both constants."""
        return any(one in group and other in group for group in self.groups)

    def pairs_part(self, part: str, other: str) -> bool:
        """Whether some check names the one constant and, as a part of another, the other."""
        bare = part.strip("\"'`")
        if len(bare) < 3 or bare in self.elsewhere:
            return False
        return any(
            other in group and any(bare in literal for literal in group) for group in self.groups
        )

    def disguised(self) -> dict[str, str]:
        """The distinctive constants by what they look like reversed, encoded or hashed."""
        some = islice(filter(self.distinctive, sorted(self._constants)), MAX_DISGUISED)
        return {
            shape: literal
            for literal in some
            for shape in _disguises(literal.strip("\"'`").encode("utf-8", "replace"))
        }

    def distinctive(self, literal: str) -> bool:
        """Whether a constant is known from tests only."""
        bare = literal.strip("\"'`")
        if literal in TRIVIAL or len(bare) < 3 or literal not in self._constants:
            return False
        if bare.startswith(("/", "./", "http")) or bare in ("utf-8", "__main__"):
            return False
        return bare not in self.elsewhere or re.search(_as_word(bare), self.elsewhere) is None

    @cached_property
    def _constants(self) -> frozenset[str]:
        return frozenset().union(*self.groups)

    def shows(self, text: str) -> bool:
        """Whether a list or table of constants, however it is spaced, stands in the tests only."""
        compact = _compact(text)
        return len(compact) > 5 and compact in self._tests and compact not in self._elsewhere

    @cached_property
    def _tests(self) -> str:
        return _compact(self.tests)

    @cached_property
    def _elsewhere(self) -> str:
        return _compact(self.elsewhere)


def _as_word(text: str) -> str:
    """A pattern of a text that is not part of a longer word or number."""
    before, after = (r"\w" if edge.isalnum() else "(?!)" for edge in (text[0], text[-1]))
    return f"(?<!{before}){re.escape(text)}(?!{after})"


def _compact(text: str) -> str:
    return re.sub(r"\s+", "", text).replace('"', "'").replace("`", "'")


def _disguises(text: bytes) -> Iterator[str]:
    yield text[::-1].decode("utf-8", "replace")
    yield b64encode(text).decode()
    yield text.hex()
    for algorithm in ("md5", "sha1", "sha256", "sha512"):
        yield hashlib.new(algorithm, text, usedforsecurity=False).hexdigest()


def expectations(tests: Iterable[tuple[str, str]], elsewhere: Iterable[str]) -> Expectations:
    """What known tests expect.

    Args:
        tests: Path and text of test files.
        elsewhere: Other texts.
    """
    read = list(tests)
    found = Expectations(elsewhere="\n".join(elsewhere), tests="\n".join(text for _, text in read))
    for path, text in read:
        found.groups.extend(_groups_in(text, path.endswith(".py")))
    return found


# A session's calls are judged against the same tests.
@lru_cache(maxsize=256)
def _groups_in(text: str, python: bool) -> tuple[frozenset[str], ...]:
    suite = read_python(text) if python else None
    return tuple(_groups(suite or read_lines(text)))


def _groups(suite: Suite) -> Iterator[frozenset[str]]:
    for check in suite.assertions():
        yield frozenset(map(plain_literal, check.literals))
    for case in suite.cases.values():
        literals = [literal for check in case.assertions for literal in check.literals]
        yield frozenset(map(plain_literal, [*literals, *case.inputs]))
    for rows in suite.rows.values():
        for row in rows:
            yield frozenset(
                plain_literal(literal) for part in row for literal in LITERAL.findall(part)
            )


def plain_literal(literal: str) -> str:
    """A constant in one spelling, whatever its quotes."""
    if literal[:1] in "\"'`" and len(literal) > 1:
        return f"'{literal[1:-1]}'"
    return literal.replace("_", "") if literal[:1].isdigit() else literal
