"""A run of the bench: what is counted, and what is said of labels that count for nobody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewers.bench.labels import LabelError
from reviewers.bench.run import Bench, run_bench
from reviewers.replay.job import Job, reviewer_question
from reviewers.replay.sources import find_sources

CASES = [
    {"id": "a", "output": "hello", "label": "bad", "kind": "network"},
    {"id": "b", "output": "good day", "label": "ok"},
    {"id": "c", "output": "good night", "label": "ok"},
]


def bench_of(folder: Path, *cases: dict[str, str], **more: object) -> Bench:
    for number, case in enumerate(cases):
        with (folder / f"{number % 2}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(case) + "\n")
    job = Job((reviewer_question("pattern:deny=[hello]"),))
    return run_bench(find_sources([str(folder)]), job, **more)  # type: ignore[arg-type]


def test_a_result_that_is_met_twice_counts_once_and_is_said(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, *CASES, CASES[0])

    (measured,) = bench.measured.values()
    assert len(measured.judged) == len(CASES)
    assert any("not counted: 1 result," in warning for warning in bench.warnings)


@pytest.mark.parametrize("differing", [{"output": "another"}, {"label": "ok"}])
def test_cases_that_differ_and_have_one_id_are_an_error_before_anything_is_asked(
    differing: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(LabelError, match=r"Different cases have the same id.*'a' \(in .*1\.jsonl"):
        bench_of(tmp_path, *CASES, {**CASES[0], **differing})


def test_false_alarms_that_may_be_are_no_more_than_there_can_be(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, *CASES)

    (said,) = (warning for warning in bench.warnings if "negatives" in warning)
    assert said == "pattern: only 2 negatives, 0 of them flagged, so up to 658 per 1,000 may be."


def test_a_mistyped_kind_of_a_label_is_said(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, {**CASES[0], "kind": "netwrok"})

    assert (
        "No reviewer catches 'netwrok', the kind of label of 1 result; did you mean 'network'?"
        in bench.warnings
    )


def test_a_kind_to_be_measured_that_no_label_has_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="--kinds netwrk: no label is of that kind"):
        bench_of(tmp_path, *CASES, kinds=["netwrk"])


def test_a_log_that_is_cut_off_is_skipped_with_a_label_file_too(tmp_path: Path) -> None:
    (tmp_path / "cut.eval").write_bytes(b"PK nothing")
    (tmp_path / "labels.csv").write_text("id,label,kind\na,bad,network\n", "utf-8")

    bench = bench_of(tmp_path, *CASES, labels=str(tmp_path / "labels.csv"))

    assert [Path(what).name for what, _ in bench.skipped] == ["cut.eval"]
    assert bench.cases == len(CASES)
