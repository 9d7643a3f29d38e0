"""All that is known of one tool result, built the same way live and from a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from reviewers.texts import output_text, texts_in

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ChatMessageTool
    from inspect_ai.tool import ToolCall, ToolCallError, ToolCallView, ToolInfo, ToolResult

COMMAND_ARGUMENTS = ("command", "cmd", "commands", "code", "script", "keystrokes", "input")
"""Arguments that hold what a tool runs, as Inspect's and the common public tools name them."""


Place = Literal["output", "arguments", "message"]
"""Texts of some evidence that a detector may look in."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One command that a tool ran in the sandbox.

    Attributes:
        command: The command line as the host recorded it.
        exit_code: Its exit code; None while unknown.
    """

    command: str
    exit_code: int | None


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier reviewer said: of this call, or a person of a call before it.

    Attributes:
        reviewer: Its name as logged (`reviewers/no_network`).
        decision: Inspect's decision.
        outcome: `clear`, `flagged` or `failed`. For another package's reviewer: `flagged` when it
            terminated or escalated, else `clear`.
        explanation: Its sentence, possibly empty.
        score: 0 to 1, or None.
        findings: Its findings as plain JSON values.
        metadata: All of the review's metadata.
        call_id: Id of the call it was about. Ids repeat within a sample.
        asked: For a person: whether one was really asked.
        message_id: For a person: id of the tool message that it was about, if known.
    """

    reviewer: str
    decision: str
    outcome: str
    explanation: str = ""
    score: float | None = None
    findings: tuple[Mapping[str, Any], ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    call_id: str = ""
    asked: bool = False
    message_id: str = ""

    @property
    def suspicious(self) -> bool:
        """Whether it flagged the call or failed on it, and meant it to count."""
        return self.outcome != "clear" and not self.metadata.get("shadow", False)


@dataclass(frozen=True, slots=True)
class PastCall:
    """A tool call before this one, with what it returned as the model saw it.

    Attributes:
        call_id: Its id (ids repeat within a sample).
        function: The tool.
        arguments: What it was called with.
        text: The result's text.
        error: The error's message; empty if there was none.
    """

    call_id: str
    function: str
    arguments: Mapping[str, Any]
    text: str
    error: str = ""


class Surroundings:
    """What is known of a result beyond the six arguments that a reviewer gets.

    This base knows nothing and says so with None and empty values. Live and for logs it is
    `reviewers.transcript.TranscriptSurroundings`; for case files, values read from the line.
    """

    def earlier(self) -> tuple[Earlier, ...]:
        """What earlier reviewers of this very call said, in order."""
        return ()

    def executions(self) -> tuple[Execution, ...]:
        """The commands that this call itself ran, in order (not those of nested calls)."""
        return ()

    def model_input(self) -> Sequence[ChatMessage] | None:
        """Exactly what the model was shown when it made the call; None if not to be had."""
        return None

    def tools(self) -> Sequence[ToolInfo] | None:
        """The tools that the model could call; None if not to be had."""
        return None

    def people(self) -> tuple[Earlier, ...]:
        """What persons decided at earlier calls, in order (only where one was really asked)."""
        return ()

    def past_calls(self) -> tuple[PastCall, ...] | None:
        """Earlier calls of the same agent with their results; None if not to be had."""
        return None

    def truncated(self) -> tuple[int, int] | None:
        """Bytes of the output `(before, after)` truncation; None if nothing was cut."""
        return None

    def target(self) -> tuple[str, ...] | None:
        """The sample's target; None if there is none."""
        return None

    def metadata(self) -> Mapping[str, Any]:
        """The sample's metadata."""
        return {}

    def sample(self) -> str:
        """The sample's uuid (else its id); empty if there is none."""
        return ""

    def epoch(self) -> int:
        """The sample's epoch, from 1."""
        return 1

    def key(self) -> str:
        """Stable key of the case: sample, epoch and tool event."""
        return ""


Value = TypeVar("Value")


class shared_property(Generic[Value]):
    """A property that is worked out once for some evidence and all copies of it.

    Every reviewer of a call gets a copy, which differs in the earlier reviewers only.
    """

    def __init__(self, read: Callable[[Any], Value]) -> None:
        self._read = read
        self._name = read.__name__
        self.__doc__ = read.__doc__

    @overload
    def __get__(self, evidence: None, owner: type[Any]) -> shared_property[Value]: ...

    @overload
    def __get__(self, evidence: Evidence, owner: type[Any]) -> Value: ...

    def __get__(
        self, evidence: Evidence | None, owner: type[Any]
    ) -> Value | shared_property[Value]:
        if evidence is None:
            return self
        known = evidence.worked_out
        if self._name not in known:
            known[self._name] = self._read(evidence)
        # The instance's own entry is found before this property, the next time.
        value: Value = known[self._name]
        evidence.__dict__[self._name] = value
        return value


@dataclass
class Evidence:
    """All that is known of one tool result. What costs is worked out on first use, once.

    Attributes:
        message: Text the assistant wrote beside the call.
        call: The call as executed (an approver's changes included).
        result: The message that the model will receive, truncated as it will see it.
        output: The tool's untruncated return value.
        history: The conversation up to the assistant message that made the call.
        view: The tool's rendering of the call for people, if any.
        surroundings: Where the rest is looked up.
        fidelity: How this differs from what a reviewer saw live; empty live.
        worked_out: What was worked out so far, shared by all copies.
    """

    message: str
    call: ToolCall
    result: ChatMessageTool
    output: ToolResult
    history: Sequence[ChatMessage] = ()
    view: ToolCallView | None = None
    surroundings: Surroundings = field(default_factory=Surroundings)
    fidelity: tuple[str, ...] = ()
    worked_out: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @shared_property
    def text(self) -> str:
        """The whole untruncated output as text, then the tool's error message, if any.

        Parts of a list are joined by newlines; what is no text (images, audio, video, documents,
        data) is left out and counted in `unshowable`.
        """
        shown = output_text(self.output)
        error = self.result.error.message if self.result.error else ""
        if not error or error in shown:
            return shown
        return f"{shown}\n{error}" if shown else error

    @shared_property
    def unshowable(self) -> Mapping[str, int]:
        """How many parts of the output are no text, by content type: `{"image": 2}`."""
        counts: dict[str, int] = {}
        for part in self.output if isinstance(self.output, list) else [self.output]:
            kind = getattr(part, "type", None)
            if kind is not None and kind not in ("text", "reasoning"):
                counts[kind] = counts.get(kind, 0) + 1
        return counts

    @property
    def tool(self) -> str:
        """Name of the tool that was called."""
        return self.call.function

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The call's arguments."""
        return self.call.arguments

    @shared_property
    def command(self) -> str:
        """What the call ran: the command line or code among its arguments; empty if none.

        Looked for under the names in `COMMAND_ARGUMENTS`. A list of words is joined by spaces.
        """
        for name in COMMAND_ARGUMENTS:
            value = self.call.arguments.get(name)
            if isinstance(value, str):
                return value
            if isinstance(value, list) and all(isinstance(word, str) for word in value):
                return " ".join(value)
        return ""

    @shared_property
    def argument_texts(self) -> tuple[str, ...]:
        """Every text among the call's arguments, those inside lists and objects too."""
        return tuple(texts_in(self.call.arguments))

    def texts(self, places: Sequence[Place]) -> Iterator[tuple[Place, str]]:
        """The texts of some places; those among the arguments one by one."""
        if "output" in places:
            yield "output", self.text
        if "arguments" in places:
            for text in self.argument_texts:
                yield "arguments", text
        if "message" in places:
            yield "message", self.message

    @shared_property
    def size(self) -> int:
        """Characters that a detector may have to read: output, message and text arguments."""
        return len(self.text) + len(self.message) + sum(map(len, self.argument_texts))

    @property
    def error(self) -> ToolCallError | None:
        """The error that the tool reported, if any."""
        return self.result.error

    @shared_property
    def executions(self) -> tuple[Execution, ...]:
        """The commands that this call itself ran in the sandbox, in order."""
        return self.surroundings.executions()

    @property
    def exit_codes(self) -> tuple[int, ...]:
        """Exit codes of all commands that the call ran, in order."""
        return tuple(
            execution.exit_code for execution in self.executions if execution.exit_code is not None
        )

    @property
    def exit_code(self) -> int | None:
        """The call's exit code: that of its last command; None if it ran none or it is unknown."""
        return self.executions[-1].exit_code if self.executions else None

    @cached_property
    def earlier(self) -> tuple[Earlier, ...]:
        """What earlier reviewers of this very call said, in order."""
        return self.surroundings.earlier()

    @shared_property
    def people(self) -> tuple[Earlier, ...]:
        """What persons decided at earlier calls of this sample."""
        return self.surroundings.people()

    @shared_property
    def model_input(self) -> Sequence[ChatMessage] | None:
        """Exactly what the model was shown when it made the call; None if not to be had."""
        return self.surroundings.model_input()

    @shared_property
    def tools(self) -> Sequence[ToolInfo] | None:
        """The tools that the model could call; None if not to be had."""
        return self.surroundings.tools()

    @shared_property
    def tool_definition(self) -> ToolInfo | None:
        """The called tool's name, description and parameters, as the model saw them."""
        return next((tool for tool in self.tools or () if tool.name == self.tool), None)

    @shared_property
    def truncated(self) -> tuple[int, int] | None:
        """Bytes of the output `(before, after)` truncation; None if nothing was cut."""
        return self.surroundings.truncated()

    @shared_property
    def past_calls(self) -> tuple[PastCall, ...]:
        """Earlier calls with their results: from the transcript, else from `history`."""
        known = self.surroundings.past_calls()
        return known if known is not None else calls_in(self.history)

    @shared_property
    def target(self) -> tuple[str, ...] | None:
        """The sample's target; None if there is none."""
        return self.surroundings.target()

    @shared_property
    def metadata(self) -> Mapping[str, Any]:
        """The sample's metadata."""
        return self.surroundings.metadata()

    @property
    def sample(self) -> str:
        """The sample's uuid; empty if there is none."""
        return self.surroundings.sample()

    @property
    def epoch(self) -> int:
        """The sample's epoch, from 1."""
        return self.surroundings.epoch()

    @shared_property
    def key(self) -> str:
        """Stable key of the case: the same live and in a replay of the log."""
        return self.surroundings.key()

    def with_earlier(self, earlier: Sequence[Earlier]) -> Evidence:
        """The same evidence (what was worked out is shared) after these earlier reviewers."""
        return self._copy(earlier=tuple(earlier))

    def looked_up_in(self, surroundings: Surroundings) -> Evidence:
        """The same evidence (what was worked out is shared) with other earlier reviewers.

        Args:
            surroundings: Knows them; in all else it must agree with those that it replaces.
        """
        return self._copy(surroundings=surroundings)

    def _copy(self, **differing: Any) -> Evidence:
        other = object.__new__(Evidence)
        other.__dict__.update(self.__dict__, **differing)
        return other


def calls_in(history: Sequence[ChatMessage]) -> tuple[PastCall, ...]:
    """The tool calls of a conversation that have a result in it, in the order of the results."""
    calls: dict[str, ToolCall] = {}
    past: list[PastCall] = []
    for message in history:
        if message.role == "assistant":
            calls.update({call.id: call for call in message.tool_calls or []})
        elif message.role == "tool" and (call := calls.get(message.tool_call_id or "")):
            error = message.error.message if message.error else ""
            past.append(PastCall(call.id, call.function, call.arguments, message.text, error))
    return tuple(past)
