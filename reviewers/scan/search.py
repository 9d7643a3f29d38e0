"""One scan: literals in one pass, a closer look where they occur, the same in other forms."""

from collections.abc import Iterator, Sequence
from typing import cast

from reviewers.scan.encodings import Flipping
from reviewers.scan.found import Found
from reviewers.scan.grouped import AFTER
from reviewers.scan.judge import Judge
from reviewers.scan.long_words import encoded_words
from reviewers.scan.lookup import Lookup
from reviewers.scan.needs import LETTERS_AND_DIGITS
from reviewers.scan.signs import controls, looks_folded, surroundings
from reviewers.scan.stretches import Stretches
from reviewers.scan.table import WIDE_WINDOW, Encoded, Entry
from reviewers.scan.views import INTERRUPTED, UNWRAPPED, WITHOUT_NUL, Pieces, Rewriting, View
from reviewers.scan.work import Work

DEEPEST = 3
SHORT_TEXT = 65536
# How far around a sign a long text is read in another way; of closer signs the first counts.
SIGN_REACH = 600
SIGN_STEP = 150
WORD_BYTES = frozenset(bytes([byte]) for byte in LETTERS_AND_DIGITS)


class Search:
    """One scan: what it looks for, and what it may still do."""

    def __init__(self, lookup: Lookup, work: Work) -> None:
        self.lookup = lookup
        self.work = work
        self.judge = Judge(work)
        self.signs: dict[Rewriting, list[int]] = {}
        self.has_words = False

    def all(self, data: bytes) -> list[Found]:
        """Everything in a text, read as it is and where something shows it, in other ways too."""
        found = self.through(data, 0)
        if b"\0" in data:
            found += self._in_view(_without_nul(data), 1)
        for rewriting, start, end in self._readings(data):
            if not self.work.may_rewrite():
                break
            view = rewriting.view(data, start, end)
            if view is not None:
                self.work.rewritten -= rewriting.price * (end - start - len(view.data))
                found += self._in_view(view, 1)
        return found

    def _readings(self, data: bytes) -> Iterator[tuple[Rewriting, int, int]]:
        """Other ways to read a short text as a whole, and a long one around what shows it."""
        interrupted = controls(data, SIGN_STEP)
        if interrupted:
            self.signs.setdefault(INTERRUPTED, []).extend(interrupted)
        if len(data) > SHORT_TEXT:
            for rewriting, places in self.signs.items():
                for start, end in surroundings(places, SIGN_REACH, SHORT_TEXT):
                    yield rewriting, start, min(end, len(data))
            return
        for rewriting in self.signs:
            yield rewriting, 0, len(data)
        if looks_folded(data, self.has_words):
            yield UNWRAPPED, 0, len(data)

    def through(self, data: bytes, depth: int) -> list[Found]:
        """Everything in bytes: literals first, then a closer look where they occur."""
        found: list[Found] = []
        done: dict[tuple[str, int], int] = {}
        entries, entry_at = self.lookup.entries, self.lookup.entry
        spent = self.work.spent
        skipped: set[int] = set()
        stretches = Stretches(data)
        self.has_words |= bool(stretches.near)
        for first, hits in self.lookup.hits(data, stretches.near):
            if self.work.places < 0:
                break
            for place, end in hits:
                index = first + place
                if index in skipped:
                    continue
                entry = entries[index] or entry_at(index)
                at = end - entry.size
                if entry.rewriting is not None and depth == 0:
                    places = self.signs.setdefault(entry.rewriting, [])
                    if not places or abs(at - places[-1]) > SIGN_STEP:
                        places.append(at)
                if entry.is_sign:
                    continue
                if entry.not_after and at and data[at - 1] in entry.excluded:
                    continue
                if entry.ends_word and data[end : end + 1] in WORD_BYTES:
                    continue
                if entry.needed_texts and not entry.has_needed(data, at):
                    continue
                if entry.literal in spent:
                    if not entry.encoded:
                        skipped.add(index)
                elif entry.stands:
                    found += self.judge.found(data, at, end, entry)
                if entry.encoded and depth < DEEPEST and self.work.decodings >= 0:
                    for encoded in entry.encoded:
                        found += self._decoded(data, at, end, encoded, depth, done)
        if stretches.long_words and depth < DEEPEST:
            found += self._in_words(data, stretches, depth)
        return [one for one in found if self.work.may_keep()]

    def _in_words(self, data: bytes, stretches: Stretches, depth: int) -> list[Found]:
        """Everything in words that are text in base64 and the like."""
        found: list[Found] = []
        done: dict[tuple[str, int], int] = {}
        for at, encoding in encoded_words(data, stretches):
            key = (encoding.how, encoding.phase(data, at))
            if at < done.get(key, 0):
                continue
            if not self.work.may_decode():
                break
            views: Iterator[View] | None = encoding.views(data, at, 0, 0)
            while views is not None:
                for view in views:
                    done[key] = max(done.get(key, 0), view.region_end)
                    if self.work.may_decode(len(view.data) // WIDE_WINDOW):
                        found += self._in_view(view, depth + 1)
                goes_on = encoding.goes_on(data, at) and self.work.may_decode()
                at += AFTER
                views = encoding.stretches(data, at, 0) if goes_on else None
        return found

    def _decoded(
        self,
        data: bytes,
        at: int,
        end: int,
        encoded: Encoded,
        depth: int,
        done: dict[tuple[str, int], int],
    ) -> Sequence[Found]:
        encoding = encoded.encoding
        if encoded.stands_for is not None:
            return self._flipped(data, at, end, encoded, encoded.stands_for)
        key = (encoding.how, encoded.phase)
        if done.get(key, -1) > at or not self.work.may_decode():
            return ()
        found: list[Found] = []
        for view in encoding.views(data, at, encoded.phase, encoded.reach):
            done[key] = max(done.get(key, 0), view.region_end)
            if view.is_part:
                self.work.unpacked_in_part()
            if self.work.may_decode(len(view.data) // WIDE_WINDOW):
                found += self._in_view(view, depth + 1)
        return found

    def _flipped(
        self, data: bytes, at: int, end: int, encoded: Encoded, entry: Entry
    ) -> Sequence[Found]:
        """What stands right at a form that keeps each character one."""
        encoding = cast(Flipping, encoded.encoding)
        if not encoding.stands_at(data, at, end, encoded.form):
            return ()
        before = encoding.byte_before(data, at, end)
        if before and before[0] in entry.excluded:
            return ()
        if not self.work.may_decode():
            return ()
        found: list[Found] = []
        for view in encoding.views(data, at, encoded.phase, encoded.reach):
            place = encoding.place(view, at, end)
            standing = self.judge.found(view.data, place, place + entry.size, entry)
            found += [one.seen_through(view) for one in standing]
        return found

    def _in_view(self, view: View, depth: int) -> list[Found]:
        return [found.seen_through(view) for found in self.through(view.data, depth)]


def _without_nul(data: bytes) -> View:
    """Text of any size as it reads if it is UTF-16, or has NULs strewn in."""
    pieces = Pieces(WITHOUT_NUL, data, 0)
    return View(data.replace(b"\0", b""), WITHOUT_NUL.how, pieces.locate, len(data))
