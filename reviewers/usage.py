"""The monitors' own account, from logs: what each asked of which model, and what that took.

Model events are a monitor's when they lie in a span of type `reviewer`, never by their role: agents
run under roles too. The account is held against what the reviews say of themselves and against
Inspect's own sums, and every difference is named.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reviewers.transcript import REVIEWER_SPAN

if TYPE_CHECKING:
    from inspect_ai.event import Event, ModelEvent, ReviewEvent
    from inspect_ai.log import EvalSample

TOKENS = (
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
)


@dataclass
class Line:
    """What one reviewer asked of one model.

    Attributes:
        reviewer: The reviewer's name; a second use with other parameters is `NAME#2`.
        model: The model's name.
        requests: Requests sent.
        interrupted: Those of them that led to no decision.
        seconds: Time that the model took.
        cost: Dollars; None where the model has no price.
        failures: How often a verdict failed, by reason.
    """

    reviewer: str
    model: str
    requests: int = 0
    interrupted: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None
    failures: Counter[str] = field(default_factory=Counter)

    def add(self, event: ModelEvent) -> None:
        """Count one request."""
        self.requests += 1
        self.seconds += event.working_time or event.output.time or 0.0
        for name, value in billed(event).items():
            setattr(self, name, getattr(self, name) + value)
        cost = event.output.usage.total_cost if event.output.usage else None
        if cost is not None and event.cache != "read":
            self.cost = (self.cost or 0.0) + cost

    def as_dict(self) -> dict[str, Any]:
        """The line as plain JSON values."""
        return {
            **self.__dict__,
            "seconds": round(self.seconds, 4),
            "failures": dict(self.failures),
        }


def billed(event: ModelEvent) -> dict[str, int]:
    """The tokens that a request was charged for: none where Inspect's own cache answered it."""
    usage = event.output.usage
    if usage is None or event.cache == "read":
        return dict.fromkeys(TOKENS, 0)
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
        "cache_read_tokens": usage.input_tokens_cache_read or 0,
        "cache_write_tokens": usage.input_tokens_cache_write or 0,
    }


@dataclass
class Account:
    """The account of any number of samples.

    Attributes:
        lines: By reviewer and model.
        differences: What does not add up, a sentence each.
        samples: How many samples were read.
    """

    lines: dict[tuple[str, str], Line] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)
    samples: int = 0
    _uses: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def line(self, reviewer: str, parameters_hash: str, model: str) -> Line:
        """The line of a reviewer and a model; made where there is none."""
        uses = self._uses[reviewer]
        if parameters_hash and parameters_hash not in uses:
            uses.append(parameters_hash)
        place = uses.index(parameters_hash) if parameters_hash in uses else 0
        name = reviewer if place == 0 else f"{reviewer}#{place + 1}"
        return self.lines.setdefault((name, model), Line(name, model))

    def add(self, sample: EvalSample, source: str) -> None:
        """Add one sample.

        Args:
            sample: The sample with its events.
            source: Names its log in differences.
        """
        self.samples += 1
        events = sample.events
        where = f"{source}, sample {sample.id} epoch {sample.epoch}"
        reviews = list(reviews_that_asked(events))
        by_span = {span: review for review in reviews for span in _spans(review)}
        asked = list(requests_of_reviewers(events))
        for name, event in asked:
            review = by_span.get(event.span_id or "")
            parameters = _metadata(review).get("parameters_hash", "") if review else ""
            line = self.line(name, parameters, event.model)
            line.add(event)
            line.interrupted += review is None
        for review in reviews:
            for call in _usage(review)["calls"]:
                if "failure" in call:
                    hashed = _metadata(review).get("parameters_hash", "")
                    line = self.line(call["reviewer"], hashed, call["model"])
                    line.failures[call["failure"]] += 1
        self.differences += [f"{where}: {what}" for what in differences(sample, reviews, asked)]


def requests_of_reviewers(events: Sequence[Event]) -> Iterator[tuple[str, ModelEvent]]:
    """The model events that lie in a reviewer's span, each with the reviewer's name."""
    names: dict[str, str] = {}
    for event in events:
        if event.event == "span_begin":
            if event.type == REVIEWER_SPAN:
                names[event.id] = event.name
            elif event.parent_id in names:
                names[event.id] = names[event.parent_id]
        elif event.event == "model" and event.span_id in names:
            yield names[event.span_id], event


def reviews_that_asked(events: Sequence[Event]) -> Iterator[ReviewEvent]:
    """The reviews whose metadata account for requests."""
    for event in events:
        if event.event == "review" and _usage(event).get("calls"):
            yield event


def differences(
    sample: EvalSample, reviews: Sequence[ReviewEvent], asked: Sequence[tuple[str, ModelEvent]]
) -> Iterator[str]:
    """What does not add up in one sample.

    Args:
        sample: The sample.
        reviews: Its reviews that asked models.
        asked: Its requests in reviewers' spans.
    """
    decided = {span for review in reviews for span in _spans(review)}
    said = sum(_usage(review).get("total_tokens", 0) for review in reviews)
    found = _total(event for _, event in asked if event.span_id in decided)
    if said != found:
        yield (
            f"the reviews account for {said:,} tokens, the model events in their spans for "
            f"{found:,}"
        )
    models = [event for event in sample.events if event.event == "model"]
    theirs = {id(event) for _, event in asked}
    yield from _against(
        "role_usage", "role", sample.role_usage, [(m.role or "", m) for m in models], theirs
    )
    yield from _against(
        "model_usage", "model", sample.model_usage, [(m.model, m) for m in models], theirs
    )


def _against(
    name: str,
    what: str,
    sums: Mapping[str, Any],
    events: Sequence[tuple[str, ModelEvent]],
    theirs: set[int],
) -> Iterator[str]:
    """Hold Inspect's sums against the model events, for the keys that reviewers used."""
    for key in dict.fromkeys(key for key, event in events if key and id(event) in theirs):
        of_reviewers = _total(e for k, e in events if k == key and id(e) in theirs)
        of_others = _total(e for k, e in events if k == key and id(e) not in theirs)
        total = sums[key].total_tokens if key in sums else 0
        if total != of_reviewers + of_others:
            yield (
                f"{name} says {total:,} tokens for the {what} {key!r}; its model events say "
                f"{of_reviewers + of_others:,} ({of_reviewers:,} of them reviewers')"
            )


def _total(events: Iterable[ModelEvent]) -> int:
    return sum(billed(event)["total_tokens"] for event in events)


def _metadata(review: ReviewEvent) -> Mapping[str, Any]:
    return review.metadata or {}


def _usage(review: ReviewEvent) -> Mapping[str, Any]:
    usage = _metadata(review).get("usage")
    return usage if isinstance(usage, Mapping) else {}


def _spans(review: ReviewEvent) -> Iterator[str]:
    for call in _usage(review).get("calls", ()):
        yield from call.get("spans", ())


def account(paths: Iterable[str]) -> Account:
    """The account of all samples in some logs, one sample in memory at a time."""
    from inspect_ai.log import read_eval_log_samples

    total = Account()
    for path in paths:
        try:
            for sample in read_eval_log_samples(path, all_samples_required=False):
                total.add(sample, path)
        # Whatever is wrong with one log, others can be summed up; the account says so.
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            total.differences.append(f"{path}: could not be read to its end: {reason}")
    return total
