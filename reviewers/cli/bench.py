"""`reviewers bench [SOURCE…]`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from reviewers.monitors.recorded import When
from reviewers.outcome import ReviewersError

if TYPE_CHECKING:
    from reviewers.bench.run import Bench
    from reviewers.replay.job import Question


@click.command("bench")
@click.argument("sources", nargs=-1, metavar="[SOURCE...]")
@click.option("--policy", "policies", multiple=True, metavar="P", help="A policy file or pack.")
@click.option(
    "--reviewer",
    "reviewers",
    multiple=True,
    metavar="SPEC",
    help="A reviewer: NAME, or 'NAME:key=value,key=value@alias'.",
)
@click.option(
    "--labels",
    metavar="FILE",
    help="CSV or JSONL; or score:NAME or metadata:KEY of the logs. The cases' own by default.",
)
@click.option("--kinds", default="", help="Kinds that count as positive, comma-separated.")
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path), help="Write all figures ('-': print)."
)
@click.option("--html", "html_file", type=click.Path(path_type=Path), help="Write a report.")
@click.option("--max-false-alarms", type=click.FloatRange(0, 1), help="Share of negatives.")
@click.option("--review-budget", type=click.FloatRange(0, 1000), help="Alarms per 1,000 results.")
@click.option(
    "--prevalence",
    type=click.FloatRange(0, 1),
    default=0.01,
    show_default=True,
    help="Share of bad results for which precision is expected.",
)
@click.option(
    "--split",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.0,
    help="Share of samples that judge a threshold and do not choose it.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of intervals and splits.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--model-role", "roles", multiple=True, metavar="ROLE=MODEL", help="Bind a model.")
@click.option("--ask", type=click.Choice(get_args(When)), help="When monitors ask their models.")
@click.option(
    "--max-connections", type=click.IntRange(1), default=10, help="Requests at the same time."
)
@click.option("--budget-cost", type=float, metavar="DOLLARS", help="What models may cost in all.")
def bench(
    sources: tuple[str, ...],
    policies: tuple[str, ...],
    reviewers: tuple[str, ...],
    labels: str | None,
    kinds: str,
    json_file: Path | None,
    html_file: Path | None,
    max_false_alarms: float | None,
    review_budget: float | None,
    prevalence: float,
    split: float,
    seed: int,
    jobs: int,
    roles: tuple[str, ...],
    ask: When | None,
    max_connections: int,
    budget_cost: float | None,
) -> None:
    """Measure reviewers and policies on labelled results, with 95 % intervals.

    SOURCE is as for `replay`; without one, the labelled transcripts that come with the package.
    Without --policy and --reviewer, the decisions already in the logs are measured; on the bundled
    transcripts, the pack `all_rules`.
    """
    _need_extra()
    from reviewers.bench.bundled import bundled_labels, bundled_logs
    from reviewers.bench.run import Wish, run_bench
    from reviewers.cli.replay import _role
    from reviewers.replay.job import Job, policy_question, reviewer_question
    from reviewers.replay.sources import find_sources

    questions = [*map(policy_question, policies), *map(reviewer_question, reviewers)]
    if not sources:
        sources = tuple(bundled_logs())
        labels = labels or bundled_labels()
        questions = questions or list(_every_rule())
    models = dict(map(_role, roles))
    job = Job(
        questions=tuple(questions),
        when=ask or ("missing" if models else "never"),
        models=models,
        at_once=max_connections,
        budget_cost=budget_cost,
    )
    wish = Wish(max_false_alarms, review_budget, prevalence, split)
    result = run_bench(
        find_sources(sources),
        job,
        labels=labels,
        kinds=[kind.strip() for kind in kinds.split(",") if kind.strip()],
        jobs=jobs,
        wish=wish if split or max_false_alarms is not None or review_budget is not None else None,
        seed=seed,
    )
    figures = result.as_dict()
    if json_file is not None:
        _write(json_file, json.dumps(figures, indent=2, allow_nan=False))
    if html_file is not None:
        from reviewers.bench.report import report

        _write(html_file, report(result, figures))
    if str(json_file) != "-":
        click.echo("\n".join(_text(result, figures)))
    for source, why in result.skipped:
        click.echo(f"Skipped {source}: {why}", err=True)
    sys.exit(0 if result.cases else 1)


def _need_extra() -> None:
    try:
        import scipy  # noqa: F401
        import sklearn  # noqa: F401
    except ImportError:
        raise ReviewersError(
            "`reviewers bench` needs the extra `bench`: pip install 'reviewers[bench]'."
        ) from None


def _every_rule() -> Iterator[Question]:
    from reviewers.packs import PACKS
    from reviewers.replay.job import policy_question, reviewer_question

    for name, parameters in PACKS["all_rules"].members:
        values = ",".join(f"{key}={json.dumps(value)}" for key, value in parameters.items())
        yield reviewer_question(f"{name}:{values}@{name.partition('/')[2]}".replace(":@", "@"))
    yield policy_question("all_rules")


def _write(path: Path, text: str) -> None:
    if str(path) == "-":
        click.echo(text)
        return
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise ReviewersError(f"{path}: {error.strerror or error}.") from None


def _text(result: Bench, figures: dict[str, Any]) -> Iterator[str]:
    lossy = f", {result.lossy:,} of them not as they were live" if result.lossy else ""
    yield f"{result.cases:,} results of {result.samples:,} samples{lossy}."
    yield ""
    yield from _table(figures["reviewers"])
    for name, advice in figures["advice"].items():
        yield ""
        yield _advised(name, advice)
    if result.warnings:
        yield ""
        yield from in_brief(result.warnings)


def in_brief(warnings: Iterable[str]) -> Iterator[str]:
    """Warnings with what several reviewers have in common said once."""
    why: dict[str, list[str]] = {}
    for warning in warnings:
        head, _, means = warning.partition("; ")
        name, _, reason = head.partition(": ")
        if means and reason:
            why.setdefault(means.removesuffix("."), []).append(f"{name} ({reason})")
        else:
            yield warning
    for means, names in why.items():
        yield f"{means[0].upper()}{means[1:]}: {', '.join(names)}."


COLUMNS = (
    "reviewer",
    "caught",
    "false alarms",
    "failed",
    "precision",
    "recall",
    "alarms/1,000",
    "AUC",
    "p95 ms",
)


def _table(reviewers: dict[str, dict[str, Any]]) -> Iterator[str]:
    rows = [COLUMNS, *(tuple(_row(name, figures)) for name, figures in reviewers.items())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    for row in rows:
        yield _aligned(row, widths)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    first = row[0].ljust(widths[0])
    rest = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
    return "  ".join((first, *rest)).rstrip()


def _row(name: str, figures: dict[str, Any]) -> Iterator[str]:
    positives = figures["tp"] + figures["fn"]
    negatives = figures["fp"] + figures["tn"]
    yield name
    yield f"{figures['tp']} of {positives}" if positives else f"{figures['flagged']} flagged"
    yield f"{figures['fp']} in {negatives:,}" if negatives else "–"
    yield str(figures["failed"])
    yield _estimate(figures["precision"])
    yield _estimate(figures["recall"])
    yield _estimate(figures["false_positives_per_1000"], 1)
    yield "–" if figures["roc_auc"] is None else f"{figures['roc_auc']:.3f}"
    high = figures["seconds"]["p95"]
    yield "–" if high is None else f"{1000 * high:.2f}"


def _estimate(estimate: dict[str, Any], digits: int = 2) -> str:
    if estimate["value"] is None:
        return "–"
    value, low, high = (f"{estimate[key]:.{digits}f}" for key in ("value", "low", "high"))
    return f"{value} ({low}–{high})"


def _advised(name: str, advice: dict[str, Any]) -> str:
    if advice["threshold"] is None:
        return f"{name}: no threshold keeps to this wish."
    judged = "on samples held out" if advice["held_out"] else "on the same cases"
    return (
        f"{name}: flag from a score of {advice['threshold']:.3f}. Expected precision at a "
        f"prevalence of {advice['prevalence']:.2%}: {_estimate(advice['precision'])}; recall "
        f"{_estimate(advice['recall'])}; {judged}."
    )
