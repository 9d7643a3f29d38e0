"""A sample's events read only where a replay looks: lighter ones, same attributes as Inspect's.

What most replays never look at (model inputs, tools, attachments) stays as bytes until somebody
asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Union

import msgspec
from msgspec import Raw, Struct, field

from reviewers import _host

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import ToolCall, ToolCallContent, ToolCallError, ToolInfo


class Attachments(Mapping[str, str]):
    """A sample's attachments by hash; each is read when it is asked for.

    Args:
        raw: The attachments as JSON.
    """

    def __init__(self, raw: Raw) -> None:
        self._raw = raw

    @cached_property
    def _texts(self) -> Mapping[str, Raw]:
        return _raw_by_name(self._raw)

    def __getitem__(self, name: str) -> str:
        return str(msgspec.json.decode(self._texts[name]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


class Book:
    """What the events of a sample share: attachments and the pool of messages.

    Args:
        attachments: The sample's attachments as JSON.
        pool: Its `events_data` as JSON.
    """

    def __init__(self, attachments: Raw, pool: Raw) -> None:
        self.attachments = Attachments(attachments)
        self._pool = pool
        self.text = _host.attachment_resolver(self.attachments)

    @cached_property
    def messages(self) -> Sequence[ChatMessage]:
        """The pool that model inputs refer to."""
        messages = _plain(_raw_by_name(self._pool).get("messages", Raw()))
        return _host.read_chat_messages(messages or [], self.text)

    def resolved(self, value: Any) -> Any:
        """Plain JSON values with their attachments put in."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.resolved(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.resolved(item) for item in value]
        return value


def _plain(raw: Raw) -> Any:
    return msgspec.json.decode(raw) if raw else None


def _raw_by_name(raw: Raw) -> Mapping[str, Raw]:
    return (RAW_BY_NAME.decode(raw) if raw else None) or {}


def _book(line: Struct) -> Book:
    book: Book = line.__dict__["book"]
    return book


class Line(Struct, dict=True, tag_field="event"):
    """An event of any kind."""

    uuid: str | None = None
    span_id: str | None = None
    pending: bool | None = None

    @property
    def event(self) -> str:
        """Its kind."""
        return str(self.__struct_config__.tag)


class ErrorLine(Struct):
    """A tool's error."""

    type: str
    message: str


class ToolLine(Line, tag="tool"):
    """`ToolEvent`."""

    metadata: Any = None
    id: str = ""
    function: str = ""
    raw_arguments: Any = field(name="arguments", default=None)
    raw_view: Raw = field(name="view", default=Raw())
    raw_result: Any = field(name="result", default="")
    truncated: tuple[int, int] | None = None
    raw_error: ErrorLine | None = field(name="error", default=None)
    failed: bool | None = None
    message_id: str | None = None

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """What the tool was called with."""
        return _book(self).resolved(self.raw_arguments)  # type: ignore[no-any-return]

    @cached_property
    def result(self) -> Any:
        """What it returned, as the model saw it."""
        if isinstance(self.raw_result, list | dict):
            return _host.read_tool_result(self.raw_result, _book(self).text)
        return self.raw_result

    @cached_property
    def error(self) -> ToolCallError | None:
        """Its error."""
        from inspect_ai.tool import ToolCallError

        given = self.raw_error
        return None if given is None else ToolCallError(given.type, given.message)  # type: ignore[arg-type]

    @cached_property
    def view(self) -> ToolCallContent | None:
        """Its rendering of the call."""
        from inspect_ai.tool import ToolCallContent

        view = _plain(self.raw_view)
        return None if view is None else ToolCallContent.model_validate(view)


class CallKey(Struct):
    """A call's id and function."""

    id: str
    function: str


class MessageLine(Struct, dict=True):
    """An assistant message, as far as it ties calls to it."""

    id: str | None = None
    content: Any = ""
    tool_calls: list[CallKey] | None = None

    @property
    def text(self) -> str:
        """Its text, as `ChatMessage.text` joins it."""
        if isinstance(self.content, str):
            return _book(self).text(self.content)
        parts = [part["text"] for part in self.content if part.get("type") == "text"]
        return "\n".join(map(_book(self).text, parts))

    @cached_property
    def whole(self) -> ChatMessage:
        """The message as Inspect's."""
        raw: Raw = self.__dict__["raw"]
        return _host.read_chat_messages([_plain(raw)], _book(self).text)[0]


class ChoiceLine(Struct, dict=True):
    """A model's choice."""

    raw: Raw = field(name="message")

    @cached_property
    def message(self) -> MessageLine:
        """Its message."""
        message = MESSAGE.decode(self.raw)
        message.__dict__.update(raw=self.raw, book=_book(self))
        return message


class OutputLine(Struct):
    """`ModelOutput`."""

    choices: list[ChoiceLine] = []


class ConfigLine(Struct):
    """`GenerateConfig`."""

    system_message: str | None = None


class ModelLine(Line, tag="model"):
    """`ModelEvent`."""

    output: OutputLine = field(default_factory=OutputLine)
    config: ConfigLine = field(default_factory=ConfigLine)
    raw_input: Raw = field(name="input", default=Raw())
    input_refs: list[tuple[int, int]] | None = None
    raw_tools: Raw = field(name="tools", default=Raw())

    @cached_property
    def input(self) -> Sequence[ChatMessage]:
        """What the model was shown."""
        book = _book(self)
        if self.input_refs is not None and book.messages:
            pool = book.messages
            return [message for first, end in self.input_refs for message in pool[first:end]]
        return _host.read_chat_messages(_plain(self.raw_input) or [], book.text)

    @cached_property
    def tools(self) -> Sequence[ToolInfo]:
        """The tools it could call."""
        return _host.read_tools(_plain(self.raw_tools) or [], _book(self).text)


class SpanBeginLine(Line, tag="span_begin"):
    """`SpanBeginEvent`."""

    id: str = ""
    parent_id: str | None = None
    type: str | None = None
    name: str = ""


class SpanEndLine(Line, tag="span_end"):
    """`SpanEndEvent`."""

    id: str = ""


class SandboxLine(Line, tag="sandbox"):
    """`SandboxEvent`."""

    action: str = ""
    cmd: str | None = None
    result: int | None = None


class ReviewLine(Line, tag="review"):
    """`ReviewEvent`."""

    metadata: Any = None
    message: str = ""
    raw_call: dict[str, Any] = field(name="call", default_factory=dict)
    reviewer: str = ""
    decision: str = ""
    explanation: str | None = None

    @cached_property
    def call(self) -> ToolCall:
        """The call as executed."""
        from inspect_ai.tool import ToolCall, ToolCallContent

        call = self.raw_call
        view = call.get("view")
        return ToolCall(
            id=call["id"],
            function=call["function"],
            arguments=call["arguments"],
            parse_error=call.get("parse_error"),
            view=None if view is None else ToolCallContent.model_validate(view),
            type=call.get("type") or "function",
        )


class ApprovalLine(Line, tag="approval"):
    """`ApprovalEvent`."""

    call: CallKey = field(default_factory=lambda: CallKey("", ""))
    decision: str = ""


class InfoLine(Line, tag="info"):
    """`InfoEvent`."""

    source: str | None = None
    raw_data: Raw = field(name="data", default=Raw())

    @cached_property
    def data(self) -> Any:
        """Whatever was noted."""
        return _book(self).resolved(_plain(self.raw_data))


class CompactionLine(Line, tag="compaction"):
    """`CompactionEvent`."""


class ChangeLine(Struct):
    """One change to a sample's state."""

    path: str


class StateLine(Line, tag="state"):
    """`StateEvent`."""

    changes: list[ChangeLine] = []


class SampleLine(Struct):
    """The data set's sample."""

    metadata: Any = None


class SampleInitLine(Line, tag="sample_init"):
    """`SampleInitEvent`."""

    sample: SampleLine = field(default_factory=SampleLine)


OTHERS = (
    "sample_limit",
    "store",
    "anchor",
    "sentinel",
    "branch",
    "checkpoint",
    "input",
    "interrupt",
    "score",
    "score_edit",
    "error",
    "logger",
    "step",
    "subtask",
)
"""Kinds of event of which a replay needs only that they are there."""

READ = (
    ToolLine,
    ModelLine,
    SpanBeginLine,
    SpanEndLine,
    SandboxLine,
    ReviewLine,
    ApprovalLine,
    InfoLine,
    CompactionLine,
    StateLine,
    SampleInitLine,
)
LINES = (
    *READ,
    *(msgspec.defstruct(f"{name}_line", [], bases=(Line,), tag=name) for name in OTHERS),
)


if TYPE_CHECKING:
    AnyLine = Line
else:
    AnyLine = Union[LINES]  # noqa: UP007


MESSAGE = msgspec.json.Decoder(MessageLine)
RAW_BY_NAME = msgspec.json.Decoder(dict[str, Raw] | None)
NEED_BOOK = (ToolLine, ModelLine, InfoLine)


def give_book(events: Sequence[Line], book: Book) -> None:
    """Let events look up what they share."""
    for event in events:
        if isinstance(event, NEED_BOOK):
            event.__dict__["book"] = book
        if isinstance(event, ModelLine):
            for choice in event.output.choices:
                choice.__dict__["book"] = book
