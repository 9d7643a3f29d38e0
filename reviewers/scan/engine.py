"""One pass for all literals, then a closer look at each place where one occurs."""

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from reviewers.scan.confirm import LESS_THAN_HIGH, Confirmer
from reviewers.scan.declared import Declared
from reviewers.scan.encodings import Flipping
from reviewers.scan.format import LEVELS, Format
from reviewers.scan.found import Found, found_declared, found_format
from reviewers.scan.grouped import AFTER, NEAR
from reviewers.scan.long_words import encoded_words
from reviewers.scan.lookup import Lookup
from reviewers.scan.match import Match, ScanResult
from reviewers.scan.needs import LETTERS_AND_DIGITS
from reviewers.scan.placing import in_characters, without_overlaps
from reviewers.scan.signs import controls, looks_folded, surroundings
from reviewers.scan.stored import own_formats, table_of
from reviewers.scan.stretches import Stretches
from reviewers.scan.table import (
    WIDE_WINDOW,
    Anchor,
    Encoded,
    Entry,
    entries_of_declared,
)
from reviewers.scan.views import (
    ESCAPES,
    INTERRUPTED,
    SPLIT,
    UNWRAPPED,
    WITHOUT_NUL,
    Pieces,
    Rewriting,
    View,
)
from reviewers.scan.work import Work

DEFAULT_LEAST = 0.6
DEEPEST = 3
SHORT_TEXT = 65536
MENDED_REACH = 400
# How far around a sign a long text is read in another way; of closer signs the first counts.
SIGN_REACH = 600
SIGN_STEP = 150
# What follows a torn word must not be joined to it, and how often it is torn is not known.
MENDINGS = (
    (INTERRUPTED, 0),
    *((SPLIT, breaks) for breaks in (1, 2, 3, 4, 6, 8, 12)),
    (ESCAPES, 0),
)
NOTHING_FOUND = ScanResult((), None)
WORD_BYTES = frozenset(bytes([byte]) for byte in LETTERS_AND_DIGITS)
# A word that something other than its end interrupts: what does not print, a line's end with
# more of a word after it, an escape, an entity.
TORN = re.compile(
    rb"[\w.~+/=:@%-]*+(?:[\x00\x08\x1b\x80-\xff&]|\\[^nrt\"'\s]"
    rb"|[\"'`]?[ \t]*[+.\\,]?(?:\r?\n|\\r|\\n)[ \t|>]*[\"'`]?(?=[\w~+/=-]{4})(?=[\w~+/=-]*\d)"
    rb"|[\"'`][ \t]*[+.,]?[ \t]*[\"'`])"
)


class Scanner:
    """Finds credentials and declared strings in text, as they are and encoded.

    One scanner serves many texts and threads at once.

    Args:
        formats: The formats to look for; all that come with the package if not given.
        backend: auto, hyperscan, ahocorasick or plain; all find the same.
        declared: Strings to be found exactly.
        least: What is less sure than that is left out: 0.9 for high only, 0.6 for high and
            medium, 0 for everything.
    """

    def __init__(
        self,
        formats: Sequence[Format] | None = None,
        *,
        backend: str = "auto",
        declared: Iterable[Declared] = (),
        least: float = DEFAULT_LEAST,
    ) -> None:
        self._formats = formats
        self._backend = backend
        self._declared = tuple(declared)
        self._least = least
        self._lock = threading.Lock()
        self._ready: Lookup | None = None

    def prepare(self) -> None:
        """Builds the tables now; else the first scan does."""
        with self._lock:
            if self._ready is not None:
                return
            formats = own_formats() if self._formats is None else self._formats
            confirmers = [
                Confirmer(format)
                for format in formats
                if LEVELS[format.confidence] >= self._least or self._least <= 0
            ]
            declared = entries_of_declared(self._declared)
            self._ready = Lookup(table_of(confirmers), declared, self._backend)

    @property
    def backend(self) -> str:
        """The name of the backend in use."""
        return self._lookup().everywhere.name

    def _lookup(self) -> "Lookup":
        if self._ready is None:
            self.prepare()
        assert self._ready is not None
        return self._ready

    def scan(self, text: str) -> ScanResult:
        """Looks through a text.

        Args:
            text: Any text, hostile too; lone surrogates are fine.

        Returns:
            The matches at least as sure as the scanner's `least`, without overlaps, in the
            order of the text; and which bound ran out, if one did.
        """
        lookup = self._lookup()
        data = text.encode("utf-8", "surrogatepass")
        work = Work(len(data))
        search = _Search(lookup, work)
        found = search.all(data)
        if not found:
            return ScanResult((), work.incomplete) if work.ran_out else NOTHING_FOUND
        sure = [one for one in found if one.confidence >= self._least]
        return ScanResult(_matches(data, sure, text.isascii()), work.incomplete)


def _matches(data: bytes, found: Sequence[Found], is_ascii: bool) -> tuple[Match, ...]:
    kept = without_overlaps(found)
    places = [place for one, hidden in kept for place in (one.start, one.end, *hidden)]
    at = in_characters(data, places, is_ascii)
    return tuple(
        Match(
            format=one.format,
            title=one.title,
            start=at(one.start),
            end=at(one.end),
            confidence=one.confidence,
            encoding=one.encoding,
            prefix=one.prefix,
            secret=_as_text(one.secret),
            hidden=(at(hidden[0]), at(hidden[1])),
        )
        for one, hidden in kept
    )


def _as_text(secret: bytes) -> str:
    """A secret as it stands in the text; what was decoded from another form may be no text."""
    try:
        return secret.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return secret.decode("utf-8", "surrogateescape")


class _Search:
    """One scan: what it looks for, and what it may still do."""

    def __init__(self, lookup: Lookup, work: Work) -> None:
        self.lookup = lookup
        self.work = work
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
                    found += self._standing(data, at, end, entry)
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

    def _standing(self, data: bytes, at: int, end: int, entry: Entry) -> list[Found]:
        """What stands, as it is, at a place of a literal."""
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
            standing = self._standing(view.data, place, place + entry.size, entry)
            found += [one.seen_through(view) for one in standing]
        return found

    def _in_view(self, view: View, depth: int) -> list[Found]:
        return [found.seen_through(view) for found in self.through(view.data, depth)]


def _without_nul(data: bytes) -> View:
    """Text of any size as it reads if it is UTF-16, or has NULs strewn in."""
    pieces = Pieces(WITHOUT_NUL, data, 0)
    return View(data.replace(b"\0", b""), WITHOUT_NUL.how, pieces.locate, len(data))


def _after_a_sequence(data: bytes, at: int) -> bool:
    """Whether the letter before is the end of a terminal's control sequence."""
    return b"\x1b" in data[max(0, at - 12) : at]
