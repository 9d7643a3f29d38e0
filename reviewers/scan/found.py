"""What was found in bytes, before it has a place in the text."""

from dataclasses import dataclass, replace

from reviewers.scan.confirm import Confirmed
from reviewers.scan.declared import Declared
from reviewers.scan.format import Format
from reviewers.scan.views import View


@dataclass(slots=True)
class Found:
    """A finding in bytes, before it has a place in the text."""

    format: str
    title: str
    prefix: str
    start: int
    end: int
    secret: bytes
    confidence: float
    encoding: str = ""

    def seen_through(self, view: View) -> "Found":
        """The same finding, placed in what the view was made from."""
        start, end = view.locate(self.start, self.end)
        encoding = f"{self.encoding} in {view.how}" if self.encoding else view.how
        return replace(self, start=start, end=end, encoding=encoding)


def found_format(format: Format, confirmed: Confirmed, data: bytes) -> Found:
    secret = data[confirmed.secret_start : confirmed.secret_end]
    return Found(
        format=format.id,
        title=format.title,
        prefix=_shown_prefix(format, secret),
        start=confirmed.secret_start,
        end=confirmed.secret_end,
        secret=secret,
        confidence=confirmed.confidence,
    )


def _shown_prefix(format: Format, secret: bytes) -> str:
    """The vendor's prefix, where the secret begins with it."""
    if not format.distinctive:
        return ""
    fitting = [one for one in format.literals if secret.startswith(one.encode())]
    return max(fitting, key=len, default="")


def found_declared(
    declared: Declared, start: int, end: int, value: bytes, encoding: str = ""
) -> Found:
    return Found(declared.id, declared.title, "", start, end, value, 1.0, encoding)
