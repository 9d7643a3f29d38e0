"""Hides secrets in whatever reviewers say: credentials, and the host's own provider keys."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from reviewers.outcome import Outcome
from reviewers.scan.checks import entropy

if TYPE_CHECKING:
    from reviewers.scan import Declared, Scanner

OWN_KEY_ENDINGS = (
    "_API_KEY",
    "_API_TOKEN",
    "_ACCESS_TOKEN",
    "_AUTH_TOKEN",
    "_SECRET_ACCESS_KEY",
    "_SESSION_TOKEN",
    "_API_SECRET",
)
OWN_KEY_NAMES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN")
"""Variables in which Inspect's providers and their kin look for a key."""

OWN_KEY_LENGTH = 16
OWN_KEY_ENTROPY = 2.5
"""Least length, and bits per character, of an own key: `EMPTY`, `test` and `xxxx…` are none."""

MEDIUM = 0.6
"""Confidence from which something counts as a credential."""


def own_keys_in(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The provider keys of an environment as `(name, value)`; too short or too plain ones not."""
    # Asked at every review, as the environment may change: values only of the few such names.
    pairs = ((name, environment[name]) for name in _own_key_names(tuple(environment)))
    return tuple((name, value) for name, value in pairs if _may_be_key(value))


@lru_cache(maxsize=4)
def _own_key_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Which names are of provider keys, in order."""
    return tuple(
        sorted(name for name in names if name.endswith(OWN_KEY_ENDINGS) or name in OWN_KEY_NAMES)
    )


@lru_cache
def _may_be_key(value: str) -> bool:
    return len(value) >= OWN_KEY_LENGTH and entropy(value) >= OWN_KEY_ENTROPY


def declared_keys(own_keys: tuple[tuple[str, str], ...]) -> list[Declared]:
    """Own keys as a scanner takes them."""
    from reviewers.scan import Declared

    return [Declared("own-key", f"the value of {name}", value) for name, value in own_keys]


@cache
def scanner(least: float, own_keys: tuple[tuple[str, str], ...]) -> Scanner:
    """The scanner for all formats from a confidence on, and some own keys; made once."""
    from reviewers.scan import Scanner

    return Scanner(declared=declared_keys(own_keys), least=least)


@cache
def make_ready() -> None:
    """Build what hides secrets: work that is done once, and not on the event loop."""
    _everything().prepare()


def is_ready() -> bool:
    """Whether it is built."""
    return make_ready.cache_info().currsize > 0


def without_secrets(text: str) -> str:
    """The text with every credential and every own key in it hidden."""
    return _without(text, _everything())


def hidden(outcome: Outcome) -> Outcome:
    """The outcome with every secret hidden in its sentence and its findings.

    What a detector points at is text that an agent or a tool chose; whatever it says of it goes
    into the log and to terminals: an excerpt is one line, with what does not print written out.
    """
    from reviewers.scan.redaction import visible

    make_ready()
    secrets = _everything()
    findings = tuple(
        replace(
            finding,
            what=_without(finding.what, secrets),
            excerpt=visible(_without(finding.excerpt, secrets)),
        )
        for finding in outcome.findings
    )
    explanation = _without(outcome.explanation, secrets)
    return replace(outcome, explanation=explanation, findings=findings)


def said_length(outcome: Outcome) -> int:
    """Characters in which secrets are to be hidden."""
    return len(outcome.explanation) + sum(
        len(finding.what) + len(finding.excerpt) for finding in outcome.findings
    )


def _everything() -> Scanner:
    return scanner(MEDIUM, own_keys_in(os.environ))


def _without(text: str, secrets: Scanner) -> str:
    from reviewers.scan import redact

    return redact(text, secrets.scan(text).matches) if text else text
