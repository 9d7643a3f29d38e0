"""The text in what tools take and return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def output_text(output: Any) -> str:
    """The text of any tool result: parts joined by newlines, what is no text left out."""
    if isinstance(output, str):
        return output
    if isinstance(output, list):
        return "\n".join(text for part in output if (text := _part_text(part)) is not None)
    text = _part_text(output)
    return text if text is not None else ""


def _part_text(part: Any) -> str | None:
    kind = getattr(part, "type", None)
    if kind is None:
        return str(part)
    if kind == "text":
        return str(part.text)
    if kind == "reasoning":
        return str(part.reasoning)
    return None


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a value of plain JSON, those inside lists and objects too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_in(item)
