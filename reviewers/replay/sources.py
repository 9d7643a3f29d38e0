"""Logs, folders, globs and case files -> cases, one sample in memory at a time."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import IO, TYPE_CHECKING, Literal
from zipfile import ZipFile

from reviewers import _host
from reviewers.case import Case, CaseError, case_from_line
from reviewers.outcome import ReviewersError
from reviewers.replay.cases import cases_of
from reviewers.replay.sample_file import NotReadable, inspect_sample, sample_from_json
from reviewers.replay.samples import RecordedSample, sample_from_inspect

if TYPE_CHECKING:
    from inspect_ai.log import EvalSpec

LOG_ENDINGS = (".eval", ".json")
CASE_ENDINGS = (".jsonl", ".jsonl.gz")


class SourceError(ReviewersError):
    """A source that names nothing to read; the message says what would be right."""


@dataclass(frozen=True)
class Source:
    """One file that cases come from.

    Attributes:
        path: Its address, local or any that Inspect's file system reads.
        kind: An Inspect log or a file of case lines.
    """

    path: str
    kind: Literal["log", "cases"]


@dataclass
class Problems:
    """What could not be read. The rest went on.

    Attributes:
        skipped: `(source or sample, reason)` in the order met.
    """

    skipped: list[tuple[str, str]] = field(default_factory=list)

    def skip(self, what: str, error: Exception) -> None:
        """Note what was skipped and why, in one line."""
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        self.skipped.append((what, reason.removeprefix(f"{what}: ")))


def find_sources(given: Iterable[str]) -> list[Source]:
    """The files behind addresses, folders and globs, in a stable order and each once.

    Args:
        given: Log files, case files, folders, globs; local paths or any address that Inspect's
            file system reads (`s3://…`).

    Raises:
        SourceError: One of them names nothing.
    """
    found: dict[str, Source] = {}
    for address in given:
        paths = list(_expand(address))
        if not paths:
            raise SourceError(f"{address}: there is no log (.eval, .json) or case file (.jsonl).")
        for path in paths:
            kind: Literal["log", "cases"] = "cases" if path.endswith(CASE_ENDINGS) else "log"
            found.setdefault(path, Source(path, kind))
    return list(found.values())


def _expand(address: str) -> Iterator[str]:
    matches = _host.glob_files(address)
    readable = [path for path in matches if path.endswith(LOG_ENDINGS + CASE_ENDINGS)]
    yield from sorted(readable)


def iter_cases(sources: Sequence[str | Source], problems: Problems | None = None) -> Iterator[Case]:
    """All cases of some sources, in a stable order; memory is bounded by one sample.

    A file or a sample that cannot be read is noted in `problems` and left out; without `problems`
    it raises.

    Args:
        sources: Addresses, or what `find_sources` made of them.
        problems: Takes what was skipped.
    """
    plain = [source for source in sources if isinstance(source, str)]
    found = [source for source in sources if isinstance(source, Source)] + find_sources(plain)
    for source in found:
        yield from cases_in(source, problems)


def cases_in(
    source: Source, problems: Problems | None = None, members: Sequence[str] = ()
) -> Iterator[Case]:
    """The cases of one source; see `iter_cases`.

    Args:
        source: The source.
        problems: Takes what was skipped.
        members: Only these sample files of an `.eval` log; all by default.
    """
    try:
        if source.kind == "cases":
            yield from case_lines(source.path, problems)
        else:
            for sample in samples_in(source.path, problems, members):
                yield from cases_of(sample)
    # Whatever is wrong with one file, others can be read.
    except Exception as error:
        if problems is None:
            raise
        problems.skip(source.path, error)


def case_lines(path: str, problems: Problems | None = None) -> Iterator[Case]:
    """The cases of a case file, line by line; see `iter_cases`.

    Raises:
        CaseError: A line is no JSON, or has a value that it cannot have.
    """
    with _host.open_file(path) as stream, _text(path, stream) as lines:
        for number, text in enumerate(lines, start=1):
            if not text.strip():
                continue
            place = f"{path}:{number}"
            try:
                case = _case(text, place)
            # One line is damaged; the others can be read.
            except Exception as error:
                if problems is None:
                    raise
                problems.skip(place, error)
                continue
            yield case


def _case(text: str, place: str) -> Case:
    try:
        line = json.loads(text)
    except ValueError as error:
        raise CaseError(f"{place}: this is not JSON: {error}.") from None
    return case_from_line(line, place)


def _text(path: str, stream: IO[bytes]) -> IO[str]:
    if path.endswith(".gz"):
        return gzip.open(stream, "rt", encoding="utf-8")
    return io.TextIOWrapper(stream, encoding="utf-8")


def samples_in(
    path: str, problems: Problems | None = None, members: Sequence[str] = ()
) -> Iterator[RecordedSample]:
    """The samples of one log, one at a time, in the order of the file; see `cases_in`."""
    if path.endswith(".eval"):
        yield from _samples_of_eval(path, problems, members)
    else:
        yield from _samples_of_json(path, problems)


def _run_of_eval(log: ZipFile) -> str:
    """Id of the run that an `.eval` log is of, also where it did not end."""
    from inspect_ai.log import EvalSpec

    header = "header.json" if "header.json" in log.namelist() else "_journal/start.json"
    spec = json.loads(log.read(header))["eval"]
    return _run_id(EvalSpec.model_validate(spec, context={"deserializing": True}))


def _run_of_json(path: str) -> str:
    from inspect_ai.log import read_eval_log

    return _run_id(read_eval_log(path, header_only=True).eval)


def _run_id(spec: EvalSpec) -> str:
    return spec.eval_id or spec.run_id


def _samples_of_eval(
    path: str, problems: Problems | None, members: Sequence[str]
) -> Iterator[RecordedSample]:
    with _host.open_file(path) as stream, _host.open_zip(stream) as log:
        log_id = cache(partial(_run_of_eval, log))
        for member in members or sample_files(log):
            try:
                sample = read_sample(log.read(member), path, log_id)
            # One sample is damaged; the others can be read.
            except Exception as error:
                if problems is None:
                    raise
                problems.skip(f"{path} ({member})", error)
                continue
            yield sample


def sample_files(log: ZipFile) -> list[str]:
    """Names of a log's sample files; one that was written anew counts once."""
    names = dict.fromkeys(log.namelist())
    return [name for name in names if name.startswith("samples/") and name.endswith(".json")]


def read_sample(data: bytes, path: str, log_id: Callable[[], str]) -> RecordedSample:
    """A sample from its file's bytes; by Inspect's own reader where ours does not know a form."""
    try:
        return sample_from_json(data, path, log_id)
    except NotReadable:
        return sample_from_inspect(inspect_sample(data), path, log_id())


def _samples_of_json(path: str, problems: Problems | None) -> Iterator[RecordedSample]:
    import ijson  # type: ignore[import-untyped]
    from inspect_ai.log import EvalSample, resolve_sample_attachments

    log_id = _run_of_json(path)
    with _host.open_file(path) as stream:
        samples = ijson.items(stream, "samples.item", use_float=True)
        for number, value in enumerate(samples, start=1):
            try:
                sample = EvalSample.model_validate(value, context={"deserializing": True})
                read = sample_from_inspect(resolve_sample_attachments(sample, "core"), path, log_id)
            # One sample is damaged; the others can be read.
            except Exception as error:
                if problems is None:
                    raise
                problems.skip(f"{path} (sample {number})", error)
                continue
            yield read
