"""Read mode: the decisions already in the log, with no inference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from reviewers.case import Case
from reviewers.replay import OutcomeLine
from reviewers.replay.outcomes import STATES, line_of, policy_line
from reviewers.replay.run import live_reviews

if TYPE_CHECKING:
    from inspect_ai.event import ReviewEvent

POLICY = "the log's policy"
BOTH_WAYS = {" (escalate as flagged)": "flagged", " (escalate as clear)": "clear"}


def recorded_lines(cases: Iterable[Case]) -> Iterator[OutcomeLine]:
    """Every reviewer's recorded outcome on every case that was reviewed, then the policy's.

    Where an event has an outcome that counts, whatever the decision. Another package's reviewer
    only decides: terminate is flagged, continue is clear, and what it escalates is given twice,
    once as flagged and once as clear, under two names.
    """
    for case in cases:
        events = [
            event
            for event in live_reviews(case.evidence.surroundings)
            if event.reviewer != "policy"
        ]
        lines = [line for event in events for line in _lines_of(case, event)]
        yield from lines
        if events:
            chosen = [line for line in lines if not line.reviewer.endswith(tuple(BOTH_WAYS)[1])]
            yield policy_line(case, POLICY, events[-1].decision, chosen, 0.0)


def _lines_of(case: Case, event: ReviewEvent) -> Iterator[OutcomeLine]:
    metadata: Mapping[str, Any] = event.metadata or {}
    if metadata.get("outcome") in STATES or event.decision != "escalate":
        yield line_of(case, event.reviewer, event.decision, event.explanation or "", metadata)
        return
    for suffix, state in BOTH_WAYS.items():
        yield line_of(
            case,
            f"{event.reviewer}{suffix}",
            event.decision,
            event.explanation or "",
            {**metadata, "outcome": state},
        )
