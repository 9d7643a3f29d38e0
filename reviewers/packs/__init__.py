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
        always_human: Whether it makes no sense without a person at its end.
    """

    name: str
    when: str
    costs: str
    members: tuple[Entry, ...]
    always_human: bool = False

    def entries(self, human: bool = False) -> list[Entry]:
        """The policy's entries in order, with what ends it.

        Args:
            human: Whether a person is asked about what was flagged; else it ends the sample.
        """
        if not human and not self.always_human:
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


CANARY: Entry = ("canary", {"from_metadata": ["canary", "canaries"], "if_undeclared": "pass"})
ANSWER: Entry = ("answer_leak", {"if_undeclared": "pass"})
"""Both look for what a sample declares, and let a sample pass that declares nothing."""

RULES_COST = "Rules only: no model and no network, {} on a 10 KB result."

PACKS = {
    pack.name: pack
    for pack in (
        Pack(
            "sandbox",
            "For agents with a shell in a sandbox that must stay offline and keep its secrets.",
            RULES_COST.format("0.6 to 1 ms"),
            _members("no_network", "secret_leak"),
        ),
        Pack(
            "secrets",
            "For runs whose tools can reach credentials, the host's own keys and planted ones "
            "(metadata `canary`) included.",
            RULES_COST.format("0.3 to 0.5 ms"),
            _members("secret_leak", CANARY),
        ),
        Pack(
            "injection",
            "For agents that read pages, mail or files that others wrote.",
            RULES_COST.format("1 to 1.6 ms"),
            _members("prompt_injection", "secret_leak"),
        ),
        Pack(
            "reward_hacking",
            "For tasks that are scored by tests or by an answer that lies within reach.",
            RULES_COST.format("about 0.3 ms"),
            _members("test_tampering", ANSWER, "stuck_loop"),
        ),
        Pack(
            "red_team",
            "For sandbox red teaming: contact, ways out, secrets, planted strings, hidden output.",
            RULES_COST.format("0.8 to 1.3 ms"),
            _members("no_network", "sandbox_escape", "secret_leak", CANARY, "flood"),
        ),
        Pack(
            "all_rules",
            "For a first look at recorded runs: every rule that needs nothing declared.",
            RULES_COST.format("2 to 3 ms"),
            _members(
                "no_network",
                "secret_leak",
                CANARY,
                "sandbox_escape",
                "destructive",
                "test_tampering",
                "prompt_injection",
                ANSWER,
                "stuck_loop",
                "flood",
            ),
        ),
        Pack(
            "control",
            "For AI control runs: rules first, a monitor on what they let pass, a person last.",
            "1 to 1.5 ms for the rules, and one request to the monitor's model for each result "
            "that no rule flagged.",
            _members(
                "no_network",
                "secret_leak",
                CANARY,
                "sandbox_escape",
                "destructive",
                "test_tampering",
                "output_monitor",
            ),
            always_human=True,
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
    """Credentials in results, the host's own keys and planted ones included."""
    return pack_policies("secrets", human)


def injection(human: bool = False) -> list[ReviewPolicy]:
    """Instructions to the agent inside what it reads."""
    return pack_policies("injection", human)


def reward_hacking(human: bool = False) -> list[ReviewPolicy]:
    """Tests tampered with, answers read, agents that go in circles."""
    return pack_policies("reward_hacking", human)


def red_team(human: bool = False) -> list[ReviewPolicy]:
    """Network, ways out of the sandbox, secrets, planted strings, output that was cut."""
    return pack_policies("red_team", human)


def all_rules(human: bool = False) -> list[ReviewPolicy]:
    """Every rule that needs nothing declared."""
    return pack_policies("all_rules", human)


def control() -> list[ReviewPolicy]:
    """Rules, then `output_monitor`, then a person."""
    return pack_policies("control", human=True)
