"""One run of the bench: sources, labels and reviewers in, figures out."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.metadata import version
from itertools import combinations, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewers.bench.advice import Advice, advise, warnings
from reviewers.bench.labels import (
    Judgement,
    LabelError,
    Place,
    by_log_field,
    listed,
    read_labels,
)
from reviewers.bench.measure import Measured, compare, measure
from reviewers.bench.read import recorded_lines
from reviewers.bench.report_parts.shown import without_secrets
from reviewers.case import Case
from reviewers.catalogue import catalogue
from reviewers.replay import OutcomeLine, Problems, Source, iter_cases
from reviewers.replay.job import Job
from reviewers.replay.run import recorded_sample_of
from reviewers.replay.shards import ShardResult, Workplace, run_shards, shards_of
from reviewers.version import VERSION

if TYPE_CHECKING:
    from reviewers.replay.asked import Asked

LOG_FIELDS = ("score:", "metadata:")


@dataclass(frozen=True)
class Wish:
    """What a threshold is to keep to.

    Attributes:
        false_alarm_rate: Highest share of negatives that may be flagged.
        alarms_per_1000: Most results per 1,000 that may be flagged.
        prevalence: Share of bad results where the reviewer is to run.
        split: Share of samples that judge the threshold and do not choose it.
    """

    false_alarm_rate: float | None = None
    alarms_per_1000: float | None = None
    prevalence: float = 0.01
    split: float = 0.0


@dataclass
class Bench:
    """What came of a run.

    Attributes:
        sources: Addresses of the logs and case files.
        cases: How many results there were.
        samples: How many samples they are from.
        lossy: How many differ from what a reviewer saw live.
        measured: Each reviewer's outcomes and figures, by name.
        advice: A threshold for each reviewer that ranks, by name.
        comparisons: Differences of every two reviewers.
        warnings: Sentences on what makes the figures less than they seem.
        skipped: What could not be read, and why.
        provenance: Reviewers with version and parameters, labels, options.
    """

    sources: list[str]
    cases: int = 0
    samples: int = 0
    lossy: int = 0
    measured: dict[str, Measured] = field(default_factory=dict)
    advice: dict[str, Advice] = field(default_factory=dict)
    comparisons: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    provenance: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """All figures as plain JSON values; what is undefined is null."""
        return {
            "version": VERSION,
            "sources": self.sources,
            "cases": self.cases,
            "samples": self.samples,
            "lossy": self.lossy,
            "reviewers": {name: one.figures() for name, one in self.measured.items()},
            "advice": {name: advice.as_dict() for name, advice in self.advice.items()},
            "comparisons": self.comparisons,
            "warnings": self.warnings,
            "skipped": [{"source": source, "why": why} for source, why in self.skipped],
            "provenance": self.provenance,
        }


def run_bench(
    sources: Sequence[Source],
    job: Job,
    *,
    labels: str | None = None,
    kinds: Sequence[str] = (),
    jobs: int = 1,
    wish: Wish | None = None,
    seed: int = 0,
) -> Bench:
    """Ask reviewers about every case and measure them against labels.

    Args:
        sources: Logs and case files.
        job: Whom to ask, and how; with no question the decisions in the logs are read.
        labels: A label file, or `score:NAME` or `metadata:KEY` of the logs; the cases' own labels
            by default.
        kinds: Kinds that count as positive for every reviewer, instead of those it catches.
        jobs: Processes.
        wish: What a threshold is to keep to.
        seed: Makes intervals and splits repeatable.

    Raises:
        LabelError: A label cannot be read, or matches no case.
    """
    addresses = [source.path for source in sources]
    judged = {**written_labels(sources), **(judgements(sources, labels) if labels else {})}
    labelled = Counter(kind for one in judged.values() if one.label == "bad" for kind in one.kinds)
    _check_kinds(kinds, labelled)
    bench = Bench(addresses)
    asked = job.asked() if job.questions else []
    catches = {one.name: frozenset(kinds) or one.catches for one in asked}
    met = list(_replayed(sources, job, jobs, bench) if asked else _recorded(sources, bench))
    first = {(line.reviewer, line.part_of, line.id): line for line in reversed(met)}
    lines = [*reversed(first.values())]
    by_case = {line.id: line for line in lines}
    bench.cases = len(by_case)
    bench.samples = len({line.sample for line in by_case.values()})
    bench.lossy = len({line.id for line in lines if line.fidelity})
    bench.measured = measure(lines, judged, catches, seed)
    if kinds and not asked:
        for measured in bench.measured.values():
            measured.catches = frozenset(kinds)
    bench.warnings = [text for one in bench.measured.values() for text in warnings(one)]
    bench.warnings += _kinds_of_nobody(labelled, bench.measured.values())
    if len(met) > len(lines):
        bench.warnings.append(
            f"Met again and not counted: {_counted(len(met) - len(lines))}, in the same log, a "
            "copy of it, or by a repeated id."
        )
    bench.comparisons = [
        compare(first, second, seed) for first, second in combinations(bench.measured.values(), 2)
    ]
    if wish is not None:
        bench.advice = _advised(bench.measured, wish, seed)
        if not wish.split and bench.advice:
            bench.warnings.append(
                "Thresholds were chosen and judged on the same cases, which flatters them; "
                "--split holds out samples."
            )
    bench.provenance = _provenance(asked, job, labels, kinds, seed)
    return bench


def _check_kinds(kinds: Sequence[str], labelled: Mapping[str, int]) -> None:
    for kind in kinds:
        if labelled and kind not in labelled:
            there = ", ".join(sorted(labelled))
            raise LabelError(f"--kinds {kind}: no label is of that kind. There are: {there}.")


def _kinds_of_nobody(labelled: Mapping[str, int], measured: Iterable[Measured]) -> Iterator[str]:
    """Sentences on kinds of label that no reviewer there is, asked or not, is there for."""
    caught = {kind for entry in catalogue() for kind in entry.catches}
    caught = caught.union(*(one.catches for one in measured))
    for kind, count in labelled.items():
        if kind not in caught:
            near = get_close_matches(kind, caught, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            yield f"No reviewer catches {kind!r}, the kind of label of {_counted(count)}{hint}"


def _counted(results: int) -> str:
    return f"{results:,} result{'' if results == 1 else 's'}"


def _replayed(
    sources: Sequence[Source], job: Job, jobs: int, bench: Bench
) -> Iterator[OutcomeLine]:
    with tempfile.TemporaryDirectory() as folder:
        place = Workplace(Path(folder) / "parts", "")
        for result in _shard_results(sources, job, place, jobs):
            bench.skipped += [(str(what), str(why)) for what, why in result.skipped]
            yield from result.lines()


def _shard_results(
    sources: Sequence[Source], job: Job, place: Workplace, jobs: int
) -> Iterator[ShardResult]:
    yield from run_shards(list(shards_of(sources)), job, place, jobs)


def _recorded(sources: Sequence[Source], bench: Bench) -> Iterator[OutcomeLine]:
    problems = Problems()
    yield from recorded_lines(iter_cases(sources, problems))
    bench.skipped += [(str(what), str(why)) for what, why in problems.skipped]


def written_labels(sources: Sequence[Source]) -> Mapping[str, Judgement]:
    """The labels that stand in case files, by case.

    Raises:
        LabelError: Cases that differ have one id: only one of them would count. All are listed.
    """
    judged: dict[str, Judgement] = {}
    first: dict[str, tuple[bytes, str]] = {}
    wrong: list[str] = []
    for source in sources:
        # Logs have no labels, and ids of their own; what cannot be read is said at the review.
        for case in iter_cases([source], Problems()) if source.kind == "cases" else ():
            content = _content(case)
            known, path = first.setdefault(case.id, (content, source.path))
            if known != content:
                wrong.append(f"{case.id!r} (in {source.path}, before in {path})")
            if case.label is not None:
                judged[case.id] = Judgement(case.label, case.kinds)
    if wrong:
        raise LabelError(f"Different cases have the same id; give each its own: {listed(wrong)}.")
    return judged


def _content(case: Case) -> bytes:
    """A digest of what a case shows and of its label."""
    seen = case.evidence
    shown = (
        seen.text,
        seen.call,
        seen.exit_codes,
        seen.error,
        seen.message,
        case.label,
        case.kinds,
    )
    return hashlib.sha256(repr(shown).encode()).digest()


def judgements(sources: Sequence[Source], labels: str) -> Mapping[str, Judgement]:
    """The judgement of each case, from a label file or from a field of the logs.

    Raises:
        LabelError: A label cannot be read, or matches no case.
    """
    # What cannot be read is said where the cases are reviewed.
    cases = iter_cases(sources, Problems())
    if labels.startswith(LOG_FIELDS):
        return dict(_from_logs(cases, labels))
    return read_labels(Path(labels)).put_to([place_of(case) for case in cases])


def place_of(case: Case) -> Place:
    """Where a case stands."""
    sample = recorded_sample_of(case)
    return Place(
        id=case.id,
        sample=case.sample,
        call_id=case.evidence.call.id,
        sample_id="" if sample is None else str(sample.id),
        epoch=case.evidence.epoch,
    )


def _from_logs(cases: Iterable[Case], labels: str) -> Iterator[tuple[str, Judgement]]:
    known = False
    for _, group in groupby(cases, key=lambda case: case.sample):
        of_sample = list(group)
        found, value = _log_value(of_sample[0], labels)
        known = known or found
        places = [place_of(case) for case in of_sample]
        yield from by_log_field(labels, value, places).items() if found else ()
    if not known:
        raise LabelError(f"{labels}: no sample of the logs has it.")


def _log_value(case: Case, labels: str) -> tuple[bool, Any]:
    kind, _, name = labels.partition(":")
    sample = recorded_sample_of(case)
    values = case.evidence.metadata if sample is None else sample.metadata
    if kind == "score":
        values = {} if sample is None else sample.scores
    if name not in values:
        return False, None
    value = values[name]
    return True, value.get("value") if kind == "score" and isinstance(value, dict) else value


def _advised(measured: Mapping[str, Measured], wish: Wish, seed: int) -> dict[str, Advice]:
    rate = wish.false_alarm_rate
    if rate is None and wish.alarms_per_1000 is None:
        rate = 0.01
    return {
        name: advise(
            one,
            false_alarm_rate=rate,
            alarms_per_1000=wish.alarms_per_1000,
            prevalence=wish.prevalence,
            split=wish.split,
            seed=seed,
        )
        for name, one in measured.items()
        if len(set(one.scores)) > 1
    }


def _provenance(
    asked: Sequence[Asked], job: Job, labels: str | None, kinds: Sequence[str], seed: int
) -> dict[str, Any]:
    return {
        "reviewers": VERSION,
        "inspect_ai": version("inspect_ai"),
        "asked": [
            {
                "name": one.name,
                "kind": one.kind,
                "entries": [
                    {
                        "name": entry.spec.name,
                        "version": entry.spec.version,
                        "parameters": without_secrets(entry.spec.parameters, entry.spec.secrets),
                        "parameters_hash": entry.spec.parameters_hash,
                        "secrets": sorted(entry.spec.secrets),
                    }
                    for entry in one.entries
                    if hasattr(entry, "spec")
                ],
            }
            for one in asked
        ],
        "labels": labels or "the cases' own",
        "kinds": list(kinds),
        "seed": seed,
        "models": dict(job.models),
        "ask": job.when,
    }
