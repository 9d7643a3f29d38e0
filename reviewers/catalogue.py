"""What there is: every reviewer of this package with its documentation, for people and for JSON."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from reviewers import _registry
from reviewers.example import Example
from reviewers.outcome import ReviewersError


@dataclass(frozen=True)
class Parameter:
    """One parameter of a reviewer.

    Attributes:
        name: As a policy writes it.
        kind: Its type, as annotated.
        default: Its default as a policy would write it; empty if it must be given.
        meaning: From the docstring.
    """

    name: str
    kind: str
    default: str
    meaning: str


@dataclass(frozen=True)
class Entry:
    """One reviewer of the catalogue.

    Attributes:
        name: Registered name with our prefix.
        family: `rule`, `monitor` or `composition`.
        grade: What a flag is good for by default; empty where that is not fixed.
        catches: Kinds of label it is there for; empty means all.
        summary: First line of its docstring.
        text: The docstring without `Args` and what follows.
        parameters: Its parameters in order.
        examples: What matches and what must not, with reasons.
        figures: Measured figures, as plain JSON values; empty if there are none.
    """

    name: str
    family: str
    grade: str
    catches: tuple[str, ...]
    summary: str
    text: str
    parameters: tuple[Parameter, ...]
    examples: tuple[Example, ...]
    figures: dict[str, Any]

    @property
    def short_name(self) -> str:
        """The name without the package."""
        return self.name.partition("/")[2]

    def as_dict(self, *, full: bool = True) -> dict[str, Any]:
        """The entry as plain JSON values.

        Args:
            full: With text, parameters, examples and figures; else only the row of a list.
        """
        row: dict[str, Any] = {
            "name": self.name,
            "family": self.family,
            "grade": self.grade or None,
            "catches": list(self.catches),
            "summary": self.summary,
        }
        if not full:
            return row
        return row | {
            "text": self.text,
            "parameters": [
                {"name": p.name, "type": p.kind, "default": p.default or None, "meaning": p.meaning}
                for p in self.parameters
            ],
            "examples": [
                {
                    "tool": example.tool,
                    "command": example.command,
                    "result": example.result,
                    "exit_code": example.exit_code,
                    "matches": example.matches,
                    "because": example.because,
                    "parameters": dict(example.parameters),
                }
                for example in self.examples
            ],
            "figures": self.figures,
        }


FAMILIES = ("rule", "monitor", "composition")

WORDS = {"str": "text", "int": "whole number", "float": "number", "bool": "true or false"}
"""Types as people who write policies call them."""


@cache
def catalogue() -> tuple[Entry, ...]:
    """Every reviewer of this package, by family and name."""
    entries = [_entry(name, module) for name, module in _registry.reviewer_modules()]
    return tuple(sorted(entries, key=lambda entry: (FAMILIES.index(entry.family), entry.name)))


def find(name: str) -> Entry:
    """The entry of a name, with or without our prefix.

    Raises:
        ReviewersError: There is none; the message names the nearest.
    """
    short = name.removeprefix("reviewers/")
    for known, module in _registry.reviewer_modules():
        if known == short:
            return _entry(known, module)
    from reviewers.names import no_such_reviewer

    raise ReviewersError(no_such_reviewer(name))


@cache
def _entry(name: str, module: str) -> Entry:
    factory: Any = _registry.factory(name, module)
    text = inspect.cleandoc(factory.__doc__ or "")
    body, _, rest = text.partition("\nArgs:\n")
    meanings = argument_meanings(rest)
    kinds = _kinds(factory)
    parameters = tuple(
        Parameter(p.name, kinds.get(p.name, ""), _default(p), meanings.get(p.name, ""))
        for p in inspect.signature(factory).parameters.values()
    )
    examples: Sequence[Example] = getattr(import_module(module), "EXAMPLES", ())
    return Entry(
        name=f"reviewers/{name}",
        family=factory.family,
        grade=factory.grade or "",
        catches=tuple(sorted(factory.catches)),
        summary=body.strip().partition("\n")[0],
        text=body.strip(),
        parameters=parameters,
        examples=tuple(examples) if factory.family != "monitor" else (),
        figures=figures().get(name, {}),
    )


@cache
def figures() -> dict[str, dict[str, Any]]:
    """Measured figures by reviewer, as `benchmarks/rules.py` wrote them into the package."""
    file = resources.files("reviewers").joinpath("figures.json")
    if not file.is_file():
        return {}
    read: dict[str, dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return read


ARGUMENT = re.compile(r"^ {4}(\w+):[ \t]*(.*)$")


def argument_meanings(args: str) -> dict[str, str]:
    """What a docstring's `Args` section says of each argument, on one line each."""
    meanings: dict[str, str] = {}
    current = ""
    for line in args.splitlines():
        if line and not line.startswith(" "):
            break
        if found := ARGUMENT.match(line):
            current = found[1]
            meanings[current] = found[2].strip()
        elif current and line.strip():
            meanings[current] = f"{meanings[current]} {line.strip()}".strip()
    return meanings


def _kinds(factory: Any) -> dict[str, str]:
    """Each parameter's type in the words of a policy: allowed values instead of `Literal`."""
    try:
        hints = get_type_hints(factory)
    except NameError:
        hints = factory.__annotations__
    return {name: _kind(hint) for name, hint in hints.items()}


def _kind(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return " | ".join(repr(value) for value in get_args(hint))
    if get_origin(hint) in (list, tuple) and get_args(hint):
        return f"list of {_kind(get_args(hint)[0])}"
    if get_origin(hint) in (Union, UnionType):
        return " | ".join(_kind(part) for part in get_args(hint) if part is not NoneType)
    text = hint if isinstance(hint, str) else inspect.formatannotation(hint)
    return WORDS.get(text, text.rpartition(".")[2])


def _default(parameter: inspect.Parameter) -> str:
    """The default as a policy would write it; empty if the parameter must be given."""
    if parameter.default is parameter.empty:
        return ""
    try:
        return json.dumps(parameter.default)
    except TypeError:
        return repr(parameter.default)
