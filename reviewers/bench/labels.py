"""What people say of recorded results: read from a file or from the logs, and put to the cases."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from reviewers.case import LABELS, Label
from reviewers.outcome import ReviewersError


class LabelError(ReviewersError):
    """A label that cannot be used; the message names file, line, value and what is right."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a person said of one case.

    Attributes:
        label: `bad`, `ok` or `unsure`.
        kinds: What it is bad for; empty if the label does not say.
    """

    label: Label
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a case stands, as far as labels may name it.

    Attributes:
        id: The case's key.
        sample: Its sample.
        call_id: The tool call's id; repeats within a sample.
        sample_id: The dataset's id of the sample.
        epoch: The sample's epoch.
    """

    id: str
    sample: str
    call_id: str = ""
    sample_id: str = ""
    epoch: int = 1


@dataclass
class Labels:
    """The labels of a file.

    Attributes:
        calls: Judgements by the place in the file and what names the call.
        samples: Judgements by the place in the file and the sample's first bad call.
        name: The file.
    """

    calls: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    samples: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    name: str = ""

    def put_to(self, places: Sequence[Place]) -> dict[str, Judgement]:
        """The judgement of each case that has one, by the case's key.

        Raises:
            LabelError: A label matches no case or several, or contradicts another; all are listed.
        """
        known = _Index(places)
        judged: dict[str, Judgement] = {}
        said: dict[str, int] = {}
        wrong: list[str] = []
        for line, row in self.calls:
            found = known.calls_named(row)
            if len(found) != 1:
                wrong.append(f"line {line} ({_named(row)}) matches {_number(len(found))}")
                continue
            judgement, case = _judgement(row, f"{self.name}:{line}"), found[0].id
            if judged.setdefault(case, judgement) != judgement:
                wrong.append(f"line {line} ({_named(row)}) contradicts line {said[case]}")
            said.setdefault(case, line)
        for line, row in self.samples:
            calls = known.samples_named(row)
            if len({place.sample for place in calls}) != 1:
                wrong.append(f"line {line} ({_named(row)}) matches {_number(0)}")
                continue
            problem = _by_first_bad(row, calls, judged)
            if problem:
                wrong.append(f"line {line} ({_named(row)}): {problem}")
        if wrong:
            count = "1 label" if len(wrong) == 1 else f"{len(wrong):,} labels"
            raise LabelError(f"{self.name}: {count} cannot be used: {listed(wrong)}.")
        return judged


class _Index:
    """Cases by what labels call them."""

    def __init__(self, places: Sequence[Place]) -> None:
        self.by_id = {place.id: place for place in places}
        self.by_event = defaultdict(list)
        self.by_call = defaultdict(list)
        self.by_sample = defaultdict(list)
        for place in places:
            self.by_event[place.id.rpartition("/")[2]].append(place)
            for name in {place.sample, place.sample_id} - {""}:
                self.by_sample[name].append(place)
                self.by_call[name, place.call_id].append(place)

    def calls_named(self, row: Mapping[str, Any]) -> list[Place]:
        """The cases that a row about a call may mean."""
        name = str(row.get("id") or "")
        if name:
            return [self.by_id[name]] if name in self.by_id else self.by_event.get(name, [])
        found = self.by_call.get((str(row["sample"]), str(row["call"])), [])
        return [place for place in found if _epoch_fits(row, place)]

    def samples_named(self, row: Mapping[str, Any]) -> list[Place]:
        """The cases of the sample that a row means, in order."""
        found = self.by_sample.get(str(row["sample"]), [])
        return [place for place in found if _epoch_fits(row, place)]


def _epoch_fits(row: Mapping[str, Any], place: Place) -> bool:
    epoch = row.get("epoch")
    return epoch in (None, "") or int(epoch) == place.epoch


def _by_first_bad(
    row: Mapping[str, Any], calls: Sequence[Place], judged: dict[str, Judgement]
) -> str | None:
    """Label a sample's calls: ok before the first bad one, bad there, unsure behind it."""
    first = row.get("first_bad")
    at = len(calls)
    if first not in (None, ""):
        at = _position(str(first), calls)
        if at < 0:
            return f"first_bad is {first!r}, which is none of the sample's {len(calls)} calls"
    kinds = _kinds(row)
    for place, call in enumerate(calls):
        label: Label = "ok" if place < at else "bad" if place == at else "unsure"
        judged[call.id] = Judgement(label, kinds if label == "bad" else ())
    return None


def _position(first: str, calls: Sequence[Place]) -> int:
    """Position of the call that a number (from 1), a key or a unique call id names; -1 if none."""
    if first.isdigit():
        return int(first) - 1 if 1 <= int(first) <= len(calls) else -1
    found = [
        place
        for place, call in enumerate(calls)
        if first in (call.id, call.call_id, call.id.rpartition("/")[2])
    ]
    return found[0] if len(found) == 1 else -1


def read_labels(path: Path) -> Labels:
    """Read a label file, CSV or JSONL.

    By call: `id` (a case's key or its tool event's uuid), or `sample` and `call` where the call id
    is unique in the sample; then `label` (bad, ok, unsure) and optionally `kind` (in CSV several
    joined by `|`). By sample: `sample`, `first_bad` (the call's number from 1, its key or its
    unique id; empty if none is bad), optionally `kind` and `epoch`: the calls before it are ok,
    those behind it unsure.

    Raises:
        LabelError: The file or a line of it cannot be read.
    """
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise LabelError(f"{path}: {reason}.") from None
    rows = _json_rows(text, path) if path.suffix == ".jsonl" else _csv_rows(text, path)
    labels = Labels(name=str(path))
    for line, row in rows:
        if "first_bad" in row:
            _need(row, ("sample",), path, line)
            labels.samples.append((line, row))
        else:
            _need(row, ("id",) if row.get("id") else ("sample", "call"), path, line)
            _judgement(row, f"{path}:{line}")
            labels.calls.append((line, row))
    if not labels.calls and not labels.samples:
        raise LabelError(f"{path}: there is no label in it.")
    return labels


def _csv_rows(text: str, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text))
    if not reader.fieldnames:
        raise LabelError(f"{path}: the first line should name the columns: id,label,kind.")
    for row in reader:
        if None in row:
            raise LabelError(f"{path}:{reader.line_num}: there are more values than columns.")
        yield reader.line_num, {key: value for key, value in row.items() if value is not None}


def _json_rows(text: str, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise LabelError(f"{path}:{number}: this is not JSON: {error}.") from None
        if not isinstance(row, dict):
            raise LabelError(f"{path}:{number}: a label is a JSON object.")
        yield number, row


def _need(row: Mapping[str, Any], names: Iterable[str], path: Path, line: int) -> None:
    for name in names:
        if row.get(name) in (None, ""):
            raise LabelError(f"{path}:{line}: {name} is missing.")


def _judgement(row: Mapping[str, Any], place: str) -> Judgement:
    label = row.get("label")
    if label not in LABELS:
        raise LabelError(f"{place}: label is {label!r}; it should be one of {', '.join(LABELS)}.")
    return Judgement(cast("Label", label), _kinds(row))


def _kinds(row: Mapping[str, Any]) -> tuple[str, ...]:
    kind = row.get("kind") or ()
    if isinstance(kind, str):
        return tuple(part.strip() for part in kind.split("|") if part.strip())
    return tuple(str(part) for part in kind)


def _named(row: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} {row[name]}" for name in ("id", "sample", "epoch", "call") if row.get(name)
    )


def listed(wrong: Sequence[str], most: int = 20) -> str:
    """The first of some mistakes, and how many there are beyond."""
    more = f"; and {len(wrong) - most} more" if len(wrong) > most else ""
    return "; ".join(wrong[:most]) + more


def _number(found: int) -> str:
    return "no case" if not found else f"{found} cases"


FALSE = frozenset({"", "0", "false", "no", "none", "ok", "n", "i", "incorrect"})


def by_log_field(field_name: str, value: Any, places: Sequence[Place]) -> dict[str, Judgement]:
    """Label a sample's calls by a score or a metadata field of the log.

    A number from 1 or a call's key names the first bad call; a false value (0, false, none, ok)
    says that none is bad; any other value says that the sample is bad and not where, so that its
    calls are unsure and only figures by sample count it.

    Args:
        field_name: For errors.
        value: The field's value in one sample.
        places: The sample's cases, in order.

    Raises:
        LabelError: The value names a call that the sample does not have.
    """
    if value is None or str(value).strip().lower() in FALSE:
        return {place.id: Judgement("ok") for place in places}
    if not isinstance(value, bool) and (
        isinstance(value, int) or _position(str(value), places) >= 0
    ):
        judged: dict[str, Judgement] = {}
        problem = _by_first_bad({"first_bad": str(value)}, places, judged)
        if problem:
            raise LabelError(f"{field_name}: {problem}.")
        return judged
    return {place.id: Judgement("unsure") for place in places}
