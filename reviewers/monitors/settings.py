"""What a monitor was told: its parameters, after its prompt has filled in what was not given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from reviewers.monitors.prompt import Prompt, Sees
from reviewers.outcome import Decision
from reviewers.parameters import ParameterError

Combine = Literal["mean", "max", "majority"]
OnUnshowable = Literal["fail", "note"]
Answer = Literal["auto", "tool", "schema", "text"]


@dataclass(frozen=True)
class Settings:
    """The parameters of `reviewers.monitors.factory.monitor`, where each is described."""

    model: Any
    escalate_at: float
    terminate_at: float | None
    on_clear: Decision
    on_failure: Decision
    timeout_s: float
    votes: int
    combine: Combine
    logprobs: bool
    first: Any
    first_at: float
    tripwire: bool
    sees: Sees
    history_turns: int | None
    history_tokens: int
    window_tokens: int
    max_windows: int
    overlap_tokens: int
    sample_long: bool
    images: bool
    on_unshowable: OnUnshowable
    answer: Answer
    attempts: int
    max_retries: int
    max_tokens: int | None
    budget_tokens: int | None
    budget_cost: float | None
    allow_agent_model: bool

    def check(self, owner: str, prompt: Prompt) -> None:
        """Refuse parameters that do not go together.

        Raises:
            ParameterError: Names the parameter, its value and what is allowed.
        """
        at = self.escalate_at
        if self.terminate_at is not None and self.terminate_at < at:
            wrong = f"terminate_at is {self.terminate_at:g}; it should be at least escalate_at, "
            raise ParameterError(f"{owner}: {wrong}{at:g}.")
        if self.first is not None and self.first_at > at:
            wrong = f"first_at is {self.first_at:g}; it should be at most escalate_at, "
            raise ParameterError(f"{owner}: {wrong}{at:g}.")
        if self.tripwire and self.logprobs:
            raise ParameterError(f"{owner}: tripwire and logprobs cannot both be true.")
        if self.tripwire and not prompt.about.tripwires:
            raise ParameterError(f"{owner}: tripwire is true, but the prompt has no tripwires.")


def settings(given: dict[str, Any], prompt: Prompt, owner: str) -> Settings:
    """Settings from a factory's parameters; what is None and the prompt's is the prompt's."""
    about = prompt.about
    own: dict[str, Any] = {
        "escalate_at": about.escalate_at,
        "terminate_at": about.terminate_at,
        "sees": about.sees,
    }
    filled: dict[str, Any] = {
        key: own.get(key) if value is None else value for key, value in given.items()
    }
    made = Settings(**filled)
    made.check(owner, prompt)
    return made
