"""Whether a replay decides as the reviewers did live, call by call and reviewer by reviewer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from reviewers.case import Case

if TYPE_CHECKING:
    from inspect_ai.event import ReviewEvent

NOTHING = "was not asked"
"""Stands for a decision where a reviewer was asked live and not in the replay, or the other way."""


@dataclass(frozen=True)
class Difference:
    """One decision that a replay does not repeat.

    Attributes:
        id: The case.
        reviewer: The reviewer; its second use in a policy is `NAME#2`.
        live: What it decided live.
        replayed: What it decides now.
        fidelity: How the case differs from what it saw live; empty if it is the same.
        source: The log.
    """

    id: str
    reviewer: str
    live: str
    replayed: str
    fidelity: tuple[str, ...] = ()
    source: str = ""

    def sentence(self) -> str:
        """One line for a person."""
        lossy = f" (the case is not the same: {', '.join(self.fidelity)})" if self.fidelity else ""
        return f"{self.id}: {self.reviewer} {self.live} live, {self.replayed} now{lossy}."


@dataclass
class Agreement:
    """What comparing came to.

    Attributes:
        compared: Decisions that were compared.
        calls: Calls that had been reviewed live.
        differences: Those that differ.
        not_live: Calls that nobody had reviewed live.
    """

    compared: int = 0
    calls: int = 0
    differences: list[Difference] = field(default_factory=list)
    not_live: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def add(self, other: Agreement) -> None:
        """Count another agreement in."""
        self.compared += other.compared
        self.calls += other.calls
        self.differences += other.differences
        self.not_live += other.not_live

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


def agreement_from_dict(line: Mapping[str, Any]) -> Agreement:
    """The agreement that `Agreement.as_dict` gave."""
    differences = [
        Difference(**{**one, "fidelity": tuple(one["fidelity"])}) for one in line["differences"]
    ]
    return Agreement(line["compared"], line["calls"], differences, list(line["not_live"]))


def compare(
    case: Case,
    live: Sequence[ReviewEvent],
    replayed: Sequence[ReviewEvent],
    only: Iterable[tuple[str, str]] | None = None,
) -> Agreement:
    """Compare what was decided of one case.

    Args:
        case: The case.
        live: The reviews in the log.
        replayed: Those written in the replay.
        only: Reviewers to compare, by logged name and parameters' hash; None for all.
    """
    then, now = _decisions(live), _decisions(replayed)
    if not then:
        return Agreement(not_live=[case.id])
    wanted = None if only is None else set(only)
    keys = [key for key in dict.fromkeys([*then, *now]) if wanted is None or key[:2] in wanted]
    if not keys:
        return Agreement(not_live=[case.id])
    differences = [
        Difference(
            case.id,
            key[0] if key[2] == 1 else f"{key[0]}#{key[2]}",
            then.get(key, NOTHING),
            now.get(key, NOTHING),
            case.fidelity,
            case.source,
        )
        for key in keys
        if then.get(key, NOTHING) != now.get(key, NOTHING)
    ]
    return Agreement(compared=len(keys), calls=1, differences=differences)


def _decisions(events: Sequence[ReviewEvent]) -> dict[tuple[str, str, int], str]:
    """Decisions by name, parameters' hash and how many there were of these before."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    decisions: dict[tuple[str, str, int], str] = {}
    for event in events:
        if event.reviewer == "policy":
            continue
        name = (event.reviewer, str((event.metadata or {}).get("parameters_hash") or ""))
        counts[name] += 1
        decisions[(*name, counts[name])] = event.decision
    return decisions
