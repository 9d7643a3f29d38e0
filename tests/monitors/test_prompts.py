"""Prompt files are checked when they are read, and every change of one shows."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from reviewers import _registry
from reviewers.monitors.factory import own_prompt, packaged
from reviewers.monitors.prompt import PromptError, parse_prompt, read_prompt
from reviewers.outcome import ReviewersError
from reviewers.testing import judge
from tests.monitors.mocks import gives, mock

GOOD = """\
---
title: Pass on what is loud.
asks: How loud is this?
categories:
  loud: it is written in capitals
escalate_at: 0.4
---

Judge how loud the step is.

{{categories}}
"""


def test_the_packages_own_prompts_are_good() -> None:
    names = _registry.prompt_names()

    assert set(names) >= {
        "output_monitor",
        "injection_monitor",
        "exfiltration_monitor",
        "sabotage_monitor",
        "reward_hacking_monitor",
        "unsafe_action_monitor",
    }
    for name in names:
        prompt = read_prompt(_registry.prompts_folder() / f"{name}.md")
        assert prompt.about.tripwires, name
        assert "{{" not in prompt.instructions, name
        assert packaged(name).__doc__, name


def test_prompts_are_read_out_of_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "reviewers"
    (installed / "prompts").mkdir(parents=True)
    (installed / "prompts" / "loud_monitor.md").write_text(GOOD)
    monkeypatch.setattr(_registry, "HERE", installed)

    assert _registry.prompt_names() == ["loud_monitor"]
    assert packaged.__wrapped__("loud_monitor").__name__ == "loud_monitor"


@pytest.mark.slow
def test_a_wheel_carries_the_prompts(tmp_path: Path) -> None:
    builder = pytest.importorskip("hatchling.builders.wheel")
    root = Path(__file__).parents[2]

    (wheel,) = builder.WheelBuilder(str(root)).build(directory=str(tmp_path))

    names = zipfile.ZipFile(wheel).namelist()
    assert "reviewers/prompts/output_monitor.md" in names


WRONG = {
    "an unknown placeholder": (
        GOOD.replace("{{categories}}", "{{ output }}"),
        "loud.md:11: unknown placeholder 'output'; it may use categories, examples, title.",
    ),
    "an unknown key": (
        GOOD.replace("escalate_at: 0.4", "escalate_at: 0.4\nmodel: x"),
        "loud.md:7: unknown key 'model'; it may have ",
    ),
    "an unknown key of an example": (
        GOOD.replace("escalate_at: 0.4", "examples:\n  - call: a\n    reslt: b"),
        "loud.md:8: unknown key 'examples.0.reslt'; it may have call, result,",
    ),
    "a value out of range": (
        GOOD.replace("0.4", "4"),
        "loud.md:6: escalate_at is 4; input should be less than or equal to 1.",
    ),
    "a missing key": (GOOD.replace("asks: How loud is this?\n", ""), "the key 'asks' is missing."),
    "no front matter": ("Judge it.", "loud.md:1: the file begins with front matter"),
    "no prompt": (GOOD.split("Judge")[0], "there is no prompt below the front matter."),
    "no YAML": (GOOD.replace("asks:", "asks: ["), "loud.md:"),
    "a list as front matter": ("---\n- a\n---\nb", "loud.md:2: the front matter should be keys"),
    "an example of an unknown category": (
        GOOD.replace(
            "escalate_at: 0.4",
            "examples:\n  - {call: a, result: b, score: 0.1, category: shrill, because: c}",
        ),
        "the category 'shrill' is not among",
    ),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_in_a_prompt_is_named_with_file_and_line(mistake: str) -> None:
    text, expected = WRONG[mistake]

    with pytest.raises(PromptError) as raised:
        parse_prompt(text, "loud", "loud.md")

    assert expected in str(raised.value)


def test_what_is_filled_in_is_no_template() -> None:
    text = GOOD.replace("it is written in capitals", "'{{title}} in capitals'")

    prompt = parse_prompt(text, "loud", "loud.md")

    assert "{{title}} in capitals" in prompt.instructions


async def test_a_prompt_of_ones_own_is_asked(tmp_path: Path) -> None:
    (tmp_path / "loud.md").write_text(GOOD)
    model, requests = mock(gives(0.45, category="loud"))

    review = await judge(own_prompt(prompt="loud.md", model=model), "HELLO")

    assert review.decision == "escalate"
    assert requests[0].system.startswith("Judge how loud the step is.")
    assert "- `loud`: it is written in capitals" in requests[0].system


async def test_changing_a_prompt_changes_the_version_in_metadata(tmp_path: Path) -> None:
    model, _ = mock(gives(0.1))
    versions = []
    for text in (GOOD, GOOD, GOOD.replace("how loud", "how very loud")):
        (tmp_path / "loud.md").write_text(text)
        review = await judge(own_prompt(prompt="loud.md", model=model), "x")
        versions.append((review.metadata or {})["version"])

    first, same, other = versions
    assert first == same != other
    assert "+loud-1-" in first


def test_a_prompt_that_is_not_there_is_refused_when_the_policy_loads() -> None:
    with pytest.raises(ReviewersError, match=r"mine\.md: there is no such prompt file"):
        own_prompt(prompt="mine.md")


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"escalate_at": 2}, "escalate_at is 2; input should be less than or equal to 1."),
        ({"votes": 0}, "votes is 0; input should be greater than or equal to 1."),
        ({"terminate_at": 0.2}, "terminate_at is 0.2; it should be at least escalate_at, 0.5."),
        ({"first": "a/b", "first_at": 0.9}, "first_at is 0.9; it should be at most escalate_at"),
        ({"combine": "median"}, "combine is 'median'; input should be 'mean', 'max' or"),
        ({"esclate_at": 0.1}, "there is no parameter 'esclate_at'. Did you mean 'escalate_at'?"),
        ({"tripwire": True, "logprobs": True}, "tripwire and logprobs cannot both be true."),
        ({"prompt": "x.md"}, "there is no parameter 'prompt'."),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(parameters: dict[str, object], expected: str) -> None:
    with pytest.raises(ReviewersError) as raised:
        packaged("output_monitor")(**parameters)

    assert f"reviewers/output_monitor: {expected}" in str(raised.value)


def test_a_tripwire_needs_a_step_in_the_prompt(tmp_path: Path) -> None:
    (tmp_path / "loud.md").write_text(GOOD)

    with pytest.raises(ReviewersError, match="the prompt has no tripwires"):
        own_prompt(prompt="loud.md", tripwire=True)
