"""How much one scan may do; what ran out is said, never passed over."""

from reviewers.scan.table import Entry

MOST_FOUND = 2_000
PLACES = 20_000
FEW = 2_000
PLACES_EACH = 4_000
MENDED = 500
DECODINGS = 1_000
REWRITTEN = 250_000


class Work:
    """Counts what a scan does against bounds that grow with the text.

    Counted and not timed, so that the same text has the same outcome on every machine.
    """

    def __init__(self, size: int) -> None:
        self.places = PLACES + size // 50
        self.counted_from = self.places - FEW
        self.places_each = PLACES_EACH + size // 100
        self.mended = MENDED + size // 2_000
        self.decodings = DECODINGS + size // 600
        self.rewritten = REWRITTEN + size // 4
        self.found = MOST_FOUND
        self.used: dict[bytes, int] = {}
        self.spent: set[bytes] = set()
        self.ran_out: dict[str, None] = {}

    @property
    def is_much(self) -> bool:
        """Whether so many places were judged that each literal's have to be counted."""
        return self.places < self.counted_from

    def may_judge(self, entry: Entry) -> bool:
        """Whether one more place of a literal may be judged."""
        used = self.used.get(entry.literal, 0) + entry.cost
        self.used[entry.literal] = used
        if used <= self.places_each and self.places >= 0:
            return True
        self.spent.add(entry.literal)
        self.ran_out[f"more places that may be a {entry.title} than are judged"] = None
        return False

    def may_decode(self, cost: int = 1) -> bool:
        """Whether one more stretch may be decoded."""
        self.decodings -= cost
        if self.decodings >= 0:
            return True
        self.ran_out["more encoded text than is decoded"] = None
        return False

    def may_rewrite(self) -> bool:
        """Whether one more stretch may be read in another way."""
        if self.rewritten >= 0:
            return True
        self.ran_out["more escaped text than is read"] = None
        return False

    def unpacked_in_part(self) -> None:
        """Compressed text was longer than what is unpacked of it."""
        self.ran_out["more compressed text in one piece than is unpacked"] = None

    def may_keep(self) -> bool:
        """Whether one more finding may be kept."""
        self.found -= 1
        if self.found >= 0:
            return True
        self.ran_out[f"more than {MOST_FOUND:,} findings"] = None
        return False

    def may_mend(self) -> bool:
        """Whether one more torn word may be put together."""
        self.mended -= 1
        if self.mended >= 0:
            return True
        self.ran_out["more torn words than are put together"] = None
        return False

    def timed_out(self, entry: Entry) -> None:
        """A pattern took longer than any honest text makes it."""
        self.spent.add(entry.literal)
        self.ran_out[f"a place that may be a {entry.title} and takes too long to judge"] = None

    @property
    def incomplete(self) -> str | None:
        """What ran out, in words."""
        if not self.ran_out:
            return None
        first, *others = self.ran_out
        more = f" (and {len(others)} other bounds)" if others else ""
        return f"The text holds {first}{more}."
