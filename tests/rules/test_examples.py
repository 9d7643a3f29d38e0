"""Every rule's examples hold: what they say matches does, what must not does not."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from reviewers.testing import wrong_examples

RULES = sorted(
    path.stem for path in (Path(__file__).parents[2] / "reviewers" / "rules").glob("[!_]*.py")
)


@pytest.mark.parametrize("rule", RULES)
async def test_every_example_of_a_rule_holds(rule: str) -> None:
    assert await wrong_examples(import_module(f"reviewers.rules.{rule}")) == []
