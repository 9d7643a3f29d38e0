"""How much one scan may do; what ran out is said, never passed over."""

from collections import defaultdict

MOST_FOUND = 2_000
PLACES = 20_000
PLACES_EACH = 8_000
DECODINGS = 4_000


class Work:
    """Counts what a scan does against bounds that grow with the text.

    Counted and not timed, so that the same text has the same outcome on every machine.
    """

    def __init__(self, size: int) -> None:
        self.places = PLACES + size // 20
        self.places_each = PLACES_EACH + size // 50
        self.decodings = DECODINGS + size // 150
        self.found = MOST_FOUND
        self.by_format: defaultdict[str, int] = defaultdict(int)
        self.ran_out: dict[str, None] = {}

    def may_confirm(self, title: str, cost: int = 1) -> bool:
        """Whether one more place may be judged, for a format and in all."""
        used = self.by_format[title] + cost
        self.by_format[title] = used
        self.places -= cost
        if used <= self.places_each and self.places >= 0:
            return True
        self.ran_out[f"more places that may be a {title} than are judged"] = None
        return False

    def may_decode(self, cost: int = 1) -> bool:
        """Whether one more stretch may be decoded."""
        self.decodings -= cost
        if self.decodings >= 0:
            return True
        self.ran_out["more encoded text than is decoded"] = None
        return False

    def may_keep(self) -> bool:
        """Whether one more finding may be kept."""
        self.found -= 1
        if self.found >= 0:
            return True
        self.ran_out[f"more than {MOST_FOUND:,} findings"] = None
        return False

    def timed_out(self, title: str) -> None:
        """A pattern took longer than any honest text makes it."""
        self.by_format[title] = self.places_each
        self.ran_out[f"judging a place that may be a {title} took too long"] = None

    @property
    def incomplete(self) -> str | None:
        """What ran out, in words."""
        if not self.ran_out:
            return None
        first, *others = self.ran_out
        more = f" (and {len(others)} other bounds)" if others else ""
        return f"The text holds {first}{more}."
