"""The names of what can go wrong when a model is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspect_ai.model import ModelOutput


@dataclass(frozen=True)
class Failure:
    """Why there is no verdict.

    Attributes:
        reason: Its short name, as in `metadata["reason"]`.
        sentence: One plain sentence for people.
    """

    reason: str
    sentence: str


TIMED_OUT = "timed out"
BUDGET_SPENT = "budget spent"
NOT_ASKED = "not asked"
NOT_ALL_READ = "not all read"
UNSHOWABLE = "unshowable content"
TRIPWIRE_MISSED = "tripwire missed"

BY_STOP_REASON = {
    "content_filter": Failure("refusal", "The model refused to answer."),
    "max_tokens": Failure("length stop", "The model's answer was cut off at its length limit."),
    "model_length": Failure("context exceeded", "The request was longer than the model can read."),
}

BY_STATUS = {
    400: Failure("request rejected", "The provider rejected the request."),
    401: Failure("access denied", "The provider denied access: check the API key."),
    403: Failure("access denied", "The provider denied access: check the API key."),
    408: Failure(TIMED_OUT, "The provider did not answer in time."),
    413: Failure("context exceeded", "The request was longer than the provider accepts."),
    422: Failure("request rejected", "The provider rejected the request."),
    429: Failure("rate limited", "The provider's rate limit was hit, also after retries."),
}


def in_output(output: ModelOutput) -> Failure | None:
    """What an answer itself says went wrong."""
    if output.empty:
        return Failure("empty answer", "The model gave no answer.")
    stopped = BY_STOP_REASON.get(output.stop_reason)
    if stopped is not None:
        return stopped
    if not output.completion.strip() and not output.message.tool_calls:
        return Failure("empty answer", "The model's answer was empty.")
    return None


def in_error(error: BaseException) -> Failure:
    """What an exception from a provider, a retry loop or a connection stands for."""
    chain = list(_causes(error))
    for cause in chain:
        status = _status(cause)
        if status in BY_STATUS:
            return BY_STATUS[status]
        if status is not None and status >= 500:
            return Failure("provider error", f"The provider failed with status {status}.")
    names = [type(cause).__name__ for cause in chain]
    if any("Timeout" in name for name in names):
        return Failure(TIMED_OUT, "The model did not answer in time.")
    if any("Connect" in name or name in CONNECTION_ERRORS for name in names):
        return Failure("connection failed", "The connection to the provider failed.")
    said = " ".join(str(chain[-1]).split())[:200]
    return Failure("provider error", f"The request failed with {names[-1]}: {said}".rstrip(": "))


CONNECTION_ERRORS = frozenset(
    {
        "RemoteProtocolError",
        "LocalProtocolError",
        "ReadError",
        "WriteError",
        "ProxyError",
        "OSError",
    }
)
"""Names that httpx and the system give to connections that broke."""


def is_unsupported(error: BaseException) -> bool:
    """Whether a provider may accept the same question in another form."""
    return any(
        isinstance(cause, NotImplementedError) or _status(cause) in (400, 404, 422)
        for cause in _causes(error)
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception, what it wraps, and what caused it, from outside in."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        attempt = getattr(current, "last_attempt", None)  # tenacity's RetryError
        wrapped = attempt.exception() if attempt is not None else None
        current = wrapped or current.__cause__ or current.__context__


def _status(error: BaseException) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None
