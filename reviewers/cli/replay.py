"""`reviewers replay SOURCE…`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from reviewers.monitors.recorded import When

if TYPE_CHECKING:
    from reviewers.replay.job import Job
    from reviewers.replay.shards import Shard, ShardResult, Workplace
    from reviewers.replay.sources import Source

MOST_NAMED = 50
"""Differences and skipped files that are named; more are counted."""


@click.command("replay")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--policy", "policies", multiple=True, metavar="P", help="A policy file or pack.")
@click.option(
    "--reviewer",
    "reviewers",
    multiple=True,
    metavar="SPEC",
    help="A reviewer: NAME, or 'NAME:key=value,key=value@alias'.",
)
@click.option("--check", is_flag=True, help="Compare with the decisions in the log.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write outcome lines to this new file."
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Processes; models are asked from one.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Run on the Dask cluster there.")
@click.option(
    "--model-role",
    "roles",
    multiple=True,
    metavar="ROLE=MODEL",
    help="Bind a model, as for `inspect eval`.",
)
@click.option(
    "--ask",
    type=click.Choice(get_args(When)),
    help="When monitors ask their models; `missing` if one is bound, else `never`.",
)
@click.option(
    "--max-connections",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Requests to a model at the same time.",
)
@click.option("--budget-cost", type=float, metavar="DOLLARS", help="What models may cost in all.")
def replay(
    sources: tuple[str, ...],
    policies: tuple[str, ...],
    reviewers: tuple[str, ...],
    check: bool,
    out: Path | None,
    jobs: int,
    scheduler: str | None,
    roles: tuple[str, ...],
    ask: When | None,
    max_connections: int,
    budget_cost: float | None,
) -> None:
    """Review recorded logs or case files again, with policies or reviewers.

    SOURCE is an Inspect log, a folder or glob of logs, local or at any address Inspect reads, or a
    .jsonl of cases. Without --out, outcome lines go to standard output (with --check, the
    comparison does). With --out, a replay that was stopped goes on where it was. Exits 1 where
    --check finds a difference or nothing to compare, and where anything could not be read.
    """
    from reviewers.replay.job import Job, policy_question, reviewer_question
    from reviewers.replay.sources import find_sources

    questions = [*map(policy_question, policies), *map(reviewer_question, reviewers)]
    if not questions:
        raise click.UsageError("Name a --policy or a --reviewer.")
    if out is not None and out.exists():
        raise click.UsageError(f"--out {out}: there is such a file; remove it or name another.")
    if scheduler and budget_cost is not None:
        raise click.UsageError("--budget-cost is kept by one process; leave out --scheduler.")
    models = dict(map(_role, roles))
    job = Job(
        questions=tuple(questions),
        check=check,
        when=ask or ("missing" if models else "never"),
        models=models,
        at_once=max_connections,
        budget_cost=budget_cost,
    )
    job.asked()  # What is wrong with a policy or a SPEC is said before anything is read.
    found = find_sources(sources)
    with _workplace(out, job, found) as place:
        total = _collect(_results(found, job, place, jobs, scheduler), out, check)
    _report(total, check, to_stderr=out is None and not check)
    sys.exit(0 if total.is_whole and (total.holds or not check) else 1)


def _role(given: str) -> tuple[str, str]:
    role, sign, model = given.partition("=")
    if not sign or not role or not model:
        raise click.UsageError(f"--model-role {given}: it is written ROLE=MODEL.")
    return role, model


@contextmanager
def _workplace(out: Path | None, job: Job, sources: Sequence[Source]) -> Iterator[Workplace]:
    """Where parts are kept until all are done: beside the output, so that they survive a stop."""
    from reviewers.replay.shards import Workplace

    if out is None:
        with tempfile.TemporaryDirectory() as folder:
            yield Workplace(Path(folder) / "parts", "")
        return
    place = Workplace(out.with_name(out.name + ".parts"), job.fingerprint(sources))
    yield place
    place.remove()


def _results(
    sources: Sequence[Source], job: Job, place: Workplace, jobs: int, scheduler: str | None
) -> Iterator[ShardResult]:
    from reviewers.replay.shards import run_shards, shards_of

    shards = list(shards_of(sources))
    if scheduler is None:
        results = run_shards(shards, job, place, jobs)
    else:
        from reviewers.replay.cluster import run_on_cluster

        results = run_on_cluster(shards, job, place, scheduler)
    yield from _with_progress(results, shards)


def _with_progress(
    results: Iterator[ShardResult], shards: Sequence[Shard]
) -> Iterator[ShardResult]:
    if not sys.stderr.isatty():
        yield from results
        return
    with click.progressbar(length=len(shards), label="Replaying", file=sys.stderr) as bar:
        for result in results:
            yield result
            bar.update(1)


@dataclass
class Total:
    """What a replay came to.

    Attributes:
        cases: Cases.
        lossy: Cases that are not what a reviewer saw live.
        outcomes: Counts by reviewer and outcome, `would ask` by itself.
        skipped: What could not be read, and why.
        compared: Decisions that were compared.
        calls: Calls that had been reviewed live.
        not_live: Calls that had not.
        differences: Sentences on those that differ.
        exact: How many differences are on cases that are as they were live.
    """

    cases: int = 0
    lossy: int = 0
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    compared: int = 0
    calls: int = 0
    not_live: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    exact: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether there was something to review, and all of it could be read."""
        return self.cases > 0 and not self.skipped

    @property
    def holds(self) -> bool:
        """Whether decisions were compared, and none differs."""
        return self.compared > 0 and not self.differences

    def add(self, result: ShardResult) -> None:
        """Count a part in, but for its lines."""
        self.cases += result.cases
        self.lossy += result.lossy
        self.skipped += result.skipped
        self.compared += result.agreement.compared
        self.calls += result.agreement.calls
        self.not_live += result.agreement.not_live
        for difference in result.agreement.differences:
            self.differences.append(difference.sentence())
            self.exact += not difference.fidelity


def _collect(results: Iterable[ShardResult], out: Path | None, check: bool) -> Total:
    """Write the lines of all parts in order, and count."""
    total = Total()
    unfinished = None if out is None else out.with_name(out.name + ".unfinished")
    stream = unfinished.open("w", encoding="utf-8") if unfinished else None
    try:
        for result in results:
            total.add(result)
            for text, line in result.texts():
                counts = total.outcomes.setdefault(line.reviewer, Counter())
                counts["would ask" if line.would_ask else line.outcome] += 1
                if stream is not None:
                    stream.write(text)
                elif not check:
                    click.echo(text, nl=False)
            if out is None:
                result.path.unlink()
    finally:
        if stream is not None:
            stream.close()
    if unfinished is not None and out is not None:
        shutil.move(unfinished, out)
    return total


def _report(total: Total, check: bool, to_stderr: bool) -> None:
    """Say what it came to."""

    def say(text: str) -> None:
        click.echo(text, err=to_stderr)

    lossy = f", {total.lossy:,} of them not as they were live" if total.lossy else ""
    say(f"{total.cases:,} results{lossy}.")
    for name, counts in total.outcomes.items():
        parts = [
            f"{counts[state]:,} {state}"
            for state in ("flagged", "failed", "would ask", "clear")
            if counts[state]
        ]
        say(f"{name}: {', '.join(parts)}")
    if not total.cases:
        say("No tool result was found in what could be read.")
    if check:
        _report_agreement(total, say)
    for what, why in total.skipped[:MOST_NAMED]:
        click.echo(f"Skipped {what}: {why}", err=True)
    if total.skipped:
        click.echo(f"{len(total.skipped):,} could not be read.", err=True)


def _report_agreement(total: Total, say: Callable[[str], None]) -> None:
    same = total.compared - len(total.differences)
    say(f"{same:,} of {total.compared:,} decisions on {total.calls:,} calls are the same.")
    if not total.compared:
        say("Nothing was compared: none of these reviewers had reviewed any of these results.")
    for sentence in total.differences[:MOST_NAMED]:
        say(f"  {sentence}")
    if total.differences:
        say(f"  {total.exact:,} of these differences are on results that are as they were live.")
    if total.not_live:
        say(f"{len(total.not_live):,} calls were not reviewed live:")
        for case in total.not_live[:MOST_NAMED]:
            say(f"  {case}")
