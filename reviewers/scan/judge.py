"""What stands, as it is or torn, at a place where a literal was found."""

import re
from collections.abc import Sequence

from reviewers.scan.confirm import LESS_THAN_HIGH, Confirmer
from reviewers.scan.found import Found, found_declared, found_format
from reviewers.scan.grouped import NEAR
from reviewers.scan.table import Anchor, Entry
from reviewers.scan.views import ESCAPES, INTERRUPTED, SPLIT
from reviewers.scan.work import Work

MENDED_REACH = 400
# What follows a torn word must not be joined to it, and how often it is torn is not known.
MENDINGS = (
    (INTERRUPTED, 0),
    *((SPLIT, breaks) for breaks in (1, 2, 3, 4, 6, 8, 12)),
    (ESCAPES, 0),
)
# A word that something other than its end interrupts: what does not print, a line's end with
# more of a word after it, an escape, an entity.
TORN = re.compile(
    rb"[\w.~+/=:@%-]*+(?:[\x00\x08\x1b\x80-\xff&]|\\[^nrt\"'\s]"
    rb"|[\"'`]?[ \t]*[+.\\,]?(?:\r?\n|\\r|\\n)[ \t|>]*[\"'`]?(?=[\w~+/=-]{4})(?=[\w~+/=-]*\d)"
    rb"|[\"'`][ \t]*[+.,]?[ \t]*[\"'`])"
)


class Judge:
    """Judges places of literals, as long as a scan may.

    Args:
        work: What the scan may still do.
    """

    def __init__(self, work: Work) -> None:
        self.work = work

    def found(self, data: bytes, at: int, end: int, entry: Entry) -> list[Found]:
        """All that stands there.

        Args:
            data: The text.
            at: Where the literal starts.
            end: Where it ends.
            entry: What it may mean.
        """
        work = self.work
        if entry.literal in work.spent:
            return []
        work.places -= entry.cost
        if work.is_much and not work.may_judge(entry):
            return []
        found: list[Found] = []
        for window, may_be, looks in entry.looks:
            stop = end + window
            if may_be is not None and may_be(data, at, stop) is None:
                continue
            for look in looks:
                if look.quick is None or look.quick(data, at, stop) is not None:
                    found += self._confirmed(look.confirmer, data, at, end, entry)
                elif look.mends:
                    found += self._mended(look.confirmer, data, at, end, entry)
        for anchor in entry.anchors:
            found += self._declared(data, at, anchor)
        return found

    def _confirmed(
        self, confirmer: Confirmer, data: bytes, at: int, end: int, entry: Entry
    ) -> Sequence[Found]:
        format = confirmer.format
        try:
            confirmed = confirmer.confirm(data, at, end)
        except TimeoutError:
            self.work.timed_out(entry)
            return ()
        if confirmed is None:
            if entry.mends and confirmer.distinctive:
                return self._mended(confirmer, data, at, end, entry)
            return ()
        return (found_format(format, confirmed, data),)

    def _mended(
        self, confirmer: Confirmer, data: bytes, at: int, end: int, entry: Entry
    ) -> Sequence[Found]:
        """The same place with what interrupts a word taken out."""
        stop = end + min(confirmer.format.window, MENDED_REACH)
        if TORN.match(data, end, stop) is None:
            return ()
        if not confirmer.may_begin(data, at, len(data)) and not _after_a_sequence(data, at):
            return ()
        if not self.work.may_mend():
            return ()
        before = INTERRUPTED.pattern.sub(b"", data[max(0, at - NEAR) : at])
        place = len(before)
        raw = read = data[at:stop]
        for rewriting, most in MENDINGS:
            mended = rewriting.read(raw, most)
            if mended in (raw, read):
                continue
            read = mended
            if confirmer.quick is not None and confirmer.quick.match(read) is None:
                continue
            try:
                confirmed = confirmer.confirm(before + read, place, place + end - at)
            except TimeoutError:
                self.work.timed_out(entry)
                return ()
            view = rewriting.view(data, at, stop, most)
            if confirmed is None or confirmed.secret_start < place or view is None:
                continue
            found = found_format(confirmer.format, confirmed, before + read)
            found.start, found.end = view.locate(found.start - place, found.end - place)
            found.encoding = rewriting.how
            if rewriting is SPLIT:
                found.confidence = min(found.confidence, LESS_THAN_HIGH)
            return (found,)
        return ()

    def _declared(self, data: bytes, at: int, anchor: Anchor) -> Sequence[Found]:
        declared, value = anchor.declared, anchor.value
        start = at - anchor.offset
        if start >= 0 and data.startswith(value, start):
            return (found_declared(declared, start, start + len(value), value),)
        first = max(0, at - 8 * anchor.offset - NEAR)
        last = at + 8 * (len(value) - anchor.offset) + NEAR
        if not self.work.may_mend():
            return ()
        for rewriting in (INTERRUPTED, SPLIT, ESCAPES):
            view = rewriting.view(data, first, last)
            place = -1 if view is None else view.data.find(value)
            if view is not None and place >= 0:
                start, end = view.locate(place, place + len(value))
                return (found_declared(declared, start, end, value, rewriting.how),)
        return ()


def _after_a_sequence(data: bytes, at: int) -> bool:
    """Whether the letter before is the end of a terminal's control sequence."""
    return b"\x1b" in data[max(0, at - 12) : at]
