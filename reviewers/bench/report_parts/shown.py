"""What a page may show of texts that others wrote: secrets hidden, nothing invisible, cut."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

from reviewers.scan import Scanner, redact

MOST_READ = 20_000
MOST_SHOWN = 1_200

SECRET_PARAMETERS = re.compile(r"canar|secret|password|token|api_?key|credential", re.IGNORECASE)
REFERENCES = ("env:", "file:", "sha256:")
LONG_WORD = re.compile(r"(?=[\w+/=.~-]*\d)(?=[\w+/=.~-]*[A-Za-z])[\w+/=.~-]{12,}")


@lru_cache(maxsize=4096)
def shown(text: str) -> str:
    """A text as a page may show it, before it is escaped for HTML.

    Secrets are hidden, also weakly attested ones; what does not print (controls, marks that turn
    the direction of writing, lone surrogates) is written as an escape; what is long is cut.
    """
    read = text[:MOST_READ]
    result = _scanner().scan(read)
    if result.incomplete:
        return "[not shown: it could not be searched for secrets]"
    safe = redact(read, result.matches)
    cut = safe[:MOST_SHOWN]
    more = len(safe) - len(cut) + len(text) - len(read)
    return _visible(cut) + (f" … ({more:,} more characters)" if more else "")


@cache
def _scanner() -> Scanner:
    return Scanner(least=0)


def _visible(text: str) -> str:
    return "".join(
        character
        if character.isprintable() or character == "\n"
        else character.encode("unicode_escape").decode()
        for character in text
    )


def without_long_words(text: str) -> str:
    """A text of which every long word of letters and digits shows its beginning only.

    For calls whose secret a detector has missed: redaction may well miss it too.
    """
    return LONG_WORD.sub(lambda match: f"{match[0][:4]}…", text)


def without_secrets(parameters: Mapping[str, Any], secret: Iterable[str] = ()) -> dict[str, Any]:
    """Parameters with the values of those that hold secrets counted, references kept.

    Args:
        parameters: A reviewer's parameters.
        secret: Names of parameters known to hold secrets.
    """
    known = set(secret)
    return {
        name: _hidden(value) if name in known or SECRET_PARAMETERS.search(name) else value
        for name, value in parameters.items()
    }


def _hidden(value: Any) -> Any:
    if isinstance(value, str):
        return value if not value or value.startswith(REFERENCES) else "(not shown)"
    if isinstance(value, list | tuple):
        return [_hidden(one) for one in value]
    if isinstance(value, dict):
        return {name: _hidden(one) for name, one in value.items()}
    return value
