"""Which model a monitor asks, and in which form it can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reviewers import _host
from reviewers.monitors.verdict import Form
from reviewers.outcome import ReviewersError

if TYPE_CHECKING:
    from inspect_ai.model import Model

ROLE = "monitor"

TEXT_ONLY = frozenset({"hf", "nnterp", "none", "transformer_lens", "vllm-completions"})
"""Providers that force neither a tool call nor a schema."""

SCHEMA_FIRST = frozenset({"llama-cpp-python", "ollama", "sglang", "vllm"})
"""Servers of one's own: a schema constrains every model there; tool calls need a setting."""

SCHEMAS = SCHEMA_FIRST | {
    "azureai",
    "google",
    "grok",
    "groq",
    "mistral",
    "mockllm",
    "openai",
    "openai-api",
    "openrouter",
    "together",
}
"""Providers that take a response schema."""


def monitor_model(given: Any, owner: str, allow_agent_model: bool) -> Model:
    """The model to ask, always under a role, so that the log tells its usage apart.

    Args:
        given: A `Model`, a model's name (`openai/gpt-5-mini`) or a role's name; None for the role
            `monitor`.
        owner: The reviewer's name, for errors.
        allow_agent_model: Whether the agent's own model may stand in.

    Raises:
        ReviewersError: There is no such model; the message says how to bind one.
    """
    from inspect_ai.model import Model, get_model, model_roles

    if isinstance(given, Model):
        return given if given.role else _host.with_role(given, ROLE)
    if given is not None and "/" in given:
        return _host.with_role(_named(given, owner), ROLE)
    role = given or ROLE
    if role in model_roles():
        return get_model(role=role)
    if allow_agent_model and given is None:
        return _host.with_role(get_model(), ROLE)
    raise ReviewersError(
        f"{owner}: no model is bound to the role {role!r}. Bind one with "
        f"--model-role {role}=MODEL (in Python: model_roles={{{role!r}: MODEL}}), or give the "
        "reviewer the parameter model: MODEL. It never asks the agent's own model unless "
        "allow_agent_model is true."
    )


def _named(name: str, owner: str) -> Model:
    from inspect_ai.model import get_model

    try:
        return get_model(name)
    # Missing packages and keys come as several kinds of error; all are the configuration's.
    except Exception as error:
        raise ReviewersError(f"{owner}: the model {name!r} cannot be used: {error}") from error


def forms(model: Model, wanted: str, levels: bool) -> tuple[Form, ...]:
    """The forms to ask in, the best first; the next is tried where a provider rejects one.

    Args:
        model: The model.
        wanted: A form, or `auto`.
        levels: Whether token probabilities are wanted, which only text has.
    """
    provider = str(model).partition("/")[0]
    if wanted != "auto":
        return (wanted,)  # type: ignore[return-value]
    if levels:
        return ("schema", "text") if provider in SCHEMAS else ("text",)
    if provider in TEXT_ONLY:
        return ("text",)
    if provider in SCHEMA_FIRST:
        return ("schema", "text")
    return ("tool", "schema", "text") if provider in SCHEMAS else ("tool", "text")
