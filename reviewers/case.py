"""One recorded tool result with what is needed to review it again, and its line in a case file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, cast

from reviewers.evidence import Earlier, Evidence, Execution, Surroundings
from reviewers.outcome import ReviewersError

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import ToolInfo

Label = Literal["bad", "ok", "unsure"]
LABELS = ("bad", "ok", "unsure")
FIELDS = (
    "arguments", "call_id", "earlier", "epoch", "error", "exit_code", "exit_codes", "fidelity",
    "history", "id", "input", "kind", "label", "message", "metadata", "output", "sample", "source",
    "target", "tool", "tools", "truncated",
)  # fmt: skip
"""What is read of a case line; it may have more, but nothing that is nearly one of these."""


class CaseError(ReviewersError):
    """A line of a case file that cannot be read; the message says where and what would be right."""


@dataclass(frozen=True)
class Case:
    """One recorded tool result, ready to be reviewed again.

    Attributes:
        id: Its key: sample uuid, epoch and tool event for a log; the line's `id` for a case file.
        evidence: All that is known of it.
        label: What a person said of it, if anybody did.
        kinds: What it is bad for (`network`, `secret`, …); empty if the label does not say.
        source: Where it comes from: a log's name, or the line's `source`.
        sample: The sample it belongs to, by which intervals are clustered.
    """

    id: str
    evidence: Evidence
    label: Label | None = None
    kinds: tuple[str, ...] = ()
    source: str = ""
    sample: str = ""

    @property
    def fidelity(self) -> tuple[str, ...]:
        """How the evidence differs from what a reviewer saw live; empty if it is the same."""
        return self.evidence.fidelity


class RecordedSurroundings(Surroundings):
    """What a case line says beyond the call and its output.

    Args:
        line: The case line as read from JSON.
    """

    def __init__(self, line: Mapping[str, Any]) -> None:
        self._line = line

    def earlier(self) -> tuple[Earlier, ...]:
        """Outcome lines of earlier reviewers of this call."""
        return tuple(
            Earlier(
                reviewer=said.get("reviewer", ""),
                decision=said.get("decision", "escalate"),
                outcome=said.get("outcome", "flagged"),
                explanation=said.get("explanation", ""),
                score=said.get("score"),
                findings=tuple(said.get("findings", ())),
                metadata=said,
            )
            for said in self._line.get("earlier", ())
        )

    def executions(self) -> tuple[Execution, ...]:
        """One execution for each of `exit_codes`, or one for `exit_code`."""
        codes = self._line.get("exit_codes")
        if codes is None:
            code = self._line.get("exit_code")
            codes = [] if code is None else [code]
        command = _command_of(self._line)
        return tuple(Execution(command, code) for code in codes)

    def model_input(self) -> Sequence[ChatMessage] | None:
        """The line's `input`."""
        messages = self._line.get("input")
        return None if messages is None else read_messages(messages)

    def tools(self) -> Sequence[ToolInfo] | None:
        """The line's `tools`."""
        from inspect_ai.tool import ToolInfo

        tools = self._line.get("tools")
        return None if tools is None else [ToolInfo.model_validate(tool) for tool in tools]

    def truncated(self) -> tuple[int, int] | None:
        """The line's `truncated`."""
        cut = self._line.get("truncated")
        return None if cut is None else (int(cut[0]), int(cut[1]))

    def target(self) -> tuple[str, ...] | None:
        """The line's `target`: one text or a list."""
        target = self._line.get("target")
        if not target:
            return None
        return (target,) if isinstance(target, str) else tuple(target)

    def metadata(self) -> Mapping[str, Any]:
        """The line's `metadata`."""
        return cast("Mapping[str, Any]", self._line.get("metadata") or {})

    def sample(self) -> str:
        """The line's `sample`."""
        return str(self._line.get("sample") or "")

    def epoch(self) -> int:
        """The line's `epoch`."""
        return int(self._line.get("epoch") or 1)

    def key(self) -> str:
        """The line's `id`."""
        return str(self._line.get("id", ""))


def case_from_line(line: Mapping[str, Any], place: str = "case") -> Case:
    """Read one line of a case file.

    Args:
        line: The line as read from JSON; `tool`, `arguments` and `output` suffice.
        place: Names the line in errors: `cases.jsonl:7`.

    Raises:
        CaseError: A field is missing or has a value that it cannot have.
    """
    from inspect_ai.model import ChatMessageTool
    from inspect_ai.tool import ToolCall, ToolCallError

    if not isinstance(line, Mapping):
        raise CaseError(f"{place}: a case is a JSON object, not {type(line).__name__}.")
    _check_fields(line, place)
    tool = _field(line, "tool", str, place, "bash")
    arguments = _field(line, "arguments", dict, place, {})
    output = _output(line["output"], place)
    call_id = _field(line, "call_id", str, place, "call_1")
    error = line.get("error")
    if isinstance(error, str):
        error = {"type": "unknown", "message": error} if error else None
    message = ChatMessageTool(
        content=output,
        tool_call_id=call_id,
        function=tool,
        error=None if error is None else ToolCallError(error["type"], error["message"]),
    )
    label = line.get("label")
    if label is not None and label not in LABELS:
        raise CaseError(f"{place}: label is {label!r}; it should be one of {', '.join(LABELS)}.")
    evidence = Evidence(
        message=_field(line, "message", str, place, ""),
        call=ToolCall(id=call_id, function=tool, arguments=arguments),
        result=message,
        output=output,
        history=read_messages(line.get("history") or []),
        surroundings=RecordedSurroundings(line),
        fidelity=tuple(line.get("fidelity") or ()),
    )
    kind = line.get("kind") or ()
    return Case(
        id=str(line.get("id", place)),
        evidence=evidence,
        label=label,
        kinds=(kind,) if isinstance(kind, str) else tuple(kind),
        source=str(line.get("source") or ""),
        sample=str(line.get("sample") or line.get("id") or place),
    )


def read_messages(messages: Sequence[Any]) -> list[ChatMessage]:
    """Chat messages as Inspect serialises them."""
    if not messages:
        return []
    from inspect_ai.model import ChatMessage
    from pydantic import TypeAdapter

    return TypeAdapter(list[ChatMessage]).validate_python(list(messages))


def _check_fields(line: Mapping[str, Any], place: str) -> None:
    for name in line.keys() - set(FIELDS):
        if near := get_close_matches(name, FIELDS, n=1, cutoff=0.75):
            wanted = f"did you mean {near[0]!r}?"
            raise CaseError(f"{place}: there is no field {name!r}; {wanted}")
    if "output" not in line:
        raise CaseError(f"{place}: `output` is missing; write an empty text for none.")


def _output(output: Any, place: str) -> Any:
    if output is None:
        return ""
    if isinstance(output, str):
        return output
    if isinstance(output, list):
        from inspect_ai.model import Content
        from pydantic import TypeAdapter

        return TypeAdapter(list[Content]).validate_python(output)
    if isinstance(output, int | float | bool):
        return str(output)
    raise CaseError(
        f"{place}: output is a {type(output).__name__}; it should be text or a list of content."
    )


def _field(line: Mapping[str, Any], name: str, kind: type, place: str, default: Any) -> Any:
    value = line.get(name)
    if value is None:
        return default
    if not isinstance(value, kind):
        wanted = "text" if kind is str else "an object"
        raise CaseError(f"{place}: {name} is {json.dumps(value)[:80]}; it should be {wanted}.")
    return value


def _command_of(line: Mapping[str, Any]) -> str:
    arguments = line.get("arguments") or {}
    command = arguments.get("command", arguments.get("cmd", ""))
    return command if isinstance(command, str) else ""
