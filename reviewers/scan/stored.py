"""Formats and tables as files, so that only the first of many processes has to work them out.

They are JSON: reading one runs no code of its. Each is named by a digest of all that it was made
from, and one that cannot be read is made anew.
"""

import hashlib
import json
import threading
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from reviewers.scan.backends import Literal
from reviewers.scan.cache import keep, kept
from reviewers.scan.confirm import Confirmer
from reviewers.scan.encodings import DUMPED
from reviewers.scan.format import Example, Format, load_formats
from reviewers.scan.grouped import PACKED, Encoding
from reviewers.scan.needs import Needs
from reviewers.scan.table import (
    FOR_FORMATS,
    TRIGGERS,
    Encoded,
    Entry,
    Table,
    made_table,
)

FEWEST_FORMATS = 100
ENCODINGS: tuple[Encoding, ...] = (*FOR_FORMATS, *PACKED, DUMPED)
REWRITINGS = tuple(rewriting for _, rewriting in TRIGGERS)
FIELDS = tuple(Format.__dataclass_fields__)


@cache
def own_formats() -> tuple[Format, ...]:
    """The formats that come with the package, read from their files once."""
    name = f"formats-{_package_digest()}.json"
    try:
        return tuple(_format(values) for values in json.loads(kept(name) or b""))
    except (ValueError, TypeError):
        formats = tuple(load_formats())
    keep(name, json.dumps([_values(one) for one in formats]).encode())
    return formats


def table_of(confirmers: Sequence[Confirmer]) -> Table:
    """The table of formats; of many of them, kept for the next time."""
    if len(confirmers) < FEWEST_FORMATS:
        return made_table(confirmers)
    name = f"table-{_digest(confirmers)}.json"
    try:
        return Stored(json.loads(kept(name) or b""), confirmers)
    except (ValueError, TypeError, LookupError):
        table = made_table(confirmers)
    keep(name, json.dumps(_packed(table, confirmers)).encode())
    return table


class Stored(Table):
    """A table from a file; what a literal means is put together when it first occurs."""

    def __init__(self, data: dict[str, Any], confirmers: Sequence[Confirmer]) -> None:
        self.literals = [
            Literal(text.encode("latin-1"), ignores_case, not_after)
            for text, ignores_case, not_after in data["literals"]
        ]
        self.near = data["near"]
        self.lock = threading.Lock()
        self.meanings = data["meanings"]
        self.confirmers = confirmers
        self.entries = [None] * len(self.literals)
        for confirmer, known in zip(confirmers, data["formats"], strict=True):
            confirmer.not_after, word, text = known
            confirmer.needs = Needs(word, text and text.encode())

    def entry(self, index: int) -> Entry:
        """What a literal means."""
        with self.lock:
            new: dict[int, Entry] = {}
            entry = self._made(index, new)
            for place, one in new.items():
                self.entries[place] = one
        return entry

    def _made(self, index: int, new: dict[int, Entry]) -> Entry:
        """An entry, and in `new` all that it is a form of; two may be forms of each other."""
        known = self.entries[index] or new.get(index)
        if known is not None:
            return known
        formats, encoded, rewriting = self.meanings[index]
        entry = new[index] = Entry(*self.literals[index][:2])
        entry.formats = [self.confirmers[one] for one in formats]
        entry.encoded = [
            Encoded(
                ENCODINGS[encoding],
                phase,
                reach,
                None if stands_for is None else self._made(stands_for, new),
                form.encode("latin-1"),
            )
            for encoding, phase, reach, stands_for, form in encoded
        ]
        entry.rewriting = None if rewriting is None else REWRITINGS[rewriting]
        entry.settle()
        return entry


def _packed(table: Table, confirmers: Sequence[Confirmer]) -> dict[str, Any]:
    """A table in terms of JSON; what it points to, as a place in a sequence."""
    entries = [table.entry(index) for index in range(len(table.literals))]
    places = {id(one): place for place, one in enumerate((*entries, *confirmers, *ENCODINGS))}
    first_confirmer, first_encoding = len(entries), len(entries) + len(confirmers)

    def meaning(entry: Entry) -> list[Any]:
        encoded = [
            (
                places[id(one.encoding)] - first_encoding,
                one.phase,
                one.reach,
                None if one.stands_for is None else places[id(one.stands_for)],
                one.form.decode("latin-1"),
            )
            for one in entry.encoded
        ]
        formats = [places[id(one)] - first_confirmer for one in entry.formats]
        rewriting = None if entry.rewriting is None else REWRITINGS.index(entry.rewriting)
        return [formats, encoded, rewriting]

    return {
        "literals": [(one.text.decode("latin-1"), *one[1:]) for one in table.literals],
        "near": table.near,
        "meanings": [meaning(entry) for entry in entries],
        "formats": [
            (
                one.not_after,
                one.needs.word,
                one.needs.text and one.needs.text.decode(),
            )
            for one in confirmers
        ],
    }


def _values(format: Format) -> list[Any]:
    values = {name: getattr(format, name) for name in FIELDS}
    for name in ("examples", "counterexamples"):
        values[name] = [(one.text, one.because) for one in values[name]]
    return list(values.values())


def _format(values: list[Any]) -> Format:
    named = dict(zip(FIELDS, values, strict=True))
    for name in ("literals", "checks"):
        named[name] = tuple(named[name])
    for name in ("examples", "counterexamples"):
        named[name] = tuple(Example(*one) for one in named[name])
    return Format(**named)


def _digest(confirmers: Sequence[Confirmer]) -> str:
    known = [(_package_digest(), *_values(one.format)) for one in confirmers]
    return hashlib.sha256(repr(known).encode()).hexdigest()[:32]


@cache
def _package_digest() -> str:
    """Of the formats' files and of the code that reads them and makes tables of them."""
    digest = hashlib.sha256()
    here = resources.files("reviewers.scan")
    for folder in (here, here / "formats"):
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            if file.name.endswith((".py", ".toml")):
                digest.update(file.read_bytes())
    return digest.hexdigest()[:32]
