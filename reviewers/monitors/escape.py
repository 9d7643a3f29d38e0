"""Makes text harmless to show: no invisible characters, no chat-template tokens.

What is shown to a monitor was chosen by an agent or a tool. The block boundaries around it carry a
random marker (see `blocks`); this module takes care of what could pass for something else inside.
"""

from __future__ import annotations

import json
import re
from typing import Any

HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, ESC among them; tab and newline stay
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # invisible letters and fillers
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb"
    "\ud800-\udfff"  # lone surrogates cannot be sent at all
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U00013430-\U0001343f"
    "\U000e0000-\U000e0fff"  # tags and variation selectors, which can carry hidden text
)
"""A character class of what a reader cannot see or what changes the order of what it sees."""

TEMPLATE_TOKENS = (
    r"[<\[|｜](?:"
    r"(?<=<)(?:[|｜]|/?s>|(?:bos|eos|pad|unk)>|(?:start|end)_of_turn>|</?SYS>>)"
    r"|(?<=[|｜])>"
    r"|(?<=\[)/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
)
"""Spellings that local servers may read as a turn's begin or end wherever they stand."""

# Each begins with a set of characters, which `re` looks for ten times as fast as for alternatives.
HIDDEN_CHARACTER = re.compile(f"[{HIDDEN}]")
TEMPLATE_TOKEN = re.compile(TEMPLATE_TOKENS)
TOKEN_BREAK = "\\"


def visible(text: str) -> str:
    r"""The text with hidden characters written out (`\u202e`), template tokens broken (`<\|`)."""
    return TEMPLATE_TOKEN.sub(_broken, HIDDEN_CHARACTER.sub(_written_out, text))


def _broken(match: re.Match[str]) -> str:
    return match[0][0] + TOKEN_BREAK + match[0][1:]


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(value: Any, limit: int = 120) -> str:
    """A short value for a block's own heading: visible, on one line, bounded."""
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    shown = visible(text[: limit + 1]).replace("\n", "\\n").replace("\t", "\\t")
    return shown if len(text) <= limit else shown[:limit] + "…"


def plain(text: str) -> str:
    """A form in which a quote compares equal to what it quotes: shown or raw, wrapped or not."""
    return " ".join(visible(text).replace(TOKEN_BREAK, "").split()).casefold()
