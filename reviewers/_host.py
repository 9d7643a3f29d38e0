"""The only module that touches Inspect's private names, each with its reason.

`tests/test_host.py` checks every one of them against the installed Inspect.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import IO, TYPE_CHECKING, Any, cast
from zipfile import ZipFile

from reviewers.errors import ReviewersError

if TYPE_CHECKING:
    from inspect_ai.event import Event
    from inspect_ai.model import ChatMessage, ChatMessageTool, Model
    from inspect_ai.review import Review, Reviewer, ReviewPolicy
    from inspect_ai.solver import TaskState
    from inspect_ai.tool import ToolCall, ToolCallContent, ToolCallView, ToolInfo
    from pydantic import TypeAdapter


def register(name: str, factory: Callable[..., Any], *, bare: bool) -> None:
    """Register a reviewer factory of this package under `reviewers/NAME`.

    Private: `registry_add` and `RegistryInfo`. Inspect's own `@reviewer` works the package name
    out of the installation and asks for the real function, which would import every rule at the
    start of every Inspect run.

    Args:
        name: The reviewer's name without the package.
        factory: Creates the reviewer from keyword arguments.
        bare: Also register under the bare name, unless somebody has it. The bare key comes first:
            the last registration names the object.
    """
    from inspect_ai._util.registry import RegistryInfo, registry_add, registry_has

    if bare and not registry_has("reviewer", name):
        registry_add(factory, RegistryInfo(type="reviewer", name=name))
    registry_add(factory, RegistryInfo(type="reviewer", name=f"reviewers/{name}"))


def qualified_name(factory: Callable[..., Any], name: str) -> str:
    """The name under which Inspect knows a reviewer: with its package, if it is in one.

    Private: `registry_name`, which tells packages from loose modules.
    """
    from inspect_ai._util.registry import registry_name

    return registry_name(factory, name)


def register_named(qualified: str, factory: Callable[..., Any]) -> None:
    """Register a factory under a name as it is (for reviewers of other packages)."""
    from inspect_ai._util.registry import RegistryInfo, registry_add

    registry_add(factory, RegistryInfo(type="reviewer", name=qualified))


def tag(
    factory: Callable[..., Any], instance: object, qualified: str, args: Any, kwargs: Any
) -> None:
    """Give a reviewer its logged name and parameters.

    Private: `registry_tag`; Inspect's `@reviewer` tags only what it created itself.
    """
    from inspect_ai._util.registry import RegistryInfo, registry_tag

    info = RegistryInfo(type="reviewer", name=qualified, metadata={"attribs": {}, "params": []})
    registry_tag(factory, instance, info, *args, **kwargs)


def log_name(reviewer: Reviewer) -> str:
    """The name that a reviewer's events carry.

    Private: `registry_log_name`.
    """
    from inspect_ai._util.registry import registry_log_name

    return registry_log_name(reviewer)


def lookup(name: str) -> Callable[..., Any] | None:
    """The registered reviewer factory of a name, ours or anybody's; None if there is none.

    Private: `registry_lookup` and `ensure_entry_points`; a policy's names are resolved the same
    way by Inspect.
    """
    from inspect_ai._util.entrypoints import ensure_entry_points
    from inspect_ai._util.registry import registry_lookup

    ensure_entry_points()
    return cast("Callable[..., Any] | None", registry_lookup("reviewer", name))


def create(name: str, parameters: dict[str, Any]) -> Reviewer:
    """Create a registered reviewer as a policy file does.

    Private: `create_registry_object`.

    Raises:
        LookupError: Nothing is registered under that name.
    """
    from inspect_ai._util.entrypoints import ensure_entry_points
    from inspect_ai._util.registry import create_registry_object

    ensure_entry_points()
    return cast("Reviewer", create_registry_object("reviewer", name, parameters))


def reviewer_names() -> list[str]:
    """Names of all registered reviewers, other packages' and Inspect's included.

    Private: `registry_find` and `registry_info`.
    """
    from inspect_ai._util.entrypoints import ensure_entry_points
    from inspect_ai._util.registry import registry_find, registry_info

    ensure_entry_points()
    found = registry_find(lambda info: info.type == "reviewer")
    return sorted({registry_info(item).name.removeprefix("inspect_ai/") for item in found})


async def review_result(
    call: ToolCall, result: ChatMessageTool, history: list[ChatMessage]
) -> None:
    """Apply the review policies in force to a result that Inspect did not execute itself.

    Private: `apply_tool_review`, which Inspect's own tool loop calls; it suspends the token, turn
    and working limits, and the cost limit is taken off here.

    Raises:
        TerminateSampleError: A reviewer ended the sample.
    """
    from inspect_ai._util.exception import TerminateSampleError
    from inspect_ai.review._apply import apply_tool_review

    assistant = history[-1].text
    output: Any = result.content
    with cost_limit_suspended():
        review = await apply_tool_review(assistant, call, result, output, None, history)
    if review is not None and review.decision == "terminate":
        raise TerminateSampleError("Tool result reviewer requested termination.")


def tool_matcher(tools: str | Sequence[str]) -> Callable[[ToolCall], bool]:
    """Whether a policy's `tools` cover a call, as Inspect decides it.

    Private: `format_function_call`; the matching itself is closed over in `policy_reviewer`, and
    `tests/test_host.py` holds this one against it. A pattern covers everything that begins like
    it (`bash` covers `bash_session`), and is matched against the rendered call.

    Args:
        tools: Globs, one or several, each also a comma-separated list.
    """
    import sys
    from fnmatch import fnmatch

    from inspect_ai._util.format import format_function_call

    names = [tools] if isinstance(tools, str) else list(tools)
    patterns = [name.strip() for names_ in names for name in names_.split(",") if name.strip()]
    globs = [name if name.endswith("*") else f"{name}*" for name in patterns]

    def covers(call: ToolCall) -> bool:
        rendered = format_function_call(call.function, call.arguments, width=sys.maxsize)
        return any(fnmatch(rendered, glob) for glob in globs)

    return covers


def sample_events() -> Sequence[Event]:
    """A snapshot of the running sample's events so far."""
    from inspect_ai.log import transcript

    return tuple(transcript().events)


def sample_state() -> TaskState | None:
    """The running sample's state: target, metadata, uuid, epoch; None outside a sample.

    Private: `inspect_ai.solver._task_state.sample_state`; a reviewer is not handed the state.
    """
    from inspect_ai.solver._task_state import sample_state as host_sample_state

    return host_sample_state()


def record_review(name: str, message: str, call: ToolCall, review: Review) -> None:
    """Write a `ReviewEvent`, as Inspect does for each reviewer it asks.

    Private: `record_review`; a panel's members are asked by the panel, not by Inspect.
    """
    from inspect_ai.review._call import record_review as host_record_review

    host_record_review(name, message, call, review)


TRUNCATED_START = "Here is a truncated version:\n<START_TOOL_OUTPUT>\n"
TRUNCATED_END = "\n<END_TOOL_OUTPUT>"


def truncation(result: ChatMessageTool, output: Any) -> tuple[int, int] | None:
    """Bytes `(before, after)` truncation of the output that is under review; None if not cut.

    Private: the frame that `truncate_tool_output` puts around a cut output. The tool event does
    not say it yet while a reviewer runs, and the limit in force is not to be had.
    """
    text = result.content
    if isinstance(output, list) or not isinstance(text, str) or TRUNCATED_START not in text:
        return None
    whole = str(output).encode("utf-8", "replace")
    shown = text.partition(TRUNCATED_START)[2].rpartition(TRUNCATED_END)[0]
    after = len(shown.encode("utf-8", "replace"))
    return (len(whole), after) if after < len(whole) and str(output) != text else None


@contextlib.contextmanager
def cost_limit_suspended() -> Iterator[None]:
    """Charge nothing to the sample's cost limits inside.

    Private: `cost_limit_tree`. Inspect suspends the token, turn and working limits while a
    reviewer runs, and leaves the cost limit open. The leaf is taken off the tree of this context
    for the duration, so that neither recording nor checking finds a limit.
    """
    from inspect_ai.util._limit import cost_limit_tree

    leaf = cost_limit_tree._leaf_node
    token = leaf.set(None)
    try:
        yield
    finally:
        leaf.reset(token)


@contextlib.contextmanager
def message_limit_suspended() -> Iterator[None]:
    """Let a request inside be longer than the sample's message limit.

    Private: `message_limit_tree`. Inspect holds every request against the limit, also one that
    is no part of the agent's conversation. The leaf is taken off the tree for the duration.
    """
    from inspect_ai.util._limit import message_limit_tree

    leaf = message_limit_tree._leaf_node
    token = leaf.set(None)
    try:
        yield
    finally:
        leaf.reset(token)


def with_role(model: Model, role: str) -> Model:
    """A model whose usage is logged under a role, whatever roles are bound.

    Private: `Model._set_role`. `get_model(name, role=…)` returns the model that is bound to the
    role, not the named one. The copy shares the connection, as Inspect's own copies do.
    """
    copied = copy.copy(model)
    copied._set_role(role)
    return copied


def limits_suspended() -> AbstractContextManager[None]:
    """Charge nothing to the sample's token, turn, working and cost limits inside.

    Private: `suspend_token_limit`, `suspend_turn_limit`, `suspend_working_limit`. Inspect does so
    around a review; reviews that this package starts itself (bridged agents) need it too.
    """
    from inspect_ai.util._limit import (
        suspend_token_limit,
        suspend_turn_limit,
        suspend_working_limit,
    )

    stack = contextlib.ExitStack()
    stack.enter_context(suspend_token_limit())
    stack.enter_context(suspend_turn_limit())
    stack.enter_context(suspend_working_limit())
    stack.enter_context(cost_limit_suspended())
    return cast("AbstractContextManager[None]", stack)


def policy_error(error: ReviewersError) -> ReviewersError:
    """The same error as one that Inspect's command line prints as a sentence, not a traceback.

    Private: `PrerequisiteError`. Its message is printed with rich: as a `Text` brackets survive.
    """
    from inspect_ai._util.error import PrerequisiteError
    from rich.text import Text

    class PolicyError(type(error), PrerequisiteError):  # type: ignore[misc]
        """A mistake in a policy."""

        def __init__(self, sentence: str) -> None:
            PrerequisiteError.__init__(self, Text(sentence))
            self.sentence = sentence

        def __str__(self) -> str:
            return self.sentence

    PolicyError.__name__ = PolicyError.__qualname__ = type(error).__name__
    return cast("ReviewersError", PolicyError(str(error)))


def glob_files(address: str) -> list[str]:
    """Every file that an address, a folder or a glob names, on any file system Inspect reads.

    Private: `inspect_ai._util.file.filesystem`, so that addresses mean what they mean to Inspect.
    """
    from inspect_ai._util.file import filesystem

    files = filesystem(address)
    if any(sign in address for sign in "*?["):
        return [_as_given(address, str(path)) for path in files.fs.glob(address)]
    if not files.exists(address):
        return []
    if files.info(address).type != "directory":
        return [address]
    return [_as_given(address, entry.name) for entry in files.ls(address, recursive=True)]


def _as_given(address: str, path: str) -> str:
    """A path that a file system lists, with the protocol of the address it was asked for."""
    protocol, sign, _ = address.partition("://")
    bare = path.removeprefix("file://")
    return f"{protocol}://{bare}" if sign and "://" not in bare else bare


def open_file(address: str) -> AbstractContextManager[IO[bytes]]:
    """A file opened for reading bytes, on any file system Inspect reads.

    Private: `inspect_ai._util.file.file`.
    """
    from inspect_ai._util.file import file

    return cast("AbstractContextManager[IO[bytes]]", file(address, "rb"))


def recorded_state(
    sample_id: int | str, epoch: int, uuid: str, target: list[str], metadata: dict[str, Any]
) -> TaskState:
    """A sample's state made again from its log, for reviewers that look it up.

    Private: `ModelName` is public only as a type; the state's other fields are what reviewers see.
    """
    from inspect_ai.model import ModelName
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    return TaskState(
        model=ModelName("none/none"),
        sample_id=sample_id,
        epoch=epoch,
        input="",
        messages=[],
        target=Target(target),
        metadata=metadata,
        sample_uuid=uuid,
    )


def recorded_view(call: ToolCall, view: ToolCallContent | None = None) -> ToolCallView:
    """The tool's rendering of a recorded call; the default one where it has none of its own.

    Private: `default_tool_call_viewer`, which Inspect uses for tools without a viewer.
    """
    from inspect_ai.tool import ToolCallView
    from inspect_ai.tool._tool_call import default_tool_call_viewer

    return default_tool_call_viewer(call) if view is None else ToolCallView(call=view)


def without_truncation_frame(text: str) -> str:
    """What a truncated result shows of the output, without Inspect's words around it."""
    if TRUNCATED_START not in text:
        return text
    return text.partition(TRUNCATED_START)[2].rpartition(TRUNCATED_END)[0]


def media_removed(result: Any) -> bool:
    """Whether images, audio or the like of a result were left out of the log (`--no-log-images`).

    Private: `BASE_64_DATA_REMOVED`, which stands in their place.
    """
    from inspect_ai._util.constants import BASE_64_DATA_REMOVED

    parts = result if isinstance(result, list) else [result]
    return any(
        getattr(part, getattr(part, "type", ""), None) == BASE_64_DATA_REMOVED for part in parts
    )


def policy_reviewer(policies: list[ReviewPolicy]) -> Reviewer:
    """One reviewer made of a policy, as Inspect makes it for a live run.

    Private: `policy_reviewer`: a replay must match tools and pass on as the host does.
    """
    from inspect_ai.review._policy import policy_reviewer as host_policy_reviewer

    return host_policy_reviewer(policies)


@cache
def _recorded_transcript() -> type[Any]:
    from inspect_ai.log._transcript import Transcript

    class RecordedTranscript(Transcript):
        """A transcript that is read from a log, and kept apart from it."""

        def __init__(
            self, read: Callable[[], Sequence[Event]], record: Callable[[Event], None]
        ) -> None:
            self._read = read
            self._record = record
            self._written: list[Event] = []

        def __getattr__(self, name: str) -> Any:
            # Inspect's own parts are costly, and no rule looks at them.
            if name.startswith("__") or "_events_view" in self.__dict__:
                raise AttributeError(name)
            super().__init__()
            return getattr(self, name)

        @property
        def events(self) -> Sequence[Event]:
            return [*self._read(), *self._written]

        def _event(self, event: Event) -> None:
            self._written.append(event)
            self._record(event)

        def _event_updated(self, event: Event) -> None:
            pass

    return RecordedTranscript


@contextlib.contextmanager
def recorded_sample(
    state: TaskState,
    events: Callable[[], Sequence[Event]],
    record: Callable[[Event], None],
) -> Iterator[None]:
    """Let reviewers look up a recorded sample as they look up the running one.

    Private: `init_transcript`'s and `set_sample_state`'s context variables, set and taken back
    here; and `Transcript._event`, which is where events arrive.

    Args:
        state: The sample's state.
        events: Gives its events up to the reviewed call, if somebody asks for them.
        record: Takes each event that a reviewer writes.
    """
    from inspect_ai.log._transcript import _transcript
    from inspect_ai.solver._task_state import _sample_state

    transcript = _recorded_transcript()(events, record)
    transcript_token = _transcript.set(transcript)
    state_token = _sample_state.set(state)
    try:
        yield
    finally:
        _sample_state.reset(state_token)
        _transcript.reset(transcript_token)


def attachment_resolver(attachments: Mapping[str, str]) -> Callable[[str], str]:
    """Gives the text that a reference to an attachment stands for; other texts as they are.

    Private: `resolve_attachment_fn`, which also knows the references of older logs.
    """
    from inspect_ai.log._condense import resolve_attachment_fn

    return resolve_attachment_fn(attachments)


def read_chat_messages(
    messages: Sequence[Any], text: Callable[[str], str] = str
) -> list[ChatMessage]:
    """Chat messages of a log, attachments resolved.

    Private: `validate_chat_messages` and `walk_chat_messages`, with which Inspect reads the
    messages of a log.

    Args:
        messages: Plain JSON values.
        text: Resolves attachments; see `attachment_resolver`.
    """
    from inspect_ai.event._validate import validate_chat_messages
    from inspect_ai.log._condense import WalkContext, walk_chat_messages

    read = validate_chat_messages(list(messages), context={"deserializing": True})
    return walk_chat_messages(read, text, WalkContext(message_cache={}, only_core=True))


def read_tools(tools: Sequence[Any], text: Callable[[str], str]) -> list[ToolInfo]:
    """The tools that a model event of a log offered, attachments resolved.

    Private: `walk_tools`.
    """
    from inspect_ai.log._condense import WalkContext, walk_tools
    from inspect_ai.tool import ToolInfo

    read = [ToolInfo.model_validate(tool) for tool in tools]
    return walk_tools(read, text, WalkContext(message_cache={}, only_core=True))


def read_tool_result(result: Any, text: Callable[[str], str]) -> Any:
    """A tool's recorded result that is a content or a list of them, attachments resolved.

    Private: `walk_tool_result`.
    """
    from inspect_ai.log._condense import walk_tool_result

    return walk_tool_result(_tool_results().validate_python(result), text)


@cache
def _tool_results() -> TypeAdapter[Any]:
    from inspect_ai.event import ToolEvent
    from pydantic import TypeAdapter

    result: Any = ToolEvent.model_fields["result"].annotation
    return TypeAdapter(result)


def open_zip(stream: IO[bytes]) -> ZipFile:
    """An `.eval` log as the zip file that it is.

    Private: `inspect_ai._util.zipfile`, which teaches Python's own to read logs packed with zstd.
    """
    import inspect_ai._util.zipfile  # noqa: F401

    return ZipFile(stream)


def bind_model_roles(models: Mapping[str, str], max_connections: int) -> None:
    """Bind models to roles as `inspect eval --model-role` does, for the rest of this context.

    Private: `init_model_roles`; outside an eval there is no public way.

    Args:
        models: Model names by role.
        max_connections: Requests that each may have open at once.

    Raises:
        ReviewersError: A model cannot be had: no such provider, or no key for it.
    """
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai.model import GenerateConfig, get_model
    from inspect_ai.model._model import init_model_roles

    config = GenerateConfig(max_connections=max_connections)
    bound: dict[str, Model | list[Model]] = {}
    for role, name in models.items():
        try:
            bound[role] = get_model(name, config=config, role=role)
        except (ValueError, ImportError, PrerequisiteError) as error:
            raise ReviewersError(f"--model-role {role}={name}: {error}") from None
    init_model_roles(bound)
