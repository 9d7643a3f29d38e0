"""The literals of one pass: what each of them may mean where it occurs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, groupby
from typing import NamedTuple

from reviewers.scan.backends import Literal
from reviewers.scan.confirm import Confirmer, Search, one_of, tells_enough
from reviewers.scan.declared import Declared
from reviewers.scan.encodings import (
    CODES,
    COLON_HEX,
    DUMPED,
    REVERSED,
    ROT13,
    ROT47,
    SIMPLE,
    SPACED,
    SPACED_HEX,
    UNITS,
    WIDER_SPACED,
    Mapped,
    Reversed,
    Spaced,
    Units,
)
from reviewers.scan.grouped import BASE64, HEX, PACKED, Encoding
from reviewers.scan.needs import NOT_AFTER
from reviewers.scan.views import (
    ENTITIES,
    ESCAPES,
    HEX_ARRAY,
    INTERRUPTED,
    PERCENT,
    QUOTED_PRINTABLE,
    Rewriting,
)

# The beginning of a literal is telling enough in another form, and keeps the automaton small.
HEAD = 5
# Less of it is, where each character is written apart from the next.
HEAD_APART = 3
NESTED_HEAD = 5
ROOM = 256
# As many bytes as are looked at for the price of one place.
WIDE_WINDOW = 512
# Text in base64, base32 and hex is found by `long_words.py`, but for declared strings, which may
# be short or no ASCII.
FOR_FORMATS: tuple[Encoding, ...] = (
    REVERSED,
    ROT13,
    *SPACED,
    SPACED_HEX,
    COLON_HEX,
    CODES,
)
FOR_DECLARED: tuple[Encoding, ...] = (*SIMPLE, ROT47, *UNITS, *WIDER_SPACED, DUMPED)
NESTED: tuple[tuple[Encoding, Encoding], ...] = (
    (BASE64, BASE64),
    (REVERSED, BASE64),
    (BASE64, HEX),
    (HEX, BASE64),
)
NAME_PARTS = re.compile(r"(?<=[_\-. ])|(?<=\w)(?=(?:key|word|phrase|name)\b)")
# Of no width, or for the direction of text; the last is a byte order mark.
UNSEEN = "\xad\u034f\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
UNSEEN += "\u2060\u2061\u2062\u2063\u2064\ufeff"
# What shows that a text is worth reading in another way, there or, if it is short, as a whole.
TRIGGERS: tuple[tuple[bytes, Rewriting], ...] = (
    *((b"\\" + kind, ESCAPES) for kind in (b"u00", b"u{", b"x", b"1")),
    *((b"%" + digit, PERCENT) for digit in (b"2", b"3", b"4", b"5", b"6", b"7")),
    (b"&#", ENTITIES),
    *((end, QUOTED_PRINTABLE) for end in (b"=\r\n", b"=3D", b"=5F", b"=2D")),
    *((between + b"0x", HEX_ARRAY) for between in (b", ", b",", b" ")),
    *((character.encode(), INTERRUPTED) for character in UNSEEN),
    (b"\xf3\xa0", INTERRUPTED),
)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A piece of a declared string, and where in the string it stands."""

    declared: Declared
    value: bytes
    offset: int


class Look:
    """One format at a place of a literal, and what says quickly that it is not there.

    Args:
        confirmer: Judges the format.
        mends: Whether a torn word is put together for it.

    Attributes:
        quick: Matches wherever the format may; None if nothing surely does.
    """

    __slots__ = ("confirmer", "mends", "quick")

    def __init__(self, confirmer: Confirmer, mends: bool) -> None:
        self.confirmer = confirmer
        self.mends = mends
        self.quick = None if confirmer.quick is None else confirmer.quick.match


class Looks(NamedTuple):
    """Formats at a place of a literal that need equally many bytes after it.

    Attributes:
        window: How many.
        any: Matches wherever one of several may; None for one alone, or if nothing surely does.
        each: The formats.
    """

    window: int
    any: Search | None
    each: list[Look]


@dataclass
class Entry:
    """All that one literal of the pass may mean.

    Attributes:
        literal: The literal; in lower case if its case does not matter.
        ignores_case: Whether it does not.
        formats: The formats that may stand there.
        anchors: The declared strings that it is a piece of.
        encoded: What it is a form of.
        rewriting: How a short text that holds it is worth reading.
        not_after: Directly after what it means nothing, as a place in `NOT_AFTER`.
        excluded: The same as bytes.
        ends_word: Whether it means nothing before one.
        window: How many bytes after it are looked at, at most.
        searched: How many bytes around it are searched, by formats that may begin before it.
        size: Its length.
        stands: Whether it means something as it is.
        is_sign: Whether it is nothing but a sign of a way to read the text.
        mends: Whether a torn word that begins with it is put together.
        needed_texts: Further texts, one of which must stand in the window; none if it may mean
            something without.
        cost: What a look at a place of it costs, counted in places.
    """

    literal: bytes
    ignores_case: bool
    formats: list[Confirmer] = field(default_factory=list)
    anchors: list[Anchor] = field(default_factory=list)
    encoded: "list[Encoded]" = field(default_factory=list)
    rewriting: Rewriting | None = None
    not_after: int = 0
    excluded: frozenset[int] = NOT_AFTER[0]
    ends_word: bool = False
    window: int = 0
    searched: int = 0
    size: int = 0
    stands: bool = False
    is_sign: bool = False
    mends: bool = False
    needed_texts: frozenset[bytes] = frozenset()
    cost: int = 1

    def has_needed(self, data: bytes, at: int) -> bool:
        """Whether one of the needed texts stands after a place of it."""
        end = at + self.size + self.window
        for text in self.needed_texts:  # noqa: SIM110 a generator takes several times as long
            if data.find(text, at, end) >= 0:
                return True
        return False

    @cached_property
    def looks(self) -> list[Looks]:
        """What to look for at a place of it, made when it first occurs."""
        return [
            self._looks(window, list(formats))
            for window, formats in groupby(self.formats, key=lambda one: one.format.window)
        ]

    def _looks(self, window: int, formats: list[Confirmer]) -> Looks:
        may_be = None if self.mends or len(formats) == 1 else one_of(one.quick for one in formats)
        return Looks(window, may_be, [Look(one, self.mends and one.distinctive) for one in formats])

    @property
    def sought(self) -> Literal:
        """What a backend has to know of it."""
        return Literal(self.literal, self.ignores_case, self.not_after)

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
        self.cost = 1 + (self.searched or self.window) // WIDE_WINDOW
        self.needed_texts = self._needed_texts()
        kinds = {type(one.encoding) for one in self.encoded if one.stands_for}
        self.is_sign = not self.stands and not self.encoded
        plain = not self.rewriting and all(one.stands_for for one in self.encoded)
        plain = plain and not self.anchors
        if plain and kinds <= {Mapped}:
            meant = [one.stands_for for one in self.encoded if one.stands_for]
            formats = chain(self.formats, *(one.formats for one in meant))
            self.not_after = min((one.not_after for one in formats), default=0)
            self.excluded = NOT_AFTER[self.not_after]
        self.ends_word = plain and not self.formats and kinds == {Reversed}

    def _needed_texts(self) -> frozenset[bytes]:
        if self.mends or self.anchors or self.encoded or self.rewriting:
            return frozenset()
        texts = [one.needed_text for one in self.formats]
        return frozenset(text for text in texts if text) if all(texts) else frozenset()


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
    """Every literal to look for, and what it means.

    Args:
        near: Those that mean something only near a long word.
        everywhere: Those that always do.

    Attributes:
        literals: Both, in that order, as backends look for them.
        entries: What each means, as far as it is worked out.
        near: How many there are of the first kind.
    """

    def __init__(self, near: Sequence[Entry], everywhere: Sequence[Entry]) -> None:
        entries = [*near, *everywhere]
        self.literals = [one.sought for one in entries]
        self.entries: list[Entry | None] = list(entries)
        self.near = len(near)

    def entry(self, index: int) -> Entry:
        """What a literal means."""
        known = self.entries[index]
        assert known is not None
        return known

    def add(self, entries: Sequence[Entry]) -> None:
        """Further literals, to look for everywhere; one that is there already has both meanings."""
        self.literals += [one.sought for one in entries]
        self.entries += entries


def made_table(confirmers: Iterable[Confirmer]) -> Table:
    """The literals of formats, each once, their forms, and signs of text in another form."""
    near, everywhere = _Entries(), _Entries()
    for confirmer in confirmers:
        for literal in confirmer.format.literals:
            mends = confirmer.distinctive and tells_enough(literal)
            if confirmer.needs_word and not mends:
                near.at(literal.encode(), confirmer.format.ignore_case).formats.append(confirmer)
                continue
            for name in in_cases(literal) if confirmer.format.ignore_case else (literal,):
                everywhere.at(name.encode()).formats.append(confirmer)
    for entry in list(everywhere.known.values()):
        for form, encoded in _encoded(entry):
            is_word = encoded.stands_for and all(one.needs_word for one in entry.formats)
            (near if is_word else everywhere).add_form(form, encoded)
    for encoding in (*PACKED, DUMPED):
        for form, phase in encoding.forms(b""):
            everywhere.add_form(form, Encoded(encoding, phase, 0))
    for sign, rewriting in TRIGGERS:
        everywhere.at(sign).rewriting = rewriting
    return Table(near.settled(), everywhere.settled())


def in_cases(name: str) -> set[str]:
    """How programs write a name: as given, api_key, API_KEY, Api_key, Api_Key, apiKey, ApiKey.

    One automaton that minds case looks for all of them in half the time that a second one takes,
    over the text in small letters.
    """
    first, *others = NAME_PARTS.split(name.lower())
    titled = "".join(part.capitalize() for part in others)
    return {
        name,
        name.lower(),
        name.upper(),
        name.capitalize(),
        first.lower() + titled,
        first.capitalize() + titled,
    }


def entries_of_declared(declared: Iterable[Declared]) -> list[Entry]:
    """The pieces of declared strings, each once, and their forms."""
    entries = _Entries()
    for one in declared:
        value = one.value.encode("utf-8", "surrogatepass")
        for piece, offset in one.anchors():
            entries.at(piece).anchors.append(Anchor(one, value, offset))
    for entry in list(entries.known.values()):
        for form, encoded in _encoded(entry):
            entries.add_form(form, encoded)
    return entries.settled()


class _Entries:
    """Entries by their literals, while their meanings are gathered."""

    def __init__(self) -> None:
        self.known: dict[tuple[bytes, bool], Entry] = {}

    def at(self, literal: bytes, ignores_case: bool = False) -> Entry:
        key = (literal.lower() if ignores_case else literal, ignores_case)
        if key not in self.known:
            self.known[key] = Entry(*key)
        return self.known[key]

    def add_form(self, form: bytes, encoded: "Encoded") -> None:
        for written in {form.lower(), form.upper()} if encoded.encoding.ignores_case else {form}:
            self.at(written).encoded.append(encoded)

    def settled(self) -> list[Entry]:
        for entry in self.known.values():
            entry.settle()
        return list(self.known.values())


def _encoded(entry: Entry) -> Iterator[tuple[bytes, Encoded]]:
    """The forms of a literal in the encodings that suit it."""
    literal, reach = entry.literal, entry.reach
    if entry.anchors:
        encodings = FOR_DECLARED
    elif any(one.format.distinctive for one in entry.formats) and tells_enough(literal.decode()):
        encodings = FOR_FORMATS
    else:
        return
    for encoding in encodings:
        stands_for = entry if isinstance(encoding, Mapped | Reversed) else None
        whole = next(encoding.forms(literal))[0] if stands_for else b""
        is_apart = not entry.anchors and isinstance(encoding, Units | Spaced)
        for form, phase in encoding.forms(literal[: HEAD_APART if is_apart else HEAD]):
            yield form, Encoded(encoding, phase, reach, stands_for, whole)
    for outer, inner in NESTED if entry.anchors else ():
        for inner_form, _ in inner.forms(literal[:HEAD]):
            for form, phase in outer.forms(inner_form[:NESTED_HEAD]):
                yield form, Encoded(outer, phase, 2 * reach)
