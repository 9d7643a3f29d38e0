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
MOST_HITS = 20_000

Hit = tuple[int, int]


class BackendError(RuntimeError):
    """A backend was asked for that is not installed."""


class Literals(Protocol):
    """Literals ready to be looked for."""

    name: str

    def hits(self, data: bytes) -> Iterator[list[Hit]]:
        """Where literals occur, overlapping ones too: (index, end), in batches.

        By end among those whose case matters, and among those whose does not.
        """


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


class _Group:
    """Literals that are looked for together: in the text as it is, or in lower case."""

    def __init__(self, literals: Sequence[tuple[bytes, bool]], in_lower_case: bool) -> None:
        self.in_lower_case = in_lower_case
        self.forms = [
            (literal.lower() if in_lower_case else literal, index)
            for index, (literal, ignores_case) in enumerate(literals)
            if ignores_case == in_lower_case
        ]
        self.indexes = [index for _, index in self.forms]
        self.longest = max((len(form) for form, _ in self.forms), default=0)

    def pieces(self, data: bytes) -> Iterator[tuple[bytes, int, int]]:
        """The text in overlapping pieces: each with its place, and up to where hits are old.

        So a text made of literals does not fill the memory.
        """
        for begin in range(0, len(data), CHUNK):
            base = max(0, begin - self.longest + 1)
            piece = data if len(data) <= CHUNK else data[base : begin + CHUNK]
            yield piece.lower() if self.in_lower_case else piece, base, begin - base


class AhoCorasick:
    """The default: two automata in Rust."""

    name = "ahocorasick"

    def __init__(self, literals: Sequence[tuple[bytes, bool]]) -> None:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        self.groups = [
            (
                group,
                BytesAhoCorasick(
                    [form for form, _ in group.forms], implementation=Implementation.DFA
                ),
            )
            for group in (_Group(literals, False), _Group(literals, True))
            if group.forms
        ]

    def hits(self, data: bytes) -> Iterator[list[Hit]]:
        """First those whose case matters, then the others."""
        for group, automaton in self.groups:
            indexes = group.indexes
            for piece, base, seen in group.pieces(data):
                places = automaton.find_matches_as_indexes(piece, overlapping=True)
                if places:
                    yield [(indexes[form], base + end) for form, _, end in places if end > seen]


class Plain:
    """Without any engine: one search for each literal. Slow, and right."""

    name = "plain"

    def __init__(self, literals: Sequence[tuple[bytes, bool]]) -> None:
        self.groups = [_Group(literals, False), _Group(literals, True)]

    def hits(self, data: bytes) -> Iterator[list[Hit]]:
        """First those whose case matters, then the others."""
        for group in self.groups:
            for piece, base, seen in group.pieces(data):
                found = [
                    (index, base + at + len(form))
                    for form, index in group.forms
                    for at in _places(piece, form)
                    if at + len(form) > seen
                ]
                found.sort(key=lambda hit: hit[1])
                yield found


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
                yield [
                    (index, base + end) for index, end in found if base + end > seen and end < last
                ]
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
