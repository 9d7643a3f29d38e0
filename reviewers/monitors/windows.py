"""Cuts a long output into windows that a model can read, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviewers.monitors.blocks import BYTES_PER_TOKEN, tokens_in
from reviewers.monitors.escape import visible


@dataclass(frozen=True, order=True)
class Window:
    """A stretch of the output, in characters."""

    start: int
    end: int

    def __str__(self) -> str:
        return f"characters {self.start:,}–{self.end:,}"


@dataclass(frozen=True)
class Plan:
    """What of an output is shown.

    Attributes:
        windows: The stretches in order; one empty one for an empty output.
        size: The output's length.
        complete: Whether the windows cover all of it.
    """

    windows: tuple[Window, ...]
    size: int
    complete: bool


def plan(
    text: str, window_tokens: int, max_windows: int, overlap_tokens: int, places: Iterable[int] = ()
) -> Plan:
    """Choose the windows: all of the text where the budget allows.

    Otherwise the beginning, the end and the places that earlier rules pointed at, in turn, and
    then what lies evenly between, each window of the same estimated size.

    Args:
        text: The whole output.
        window_tokens: Estimated tokens of one window at most.
        max_windows: Windows at most.
        overlap_tokens: Estimated tokens that two neighbours share.
        places: Characters that earlier findings begin at.
    """
    windows = _covering(text, window_tokens, max_windows, overlap_tokens)
    if windows is not None:
        return Plan(tuple(windows), len(text), complete=True)
    chosen: list[Window] = []
    for place in _interesting(text, max_windows, places):
        if len(chosen) == max_windows:
            break
        if not any(window.start <= place < window.end for window in chosen):
            chosen.append(_around(text, place, window_tokens))
    return Plan(tuple(sorted(chosen)), len(text), complete=False)


def _covering(
    text: str, window_tokens: int, max_windows: int, overlap_tokens: int
) -> list[Window] | None:
    """Windows over all of the text; None if there would be too many."""
    if len(text) > window_tokens * BYTES_PER_TOKEN * max_windows:
        return None
    overlap = overlap_tokens * BYTES_PER_TOKEN
    windows: list[Window] = []
    start = 0
    while True:
        if len(windows) == max_windows:
            return None
        end = _reach(text, start, window_tokens)
        windows.append(Window(start, end))
        if end >= len(text):
            return windows
        start = max(start + 1, end - min(overlap, (end - start) // 4))


def _reach(text: str, start: int, tokens: int) -> int:
    """Where a window that begins at `start` ends, so that what is shown fits the tokens."""
    end = min(len(text), start + tokens * BYTES_PER_TOKEN)
    # Hidden characters are written out and other scripts take more bytes: both make it longer.
    while end - start > 1 and tokens_in(visible(text[start:end])) > tokens:
        end = start + (end - start) // 2
    return end


def _around(text: str, place: int, tokens: int) -> Window:
    half = tokens * BYTES_PER_TOKEN // 2
    start = max(0, min(place - half, len(text) - 2 * half))
    end = _reach(text, start, tokens)
    if end <= place:  # what comes before the place is long once written out
        start = place
        end = _reach(text, start, tokens)
    return Window(start, end)


def _interesting(text: str, max_windows: int, places: Iterable[int]) -> Sequence[int]:
    inside = [place for place in dict.fromkeys(places) if 0 <= place < len(text)]
    between = [len(text) * step // max_windows for step in range(1, max_windows)]
    return [0, len(text) - 1, *inside, *between]
