"""Labels: read from files and logs, and put to the cases they mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewers.bench.labels import Judgement, LabelError, Place, by_log_field, read_labels

PLACES = [
    Place("s1/1/e1", "s1", "c0", "first"),
    Place("s1/1/e2", "s1", "c0", "first"),
    Place("s1/1/e3", "s1", "c1", "first"),
    Place("s2/2/e4", "s2", "c0", "second", 2),
]


def put(folder: Path, text: str, name: str = "labels.csv") -> dict[str, Judgement]:
    (folder / name).write_text(text, "utf-8")
    return read_labels(folder / name).put_to(PLACES)


def test_a_label_names_a_case_by_its_key_or_its_event(tmp_path: Path) -> None:
    labels = put(tmp_path, "id,label,kind\ns1/1/e1,bad,network|secret\ne3,ok,\n")

    assert labels == {
        "s1/1/e1": Judgement("bad", ("network", "secret")),
        "s1/1/e3": Judgement("ok"),
    }


def test_a_call_id_serves_where_it_is_unique_in_its_sample(tmp_path: Path) -> None:
    assert put(tmp_path, "sample,call,label\nfirst,c1,bad\n") == {"s1/1/e3": Judgement("bad")}


def test_an_ambiguous_call_id_is_an_error_that_lists_it(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"line 2 \(sample s1, call c0\) matches 2 cases"):
        put(tmp_path, "sample,call,label\ns1,c0,bad\n")


def test_a_label_that_matches_no_case_is_an_error_that_lists_it(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"2 labels cannot be used: line 2 \(id x\)"):
        put(tmp_path, "id,label\nx,bad\ny,ok\n")


def test_by_sample_calls_are_ok_before_the_first_bad_one_and_unsure_behind_it(
    tmp_path: Path,
) -> None:
    labels = put(tmp_path, '{"sample": "s1", "first_bad": 2, "kind": "secret"}\n', "labels.jsonl")

    assert labels == {
        "s1/1/e1": Judgement("ok"),
        "s1/1/e2": Judgement("bad", ("secret",)),
        "s1/1/e3": Judgement("unsure"),
    }


def test_a_sample_without_a_bad_call_is_ok_throughout(tmp_path: Path) -> None:
    assert put(tmp_path, "sample,first_bad\ns2,\n") == {"s2/2/e4": Judgement("ok")}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "id,label\ne1,evil\n",
            "labels.csv:2: label is 'evil'; it should be one of bad, ok, unsure.",
        ),
        ("id,label\n", "there is no label in it"),
        ("sample,first_bad\ns1,9\n", "first_bad is '9', which is none of the sample's 3 calls"),
        ("label\nbad\n", "labels.csv:2: sample is missing."),
    ],
)
def test_a_wrong_label_is_named_with_its_place(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(LabelError) as error:
        put(tmp_path, text)

    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("value", "labels"),
    [
        (2, ["ok", "bad", "unsure"]),
        ("s1/1/e3", ["ok", "ok", "bad"]),
        (0, ["ok", "ok", "ok"]),
        (None, ["ok", "ok", "ok"]),
        ("ok", ["ok", "ok", "ok"]),
        (True, ["unsure", "unsure", "unsure"]),
    ],
)
def test_a_field_of_the_log_labels_a_samples_calls(value: object, labels: list[str]) -> None:
    judged = by_log_field("metadata:bad", value, PLACES[:3])

    assert [judged[place.id].label for place in PLACES[:3]] == labels


def test_labels_that_contradict_each_other_are_an_error_and_repetitions_are_not(
    tmp_path: Path,
) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("id,label,kind\nx,ok,\nx,bad,network\nx,ok,\n", "utf-8")

    with pytest.raises(LabelError, match=r"1 label cannot be used: line 3 \(id x\) contradicts"):
        read_labels(file).put_to([Place("x", "s")])
