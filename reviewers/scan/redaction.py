"""Text with its secrets hidden."""

from collections.abc import Iterable

from reviewers.scan.match import Match

WIDTH = 160
REPEATED = 8


def redact(text: str, matches: Iterable[Match]) -> str:
    """A text with every secret replaced by what may be shown of it.

    Args:
        text: The text that was scanned.
        matches: All that were found in it.
    """
    return _redacted(text, matches, 0, len(text))


def excerpt(text: str, match: Match, matches: Iterable[Match] = (), width: int = WIDTH) -> str:
    """A short piece of a text around a secret, in one line, with all secrets in it hidden.

    Args:
        text: The text that was scanned.
        match: The secret to show the surroundings of.
        matches: All that were found in the text: neighbours are hidden as well.
        width: How many characters around the secret to show, before and after together.
    """
    first, last = match.hidden
    start, end = max(0, first - width // 2), min(len(text), last + width // 2)
    shown = _redacted(text, {match, *matches}, start, end)
    for one in (match, *matches):
        if len(one.secret) >= REPEATED:
            # It may stand there once more where nothing tells it, as within a longer word.
            shown = shown.replace(one.secret, one.shown)
    before, after = "…" if start else "", "…" if end < len(text) else ""
    return f"{before}{visible(shown)}{after}"


def visible(text: str) -> str:
    """A text in one line, with what does not print written as an escape."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def _redacted(text: str, matches: Iterable[Match], start: int, end: int) -> str:
    parts = []
    at = start
    for match in sorted(set(matches), key=lambda one: one.hidden):
        first, last = match.hidden
        if last <= at or first >= end:
            # One that ends inside a span already hidden has nothing left to show.
            continue
        parts.append(text[at : max(at, first)])
        parts.append(f"[{match.title}: {match.shown}]")
        at = max(at, last)
    parts.append(text[min(at, end) : end])
    return "".join(parts)
