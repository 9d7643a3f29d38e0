"""Renders messages, calls and results as blocks whose boundaries nobody else can write.

Every boundary is a line `[[MARKER …]]` with a random marker that is fixed for a sample, so that
the beginning of the request stays the same from call to call and providers can cache it. Where
the marker occurs in anything shown, `MarkerShown` is raised and the caller draws another one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reviewers.evidence import Earlier
from reviewers.monitors.escape import one_line, visible
from reviewers.monitors.memory import renderings
from reviewers.monitors.prompt import Sees

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import ToolCall, ToolInfo

BYTES_PER_TOKEN = 3
"""A cautious estimate for English and code; real tokenizers get four out of most text."""

Section = tuple[str, str]
"""A heading and the text under it."""


class MarkerShown(Exception):
    """The marker occurs in what is to be shown."""


def tokens_in(text: str) -> int:
    """A cautious estimate of a text's tokens."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN)


def block(marker: str, heading: str, sections: Iterable[Section]) -> str:
    """One block: a heading, named sections, an end, each on a line with the marker.

    Args:
        marker: The sample's marker.
        heading: Our own words; what comes from outside in it went through `one_line`.
        sections: Names and raw texts; the texts are made harmless here.

    Raises:
        MarkerShown: The marker occurs in the heading or in a text.
    """
    lines = []
    for name, text in sections:
        lines.append((f"{heading} | {name}" if name else heading, visible(text)))
    if not lines:
        lines.append((heading, ""))
    if any(marker in part.lower() for line in lines for part in line):
        raise MarkerShown
    body = "\n".join(f"[[{marker} {head}]]\n{text}" for head, text in lines)
    return f"{body}\n[[{marker} end]]"


def shortened(name: str, text: str, tokens: int) -> Iterator[Section]:
    """A text as one section, or its beginning and its end as two that say what is left out."""
    if tokens_in(text) <= tokens:
        yield name, text
        return
    half = max(1, tokens * BYTES_PER_TOKEN // 2)
    # Other scripts take several bytes per character.
    while half > 1 and tokens_in(text[:half]) + tokens_in(text[-half:]) > tokens:
        half //= 2
    lead = f"{name}, " if name else ""
    yield f"{lead}its beginning", text[:half]
    yield f"{lead}its end, after {len(text) - 2 * half:,} characters left out", text[-half:]


def call_sections(call: ToolCall, tokens: int) -> Iterator[Section]:
    """A call's arguments, each in a section of its own, so that code reads as code."""
    name = one_line(call.function)
    if not call.arguments:
        yield f"call {one_line(call.id)} of {name}, without arguments", ""
    for key, value in call.arguments.items():
        heading = f"call {one_line(call.id)} of {name}, argument {one_line(key)}"
        yield from shortened(heading, _as_text(value), tokens)
    if call.parse_error:
        yield f"call {one_line(call.id)} of {name}, could not be parsed", call.parse_error[:1000]


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


@dataclass(frozen=True)
class View:
    """What of a conversation is shown, and how.

    Attributes:
        sees: Everything, no reasoning, or only calls and results.
        people: What persons decided, by id of the result's message.
        message_tokens: Estimated tokens shown of one message at most.
    """

    sees: Sees = "all"
    people: Mapping[str, Earlier] | None = None
    message_tokens: int = 8_000


def message_block(marker: str, number: int, message: ChatMessage, view: View) -> str:
    """A message of the conversation as a block; rendered once for as long as it stays the same."""
    said = (view.people or {}).get(message.id or "")
    also: Any = None
    if message.role == "assistant":
        also = message.tool_calls
    elif message.role == "tool":
        also = message.error
    source = (message.content, also, said and said.decision)
    key = (marker, number, message.id, view.sees, view.message_tokens)
    kept = renderings.get(key, source)
    if kept is None:
        heading = f"{number} {_heading(message, said)}"
        kept = block(marker, heading, _sections(message, view))
        renderings.keep(key, source, kept)
    return kept


def _heading(message: ChatMessage, said: Earlier | None) -> str:
    heading = f"{message.role} message"
    if message.role == "tool":
        call = one_line(message.tool_call_id or "?")
        heading = f"tool result | call {call} of {one_line(message.function or '?')}"
    metadata = message.metadata or {}
    if "summary" in metadata:
        heading += " | a summary that replaced earlier messages"
    if metadata.get("withheld"):
        heading += " | withheld from the agent"
    if said is not None:
        heading += f" | a person looked at this result and decided: {one_line(said.decision)}"
    return heading


def _sections(message: ChatMessage, view: View) -> Iterator[Section]:
    if message.role != "assistant":
        if message.role == "tool" and message.error is not None:
            error = f"error ({one_line(message.error.type)})"
            yield from shortened(error, message.error.message, view.message_tokens)
        yield from _content(message.content, view, "")
        return
    if view.sees == "actions":
        yield "its words are not shown to you", ""
    else:
        yield from _content(message.content, view, "")
    for call in message.tool_calls or ():
        yield from call_sections(call, view.message_tokens)


def _content(content: Any, view: View, name: str) -> Iterator[Section]:
    if isinstance(content, str):
        yield from shortened(name, content, view.message_tokens)
        return
    for part in content:
        if part.type == "text":
            yield from shortened(name, part.text, view.message_tokens)
        elif part.type == "reasoning":
            if view.sees != "all":
                yield "reasoning, not shown to you", ""
            elif part.redacted:
                withheld = "reasoning, withheld by its provider but for a summary"
                yield from shortened(withheld, part.summary or "", view.message_tokens)
            else:
                yield from shortened("reasoning", part.reasoning, view.message_tokens)
        else:
            yield f"{one_line(part.type)}, cannot be shown to you", ""


def tool_block(marker: str, tool: ToolInfo | None, name: str) -> str:
    """The called tool's definition as the agent's model saw it."""
    if tool is None:
        return block(marker, f"tool {one_line(name)} | its definition is not known", ())
    parameters = tool.parameters.model_dump_json(exclude_none=True)
    return block(
        marker,
        f"tool {one_line(name)}",
        [("description", tool.description[:8_000]), ("parameters", parameters[:8_000])],
    )


@dataclass(frozen=True)
class Shown:
    """Which messages of a conversation are shown.

    Attributes:
        head: How many from the beginning: the task.
        start: Where the shown end begins.
        total: How many there are.
    """

    head: int
    start: int
    total: int

    @property
    def left_out(self) -> int:
        """How many are left out between the two."""
        return self.start - self.head


def chosen(
    messages: Sequence[ChatMessage], tokens: int, turns: int | None, message_tokens: int
) -> Shown:
    """Choose the beginning (up to the first answer) and as much of the end as there is room for.

    Looks no further back than it shows, whatever the run's length. The end begins at a round
    number, so that it stays where it is for several calls and the request's beginning with it.

    Args:
        messages: The conversation.
        tokens: Estimated tokens that the end may take.
        turns: The agent's turns to show at most; None for no such limit.
        message_tokens: Estimated tokens that are shown of one message at most.
    """
    total = len(messages)
    head = next((i for i, m in enumerate(messages[:16]) if m.role in ("assistant", "tool")), None)
    if head is None:
        head = min(total, 16)
    start, used, seen = total, 0, 0
    while start > head:
        message = messages[start - 1]
        used += min(_tokens_of(message), message_tokens)
        seen += message.role == "assistant"
        if used > tokens or (turns is not None and seen > turns):
            break
        start -= 1
    if start == head:
        return Shown(head, head, total)
    step = 1 << max(0, ((total - start) // 2).bit_length() - 1)
    rounded = -(-start // step) * step
    return Shown(head, min(rounded, total), total)


def _tokens_of(message: ChatMessage) -> int:
    content = message.content
    size = len(content) if isinstance(content, str) else sum(_size(part) for part in content)
    if message.role == "assistant":
        for call in message.tool_calls or ():
            size += sum(
                len(value) if isinstance(value, str) else 40 for value in call.arguments.values()
            )
    return size // BYTES_PER_TOKEN + 20


def _size(part: Any) -> int:
    return len(getattr(part, "text", "") or getattr(part, "reasoning", "") or "")


def conversation(
    marker: str, messages: Sequence[ChatMessage], shown: Shown, view: View
) -> list[str]:
    """The chosen messages as blocks, with a note where some are left out."""
    blocks = [message_block(marker, i + 1, messages[i], view) for i in range(shown.head)]
    if shown.left_out:
        blocks.append(block(marker, f"{shown.left_out} messages are left out here", ()))
    blocks += [
        message_block(marker, i + 1, messages[i], view) for i in range(shown.start, shown.total)
    ]
    return blocks
