"""Steps from conversations: messages with tool calls, and messages with their results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.loaders.trajectory import Step, arguments_of, text_of

RESULT_ROLES = ("tool", "function")


@dataclass
class _Open:
    """A call whose result has not come yet."""

    tool: str
    arguments: dict[str, Any]
    message: str
    call_id: str


@dataclass
class Conversation:
    """Messages read so far.

    Attributes:
        steps: Calls with their results.
        task: The first user message.
        system: The first system message.
    """

    steps: list[Step] = field(default_factory=list)
    task: str = ""
    system: str = ""
    _open: list[_Open] = field(default_factory=list)

    def add(self, message: Mapping[str, Any]) -> None:
        """Read one more message."""
        role, content = str(message.get("role") or ""), text_of(message.get("content"))
        if role in RESULT_ROLES or _is_result(message):
            self._result(message, content)
        elif role == "system":
            self.system = self.system or content
        elif role == "user":
            self.task = self.task or content
        elif role == "assistant":
            self._open += _calls(message, content)

    def finish(self) -> Conversation:
        """Keep the calls that never got a result as steps without one."""
        self.steps += [_step(call, None) for call in self._open]
        self._open = []
        return self

    def _result(self, message: Mapping[str, Any], content: str) -> None:
        call = self._answered(message)
        if call is None:
            return
        self._open.remove(call)
        self.steps.append(_step(call, content, _error(message)))

    def _answered(self, message: Mapping[str, Any]) -> _Open | None:
        """The call that a result answers: by id where it has one, else the oldest one open."""
        call_id = message.get("tool_call_id")
        named = [call for call in self._open if call_id and call.call_id == call_id]
        return next(iter(named or self._open), None)


def conversation(messages: Iterable[Mapping[str, Any]]) -> Conversation:
    """The steps of a conversation, in the order of their results."""
    read = Conversation()
    for message in messages:
        read.add(message)
    return read.finish()


def _is_result(message: Mapping[str, Any]) -> bool:
    return bool((message.get("metadata") or {}).get("function_call_result"))


def _calls(message: Mapping[str, Any], content: str) -> list[_Open]:
    """The calls of an assistant message, in any of the usual forms."""
    calls = message.get("tool_calls")
    if isinstance(calls, str):
        # SHADE-Arena keeps the names only: "Tool calls:" and a line "- name" for each.
        names = [line[2:].strip() for line in calls.splitlines() if line.startswith("- ")]
        return [_Open(name, {}, content, "") for name in names if name]
    single = message.get("function_call")
    found: Sequence[Any] = calls or ([single] if single else [])
    return [_call(call, content) for call in found if isinstance(call, Mapping)]


def _call(call: Mapping[str, Any], content: str) -> _Open:
    function = call.get("function")
    # OpenAI nests name and arguments, Inspect and AgentDojo do not.
    inner = function if isinstance(function, Mapping) else call
    name = inner.get("name") or (function if isinstance(function, str) else "")
    arguments: Any = next((inner[key] for key in ("arguments", "args") if inner.get(key)), {})
    return _Open(str(name), arguments_of(arguments), content, str(call.get("id") or ""))


def _error(message: Mapping[str, Any]) -> str | None:
    error = message.get("error")
    if isinstance(error, Mapping):
        error = error.get("message")
    return str(error) if error else None


def _step(call: _Open, output: str | None, error: str | None = None) -> Step:
    return Step(call.tool, call.arguments, output, call.message, call.call_id, error=error)
