"""References to secrets in parameters, so that no secret need stand in a policy or a log."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from reviewers.outcome import ReviewersError

SHA256 = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True)
class Secrets:
    """Values and hashes that a parameter named.

    Attributes:
        values: The values themselves; never shown.
        hashes: SHA-256 hashes of further values, in lower-case hex.
    """

    values: tuple[str, ...] = ()
    hashes: frozenset[str] = frozenset()

    def __contains__(self, secret: str) -> bool:
        digest = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
        return secret in self.values or digest in self.hashes


def resolve(references: Iterable[str], place: str) -> Secrets:
    """Look up what references stand for, when the policy loads.

    `sha256:HEX` is a hash, `env:NAME` a variable of the environment, `file:PATH` a file with one
    value a line (blank lines and lines that begin with `#` left out); anything else is the value.

    Args:
        references: What the policy gives.
        place: The reviewer and the parameter, for errors: `reviewers/canary: canaries`.

    Raises:
        ReviewersError: A variable is not set, a file cannot be read or is empty, a hash is none.
    """
    values: list[str] = []
    hashes: set[str] = set()
    for reference in references:
        kind, sign, rest = reference.partition(":")
        if sign and kind == "sha256":
            if not SHA256.fullmatch(rest):
                raise ReviewersError(f"{place}: {reference!r} should be sha256: and 64 hex digits.")
            hashes.add(rest.lower())
        elif sign and kind == "env":
            values.append(_variable(rest, place))
        elif sign and kind == "file":
            values.extend(_lines(Path(rest).expanduser(), place))
        else:
            values.append(reference)
    return Secrets(tuple(dict.fromkeys(values)), frozenset(hashes))


def _variable(name: str, place: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise ReviewersError(f"{place}: the environment has no {name!r}, or it is empty.")
    return value


def _lines(path: Path, place: str) -> list[str]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ReviewersError(f"{place}: cannot read {str(path)!r}: {reason}.") from None
    values = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not values:
        raise ReviewersError(f"{place}: {str(path)!r} has no values; write one a line.")
    return values
