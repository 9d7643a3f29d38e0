"""Reads a policy with the place of every mistake, and works out what it does with a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewers import _host
from reviewers.judging import JudgingReviewer
from reviewers.names import no_such_reviewer
from reviewers.outcome import ReviewersError, State

if TYPE_CHECKING:
    from inspect_ai.review import Reviewer, ReviewPolicy

HUMANS = ("human", "reviewers/human")
ENDINGS = (*HUMANS, "reviewers/stop_flagged")
"""Reviewers that take every escalation that reaches them."""

ENTRY_KEYS = ("name", "tools", "params")
"""Keys of a policy entry that are the host's; every other key is a parameter."""

OTHER_TOOLS = "any other tool"
ALONE = "no reviewer looks at results; reviewers/stop_flagged stops only what others flagged."


class PolicyFileError(ReviewersError):
    """A policy file that cannot be used; the message names file, entry, value and what is right."""


@dataclass(frozen=True)
class PolicyEntry:
    """One reviewer of a policy and the tools it covers.

    Attributes:
        place: Where it stands, for messages: `policy.yaml, entry 2 (line 5)`.
        name: The reviewer's name as logged.
        tools: Globs as the policy gives them.
        reviewer: The reviewer.
        given: Its parameters as the policy gives them.
    """

    place: str
    name: str
    tools: tuple[str, ...]
    reviewer: Reviewer
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def globs(self) -> list[str]:
        """Its globs one by one: a policy may also list them in one text, by commas."""
        return [glob.strip() for given in self.tools for glob in given.split(",")]

    @property
    def covers(self) -> Callable[[Any], bool]:
        """Whether it is asked about a call."""
        return _host.tool_matcher(self.tools)


def read_policy(source: str) -> list[PolicyEntry]:
    """Read a policy file, or make a policy of a pack's or a reviewer's name.

    Args:
        source: Path of a YAML or JSON policy file, else a pack's name, else a reviewer's name.

    Raises:
        PolicyFileError: Something in it is wrong; the message says where and what would be right.
    """
    from reviewers.packs import PACKS, pack_policies

    path = Path(source)
    if path.is_file():
        return _read_file(path)
    if source in PACKS:
        return entries_of(pack_policies(source), source)
    if _host.lookup(source) is not None:
        return entries_of([_policy(_host.create(source, {}), "*")], source)
    if path.suffix in (".yaml", ".yml", ".json") or "/" in source.removeprefix("reviewers/"):
        raise PolicyFileError(f"{source}: there is no such file.")
    raise PolicyFileError(
        f"{source}: there is no such file or pack, and {no_such_reviewer(source)} "
        f"Packs are {', '.join(PACKS)}."
    )


def entries_of(policies: Sequence[ReviewPolicy], source: str = "policy") -> list[PolicyEntry]:
    """The entries of policies made in Python."""
    return [
        PolicyEntry(
            f"{source}, entry {number}",
            _host.log_name(policy.reviewer),
            (policy.tools,) if isinstance(policy.tools, str) else tuple(policy.tools),
            policy.reviewer,
            policy.reviewer.spec.given if isinstance(policy.reviewer, JudgingReviewer) else {},
        )
        for number, policy in enumerate(policies, start=1)
    ]


def as_policies(entries: Sequence[PolicyEntry]) -> list[ReviewPolicy]:
    """Entries as Inspect's policies."""
    return [_policy(entry.reviewer, list(entry.tools)) for entry in entries]


def _policy(reviewer: Reviewer, tools: str | list[str]) -> ReviewPolicy:
    from inspect_ai.review import ReviewPolicy

    return ReviewPolicy(reviewer, tools)


def _read_file(path: Path) -> list[PolicyEntry]:
    import yaml

    try:
        text = path.read_text("utf-8")
        data = yaml.safe_load(text)
        node = yaml.compose(text)
    except OSError as error:
        raise PolicyFileError(f"{path}: {error.strerror or error}.") from None
    except UnicodeDecodeError as error:
        raise PolicyFileError(f"{path}: byte {error.start} is not UTF-8.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise PolicyFileError(f"{path}{where}: this is not YAML: {problem}.") from None
    if not isinstance(data, dict) or not isinstance(data.get("reviewers"), list):
        raise PolicyFileError(f"{path}: a policy has a list `reviewers:` of entries.")
    unknown = [key for key in data if key != "reviewers"]
    if unknown:
        raise PolicyFileError(f"{path}: unknown key {unknown[0]!r}; a policy has only `reviewers`.")
    if not data["reviewers"]:
        raise PolicyFileError(f"{path}: `reviewers` is empty; nothing would be reviewed.")
    for key, line in _repeated_keys(node):
        raise PolicyFileError(f"{path}:{line}: {key!r} is given twice; only one would count.")
    lines = _entry_lines(node)
    return [
        _entry(raw, f"{path}, entry {number} (line {lines[number - 1]})")
        for number, raw in enumerate(data["reviewers"], start=1)
    ]


def _entry_lines(node: Any) -> list[int]:
    """The line on which each entry of `reviewers` begins, from 1."""
    for key, value in getattr(node, "value", ()):
        if key.value == "reviewers":
            return [entry.start_mark.line + 1 for entry in value.value]
    return []


def _repeated_keys(root: Any) -> Iterator[tuple[str, int]]:
    """Keys that a mapping has already had, each with its line, from 1."""
    waiting, looked_at = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in looked_at or not isinstance(node.value, list):
            continue
        looked_at.add(id(node))
        keys = [child[0] for child in node.value if isinstance(child, tuple)]
        names = [key.value for key in keys]
        for place, key in enumerate(keys):
            if key.value in names[:place]:
                yield key.value, key.start_mark.line + 1
        waiting += [child[1] if isinstance(child, tuple) else child for child in node.value]


def _entry(raw: Any, place: str) -> PolicyEntry:
    if not isinstance(raw, dict):
        raise PolicyFileError(f"{place}: {raw!r} is no entry; write `name:` and `tools:`.")
    name = raw.get("name")
    if not isinstance(name, str):
        raise PolicyFileError(f"{place}: `name` is missing.")
    if "tools" not in raw:
        raise PolicyFileError(f"{place} ({name}): `tools` is missing; '*' covers every tool.")
    tools = raw["tools"]
    names = [tools] if isinstance(tools, str) else tools
    if not isinstance(names, list) or not all(isinstance(tool, str) for tool in names):
        raise PolicyFileError(f"{place} ({name}): tools is {tools!r}; it should be globs.")
    if not any(tool.strip() for tool in names):
        raise PolicyFileError(f"{place} ({name}): `tools` is empty; the reviewer covers nothing.")
    if _host.lookup(name) is None:
        raise PolicyFileError(f"{place}: {no_such_reviewer(name)}")
    parameters = raw.get("params") or {}
    if not isinstance(parameters, dict):
        wanted = "it should hold parameters by name."
        raise PolicyFileError(f"{place} ({name}): params is {parameters!r}; {wanted}")
    parameters = dict(parameters)
    parameters |= {key: value for key, value in raw.items() if key not in ENTRY_KEYS}
    try:
        reviewer = _host.create(name, parameters)
    except ReviewersError as error:
        raise PolicyFileError(f"{place}: {error}") from None
    except TypeError as error:
        raise PolicyFileError(f"{place} ({name}): {error}.") from None
    return PolicyEntry(place, _host.log_name(reviewer), tuple(names), reviewer, parameters)


# What a policy does with a result


@dataclass(frozen=True)
class Coverage:
    """The reviewers that a tool's results meet.

    Attributes:
        tool: The tool.
        always: Entries asked about every call of it, in order.
        sometimes: Entries whose pattern also looks at arguments, so that only some calls match.
    """

    tool: str
    always: tuple[PolicyEntry, ...]
    sometimes: tuple[PolicyEntry, ...]

    @property
    def in_order(self) -> tuple[PolicyEntry, ...]:
        """Entries that may be asked, always or sometimes; in the policy's order."""
        return tuple(sorted((*self.always, *self.sometimes), key=lambda e: _number(e.place)))


@dataclass(frozen=True)
class Analysis:
    """What a policy does.

    Attributes:
        coverage: What each tool's results meet.
        problems: Sentences: a flag or a failure that can go unheard.
        warnings: Sentences: what is probably not meant.
        notes: Sentences: what to bear in mind.
    """

    coverage: tuple[Coverage, ...]
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


def analyse(entries: Sequence[PolicyEntry], tools: Sequence[str] = ()) -> Analysis:
    """Work out what each tool's results meet, and what could go unheard.

    Args:
        entries: The policy.
        tools: Names of the tools in use; those that the patterns name, and any other, by default.
    """
    names = list(tools) or [*dict.fromkeys(_named_tools(entries)), OTHER_TOOLS]
    coverage = tuple(_coverage(entries, tool) for tool in names)
    problems = [problem for covered in coverage for problem in _unheard(covered)]
    problems += [f"{covered.tool}: {ALONE}" for covered in coverage if _stops_nothing(covered)]
    warnings = [*_never_asked(entries, coverage), *_always_asks(entries), *_raw_secrets(entries)]
    if all(not covered.in_order for covered in coverage):
        warnings.append("No reviewer covers any of these tools.")
    return Analysis(coverage, tuple(dict.fromkeys(problems)), tuple(warnings), _notes(entries))


def _named_tools(entries: Sequence[PolicyEntry]) -> Iterator[str]:
    for entry in entries:
        for glob in entry.globs:
            tool = glob.partition("(")[0].rstrip("*")
            if tool and not set(tool) & set("*?["):
                yield tool


def _coverage(entries: Sequence[PolicyEntry], tool: str) -> Coverage:
    from inspect_ai.tool import ToolCall

    call = ToolCall(id="", function="\0" if tool == OTHER_TOOLS else tool, arguments={})
    always = tuple(entry for entry in entries if entry.covers(call))
    sometimes = tuple(
        entry
        for entry in entries
        if entry not in always and any(glob.startswith(f"{tool}(") for glob in entry.globs)
    )
    return Coverage(tool, always, sometimes)


def _stops_nothing(covered: Coverage) -> bool:
    return {entry.name for entry in covered.in_order} == {"reviewers/stop_flagged"}


def _unheard(covered: Coverage) -> Iterator[str]:
    order = covered.in_order
    for place, entry in enumerate(order):
        if entry.name in ENDINGS or entry.name == "reviewers/shadow":
            continue
        for state, what in (("flagged", "a flag"), ("failed", "a failure")):
            way = _way_out(covered, order, place, state)  # type: ignore[arg-type]
            if way:
                yield f"{covered.tool}: {what} of {entry.name} can go unheard: {way}"


def _way_out(
    covered: Coverage, order: Sequence[PolicyEntry], place: int, state: State
) -> str | None:
    """How a flag or a failure of one entry may end as `continue`; None if it cannot."""
    entry = order[place]
    possible = _possible(entry, state)
    if "continue" in possible:
        return f"it may continue (on_{'flag' if state == 'flagged' else 'failure'}: continue)."
    if "escalate" not in possible:
        return None
    for later in order[place + 1 :]:
        if later in covered.always and later.name in ENDINGS:
            return None
        if not isinstance(later.reviewer, JudgingReviewer):
            return f"{later.name}, asked after it, may let the result continue."
    instead = "on_flag (a monitor's terminate_at)" if state == "flagged" else "on_failure"
    return (
        "it escalates and nobody takes it. End the policy in reviewers/human or "
        f"reviewers/stop_flagged, or have it terminate by {instead}."
    )


def _possible(entry: PolicyEntry, state: State) -> frozenset[str]:
    if isinstance(entry.reviewer, JudgingReviewer):
        return frozenset(entry.reviewer.possible[state])
    # Another package's reviewer says only what it decides: an escalation is its flag.
    return frozenset({"escalate"}) if state == "flagged" else frozenset({"terminate"})


def _never_asked(entries: Sequence[PolicyEntry], coverage: Sequence[Coverage]) -> Iterator[str]:
    for entry in entries:
        met = [covered for covered in coverage if entry in covered.in_order]
        if not met:
            yield f"{entry.place}: {entry.name} is never asked; no tool matches {entry.tools}."
            continue
        blockers = [_blocker(covered, entry) for covered in met]
        if all(blockers):
            yield f"{entry.place}: {entry.name} is never asked; {blockers[0]} always decides first."


def _blocker(covered: Coverage, entry: PolicyEntry) -> str | None:
    for earlier in covered.in_order:
        if earlier is entry:
            return None
        if earlier in covered.always and _always_decides(earlier):
            return earlier.name
    return None


def _always_decides(entry: PolicyEntry) -> bool:
    if not isinstance(entry.reviewer, JudgingReviewer):
        return entry.name == "human" and "escalate" not in (entry.given.get("choices") or ())
    possible = entry.reviewer.possible
    return not any("escalate" in decisions for decisions in possible.values())


def _always_asks(entries: Sequence[PolicyEntry]) -> Iterator[str]:
    for entry in entries:
        if entry.name == "human" or entry.given.get("when") == "always":
            yield f"{entry.place}: {entry.name} asks a person about every result that reaches it."


REFERENCES = ("sha256:", "env:", "file:")


def _raw_secrets(entries: Sequence[PolicyEntry]) -> Iterator[str]:
    for entry in entries:
        if not isinstance(entry.reviewer, JudgingReviewer):
            continue
        for parameter in sorted(entry.reviewer.spec.secrets):
            values = entry.given.get(parameter) or ()
            listed = [values] if isinstance(values, str) else values
            if any(isinstance(v, str) and not v.startswith(REFERENCES) for v in listed):
                yield (
                    f"{entry.place}: {parameter} of {entry.name} holds a secret in plain, and "
                    f"Inspect writes it into every log; use a reference ({', '.join(REFERENCES)})."
                )


def _notes(entries: Sequence[PolicyEntry]) -> tuple[str, ...]:
    asking = [
        entry.name
        for entry in entries
        if isinstance(entry.reviewer, JudgingReviewer)
        and entry.reviewer.spec.family == "monitor"
        and not entry.reviewer.spec.parameters.get("model")
    ]
    if not asking:
        return ()
    return (
        f"{', '.join(dict.fromkeys(asking))} asks the model of the role `monitor`: bind one with "
        "--model-role monitor=PROVIDER/MODEL or set model; without one the sample ends as an "
        "error.",
    )


def _number(place: str) -> int:
    return int(place.rpartition("entry ")[2].partition(" ")[0])
