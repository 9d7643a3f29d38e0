"""What a scan finds."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field

SHOWN_PREFIX = 12


@dataclass(frozen=True, slots=True)
class Match:
    """A secret found in a text.

    Attributes:
        format: The format's id, or the declared string's.
        title: What a sentence calls it.
        start: First character of the secret in the text; of its encoded form if it is encoded.
        end: One past its last character.
        confidence: 0 to 1; from 0.9 on high, from 0.6 on medium, else low.
        encoding: How it was written, innermost first ("hex in base64"); empty if as it is.
        prefix: The vendor's fixed prefix, which says nothing of the secret.
        secret: The secret itself. Never shown.
        hidden: What a redaction hides: at least from `start` to `end`.
    """

    format: str
    title: str
    start: int
    end: int
    confidence: float
    encoding: str = ""
    prefix: str = ""
    secret: str = field(default="", repr=False)
    hidden: tuple[int, int] = field(default=(0, 0), repr=False)

    @property
    def shown(self) -> str:
        """All that may be shown of the secret: the vendor's prefix and the length."""
        return f"{self.prefix}… ({len(self.secret)} characters)"

    def fingerprint(self, key: bytes) -> str:
        """A keyed hash of the secret: equal for equal secrets, and of no use to guess one."""
        secret = self.secret.encode("utf-8", "surrogatepass")
        return hmac.new(key, secret, hashlib.sha256).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The matches in a text, in its order, and which bound ran out, if one did.

    Attributes:
        matches: What was found.
        incomplete: Why the text may hold more than was found; None if all of it was judged.
    """

    matches: Sequence[Match]
    incomplete: str | None = None
