"""Strings that must not show, known beforehand: planted canaries, the host's own keys."""

from collections.abc import Iterator
from dataclasses import dataclass, field

SHORTEST = 4
ANCHOR = 12


class DeclaredError(ValueError):
    """A declared string cannot be looked for."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A string to be found exactly, as it is and encoded.

    Attributes:
        id: What findings call it, such as `canary` or `own-key`.
        title: What a sentence calls it, such as "the key in OPENAI_API_KEY".
        value: The string itself. Never shown.
    """

    id: str
    title: str
    value: str = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.value) < SHORTEST:
            raise DeclaredError(
                f"{self.id}: {self.title} has {len(self.value)} characters; "
                f"{SHORTEST} is the least that can be told from other text."
            )

    def anchors(self) -> Iterator[tuple[bytes, int]]:
        """Pieces to look for, with their places: two, since a line's end may cut one of them."""
        data = self.value.encode("utf-8", "surrogatepass")
        yield data[:ANCHOR], 0
        if len(data) >= ANCHOR + SHORTEST:
            yield data[-ANCHOR:], len(data) - ANCHOR
