"""What monitors remember while a run goes on: markers, spending, rendered messages."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

MAX_SAMPLES = 10_000
"""Samples remembered at once; the one that was asked about longest ago is forgotten first."""

MAX_RENDERED = 64_000_000
"""Characters of rendered messages kept, for all samples together."""


@dataclass
class Spent:
    """Tokens and dollars that one monitor has spent on one sample."""

    tokens: int = 0
    cost: float = 0.0


def new_marker() -> str:
    """Sixteen random hexadecimal digits."""
    return secrets.token_hex(8)


@dataclass
class Memory:
    """What is kept of one sample.

    Attributes:
        marker: Stands on every block boundary; nobody outside knows it.
        spent: Tokens and dollars by monitor.
    """

    marker: str = field(default_factory=new_marker)
    spent: dict[str, Spent] = field(default_factory=dict)


class Renderings:
    """Rendered messages, so that what has not changed is not rendered again.

    Args:
        limit: Characters kept; the rendering used longest ago makes room.
    """

    def __init__(self, limit: int = MAX_RENDERED) -> None:
        self._limit = limit
        self._kept: OrderedDict[Hashable, tuple[Any, str]] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def get(self, key: Hashable, source: Any) -> str | None:
        """The rendering kept under a key, if it was made of an equal source."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept[0] != source:
                return None
            self._kept.move_to_end(key)
            return kept[1]

    def keep(self, key: Hashable, source: Any, text: str) -> None:
        """Keep a rendering and what it was made of."""
        with self._lock:
            old = self._kept.pop(key, None)
            self._size += len(text) - (len(old[1]) if old else 0)
            self._kept[key] = (source, text)
            while self._size > self._limit and len(self._kept) > 1:
                self._size -= len(self._kept.popitem(last=False)[1][1])


renderings = Renderings()
_samples: OrderedDict[str, Memory] = OrderedDict()
_lock = Lock()


def memory_of(sample: str) -> Memory:
    """The memory of a sample; a fresh one where the sample is not known.

    Args:
        sample: The sample's uuid and epoch; empty if there is none.
    """
    if not sample:
        return Memory()
    with _lock:
        memory = _samples.pop(sample, None) or Memory()
        _samples[sample] = memory
        while len(_samples) > MAX_SAMPLES:
            _samples.popitem(last=False)
    return memory
