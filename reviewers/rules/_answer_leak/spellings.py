"""Text as a reader sees it: without markup, escapes and characters that are not shown."""

from __future__ import annotations

import html
import re
from urllib.parse import unquote

_HINTS = ("\x1b", "&", "%", "\\u", "<")
"""One of these stands in every ASCII text that is spelled in another way."""

_UNSEEN = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]|[\u200b-\u200f\u2060\ufeff\u00ad]")
_TAG = re.compile(r"</?\w[^<>\n]{0,300}>")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


def spelled_out(text: str) -> str:
    """A text with its entities and escapes decoded, and without tags and invisible characters."""
    if text.isascii() and not any(hint in text for hint in _HINTS):
        return text
    if "\x1b" in text or not text.isascii():
        text = _UNSEEN.sub("", text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "&" in text:
        text = html.unescape(text)
    if "\\u" in text:
        text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    return unquote(text) if "%" in text else text
