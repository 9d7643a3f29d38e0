"""Persons and models in a replay: what they said live is repeated, and nobody is asked unbidden."""

from __future__ import annotations

from typing import Any

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.review import Review, ReviewPolicy, human_reviewer
from inspect_ai.review import reviewer as host_reviewer

from reviewers import _host
from reviewers.compose.human import human
from reviewers.compose.panel import panel
from reviewers.compose.sampled import sampled
from reviewers.compose.shadow import shadow
from reviewers.compose.stop_flagged import stop_flagged
from reviewers.monitors.factory import packaged
from reviewers.replay import Asked, OutcomeLine, outcomes, policy_asked, reviewer_asked
from reviewers.replay.models import may_ask
from reviewers.replay.run import review_cases
from reviewers.rules.pattern import pattern
from tests.evals import run
from tests.monitors.mocks import gives, mock
from tests.replay.replaying import agreement, cases, policies

ECHO = {"bash": {"command": "echo hello"}}
FLAGS_HELLO = pattern(deny=["hello"], on_flag="escalate")
output_monitor = packaged("output_monitor")


@pytest.fixture
def person_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person at a terminal who lets everything go on."""

    def at_a_terminal(choices: Any) -> Any:
        async def review(*call: Any) -> Review:
            return Review(decision="continue", explanation="I have looked at it.")

        return review

    monkeypatch.setattr("reviewers.compose.human.human_reviewer", at_a_terminal)


def policy_lines(log: EvalLog, policy: list[ReviewPolicy]) -> list[OutcomeLine]:
    lines = outcomes(cases(log), [policy_asked(policy, "policy")])
    return [line for line in lines if line.reviewer == "policy"]


def test_what_a_person_decided_live_is_repeated(person_continues: None) -> None:
    policy = policies(FLAGS_HELLO, human())
    log = run(ECHO, review=policy)

    agreed = agreement(log, policy)
    lines = policy_lines(log, policy)

    assert agreed.differences == []
    assert [(line.decision, line.would_ask) for line in lines] == [
        ("continue", False),
        ("continue", False),
    ]


def test_inspects_own_human_is_repeated_too() -> None:
    @host_reviewer(name="human")
    def at_a_terminal() -> Any:
        async def review(*call: Any) -> Review:
            return Review(decision="terminate", explanation="Stop.")

        return review

    log = run(ECHO, review=policies(FLAGS_HELLO, at_a_terminal()))

    [line] = policy_lines(log, policies(FLAGS_HELLO, human_reviewer()))

    assert (line.decision, line.outcome, line.would_ask) == ("terminate", "flagged", False)


def test_nobody_is_asked_who_was_not_asked_live() -> None:
    log = run(ECHO)

    first, second = policy_lines(log, policies(FLAGS_HELLO, human()))

    assert (first.would_ask, first.decision, first.outcome) == (True, "continue", "flagged")
    assert (second.would_ask, second.decision, second.outcome) == (False, "continue", "clear")


def test_a_would_be_question_is_no_failure_of_the_policy() -> None:
    log = run(ECHO)
    always = policies(pattern(deny=["badword"]), human(when="always"))

    lines = policy_lines(log, always)

    assert {(line.outcome, line.would_ask) for line in lines} == {("clear", True)}


def monitored(score: float = 0.9, **more: Any) -> EvalLog:
    model, _ = mock(gives(score))
    return run(ECHO, review=policies(output_monitor(**more)), model_roles={"monitor": model})


def test_a_recorded_verdict_is_repeated_and_no_model_is_asked() -> None:
    log = monitored()

    first, *_ = outcomes(cases(log), [reviewer_asked(output_monitor())])

    assert (first.outcome, first.score, first.usage) == ("flagged", 0.9, {})


def test_a_policy_with_a_monitor_agrees_with_the_log() -> None:
    model, _ = mock(gives(0.6))
    policy = policies(pattern(deny=["badword"]), output_monitor(), stop_flagged())
    log = run(ECHO, review=policy, model_roles={"monitor": model})

    assert agreement(log, policy).differences == []


def test_a_panel_with_a_monitor_agrees_with_the_log() -> None:
    model, _ = mock(gives(0.6))
    policy = policies(panel([pattern(deny=["badword"]), output_monitor()]), stop_flagged())
    log = run(ECHO, review=policy, model_roles={"monitor": model})

    assert agreement(log, policy).differences == []


@pytest.mark.parametrize("around", ["shadow", "sampled"])
def test_a_monitor_inside_another_reviewer_repeats_its_verdict(around: str) -> None:
    model, _ = mock(gives(0.9))
    monitor = output_monitor()
    inside = shadow(monitor) if around == "shadow" else sampled(monitor, rate=1)
    log = run(ECHO, review=policies(inside, stop_flagged()), model_roles={"monitor": model})

    first, *_ = outcomes(cases(log), [reviewer_asked(inside)])

    assert (first.outcome, first.score) == ("flagged", 0.9)
    assert agreement(log, policies(inside, stop_flagged())).differences == []


def test_another_monitors_verdict_is_not_taken() -> None:
    log = monitored()
    asked = [reviewer_asked(output_monitor(escalate_at=0.3))]

    first, *_ = outcomes(cases(log), asked)

    assert (first.outcome, first.reason) == ("failed", "not asked")


def asked_again(
    log: EvalLog, when: Any, asked: Asked, **more: Any
) -> tuple[int, list[OutcomeLine]]:
    """How many requests a replay makes with a model bound, and its lines."""
    model, requests = mock(gives(0.2))
    from inspect_ai.model._model import _model_roles

    token = _model_roles.set({"monitor": model})
    try:
        reviewed = list(review_cases(cases(log), [asked], allowed=may_ask(when, **more)))
    finally:
        _model_roles.reset(token)
    return len(requests), [line for one in reviewed for line in one.lines]


def test_a_missing_verdict_is_asked_for_where_that_is_allowed() -> None:
    log = run(ECHO)

    count, lines = asked_again(log, "missing", reviewer_asked(output_monitor()))

    assert count == len(lines) == 2
    assert {line.score for line in lines} == {0.2}


def test_asking_always_asks_although_there_is_a_verdict() -> None:
    log = monitored()

    count, lines = asked_again(log, "always", reviewer_asked(output_monitor()))

    assert count == len(lines)


def test_asking_stops_when_the_budget_is_spent() -> None:
    log = run(ECHO, ECHO)

    count, lines = asked_again(log, "missing", reviewer_asked(output_monitor()), budget_cost=0.0)

    assert count == 0
    assert {line.reason for line in lines} == {"not asked"}


def test_several_cases_are_under_way_at_once_and_come_in_order() -> None:
    log = run(ECHO, ECHO, ECHO)
    asked = [reviewer_asked(FLAGS_HELLO)]

    in_turn = [line.id for line in outcomes(cases(log), asked)]
    at_once = [line.id for line in outcomes(cases(log), asked, at_once=3)]

    assert at_once == in_turn == [case.id for case in cases(log)]


def test_models_are_bound_to_roles_by_name() -> None:
    from inspect_ai.model import get_model, model_roles

    before = model_roles()
    _host.bind_model_roles({"monitor": "mockllm/some"}, 3)
    try:
        bound = get_model(role="monitor")
    finally:
        from inspect_ai.model._model import init_model_roles

        init_model_roles(before)

    assert str(bound) == "mockllm/some"
    assert bound.config.max_connections == 3
