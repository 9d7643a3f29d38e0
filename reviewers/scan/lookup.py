"""Literals looked for in a text: some everywhere, names only near long words."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from reviewers.scan.backends import Hit, made
from reviewers.scan.table import Entry, Table


class Lookup:
    """The literals of a table, ready in a backend."""

    def __init__(self, table: Table, declared: Sequence[Entry], backend: str) -> None:
        table.add(declared)
        self.entry = table.entry
        self.entries = table.entries
        self.near = made(table.literals[: table.near], backend)
        self.everywhere = made(table.literals[table.near :], backend, len(declared))
        self.first_everywhere = table.near

    def hits(self, data: bytes, near: Sequence[tuple[int, int]]) -> Iterator[tuple[int, list[Hit]]]:
        """Where literals occur, in batches; for each, the index of the first literal.

        Args:
            data: The text.
            near: Its parts around long words.
        """
        for hits in self.everywhere.hits(data):
            yield self.first_everywhere, hits
        if near:
            parts = Parts(data, near)
            for hits in self.near.hits(parts.data):
                yield 0, parts.placed(hits)


class Parts:
    """Parts of a text put together, so that all are read at once."""

    def __init__(self, data: bytes, parts: Sequence[tuple[int, int]]) -> None:
        self.data = b"\0".join([data[start:end] for start, end in parts])
        self.begins = []
        self.offsets = []
        begin = 0
        for start, end in parts:
            self.begins.append(begin)
            self.offsets.append(start - begin)
            begin += end - start + 1

    def placed(self, hits: list[Hit]) -> list[Hit]:
        """Hits by their places in the text; none goes over the end of a part."""
        begins, offsets = self.begins, self.offsets
        return [(index, end + offsets[bisect_left(begins, end) - 1]) for index, end in hits]
