"""Parameters of reviewers: checked when a policy loads, and what is wrong said in one sentence."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import ConfigDict, Field, ValidationError, validate_call

from reviewers.errors import ReviewersError

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""A time that something may take."""


class ParameterError(ReviewersError):
    """A reviewer was given a parameter that it does not have, or a value that it cannot take."""


def checking(factory: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A factory that holds what it is called with against its annotations.

    Args:
        factory: Returns a reviewer.
        name: What an error calls the reviewer.

    Returns:
        The factory; it raises `ParameterError`, in one sentence that says what would be right.
    """
    signature = inspect.signature(factory)
    validated = validate_call(config=ConfigDict(arbitrary_types_allowed=True))(factory)

    def checked(*args: Any, **kwargs: Any) -> Any:
        unknown = [key for key in kwargs if key not in signature.parameters]
        if unknown and not _takes_any(signature):
            raise ParameterError(_unknown_parameter(name, unknown[0], list(signature.parameters)))
        try:
            return validated(*args, **kwargs)
        except ValidationError as error:
            raise ParameterError(_wrong_parameter(name, error.errors()[0], signature)) from None

    return checked


def _takes_any(signature: inspect.Signature) -> bool:
    return any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())


def _unknown_parameter(name: str, given: str, known: list[str]) -> str:
    near = get_close_matches(given, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"It takes {', '.join(known) or 'none'}."
    return f"{name}: there is no parameter {given!r}. {hint}"


def _wrong_parameter(name: str, error: Any, signature: inspect.Signature) -> str:
    where = [str(part) for part in error["loc"]]
    if where and where[0].isdigit() and int(where[0]) < len(signature.parameters):
        where[0] = list(signature.parameters)[int(where[0])]
    place = "".join(f"[{part}]" if index else part for index, part in enumerate(where))
    if error["type"] in ("missing_argument", "missing_keyword_only_argument", "missing"):
        return f"{name}: the parameter {place!r} is missing."
    wanted = error["msg"].removeprefix("Value error, ")
    wanted = wanted[:1].lower() + wanted[1:]
    return f"{name}: {place} is {_short(error['input'])}; {wanted}."


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
