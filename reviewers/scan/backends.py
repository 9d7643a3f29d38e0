"""Finding many literals in one pass, in three ways that find the same."""

import hashlib
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

CHUNK = 1 << 16
MOST_HITS = 200_000

Hit = tuple[int, int]


class BackendError(RuntimeError):
    """A backend was asked for that is not installed."""


class Literals(Protocol):
    """Literals ready to be looked for."""

    name: str

    def hits(self, data: bytes) -> Iterator[list[Hit]]:
        """Where literals occur, overlapping ones too: (index, end), in batches, by end."""


def made(literals: Sequence[tuple[bytes, bool]], backend: str = "auto") -> Literals:
    """Prepares literals, each with whether its case matters not.

    Args:
        literals: The literals; their places in the sequence are the indexes of hits.
        backend: hyperscan, ahocorasick, plain, or auto for the first of them that is installed.

    Raises:
        BackendError: It is not installed, or there is none of that name.
    """
    if backend not in ("auto", *BACKENDS):
        raise BackendError(f"No backend {backend!r}; there are auto, {', '.join(BACKENDS)}.")
    for kind in BACKENDS.values() if backend == "auto" else [BACKENDS[backend]]:
        try:
            return kind(literals)
        except ImportError as error:
            missing = error
    raise BackendError(f"{backend} is not installed.") from missing


class Folded:
    """Literals by their lower-case form, for engines that look for that in lower-case text."""

    def __init__(self, literals: Sequence[tuple[bytes, bool]]) -> None:
        by_form: dict[bytes, list[tuple[int, bytes | None]]] = {}
        for index, (literal, ignores_case) in enumerate(literals):
            exact = None if ignores_case else literal
            by_form.setdefault(literal.lower(), []).append((index, exact))
        self.forms = list(by_form)
        self.members = list(by_form.values())
        self.longest = max(map(len, self.forms), default=0)

    def found(self, data: bytes, places: list[tuple[int, int, int]], base: int) -> list[Hit]:
        """The literals that stand at places of their lower-case forms."""
        found = []
        for form, start, end in places:
            for index, exact in self.members[form]:
                if exact is None or data[base + start : base + end] == exact:
                    found.append((index, base + end))
        return found


class AhoCorasick:
    """The default: an automaton in Rust."""

    name = "ahocorasick"

    def __init__(self, literals: Sequence[tuple[bytes, bool]]) -> None:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        self.folded = Folded(literals)
        self.automaton = BytesAhoCorasick(
            self.folded.forms, implementation=Implementation.DFA
        )

    def hits(self, data: bytes) -> Iterator[list[Hit]]:
        """Chunk by chunk, so that a text made of literals does not fill the memory."""
        overlap = self.folded.longest - 1
        size = len(data)
        for begin in range(0, size, CHUNK):
            base = max(0, begin - overlap)
            piece = data if size <= CHUNK else data[base : begin + CHUNK]
            places = self.automaton.find_matches_as_indexes(piece.lower(), overlapping=True)
            if begin:
                seen = begin - base
                places = [place for place in places if place[2] > seen]
            if places:
                yield self.folded.found(data, places, base)


class Plain:
    """Without any engine: one search for each literal. Slow, and right."""

    name = "plain"

    def __init__(self, literals: Sequence[tuple[bytes, bool]]) -> None:
        self.folded = Folded(literals)

    def hits(self, data: bytes) -> Iterator[list[Hit]]:
        """Chunk by chunk, as the others do."""
        overlap = self.folded.longest - 1
        for begin in range(0, len(data), CHUNK):
            base = max(0, begin - overlap)
            piece = data[base : begin + CHUNK].lower()
            seen = begin - base
            places = [
                (form, at, at + len(literal))
                for form, literal in enumerate(self.folded.forms)
                for at in _places(piece, literal)
                if not begin or at + len(literal) > seen
            ]
            if places:
                places.sort(key=lambda place: place[2])
                yield self.folded.found(data, places, base)


def _places(data: bytes, literal: bytes) -> Iterator[int]:
    at = data.find(literal)
    while at >= 0:
        yield at
        at = data.find(literal, at + 1)


class Hyperscan:
    """The fast one: Vectorscan, its database kept in the user's cache folder."""

    name = "hyperscan"

    def __init__(self, literals: Sequence[tuple[bytes, bool]]) -> None:
        import hyperscan

        self.module: Any = hyperscan
        self.database: Any = _database(hyperscan, literals)
        self.local = threading.local()
        self.longest = max((len(literal) for literal, _ in literals), default=0)

    def hits(self, data: bytes) -> Iterator[list[Hit]]:
        """In as many batches as a flood of hits needs."""
        scratch = getattr(self.local, "scratch", None)
        if scratch is None:
            scratch = self.local.scratch = self.module.Scratch(self.database)
        base = seen = 0
        while True:
            found: list[Hit] = []
            try:
                piece = data[base:] if base else data
                self.database.scan(piece, _collect, context=found, scratch=scratch)
            except self.module.ScanTerminated:
                last = found[-1][1]
                yield [(index, base + end) for index, end in found if seen < base + end < base + last]
                seen = base + last - 1
                base = max(0, seen - self.longest)
                continue
            if base:
                found = [(index, base + end) for index, end in found if base + end > seen]
            if found:
                yield found
            return


def _collect(index: int, start: int, end: int, flags: int, found: list[Hit]) -> bool | None:
    found.append((index, end))
    return True if len(found) >= MOST_HITS else None


def _database(hyperscan: Any, literals: Sequence[tuple[bytes, bool]]) -> Any:
    """The literals' database: from the cache, else compiled and put there."""
    known = f"{hyperscan.__version__} {sys.platform} {literals!r}".encode()
    file = cache_folder() / f"literals-{hashlib.sha256(known).hexdigest()[:32]}.hyperscan"
    try:
        return hyperscan.loadb(file.read_bytes(), mode=hyperscan.HS_MODE_BLOCK)
    except (OSError, hyperscan.HyperscanError):
        pass
    database = hyperscan.Database()
    database.compile(
        expressions=[_escaped(literal) for literal, _ in literals],
        ids=list(range(len(literals))),
        elements=len(literals),
        flags=[hyperscan.HS_FLAG_CASELESS if ignores else 0 for _, ignores in literals],
    )
    _keep(file, hyperscan.dumpb(database))
    return database


def _escaped(literal: bytes) -> bytes:
    """Bytes as an expression: the library's own literals end at a NUL."""
    return b"".join(b"\\x%02x" % byte for byte in literal)


def cache_folder() -> Path:
    """Where this user's caches stand."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "reviewers"


def _keep(file: Path, content: bytes) -> None:
    """Writes a cache file whole or not at all; a folder that cannot be written is fine."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as unfinished:
            unfinished.write(content)
        os.replace(unfinished.name, file)
    except OSError:
        return


BACKENDS: dict[str, type[Hyperscan] | type[AhoCorasick] | type[Plain]] = {
    "hyperscan": Hyperscan,
    "ahocorasick": AhoCorasick,
    "plain": Plain,
}
