"""A replay on many machines, by Dask."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path

from reviewers.outcome import ReviewersError
from reviewers.replay.job import Job
from reviewers.replay.shards import Shard, ShardResult, Workplace, in_order, shard_text

RUNS_AGAIN = 3
"""Times that a part is run again whose worker was lost."""


def run_on_cluster(
    shards: Iterable[Shard], job: Job, place: Workplace, scheduler: str
) -> Iterator[ShardResult]:
    """Review all parts that are not done yet on a Dask cluster; results come in order.

    Each part is one task; its lines come back to this machine. Dask runs a part again whose worker
    is lost, and a part is kept once, whoever did it.

    Args:
        shards: The parts. Every worker must be able to read their sources.
        job: What is asked.
        place: Holds the files of the parts.
        scheduler: Address of the cluster's scheduler.

    Raises:
        ReviewersError: Dask is not installed, or the scheduler cannot be reached.
    """
    try:
        from distributed import Client  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise ReviewersError(
            "--scheduler needs Dask: pip install 'reviewers[distributed]'."
        ) from None
    try:
        client = Client(scheduler, timeout="30s", set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ReviewersError(f"--scheduler {scheduler}: cannot be reached: {error}") from None
    with client:
        workers = max(1, len(client.scheduler_info()["workers"]))

        def start(shard: Shard) -> Future[Path]:
            task = client.submit(shard_text, shard, job, pure=False, retries=RUNS_AGAIN)
            kept: Future[Path] = Future()
            task.add_done_callback(lambda done: _keep(done, place.path(shard), kept))
            return kept

        yield from in_order(shards, place, start, ahead=4 * workers)


def _keep(task: object, path: Path, kept: Future[Path]) -> None:
    """Write a finished task's lines to the file of its part."""
    try:
        text: str = task.result()  # type: ignore[attr-defined]
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_text(text, encoding="utf-8")
        os.replace(unfinished, path)
        kept.set_result(path)
    # Whatever it was is raised where the result is waited for.
    except BaseException as error:
        kept.set_exception(error)
