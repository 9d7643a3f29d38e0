"""Named packs: Python functions that return policies, and the YAML that says the same.

```python
from reviewers.packs import sandbox

eval(task, review=sandbox(human=True))
```

Every pack ends in `reviewers/stop_flagged` or, with `human=True`, in `reviewers/human`, and then
its rules pass what they flag on to the person instead of ending the sample themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reviewers.outcome import ReviewersError

if TYPE_CHECKING:
    from inspect_ai.review import ReviewPolicy

Entry = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Pack:
    """A named list of reviewers with parameters.

    Attributes:
        name: Its name.
        when: One sentence on when to use it.
        costs: What it costs per call, in words; the measured figures are in the README.
        members: Its reviewers, the cheapest first, without what ends the policy.
    """

    name: str
    when: str
    costs: str
    members: tuple[Entry, ...]

    def entries(self, human: bool = False) -> list[Entry]:
        """The policy's entries in order, with what ends it.

        Args:
            human: Whether a person is asked about what was flagged; else it ends the sample.
        """
        if not human:
            return [*self.members, ("reviewers/stop_flagged", {})]
        asking = [
            (name, parameters if _is_monitor(name) else {"on_flag": "escalate", **parameters})
            for name, parameters in self.members
        ]
        return [*asking, ("reviewers/human", {})]


def _is_monitor(name: str) -> bool:
    return name.endswith("_monitor")


def _members(*entries: str | Entry) -> tuple[Entry, ...]:
    """Entries with our prefix; a bare name takes no parameters."""
    pairs = [(entry, {}) if isinstance(entry, str) else entry for entry in entries]
    return tuple((f"reviewers/{name}", parameters) for name, parameters in pairs)


RULES_COST = "Rules only: no model, no network."

PACKS = {
    pack.name: pack
    for pack in (
        Pack(
            "sandbox",
            "For agents with a shell in a sandbox that must stay offline and keep its secrets.",
            RULES_COST,
            _members("no_network", "secret_leak"),
        ),
        Pack(
            "secrets",
            "For runs whose tools can reach credentials, the host's own keys included.",
            RULES_COST,
            _members("secret_leak"),
        ),
        Pack(
            "all_rules",
            "For a first look at recorded runs: every rule that needs nothing declared.",
            RULES_COST,
            _members("no_network", "secret_leak"),
        ),
    )
}


def pack(name: str) -> Pack:
    """The pack of a name.

    Raises:
        ReviewersError: There is none; the message lists those there are.
    """
    if name not in PACKS:
        from difflib import get_close_matches

        near = get_close_matches(name, PACKS, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(PACKS)}."
        raise ReviewersError(f"no pack {name!r}. {hint}")
    return PACKS[name]


def pack_policies(name: str, human: bool = False) -> list[ReviewPolicy]:
    """A pack as policies, ready for `eval(review=…)`, `Task(review=…)` or `react(review=…)`.

    Args:
        name: The pack's name.
        human: Whether a person is asked about what was flagged; else it ends the sample.
    """
    from inspect_ai.review import ReviewPolicy

    from reviewers import _host

    return [
        ReviewPolicy(_host.create(reviewer, dict(parameters)), tools="*")
        for reviewer, parameters in pack(name).entries(human)
    ]


def pack_members(name: str) -> Sequence[dict[str, Any]]:
    """A pack's reviewers as a panel takes them: name and parameters, without what ends it."""
    return [{"name": reviewer, **parameters} for reviewer, parameters in pack(name).members]


def pack_yaml(name: str, human: bool = False) -> str:
    """A pack as a policy file for `inspect eval --review`.

    Args:
        name: The pack's name.
        human: Whether a person is asked about what was flagged; else it ends the sample.
    """
    import yaml

    described = pack(name)
    entries = [
        {"name": reviewer, "tools": "*", **parameters}
        for reviewer, parameters in described.entries(human)
    ]
    body = yaml.safe_dump({"reviewers": entries}, sort_keys=False, allow_unicode=True)
    return f"# {described.name}: {described.when}\n# {described.costs}\n{body}"


def sandbox(human: bool = False) -> list[ReviewPolicy]:
    """Network reached, secrets shown: for agents with a shell that must stay offline."""
    return pack_policies("sandbox", human)


def secrets(human: bool = False) -> list[ReviewPolicy]:
    """Credentials in results, the host's own keys included."""
    return pack_policies("secrets", human)


def all_rules(human: bool = False) -> list[ReviewPolicy]:
    """Every rule that needs nothing declared."""
    return pack_policies("all_rules", human)
