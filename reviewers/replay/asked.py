"""What a replay asks: reviewers by SPEC, and policies as they are given to Inspect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from reviewers import _host
from reviewers.judging import JudgingReviewer
from reviewers.names import no_such_reviewer
from reviewers.outcome import ReviewersError
from reviewers.policies import as_policies, read_policy
from reviewers.replay.people import without_people

if TYPE_CHECKING:
    from inspect_ai.review import Reviewer, ReviewPolicy

ENVIRONMENT = ("env:", "file:")
"""How parameters begin that name a value outside the log."""


@dataclass(frozen=True)
class Asked:
    """A reviewer or a policy, ready to be asked about cases.

    Attributes:
        name: What it is called in figures.
        given: SPEC, policy file or pack, from which another process makes the same; empty for one
            that was made in Python.
        kind: A reviewer alone, or a policy.
        reviewer: What is asked; a policy as Inspect makes one reviewer of it.
        entries: The reviewers in it.
    """

    name: str
    given: str
    kind: Literal["reviewer", "policy"]
    reviewer: Reviewer
    entries: tuple[Reviewer, ...]

    @cached_property
    def is_ours(self) -> bool:
        """Whether every reviewer is one of this package, which reads evidence when it needs it."""
        return all(isinstance(entry, JudgingReviewer) for entry in self.entries)

    @property
    def catches(self) -> frozenset[str]:
        """The kinds of label that it is there for; empty means all, as for any policy."""
        if self.kind == "policy" or not isinstance(self.reviewer, JudgingReviewer):
            return frozenset()
        return self.reviewer.spec.catches

    @cached_property
    def names(self) -> Mapping[tuple[str, str], str]:
        """What the reviewers in it are called, by logged name and parameters' hash."""
        names: dict[tuple[str, str], str] = {}
        for entry in self.entries:
            names.setdefault(identity(entry), _unused(_host.log_name(entry), names.values()))
        return names

    @cached_property
    def outside(self) -> frozenset[str]:
        """Names of those whose findings depend on this machine's environment or files."""
        if self.kind == "reviewer":
            return frozenset({self.name} if reads_environment(self.reviewer) else ())
        return frozenset(
            self.names[identity(entry)] for entry in self.entries if reads_environment(entry)
        )


def identity(reviewer: Reviewer) -> tuple[str, str]:
    """A reviewer's logged name and the hash of its parameters (empty for another package's)."""
    hashed = reviewer.spec.parameters_hash if isinstance(reviewer, JudgingReviewer) else ""
    return _host.log_name(reviewer), hashed


def reviewer_asked(spec: str | Reviewer, name: str = "") -> Asked:
    """One reviewer alone.

    Args:
        spec: `NAME`, `NAME:key=value,key=value@alias`, or a reviewer.
        name: What it is called in figures; by default its alias, else its name.

    Raises:
        ReviewersError: There is no such reviewer, or it does not take the parameters.
    """
    if not isinstance(spec, str):
        reviewer = without_people(spec)
        return Asked(name or _host.log_name(spec), "", "reviewer", reviewer, (reviewer,))
    reviewer_name, parameters, alias = parse_spec(spec)
    if _host.lookup(reviewer_name) is None:
        raise ReviewersError(f"{spec}: {no_such_reviewer(reviewer_name)}")
    reviewer = without_people(_host.create(reviewer_name, parameters))
    return Asked(name or alias or reviewer_name, spec, "reviewer", reviewer, (reviewer,))


def policy_asked(policy: str | Sequence[ReviewPolicy], name: str = "") -> Asked:
    """A policy, unmodified.

    Args:
        policy: A policy file, the name of a pack or a reviewer, or Inspect's policies.
        name: What it is called in figures; by default the file's or pack's name.

    Raises:
        ReviewersError: The policy cannot be read, or names what there is not.
    """
    from inspect_ai.review import ReviewPolicy

    given = policy if isinstance(policy, str) else ""
    policies = as_policies(read_policy(policy)) if isinstance(policy, str) else list(policy)
    safe = [ReviewPolicy(without_people(entry.reviewer), entry.tools) for entry in policies]
    return Asked(
        name or Path(given).name or "policy",
        given,
        "policy",
        _host.policy_reviewer(safe),
        tuple(entry.reviewer for entry in safe),
    )


ALIAS = re.compile(r"@([\w.-]+)$")


def parse_spec(spec: str) -> tuple[str, dict[str, Any], str]:
    """Name, parameters and alias of `NAME:key=value,key=value@alias`.

    Values are YAML: `on_flag=escalate`, `deny=[a, b]`, `rate=0.5`.

    Raises:
        ReviewersError: It is not of this form.
    """
    import yaml

    alias = ALIAS.search(spec)
    rest = spec[: alias.start()] if alias else spec
    name, _, given = rest.partition(":")
    parameters: dict[str, Any] = {}
    for pair in _pairs(given):
        key, sign, value = pair.partition("=")
        if not sign or not key.strip().isidentifier():
            raise ReviewersError(f"{spec}: {pair!r} should be key=value.")
        try:
            parameters[key.strip()] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise ReviewersError(f"{spec}: {value!r} is no YAML value.") from None
    return name, parameters, alias[1] if alias else ""


def _pairs(text: str) -> Iterator[str]:
    """The parts between commas that are in no brackets and no quotes."""
    part, depth, quote = "", 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "[{(":
            depth += 1
        elif character in ")}]":
            depth -= 1
        elif character == "," and depth <= 0:
            yield part
            part = ""
            continue
        part += character
    if part.strip():
        yield part


def named_apart(asked: Sequence[Asked]) -> list[Asked]:
    """The same with names that tell them apart: a second `NAME` becomes `NAME#2`."""
    from dataclasses import replace

    names: list[str] = []
    for each in asked:
        names.append(_unused(each.name, names))
    return [replace(each, name=name) for each, name in zip(asked, names, strict=True)]


def _unused(name: str, taken: Any) -> str:
    used = set(taken)
    candidate, number = name, 1
    while candidate in used:
        number += 1
        candidate = f"{name}#{number}"
    return candidate


def reads_environment(reviewer: Reviewer) -> bool:
    """Whether a reviewer's parameters name values outside the log: variables, files."""
    return isinstance(reviewer, JudgingReviewer) and any(
        text.startswith(ENVIRONMENT) for text in _texts(reviewer.spec.parameters)
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
