"""Our `@reviewer`, and what makes an Inspect reviewer out of a detector.

A detector is a function of evidence that knows no decision. `rule` and `judged_by` wrap one into a
`JudgingReviewer`, which Inspect can ask, and which replay, bench and panels can ask for the bare
outcome.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial, wraps
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, cast, overload

import anyio
import anyio.to_thread

from reviewers import _host
from reviewers.evidence import Evidence
from reviewers.hiding import hidden, is_ready, said_length
from reviewers.outcome import (
    CouldNotJudge,
    Decide,
    Decision,
    Decisions,
    Finding,
    Outcome,
    ReviewersError,
    State,
    failed,
    flagged,
    to_review,
)
from reviewers.parameters import checking
from reviewers.transcript import evidence_of
from reviewers.version import VERSION

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ChatMessageTool
    from inspect_ai.review import Review, Reviewer
    from inspect_ai.tool import ToolCall, ToolCallView, ToolResult

Parameters = ParamSpec("Parameters")
Family = Literal["rule", "monitor", "composition"]
Judge = Callable[[Evidence], Awaitable[Outcome]]
Find = Callable[[Evidence], Iterable[Finding] | Outcome]

INLINE_SIZE = 16_384
"""Characters up to which text is read on the event loop; handing over to a thread costs more."""

STATES: tuple[State, ...] = ("clear", "flagged", "failed")
PROBES = tuple(percent / 100 for percent in range(101))
"""Scores at which a reviewer's decisions are tried out."""

RESERVED_PARAMETERS = frozenset({"name", "tools", "params", "chain", "type"})
"""Keys of Inspect's policy entries, and of the dicts that it turns into objects."""


@dataclass(frozen=True)
class Spec:
    """What a reviewer is, apart from what it does.

    Attributes:
        name: Its registered name, `reviewers/no_network`.
        parameters: All parameters, defaults included, as plain JSON values.
        given: Only those that were passed.
        catches: The kinds of label that it is there for; empty means all.
        grade: `terminate` or `escalate` for rules: what a flag is good for by default.
        family: `rule`, `monitor` or `composition`.
        version: The package's version; for a monitor followed by its prompt's hash.
        secrets: Parameters that hold secrets, and should be given as references.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    catches: frozenset[str] = frozenset()
    grade: Decision | None = None
    family: Family = "rule"
    version: str = VERSION
    secrets: frozenset[str] = frozenset()

    @cached_property
    def parameters_hash(self) -> str:
        """Hash of name and parameters: tells two uses of one reviewer apart."""
        text = json.dumps([self.name, self.parameters], sort_keys=True, default=repr)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class JudgingReviewer:
    """An Inspect reviewer that judges evidence first and decides after.

    Args:
        judge: Turns evidence into an outcome.
        decide: Turns an outcome into a decision.
        timeout_s: Wall-clock backstop in seconds; None for none.
        version: Replaces the package's version (monitors add their prompt's hash).
        possible: The decisions that each state may lead to; found by trying `decide` by default.
    """

    spec: Spec

    def __init__(
        self,
        judge: Judge,
        decide: Decide,
        timeout_s: float | None = None,
        version: str = VERSION,
        possible: Mapping[State, frozenset[Decision]] | None = None,
    ) -> None:
        self._judge = judge
        self.decide = decide
        self.timeout_s = timeout_s
        self.possible = possible or {
            state: frozenset(decide(Outcome(state, "", score=score)) for score in PROBES)
            for state in STATES
        }
        self.spec = Spec(name="reviewer", version=version)

    async def judge(self, evidence: Evidence) -> Outcome:
        """The outcome for some evidence; `failed` where judging took too long."""
        if self.timeout_s is None:
            return await self._judge(evidence)
        with anyio.move_on_after(self.timeout_s):
            return await self._judge(evidence)
        return failed("timed out", f"Could not judge within {self.timeout_s:g} seconds.")

    def decision(self, outcome: Outcome, evidence: Evidence) -> Decision:
        """What is to be done about an outcome.

        A clear outcome never takes back what an earlier reviewer of this call flagged or failed
        on: it passes on where it would have continued.
        """
        if outcome.decision is not None:
            return outcome.decision
        decision = self.decide(outcome)
        looked_clear = decision == "continue" and outcome.state == "clear"
        if looked_clear and any(earlier.suspicious for earlier in evidence.earlier):
            return "escalate"
        return decision

    async def review(self, evidence: Evidence) -> Review:
        """Judge, decide, and say so as Inspect's `Review`."""
        _, review = await self.reviewed(evidence)
        return review

    async def reviewed(self, evidence: Evidence) -> tuple[Outcome, Review]:
        """The outcome, secrets hidden, and the review that it becomes."""
        started = time.perf_counter()
        outcome = await self.judge(evidence)
        if outcome.state != "clear":
            outcome = await _without_secrets(outcome)
        return outcome, to_review(
            outcome,
            self.decision(outcome, evidence),
            seconds=time.perf_counter() - started,
            version=self.spec.version,
            parameters_hash=self.spec.parameters_hash,
        )

    async def __call__(
        self,
        message: str,
        call: ToolCall,
        result: ChatMessageTool,
        output: ToolResult,
        view: ToolCallView,
        history: list[ChatMessage],
    ) -> Review:
        """Inspect's reviewer protocol."""
        return await self.review(evidence_of(message, call, result, output, view, history))


async def _without_secrets(outcome: Outcome) -> Outcome:
    if is_ready() and said_length(outcome) <= INLINE_SIZE:
        return hidden(outcome)
    return await anyio.to_thread.run_sync(hidden, outcome)


def rule(
    find: Find,
    *,
    on_flag: Decision = "terminate",
    on_clear: Decision = "escalate",
    on_failure: Decision = "escalate",
    timeout_s: float = 10,
    decide: Decide | None = None,
) -> JudgingReviewer:
    """Make a reviewer of a find function.

    The function gets evidence and returns findings (none: clear), or an outcome of its own. It
    raises `CouldNotJudge` where it lacks what it needs. Large results are searched in a worker
    thread, so that other samples go on.

    Args:
        find: The detector. It must be deterministic, and bound its own work by counts.
        on_flag: Decision when something was found.
        on_clear: Decision when nothing was found.
        on_failure: Decision when it could not judge.
        timeout_s: Wall-clock backstop in seconds.
        decide: Turns the outcome into a decision where the three above do not suffice.
    """
    return RuleReviewer(find, decide or Decisions(on_flag, on_clear, on_failure), timeout_s)


class RuleReviewer(JudgingReviewer):
    """A reviewer made of a find function; see `rule`."""

    def __init__(self, find: Find, decide: Decide, timeout_s: float) -> None:
        super().__init__(self._judge_in_thread, decide, timeout_s)
        self._find = find

    async def judge(self, evidence: Evidence) -> Outcome:
        """The outcome for some evidence; `failed` where judging took too long."""
        if evidence.size <= INLINE_SIZE:
            # Nothing is awaited here, so that no time-out could end it.
            return found(self._find, evidence)
        return await super().judge(evidence)

    async def _judge_in_thread(self, evidence: Evidence) -> Outcome:
        return await anyio.to_thread.run_sync(found, self._find, evidence, abandon_on_cancel=True)


def found(find: Find, evidence: Evidence) -> Outcome:
    """Run a detector; what goes wrong in it becomes a `failed` outcome that names it."""
    try:
        result = find(evidence)
        outcome = result if isinstance(result, Outcome) else flagged(result)
        if outcome.state == "clear" and outcome.score is None:
            return replace(outcome, score=0.0)
        return outcome
    except CouldNotJudge as missing:
        return failed(missing.reason)
    except TimeoutError:
        return failed("ran out of time", "A pattern ran out of its time limit on this result.")
    # An agent chose the text: what breaks a detector must neither pass for clear nor end the eval.
    except Exception as error:
        return failed(f"error ({type(error).__name__})", f"The reviewer broke: {error!r}")


@overload
def reviewer(factory: Callable[Parameters, Reviewer], /) -> Callable[Parameters, Reviewer]: ...


@overload
def reviewer(
    *,
    name: str | None = ...,
    catches: Sequence[str] = ...,
    grade: Decision | None = ...,
    family: Family = ...,
    secrets: Sequence[str] = ...,
) -> Callable[[Callable[Parameters, Reviewer]], Callable[Parameters, Reviewer]]: ...


def reviewer(
    factory: Any = None,
    /,
    *,
    name: str | None = None,
    catches: Sequence[str] = (),
    grade: Decision | None = None,
    family: Family = "rule",
    secrets: Sequence[str] = (),
) -> Any:
    """Register a reviewer factory, as Inspect's `@reviewer` does, and keep what that one drops.

    The factory keeps its docstring and signature, its parameters are checked when it is called
    (which is when a policy loads), and it says what it catches.

    Args:
        factory: Returns the reviewer; its annotated parameters are what a policy may set.
        name: Registered name; the function's own by default. Within an installed package Inspect
            puts the package's name before it.
        catches: Kinds of label that the reviewer is there for; empty means all.
        grade: What a flag is good for by default; `terminate` or `escalate`.
        family: `rule`, `monitor` or `composition`.
        secrets: Parameters that hold secrets: `reviewers check` warns of raw ones.

    Raises:
        TypeError: A parameter has a name that Inspect's policies use themselves.
    """
    if factory is None:
        return partial(
            _registered, name=name, catches=catches, grade=grade, family=family, secrets=secrets
        )
    return _registered(factory, name, catches, grade, family, secrets)


def _registered(
    factory: Callable[..., Any],
    name: str | None,
    catches: Sequence[str],
    grade: Decision | None,
    family: Family,
    secrets: Sequence[str],
) -> Callable[..., Any]:
    signature = inspect.signature(factory)
    taken = RESERVED_PARAMETERS & set(signature.parameters)
    if taken:
        raise TypeError(
            f"A reviewer's parameter cannot be called {sorted(taken)[0]!r}: policies use that name."
        )
    unqualified = name or factory.__name__

    @cache
    def qualified() -> str:
        return _host.qualified_name(factory, unqualified)

    @cache
    def checked() -> Callable[..., Any]:
        return checking(factory, qualified())

    @wraps(factory)
    def create(*args: Any, **kwargs: Any) -> Reviewer:
        try:
            instance = checked()(*args, **kwargs)
        except ReviewersError as error:
            raise _host.policy_error(error) from None
        _host.tag(factory, instance, qualified(), args, kwargs)
        if isinstance(instance, JudgingReviewer):
            instance.spec = replace(
                instance.spec,
                name=qualified(),
                parameters=_plain(signature, args, kwargs, defaults=True),
                given=_plain(signature, args, kwargs, defaults=False),
                catches=frozenset(catches),
                grade=grade,
                family=family,
                secrets=frozenset(secrets),
            )
        return cast("Reviewer", instance)

    create.catches = frozenset(catches)  # type: ignore[attr-defined]
    create.grade = grade  # type: ignore[attr-defined]
    create.family = family  # type: ignore[attr-defined]
    if factory.__module__.partition(".")[0] == "reviewers":
        # Bare names were settled when Inspect loaded the entry point; see `_registry`.
        _host.register(unqualified, create, bare=False)
    else:
        _host.register_named(qualified(), create)
    return create


def _plain(
    signature: inspect.Signature, args: Any, kwargs: Any, *, defaults: bool
) -> dict[str, Any]:
    """Arguments by name as plain JSON values; reviewers among them by their name."""
    bound = signature.bind(*args, **kwargs)
    if defaults:
        bound.apply_defaults()
    plain = json.loads(json.dumps(dict(bound.arguments), default=_named))
    assert isinstance(plain, dict)
    return plain


def _named(value: Any) -> Any:
    if isinstance(value, JudgingReviewer):
        return {"reviewer": value.spec.name, "parameters": value.spec.parameters}
    if isinstance(value, set | frozenset | tuple):
        return sorted(value, key=str)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_none=True)
    return getattr(value, "__name__", None) or str(value)
