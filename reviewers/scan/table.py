"""The literals of one pass: what each of them may mean where it occurs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from reviewers.scan.confirm import Confirmer, tells_enough
from reviewers.scan.declared import Declared
from reviewers.scan.encodings import (
    BASE64,
    CODES,
    COLON_HEX,
    DUMPED,
    HEX,
    PACKED,
    REVERSED,
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
FOR_FORMATS: tuple[Encoding, ...] = (*SIMPLE, *SPACED, SPACED_HEX, COLON_HEX, CODES)
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
    *((end, QUOTED_PRINTABLE) for end in (b"=\r\n", b"=3D", b"=5F", b"=2D")),
    *((between + b"0x", HEX_ARRAY) for between in (b", ", b",", b" ")),
)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A piece of a declared string, and where in the string it stands."""

    declared: Declared
    value: bytes
    offset: int


@dataclass(slots=True)
class Entry:
    """All that one literal of the pass may mean.

    Attributes:
        literal: The literal; in lower case if its case does not matter.
        ignores_case: Whether it does not.
        formats: The formats that may stand there.
        anchors: The declared strings that it is a piece of.
        encoded: What it is a form of.
        rewriting: How a short text that holds it is worth reading.
        begins_word: Whether it means nothing after a letter, digit or underscore.
        ends_word: Whether it means nothing before one.
        window: How many bytes after it are looked at, at most.
        searched: How many bytes around it are searched, by formats that may begin before it.
        size: Its length.
        stands: Whether it means something as it is.
        mends: Whether a torn word that begins with it is put together.
    """

    literal: bytes
    ignores_case: bool
    formats: list[Confirmer] = field(default_factory=list)
    anchors: list[Anchor] = field(default_factory=list)
    encoded: "list[Encoded]" = field(default_factory=list)
    rewriting: Rewriting | None = None
    begins_word: bool = False
    ends_word: bool = False
    window: int = 0
    searched: int = 0
    size: int = 0
    stands: bool = False
    mends: bool = False

    @property
    def title(self) -> str:
        """What may stand there, by the first name."""
        if self.anchors:
            return self.anchors[0].declared.title
        return self.formats[0].format.title

    @property
    def reach(self) -> int:
        """How far what may stand there goes, before or after it."""
        formats = [one.format.window + one.format.before for one in self.formats]
        return len(self.literal) + max(
            [*formats, *(len(one.value) + ROOM for one in self.anchors)], default=0
        )

    def settle(self) -> None:
        """Works out what must hold around it, once all that it may mean is known."""
        self.window = max((one.format.window for one in self.formats), default=0)
        self.searched = max(
            (one.format.window + one.format.before for one in self.formats if one.format.before),
            default=0,
        )
        self.size = len(self.literal)
        self.stands = bool(self.formats or self.anchors)
        self.mends = self.stands and tells_enough(self.literal.decode("latin-1"))
        kinds = {type(one.encoding) for one in self.encoded if one.stands_for}
        plain = not self.rewriting and all(one.stands_for for one in self.encoded)
        plain = plain and not self.anchors
        begins_word = all(one.begins_word for one in self.formats)
        self.begins_word = plain and begins_word and kinds <= {Mapped}
        self.ends_word = plain and not self.formats and kinds == {Reversed}


@dataclass(frozen=True, slots=True)
class Encoded:
    """A form that something sought takes in an encoding.

    Attributes:
        encoding: Which.
        phase: As the encoding gave it with the form.
        reach: How far from the form on it is worth reading.
        stands_for: What is sought right where the form stands; None to look everywhere.
        form: How the whole of that looks, of which the form is a part.
    """

    encoding: Encoding
    phase: int
    reach: int
    stands_for: Entry | None = None
    form: bytes = b""


class Table:
    """Every literal to look for, each once."""

    def __init__(self, confirmers: Iterable[Confirmer], declared: Iterable[Declared]) -> None:
        self._entries: dict[tuple[bytes, bool], Entry] = {}
        for confirmer in confirmers:
            for literal in confirmer.format.literals:
                ignores_case = confirmer.format.ignore_case
                self._entry(literal.encode(), ignores_case).formats.append(confirmer)
        for one in declared:
            value = one.value.encode("utf-8", "surrogatepass")
            for piece, offset in one.anchors():
                self._entry(piece).anchors.append(Anchor(one, value, offset))
        for entry in list(self._entries.values()):
            for form, encoded in _encoded(entry):
                self._entry(form, encoded.encoding.ignores_case).encoded.append(encoded)
        for encoding in (*PACKED, DUMPED):
            for form, phase in encoding.forms(b""):
                self._entry(form).encoded.append(Encoded(encoding, phase, 0))
        for sign, rewriting in TRIGGERS:
            self._entry(sign).rewriting = rewriting
        self.entries = list(self._entries.values())
        for entry in self.entries:
            entry.settle()

    def _entry(self, literal: bytes, ignores_case: bool = False) -> Entry:
        key = (literal.lower() if ignores_case else literal, ignores_case)
        if key not in self._entries:
            self._entries[key] = Entry(*key)
        return self._entries[key]


def _encoded(entry: Entry) -> Iterator[tuple[bytes, Encoded]]:
    """The forms of a literal in the encodings that suit it."""
    literal, reach = entry.literal, entry.reach
    encodings, nested = FOR_FORMATS, NESTED
    if entry.anchors:
        encodings, nested = FOR_DECLARED, DECLARED_NESTED
    elif not any(one.format.distinctive for one in entry.formats):
        yield from _keyword_forms(literal, reach)
        return
    elif not tells_enough(literal.decode()):
        return
    for encoding in encodings:
        stands_for = entry if isinstance(encoding, Mapped | Reversed) else None
        whole = next(encoding.forms(literal))[0] if stands_for else b""
        for form, phase in encoding.forms(literal[:HEAD]):
            yield form, Encoded(encoding, phase, reach, stands_for, whole)
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
