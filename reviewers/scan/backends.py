"""Finding many literals in one pass, in three ways that find the same."""

import contextlib
import hashlib
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from reviewers.scan.cache import keep, kept
from reviewers.scan.needs import NOT_AFTER

CHUNK = 1 << 15
# What must stand before a literal, as an expression, by its `not_after`.
BEFORE = [
    b"(?:^|[^%b])" % b"".join(b"\\x%02x" % byte for byte in sorted(excluded)) if excluded else b""
    for excluded in NOT_AFTER
]
# More hits than that are a flood.
MOST_HITS = 2_000
FEWEST_BYTES = 100

Hit = tuple[int, int]


class Literal(NamedTuple):
    """A literal to look for.

    Attributes:
        text: It.
        ignores_case: Whether its case matters not.
        not_after: Directly after what it need not be found, as a place in `NOT_AFTER`.
    """

    text: bytes
    ignores_case: bool = False
    not_after: int = 0


class BackendError(RuntimeError):
    """A backend was asked for that is not installed."""


class Literals(Protocol):
    """Literals ready to be looked for."""

    name: str

    def hits(self, data: bytes) -> Iterable[list[Hit]]:
        """Where literals occur, overlapping ones too: (index, end), in batches.

        By end among those whose case matters, and among those whose does not.
        """


def made(literals: Sequence[Literal], backend: str = "auto", further: int = 0) -> Literals:
    """Prepares literals.

    Args:
        literals: The literals; their places in the sequence are the indexes of hits.
        backend: hyperscan, ahocorasick, plain, or auto for the first of them that is installed.
        further: How many of the last of them are another time others, and maybe secret: no cache
            holds them.

    Raises:
        BackendError: It is not installed, or there is none of that name.
    """
    if backend not in ("auto", *BACKENDS):
        raise BackendError(f"No backend {backend!r}; there are auto, {', '.join(BACKENDS)}.")
    for kind in BACKENDS.values() if backend == "auto" else [BACKENDS[backend]]:
        try:
            return Hyperscan(literals, further) if kind is Hyperscan else kind(literals)
        except ImportError as error:
            missing = error
    raise BackendError(f"{backend} is not installed.") from missing


class _Group:
    """Literals that are looked for together: in the text as it is, or in lower case."""

    def __init__(self, literals: Sequence[Literal], in_lower_case: bool) -> None:
        self.in_lower_case = in_lower_case
        self.forms = [
            (one.text.lower() if in_lower_case else one.text, index)
            for index, one in enumerate(literals)
            if one.ignores_case == in_lower_case
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

    def __init__(self, literals: Sequence[Literal]) -> None:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        fastest = Implementation.DFA
        self.groups = [
            (group, BytesAhoCorasick([form for form, _ in group.forms], implementation=fastest))
            for group in (_Group(literals, False), _Group(literals, True))
            if group.forms
        ]

    def hits(self, data: bytes) -> Iterable[list[Hit]]:
        """First those whose case matters, then the others."""
        if len(data) > CHUNK:
            return self._in_pieces(data)
        batches: list[list[Hit]] = []
        for group, automaton in self.groups:
            text = data.lower() if group.in_lower_case else data
            places = automaton.find_matches_as_indexes(text, overlapping=True)
            if places:
                indexes = group.indexes
                batches.append([(indexes[form], end) for form, _, end in places])
        return batches

    def _in_pieces(self, data: bytes) -> Iterator[list[Hit]]:
        for group, automaton in self.groups:
            indexes = group.indexes
            for piece, base, seen in group.pieces(data):
                places = automaton.find_matches_as_indexes(piece, overlapping=True)
                if places:
                    yield [(indexes[form], base + end) for form, _, end in places if end > seen]


class Plain:
    """Without any engine: one search for each literal. Slow, and right."""

    name = "plain"

    def __init__(self, literals: Sequence[Literal]) -> None:
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

    def __init__(self, literals: Sequence[Literal], further: int = 0) -> None:
        import hyperscan

        self.module: Any = hyperscan
        known = len(literals) - further
        self.databases: list[Any] = []
        if known:
            self.databases.append(_kept_database(hyperscan, literals[:known]))
        if further:
            self.databases.append(_compiled(hyperscan, literals[known:], known))
        self.literals = literals
        self.local = threading.local()

    @cached_property
    def for_floods(self) -> AhoCorasick:
        """What tells many hits at once: each one costs a call here."""
        return AhoCorasick(self.literals)

    def hits(self, data: bytes) -> Iterable[list[Hit]]:
        """Those of each database; of a text that is full of them, as the other engine has them."""
        most = MOST_HITS + len(data) // FEWEST_BYTES

        def collect(index: int, start: int, end: int, flags: int, into: list[Hit]) -> bool:
            into.append((index, end))
            return len(into) > most

        batches: list[list[Hit]] = []
        try:
            for scan, scratch in getattr(self.local, "scans", None) or self._scans():
                found: list[Hit] = []
                scan(data, collect, context=found, scratch=scratch)
                if found:
                    batches.append(found)
        except self.module.ScanTerminated:
            return self.for_floods.hits(data)
        return batches

    def _scans(self) -> list[tuple[Any, Any]]:
        """This thread's: each thread needs room of its own."""
        self.local.scans = [(one.scan, self.module.Scratch(one)) for one in self.databases]
        scans: list[tuple[Any, Any]] = self.local.scans
        return scans


def _kept_database(hyperscan: Any, literals: Sequence[Literal]) -> Any:
    """The literals' database: from the cache, else compiled and put there."""
    expressions = [_expression(one) for one in literals]
    known = f"{hyperscan.__version__} {sys.platform} {expressions!r}".encode()
    name = f"literals-{hashlib.sha256(known).hexdigest()[:32]}.hyperscan"
    content = kept(name)
    if content is not None:
        with contextlib.suppress(hyperscan.HyperscanError):
            return hyperscan.loadb(content, mode=hyperscan.HS_MODE_BLOCK)
    database = _compiled(hyperscan, literals)
    keep(name, hyperscan.dumpb(database))
    return database


def _compiled(hyperscan: Any, literals: Sequence[Literal], first: int = 0) -> Any:
    """The database of literals, numbered from `first` on."""
    database = hyperscan.Database()
    database.compile(
        expressions=[_expression(one) for one in literals],
        ids=list(range(first, first + len(literals))),
        elements=len(literals),
    )
    return database


def _expression(literal: Literal) -> bytes:
    """A literal with what must not stand before it; bytes, so that one may hold a NUL."""
    before = BEFORE[literal.not_after]
    text = b"".join(b"\\x%02x" % byte for byte in literal.text)
    return before + (b"(?i:%b)" % text if literal.ignores_case else text)


BACKENDS: dict[str, type[Hyperscan] | type[AhoCorasick] | type[Plain]] = {
    "hyperscan": Hyperscan,
    "ahocorasick": AhoCorasick,
    "plain": Plain,
}
