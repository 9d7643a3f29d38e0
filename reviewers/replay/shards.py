"""A replay in parts: in turn, in several processes, and taken up again where it was stopped."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import UNSET, Struct

from reviewers import _host
from reviewers.monitors.recorded import Asking
from reviewers.replay.agreement import Agreement, agreement_from_dict
from reviewers.replay.job import Job
from reviewers.replay.models import may_ask
from reviewers.replay.outcomes import OutcomeLine, line_from_dict
from reviewers.replay.run import review_cases
from reviewers.replay.sources import Problems, Source, cases_in, sample_files

SHARD_BYTES = 64_000_000
"""Bytes of unpacked samples in one part of a log."""


@dataclass(frozen=True)
class Shard:
    """A part of the work: a file, or some of a log's samples.

    Attributes:
        number: Its place in the order of the results.
        source: The file.
        members: Sample files of an `.eval` log; empty for all there is.
    """

    number: int
    source: Source
    members: tuple[str, ...] = ()


class Gist(Struct):
    """Of a line only what is counted."""

    reviewer: str = ""
    outcome: str = ""
    would_ask: bool = False
    shard: Any = UNSET


GIST = msgspec.json.Decoder(Gist)


@dataclass
class ShardResult:
    """What came of a part.

    Attributes:
        shard: The part.
        path: The file that holds its lines.
        cases: How many cases it had.
        lossy: How many of them are not what a reviewer saw live.
        agreement: How they compare with what was decided live.
        skipped: What could not be read, and why.
    """

    shard: Shard
    path: Path
    cases: int = 0
    lossy: int = 0
    agreement: Agreement = field(default_factory=Agreement)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    def lines(self) -> Iterator[OutcomeLine]:
        """Its outcome lines, in order."""
        for text, _ in self.texts():
            yield line_from_dict(json.loads(text))

    def texts(self) -> Iterator[tuple[str, Gist]]:
        """Its outcome lines as they stand in the file, with what is counted of them."""
        with self.path.open(encoding="utf-8") as stream:
            for text in stream:
                gist = GIST.decode(text)
                if gist.shard is UNSET:
                    yield text, gist


def shards_of(sources: Sequence[Source]) -> Iterator[Shard]:
    """The parts of some sources, in order: large logs in several."""
    number = 0
    for source in sources:
        for members in _portions(source):
            yield Shard(number, source, members)
            number += 1


def _portions(source: Source) -> list[tuple[str, ...]]:
    if not source.path.endswith(".eval"):
        return [()]
    try:
        with _host.open_file(source.path) as stream, _host.open_zip(stream) as log:
            sizes = {name: log.getinfo(name).file_size for name in sample_files(log)}
    # A damaged log is found again, and named, when its part is read.
    except Exception:
        return [()]
    if sum(sizes.values()) <= SHARD_BYTES:
        return [()]
    portions: list[list[str]] = [[]]
    filled = 0
    for name, size in sizes.items():
        if portions[-1] and filled + size > SHARD_BYTES:
            portions.append([])
            filled = 0
        portions[-1].append(name)
        filled += size
    return [tuple(portion) for portion in portions]


def write_shard(shard: Shard, job: Job, out: IO[str], allowed: Asking | None = None) -> None:
    """Review a part, and write its outcome lines and then, as the last line, what came of it.

    Args:
        shard: The part.
        job: What is asked.
        out: Takes the lines.
        allowed: What monitors may do; made from the job by default.
    """
    job.bind_models()
    problems = Problems()
    agreement = Agreement()
    cases = lossy = 0
    for reviewed in review_cases(
        cases_in(shard.source, problems, shard.members),
        job.asked(),
        allowed=allowed or may_ask(job.when, job.budget_cost),
        check=job.check,
        at_once=job.at_once if job.asks_models else 1,
    ):
        cases += 1
        lossy += bool(reviewed.case.fidelity)
        agreement.add(reviewed.agreement)
        for line in reviewed.lines:
            out.write(json.dumps(line.as_dict()) + "\n")
    summary = {
        "cases": cases,
        "lossy": lossy,
        "agreement": agreement.as_dict(),
        "skipped": problems.skipped,
    }
    out.write(json.dumps({"shard": summary}) + "\n")


def shard_text(shard: Shard, job: Job) -> str:
    """What `write_shard` writes, for workers that share no disk with us."""
    out = io.StringIO()
    write_shard(shard, job, out)
    return out.getvalue()


def shard_file(shard: Shard, job: Job, path: Path, allowed: Asking | None = None) -> Path:
    """Review a part into a file, which is there only when it is complete."""
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("w", encoding="utf-8") as out:
        write_shard(shard, job, out, allowed)
    os.replace(unfinished, path)
    return path


def result_of(shard: Shard, path: Path) -> ShardResult:
    """What the file of a part says."""
    summary = json.loads(_last_line(path))["shard"]
    return ShardResult(
        shard=shard,
        path=path,
        cases=summary["cases"],
        lossy=summary["lossy"],
        agreement=agreement_from_dict(summary["agreement"]),
        skipped=[(what, why) for what, why in summary["skipped"]],
    )


def _last_line(path: Path) -> bytes:
    with path.open("rb") as stream:
        stream.seek(0, os.SEEK_END)
        at = stream.tell()
        tail = b""
        while at and tail.strip().count(b"\n") == 0:
            step = min(at, 65_536)
            at -= step
            stream.seek(at)
            tail = stream.read(step) + tail
    return tail.strip().rpartition(b"\n")[2]


class Workplace:
    """The folder of the parts that are done; a stopped replay finds them there.

    Args:
        folder: Where it is.
        fingerprint: Names the replay; the parts of another one are thrown away.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self.folder = folder
        named = folder / "replay.json"
        if folder.is_dir() and not _is_of(named, fingerprint):
            shutil.rmtree(folder)
        folder.mkdir(parents=True, exist_ok=True)
        named.write_text(json.dumps({"fingerprint": fingerprint}), encoding="utf-8")

    def path(self, shard: Shard) -> Path:
        """The file of a part."""
        return self.folder / f"{shard.number:07}.jsonl"

    def remove(self) -> None:
        """Take the folder away."""
        shutil.rmtree(self.folder)


def _is_of(named: Path, fingerprint: str) -> bool:
    try:
        return bool(json.loads(named.read_text(encoding="utf-8"))["fingerprint"] == fingerprint)
    except (OSError, ValueError, KeyError):
        return False


def run_shards(
    shards: Iterable[Shard], job: Job, place: Workplace, jobs: int = 1
) -> Iterator[ShardResult]:
    """Review all parts that are not done yet; results come in order.

    Args:
        shards: The parts.
        job: What is asked.
        place: Holds the files of the parts.
        jobs: Processes; models are asked from one.
    """
    with ExitStack() as stack:
        start: Callable[[Shard], Any]
        if jobs > 1 and not job.asks_models:
            pool = stack.enter_context(ProcessPoolExecutor(jobs, mp_context=get_context("spawn")))
            start = _in_pool(pool, job, place)
        else:
            jobs = 1
            start = _here(job, place)
        yield from in_order(shards, place, start, ahead=2 * jobs if jobs > 1 else 1)


def _in_pool(pool: Executor, job: Job, place: Workplace) -> Callable[[Shard], Future[Path]]:
    return lambda shard: pool.submit(shard_file, shard, job, place.path(shard))


def _here(job: Job, place: Workplace) -> Callable[[Shard], Future[Path]]:
    allowed = may_ask(job.when, job.budget_cost)

    def start(shard: Shard) -> Future[Path]:
        done: Future[Path] = Future()
        done.set_result(shard_file(shard, job, place.path(shard), allowed))
        return done

    return start


def in_order(
    shards: Iterable[Shard],
    place: Workplace,
    start: Callable[[Shard], Future[Path]],
    ahead: int,
) -> Iterator[ShardResult]:
    """Start parts as they are taken up, and give their results in order.

    Args:
        shards: The parts.
        place: Holds the files of the parts; those that are there are done.
        start: Starts a part.
        ahead: How many parts are under way at most.
    """
    under_way: deque[tuple[Shard, Future[Path] | None]] = deque()
    for shard in shards:
        done = place.path(shard).exists()
        under_way.append((shard, None if done else start(shard)))
        if len(under_way) >= ahead:
            yield _finished(place, *under_way.popleft())
    while under_way:
        yield _finished(place, *under_way.popleft())


def _finished(place: Workplace, shard: Shard, future: Future[Path] | None) -> ShardResult:
    if future is not None:
        future.result()
    return result_of(shard, place.path(shard))
