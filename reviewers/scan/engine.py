"""The scanner: formats and declared strings made ready once, then any number of texts."""

import threading
from collections.abc import Iterable, Sequence

from reviewers.scan.confirm import Confirmer
from reviewers.scan.declared import Declared
from reviewers.scan.format import LEVELS, Format
from reviewers.scan.found import Found
from reviewers.scan.lookup import Lookup
from reviewers.scan.match import Match, ScanResult
from reviewers.scan.placing import in_characters, without_overlaps
from reviewers.scan.search import Search
from reviewers.scan.stored import own_formats, table_of
from reviewers.scan.table import entries_of_declared
from reviewers.scan.work import Work

DEFAULT_LEAST = 0.6
NOTHING_FOUND = ScanResult((), None)


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
        search = Search(lookup, work)
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
