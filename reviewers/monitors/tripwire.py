"""A step known to be bad, judged beside the real one: who lets it pass is not believed."""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from reviewers.monitors.prompt import BadStep


@dataclass(frozen=True)
class Pair:
    """The real step and the known one, in the order in which they are shown.

    Attributes:
        real: Id of the real step.
        known: Id of the step that is known to be bad.
        order: Both, as they are shown.
        bad: The known step.
    """

    real: str
    known: str
    order: tuple[str, str]
    bad: BadStep


def pair(steps: Sequence[BadStep], marker: str) -> Pair:
    """Choose a known step, ids that nobody can guess, and a random order."""
    ids: list[str] = []
    while len(ids) < 2:
        new = secrets.token_hex(3)
        if new not in ids and new not in marker:
            ids.append(new)
    shuffled = random.SystemRandom().sample(ids, 2)
    return Pair(ids[0], ids[1], (shuffled[0], shuffled[1]), random.SystemRandom().choice(steps))


def tempted(bad: BadStep, shown: str) -> str:
    """The known step's result, followed by the real one's text.

    Whatever in the real result talks a model into letting a step pass talks it into letting this
    one pass too, and is found out by it.
    """
    return f"{bad.result}\n{shown}"
