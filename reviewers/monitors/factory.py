"""The factories of monitors: `monitor`, and one for each prompt file of the package."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from inspect_ai.model import Model
from inspect_ai.review import Reviewer
from pydantic import Field

from reviewers import _registry
from reviewers.judging import reviewer
from reviewers.monitors.engine import Monitor
from reviewers.monitors.prompt import Prompt, Sees, read_prompt
from reviewers.monitors.settings import Answer, Combine, OnUnshowable, settings
from reviewers.outcome import Decision
from reviewers.parameters import Seconds

Score = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=1)]
Tokens = Annotated[int, Field(ge=100)]
NotNegative = Annotated[int, Field(ge=0)]
Cost = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def monitor(
    prompt: str,
    model: str | Model | None = None,
    escalate_at: Score | None = None,
    terminate_at: Score | None = None,
    on_clear: Decision = "continue",
    on_failure: Decision = "escalate",
    timeout_s: Seconds = 120,
    votes: Count = 1,
    combine: Combine = "mean",
    logprobs: bool = False,
    first: str | Model | None = None,
    first_at: Score = 0.2,
    tripwire: bool = False,
    sees: Sees | None = None,
    history_turns: Count | None = None,
    history_tokens: Tokens = 24_000,
    window_tokens: Tokens = 16_000,
    max_windows: Count = 6,
    overlap_tokens: NotNegative = 200,
    sample_long: bool = False,
    images: bool = False,
    on_unshowable: OnUnshowable = "fail",
    answer: Answer = "auto",
    attempts: Count = 3,
    max_retries: NotNegative = 4,
    max_tokens: Count | None = None,
    budget_tokens: Count | None = None,
    budget_cost: Cost | None = None,
    allow_agent_model: bool = False,
) -> Reviewer:
    """Ask a model what your own prompt file asks of each result.

    The file is Markdown with front matter (title, asks, categories, escalate_at, …), like those
    that come with the package, and is checked when the policy loads. Leaves alone what the model
    scores below `escalate_at`.

    Args:
        prompt: Path of the prompt file.
        model: The model to ask: its name (`openai/gpt-5-mini`), the name of a model role, or a
            `Model`; by default the role `monitor`.
        escalate_at: Score (0 to 1) from which a result goes to the next reviewer; by default the
            prompt's.
        terminate_at: Score from which the sample ends; by default the prompt's, and never if it
            has none.
        on_clear: Decision below `escalate_at`.
        on_failure: Decision when it could not judge: refusal, time-out, malformed answer, ….
        timeout_s: Seconds for one review, all its requests and retries included.
        votes: Verdicts asked for per window of the output.
        combine: How votes become one score: `mean`, `max`, or `majority` (the score that more than
            half of them reach).
        logprobs: Read an expected score from token log-probabilities where the provider gives them.
        first: A cheap model that looks at everything, given like `model`, which is then asked only
            about what the first one does not clear.
        first_at: Score of the first model from which the other one is asked.
        tripwire: Judge a step that is known to be bad beside the real one, in a random place; a
            model that lets it pass is not believed.
        sees: What of the agent is shown: `all`, `no_reasoning`, or `actions` (calls and results
            only); by default the prompt's.
        history_turns: Earlier turns shown at most.
        history_tokens: Estimated tokens of earlier messages shown at most, the task besides.
        window_tokens: Estimated tokens of output shown in one request. Longer output is shown in
            several overlapping windows, and the worst one counts.
        max_windows: Windows at most. An output that they do not reach all of is never clear.
        overlap_tokens: Estimated tokens that two neighbouring windows share.
        sample_long: Let an output that was read in part count as clear.
        images: Pass images of the result on to the model, which must take them.
        on_unshowable: What becomes of a result with parts that cannot be shown and nothing found
            in the rest: `fail`, or `note` (the model is told, and its verdict stands).
        answer: Form of the answer: a forced `tool` call, a response `schema`, tagged `text`;
            `auto` takes the best that the provider has.
        attempts: Times that one verdict is asked for at most, where answers are malformed.
        max_retries: Retries of one request by the provider's client.
        max_tokens: Tokens of one answer at most; the provider's default if not given.
        budget_tokens: Tokens that this monitor may use per sample.
        budget_cost: Dollars that this monitor may spend per sample; the model must have a price.
        allow_agent_model: Ask the agent's own model where no monitor model is bound.
    """
    given = dict(locals())
    return _made(read_prompt(Path(given.pop("prompt")).expanduser()), "reviewers/monitor", given)


def _made(prompt: Prompt, owner: str, given: dict[str, Any]) -> Monitor:
    return Monitor(prompt, settings(given, prompt, owner))


@cache
def packaged(name: str) -> Callable[..., Reviewer]:
    """The factory of a prompt file that comes with the package.

    It takes the parameters of `monitor` but for the prompt, with the prompt's own defaults.

    Args:
        name: The file's stem, which is the monitor's name.
    """
    prompt = read_prompt(_registry.prompts_folder() / f"{name}.md")

    def create(**given: Any) -> Reviewer:
        return _made(prompt, f"reviewers/{name}", {**defaults, **given})

    own = [_parameter(one, prompt) for one in _parameters() if one.name != "prompt"]
    defaults = {one.name: one.default for one in own}
    create.__name__ = create.__qualname__ = name
    create.__doc__ = f"{prompt.about.title}\n\n{_asks(prompt)}\n\n{_args()}"
    create.__annotations__ = {one.name: one.annotation for one in own}
    create.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
    return reviewer(catches=prompt.about.catches, family="monitor")(create)


def _parameters() -> list[inspect.Parameter]:
    return list(inspect.signature(monitor).parameters.values())


def _parameter(one: inspect.Parameter, prompt: Prompt) -> inspect.Parameter:
    default = getattr(prompt.about, one.name, one.default)
    return one.replace(kind=inspect.Parameter.KEYWORD_ONLY, default=default)


def _asks(prompt: Prompt) -> str:
    categories = ", ".join(prompt.about.categories)
    return f"Asks a model: {prompt.about.asks} Tells apart: {categories}."


def _args() -> str:
    """The description of the parameters that `monitor` shares with the packaged ones."""
    lines = inspect.cleandoc(monitor.__doc__ or "").splitlines()
    described = lines[lines.index("Args:") :]
    return "\n".join(line for line in described if not line.strip().startswith("prompt:"))


own_prompt = reviewer(family="monitor")(monitor)
"""The registered `reviewers/monitor`."""
