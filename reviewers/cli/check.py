"""`reviewers check POLICY`."""

from __future__ import annotations

import json
import sys

import click

from reviewers.judging import JudgingReviewer
from reviewers.policies import Analysis, Coverage, PolicyEntry, analyse, read_policy


@click.command("check")
@click.argument("policy")
@click.option("--tools", default="", help="The tools in use, comma-separated.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check(policy: str, tools: str, as_json: bool) -> None:
    """Say what each tool's results meet, and warn of what could go unheard.

    POLICY is a policy file, or the name of a pack or a reviewer. Exits 1 where a flag or a failure
    can go unheard, 2 where the policy cannot be used.
    """
    names = [tool.strip() for tool in tools.split(",") if tool.strip()]
    analysis = analyse(read_policy(policy), names)
    if as_json:
        click.echo(json.dumps(_as_dict(policy, analysis), indent=2))
    else:
        click.echo(_as_text(policy, analysis))
    sys.exit(1 if analysis.problems else 0)


def _as_dict(policy: str, analysis: Analysis) -> dict[str, object]:
    return {
        "policy": policy,
        "ok": not analysis.problems,
        "tools": {c.tool: [entry.name for entry in c.in_order] for c in analysis.coverage},
        "problems": list(analysis.problems),
        "warnings": list(analysis.warnings),
        "notes": list(analysis.notes),
    }


def _as_text(policy: str, analysis: Analysis) -> str:
    lines = [_covered(covered) for covered in analysis.coverage]
    for title, sentences in (
        ("Can go unheard", analysis.problems),
        ("Warnings", analysis.warnings),
        ("Notes", analysis.notes),
    ):
        if sentences:
            lines += ["", title, *(f"  {sentence}" for sentence in sentences)]
    if not analysis.problems:
        lines += ["", f"{policy}: every flag and every failure is heard."]
    return "\n".join(lines)


def _covered(covered: Coverage) -> str:
    if not covered.in_order:
        return f"{covered.tool}: no reviewer; every result continues."
    steps = [_step(entry, entry in covered.sometimes) for entry in covered.in_order]
    return f"{covered.tool}:\n" + "\n".join(f"  {n}. {s}" for n, s in enumerate(steps, start=1))


SAYS = {
    "continue": "lets it continue",
    "terminate": "ends the sample",
    "escalate": "asks the next",
}


def _step(entry: PolicyEntry, sometimes: bool) -> str:
    only = " (for some calls)" if sometimes else ""
    if not isinstance(entry.reviewer, JudgingReviewer):
        return f"{entry.name}{only}"
    states = {"flagged": "flag", "failed": "failure", "clear": "clear"}
    ways = [
        f"{word} {' or '.join(SAYS[decision] for decision in sorted(possible))}"
        for state, word in states.items()
        if (possible := entry.reviewer.possible[state])  # type: ignore[index]
    ]
    return f"{entry.name}{only}: {', '.join(ways)}"
