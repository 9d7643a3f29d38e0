"""The literals of one pass: what each of them may mean where it occurs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from reviewers.scan.confirm import Confirmer
from reviewers.scan.declared import Declared
from reviewers.scan.encodings import (
    BASE64,
    CODES,
    DUMPED,
    HEX,
    PACKED,
    REVERSED,
    ROT13,
    ROT47,
    SIMPLE,
    SPACED,
    SPACED_HEX,
    UNITS,
    WIDER_SPACED,
    Encoding,
    Mapped,
    Reversed,
)
from reviewers.scan.format import SHORTEST_LITERAL
from reviewers.scan.views import (
    ENTITIES,
    ESCAPES,
    HEX_ARRAY,
    PERCENT,
    QUOTED_PRINTABLE,
    Rewriting,
)

SHORTEST_KEYWORD = 8
# The beginning of a literal is telling enough in another form, and keeps the automaton small.
HEAD = 5
NESTED_HEAD = 5
ROOM = 256
FOR_FORMATS: tuple[Encoding, ...] = (*SIMPLE, *SPACED, SPACED_HEX, CODES)
FOR_SHORT: tuple[Encoding, ...] = (BASE64, HEX, REVERSED, ROT13, *SPACED)
FOR_KEYWORDS: tuple[Encoding, ...] = (BASE64,)
FOR_DECLARED: tuple[Encoding, ...] = (*SIMPLE, ROT47, *UNITS, *WIDER_SPACED, DUMPED)
Nested = tuple[tuple[Encoding, Encoding], ...]
NESTED: Nested = ((BASE64, BASE64), (REVERSED, BASE64))
DECLARED_NESTED: Nested = (*NESTED, (BASE64, HEX), (HEX, BASE64))
# What shows that a whole short text is worth reading in another way.
TRIGGERS: tuple[tuple[bytes, Rewriting], ...] = (
    *((b"\\" + kind, ESCAPES) for kind in (b"u00", b"u{", b"x", b"1")),
    *((b"%" + digit, PERCENT) for digit in (b"2", b"3", b"4", b"5", b"6", b"7")),
    (b"&#", ENTITIES),
    *((end, QUOTED_PRINTABLE) for end in (b"=\n", b"=\r\n", b"=3D", b"=5F", b"=2D")),
    *((between + b"0x", HEX_ARRAY) for between in (b", ", b",", b" ")),
)


@dataclass(frozen=True, slots=True)
class Raw:
    """A format's literal as it is."""

    confirmer: Confirmer


@dataclass(frozen=True, slots=True)
class Anchor:
    """A piece of a declared string as it is, and where in the string it stands."""

    declared: Declared
    value: bytes
    offset: int


@dataclass(frozen=True, slots=True)
class Encoded:
    """A form that something sought takes in an encoding.

    Attributes:
        encoding: Which.
        phase: As the encoding gave it with the form.
        reach: How far from the form on it is worth reading.
        raw: What is sought, where it stands right at the form; empty to look everywhere.
        size: Its length before encoding.
    """

    encoding: Encoding
    phase: int
    reach: int
    raw: "tuple[Raw | Anchor, ...]" = ()
    size: int = 0


@dataclass(slots=True)
class Entry:
    """All that one literal of the pass may mean."""

    literal: bytes
    ignores_case: bool
    raw: list[Raw | Anchor] = field(default_factory=list)
    encoded: list[Encoded] = field(default_factory=list)
    rewriting: Rewriting | None = None


def table(confirmers: Sequence[Confirmer], declared: Iterable[Declared]) -> list[Entry]:
    """Every literal to look for, each once."""
    entries: dict[tuple[bytes, bool], Entry] = {}

    def entry(literal: bytes, ignores_case: bool = False) -> Entry:
        key = (literal.lower() if ignores_case else literal, ignores_case)
        return entries.setdefault(key, Entry(*key))

    for literal, sought in _sought(confirmers, declared).items():
        for one in sought:
            entry(literal, _ignores_case(one)).raw.append(one)
        for form, encoded in _encoded(literal, tuple(sought)):
            entry(form, encoded.encoding.ignores_case).encoded.append(encoded)
    for encoding in (*PACKED, DUMPED):
        for form, phase in encoding.forms(b""):
            entry(form).encoded.append(Encoded(encoding, phase, 0))
    for literal, rewriting in TRIGGERS:
        entry(literal).rewriting = rewriting
    return list(entries.values())


def _sought(
    confirmers: Sequence[Confirmer], declared: Iterable[Declared]
) -> dict[bytes, list[Raw | Anchor]]:
    sought: dict[bytes, list[Raw | Anchor]] = {}
    for confirmer in confirmers:
        for literal in confirmer.format.literals:
            sought.setdefault(literal.encode(), []).append(Raw(confirmer))
    for one in declared:
        value = one.value.encode("utf-8", "surrogatepass")
        for piece, offset in one.anchors():
            sought.setdefault(piece, []).append(Anchor(one, value, offset))
    return sought


def _ignores_case(one: Raw | Anchor) -> bool:
    return isinstance(one, Raw) and one.confirmer.format.ignore_case


def _encoded(
    literal: bytes, sought: "tuple[Raw | Anchor, ...]"
) -> Iterator[tuple[bytes, Encoded]]:
    """The forms of a literal in the encodings that suit it."""
    reach = max(_reach(one) for one in sought) + len(literal)
    nested: Nested = NESTED
    if any(isinstance(one, Anchor) for one in sought):
        encodings, nested = FOR_DECLARED, DECLARED_NESTED
    elif any(isinstance(one, Raw) and one.confirmer.format.distinctive for one in sought):
        encodings = FOR_FORMATS
        if len(literal) <= SHORTEST_LITERAL:
            encodings, nested = FOR_SHORT, ()
    else:
        yield from _keyword_forms(literal, reach)
        return
    for encoding in encodings:
        at_form = sought if isinstance(encoding, (Mapped, Reversed)) else ()
        for form, phase in encoding.forms(literal[:HEAD]):
            yield form, Encoded(encoding, phase, reach, at_form, len(literal))
    for outer, inner in nested:
        for inner_form, _ in inner.forms(literal[:HEAD]):
            for form, phase in outer.forms(inner_form[:NESTED_HEAD]):
                yield form, Encoded(outer, phase, 2 * reach)


def _keyword_forms(literal: bytes, reach: int) -> Iterator[tuple[bytes, Encoded]]:
    if len(literal) < SHORTEST_KEYWORD:
        return
    for case in {literal, literal.lower(), literal.upper()}:
        for encoding in FOR_KEYWORDS:
            for form, phase in encoding.forms(case[:SHORTEST_KEYWORD]):
                yield form, Encoded(encoding, phase, reach)


def _reach(one: Raw | Anchor) -> int:
    if isinstance(one, Raw):
        return one.confirmer.format.window + one.confirmer.format.before
    return len(one.value) + ROOM
