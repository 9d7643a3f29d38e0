"""The report as a text: what it says, and that nothing in it can run or leave the page."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from reviewers.bench import curves
from reviewers.bench.labels import Judgement
from reviewers.bench.report import report
from reviewers.bench.report_parts.shown import shown, without_secrets
from reviewers.bench.run import Bench, run_bench
from reviewers.replay.job import Job, reviewer_question
from reviewers.replay.sources import find_sources
from tests.bench.reports import HOSTILE, TOKEN, bench_of, made_up_bench, outcome

BAD, OK = Judgement("bad", ("network",)), Judgement("ok")


def page_of(bench: Bench) -> str:
    return report(bench, bench.as_dict())


class Reader(HTMLParser):
    """A page's tags with their attributes, its text, and the text of each script and style."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.inside = ""
        self.blocks: list[tuple[str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside = tag
        if tag in ("script", "style"):
            self.blocks.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside in ("script", "style"):
            tag, text = self.blocks[-1]
            self.blocks[-1] = (tag, text + data)
        else:
            self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every such tag."""
        return [attributes for name, attributes in self.tags if name == tag]


def hostile_bench() -> Bench:
    lines = [
        outcome(
            number,
            number % 2 == 0,
            number / 20,
            explanation=HOSTILE,
            findings=({"what": HOSTILE, "excerpt": HOSTILE},),
            tool=HOSTILE,
            sample=HOSTILE + str(number // 4),
            source=HOSTILE,
            reviewer=HOSTILE,
        )
        for number in range(20)
    ]
    labels = {
        line.id: Judgement("bad", (HOSTILE,)) if place % 3 == 0 else OK
        for place, line in enumerate(lines)
    }
    bench = bench_of(lines, labels, sources=[HOSTILE], skipped=[(HOSTILE, HOSTILE)])
    bench.warnings.append(HOSTILE)
    bench.provenance["labels"] = HOSTILE
    bench.provenance["asked"] = [
        {
            "name": HOSTILE,
            "kind": "reviewer",
            "entries": [
                {
                    "name": HOSTILE,
                    "version": HOSTILE,
                    "parameters": {HOSTILE: HOSTILE},
                    "parameters_hash": HOSTILE,
                }
            ],
        }
    ]
    return bench


def test_the_page_says_each_reviewers_figures_with_their_intervals() -> None:
    bench = made_up_bench()

    text = " ".join(Reader(page_of(bench)).text.split())

    for name, one in bench.measured.items():
        assert name in text
        figures = one.figures()
        assert f"caught {figures['tp']} of {figures['tp'] + figures['fn']}" in text
        assert f"{figures['recall']['low']:.2f} to {figures['recall']['high']:.2f}" in text
        alarms = figures["false_positives_per_1000"]
        assert f"{alarms['low']:.1f} to {alarms['high']:.1f}" in text


def test_what_is_not_defined_is_a_dash_and_no_number() -> None:
    bench = bench_of([outcome(number, False) for number in range(5)], {})

    reader = Reader(page_of(bench))

    assert "nan" not in reader.text.lower()
    assert "None" not in reader.text
    assert "–" in reader.text


def test_a_run_without_any_result_still_makes_a_page() -> None:
    assert "0" in Reader(page_of(Bench(sources=[]))).text


def test_without_labels_the_page_lists_what_was_flagged() -> None:
    lines = [outcome(number, number == 3, explanation=f"Look at {number}.") for number in range(5)]

    text = Reader(page_of(bench_of(lines, {}))).text

    assert "Flagged, without a label" in text
    assert "Look at 3." in text


def test_the_worst_false_alarms_come_first_and_misses_follow() -> None:
    lines = [
        outcome(0, True, 0.6, explanation="A mild alarm."),
        outcome(1, True, 0.9, explanation="A loud alarm."),
        outcome(2, False, 0.1, explanation="A miss."),
    ]
    labels = {"case-0": OK, "case-1": OK, "case-2": BAD}

    text = Reader(page_of(bench_of(lines, labels))).text

    places = [text.index(said) for said in ("A loud alarm.", "A mild alarm.", "A miss.")]
    assert places == sorted(places)


def test_a_reviewer_that_ranks_has_three_charts_and_a_slider() -> None:
    page = page_of(made_up_bench())

    reader = Reader(page)

    titles = re.findall(r'<title id="chart-\d+-(\w+)-title">', page)
    assert titles == ["roc", "pr", "calibration"] * 2
    assert len([one for one in reader.of("input") if one.get("type") == "range"]) == 2
    assert len(reader.of("polygon")) == 4


def test_every_control_has_a_label_and_every_chart_a_text() -> None:
    page = page_of(made_up_bench())
    reader = Reader(page)

    named = {one.get("for") for one in reader.of("label")}
    ids = {attributes.get("id") for _, attributes in reader.tags}

    assert {one["id"] for one in reader.of("input")} <= named
    for chart in [one for one in reader.of("svg") if one.get("role") == "img"]:
        assert set(str(chart["aria-labelledby"]).split()) <= ids
    assert all(one.get("scope") for one in reader.of("th"))
    assert len(ids - {None}) == len([one for _, one in reader.tags if one.get("id")])


def test_the_page_loads_nothing() -> None:
    page = page_of(hostile_bench())
    reader = Reader(page)

    names = {name for _, attributes in reader.tags for name in attributes}
    assert not names & {"src", "srcset", "action", "style", "data", "poster"}
    assert all(str(one["href"]).startswith("#") for one in reader.of("a"))
    assert not reader.of("link")
    assert "url(" not in page
    assert "@import" not in page


def test_only_the_pages_own_script_and_style_count() -> None:
    reader = Reader(page_of(hostile_bench()))

    policy = next(
        str(one["content"])
        for one in reader.of("meta")
        if one.get("http-equiv") == "Content-Security-Policy"
    )
    style, data, script = (text for _, text in reader.blocks)
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for text in (style, script):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert set(json.loads(data)[0]) == {"steps", "start"}


def test_a_hostile_text_adds_no_tag_and_no_attribute() -> None:
    hostile, harmless = hostile_bench(), hostile_bench()

    def tags(page: str) -> list[str]:
        return [tag for tag, _ in Reader(page).tags if tag not in ("circle", "wbr")]

    page = page_of(hostile)
    plain = report(harmless, harmless.as_dict())
    names = {name for _, attributes in Reader(page).tags for name in attributes}

    assert tags(page) == tags(plain)
    assert not any(name.startswith("on") for name in names)
    assert "window.ran = 1" in Reader(page).text
    assert "<img" not in page
    assert "49" not in re.findall(r"{{[^}]*}}", page)


SECRET = f"export GITHUB_TOKEN={TOKEN}"


@pytest.mark.parametrize(
    "fields",
    [
        {"explanation": SECRET},
        {"findings": ({"what": SECRET, "excerpt": "around it"},)},
        {"findings": ({"what": "a thing", "excerpt": SECRET},)},
        {"tool": SECRET},
        {"source": SECRET},
        {"sample": SECRET},
        {"reviewer": SECRET},
    ],
)
def test_a_secret_in_any_text_is_hidden(fields: dict[str, Any]) -> None:
    line = outcome(0, True, 0.9, **fields)

    page = page_of(bench_of([line], {line.id: OK}))

    assert TOKEN not in page.replace("<wbr>", "")


def test_secrets_among_parameters_are_not_shown_and_references_are() -> None:
    bench = made_up_bench()
    entry = {
        "name": "reviewers/canary",
        "version": "1",
        "parameters": {"canaries": ["blue heron", "env:CANARY"], "places": ["output"]},
        "parameters_hash": "abc",
    }
    bench.provenance["asked"] = [{"name": "canary", "kind": "reviewer", "entries": [entry]}]

    text = Reader(page_of(bench)).text

    assert "blue heron" not in text
    assert "env:CANARY" in text
    assert 'places: ["output"]' in text


def test_parameters_named_as_secret_are_hidden_whatever_they_are_called() -> None:
    assert without_secrets({"allow": ["x1"]}, {"allow"}) == {"allow": ["(not shown)"]}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\x00b", "a\\x00b"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("abc\u202edcba", "abc\\u202edcba"),
        ("half \ud800", "half \\ud800"),
        ("one\ntwo", "one\ntwo"),
    ],
)
def test_what_does_not_print_is_written_out(text: str, seen: str) -> None:
    assert shown(text) == seen


def test_a_long_text_is_cut_and_says_by_how_much() -> None:
    assert shown("word " * 1000).endswith("… (3,800 more characters)")


def test_a_text_that_cannot_be_encoded_makes_a_page() -> None:
    line = outcome(0, True, 0.5, explanation="\ud800 \x00")

    page_of(bench_of([line], {line.id: OK})).encode("utf-8")


def test_the_worst_cases_show_what_was_run(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "tool": "bash", "arguments": {"command": "curl example.com"}, "label": "bad"},
        {"id": "b", "tool": "bash", "arguments": {"command": f"echo {TOKEN}"}, "label": "bad"},
        {
            "id": "c",
            "tool": "bash",
            "arguments": {"command": "cat /etc/key-9f8e7d6c5b4a3f2e1d0c"},
            "label": "bad",
            "kind": "secret",
        },
    ]
    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(json.dumps({**row, "output": "nothing"}) + "\n" for row in rows))
    job = Job(questions=tuple(map(reviewer_question, ("no_network", "secret_leak"))))

    page = page_of(run_bench(find_sources([str(cases)]), job))

    assert "curl example.com" in page
    assert TOKEN not in page
    assert "9f8e7d6c5b4a3f2e1d0c" not in page
    assert "cat /etc…" in page


def test_a_roc_curve_runs_from_corner_to_corner_within_its_band() -> None:
    bench = made_up_bench()
    careful = bench.measured["careful"]
    samples = [one.line.sample for one in careful.scored]

    curve = curves.roc(careful.scored_truth, careful.scores, samples)

    assert curve is not None
    assert curve.points[0] == (0, 0)
    assert curve.points[-1] == (1, 1)
    for (_, low), (_, high) in zip(curve.low, curve.high, strict=True):
        assert 0 <= low <= high <= 1


def test_precision_is_that_of_the_highest_threshold_that_reaches_a_recall() -> None:
    truth, scores = [True, False, True, False], [0.9, 0.8, 0.7, 0.1]

    curve = curves.precision_recall(truth, scores, ["a", "a", "a", "a"])

    assert curve is not None
    assert curve.low == []
    assert curve.points[:4] == [(0, 1), (0.5, 1), (0.5, 0.5), (0.5, 0.5)]
    assert (1, 2 / 3) in curve.points
    assert curve.points[-1] == (1, 0.5)


@pytest.mark.parametrize("truth", [[], [True, True], [False, False]])
def test_without_both_classes_there_is_no_roc_curve(truth: list[bool]) -> None:
    assert curves.roc(truth, [0.5] * len(truth), ["s"] * len(truth)) is None


def test_calibration_counts_the_bad_results_of_each_tenth() -> None:
    bins = curves.calibration([True, False, True, True], [0.05, 0.05, 0.95, 1.0])

    assert [(one.bad, one.of) for one in bins] == [(1, 2), (2, 2)]
    assert bins[1].score == pytest.approx(0.975)
    assert bins[0].low < 0.5 < bins[0].high
