"""`reviewers try NAME [FILE…]`."""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from reviewers import _host
from reviewers.case import Case, CaseError, case_from_line
from reviewers.cli.explain import refuse_packs
from reviewers.names import no_such_reviewer
from reviewers.outcome import ReviewersError
from reviewers.policies import HUMANS
from reviewers.testing import judge_evidence


@click.command("try")
@click.argument("name")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("-p", "parameters", multiple=True, metavar="KEY=VALUE", help="Set a parameter.")
@click.option("--tool", default="bash", show_default=True, help="The tool that was called.")
@click.option("--command", "command", default="", help="What the call ran.")
@click.option("--exit-code", type=int, help="Exit code of the call's command.")
@click.option("--json", "as_json", is_flag=True, help="Print outcome lines as JSON.")
def try_(
    name: str,
    files: tuple[Path, ...],
    parameters: tuple[str, ...],
    tool: str,
    command: str,
    exit_code: int | None,
    as_json: bool,
) -> None:
    """Try one reviewer on texts (standard input by default), or on each case of a .jsonl file.

    Exits 1 where anything was flagged or could not be judged.
    """
    refuse_packs(name)
    if _host.lookup(name) is None:
        raise ReviewersError(no_such_reviewer(name))
    if name in HUMANS:
        raise ReviewersError(f"{name} asks a person while an eval runs; it cannot be tried.")
    reviewer = _host.create(name, parse_parameters(parameters))
    suspicious = False
    for case in _cases(files, tool, command, exit_code):
        line = asyncio.run(outcome_line(reviewer, case))
        suspicious = suspicious or line["outcome"] != "clear"
        click.echo(json.dumps(line) if as_json else _sentence(line))
    sys.exit(1 if suspicious else 0)


async def outcome_line(reviewer: Any, case: Case) -> dict[str, Any]:
    """One reviewer's outcome on one case, as a line of JSON."""
    started = time.perf_counter()
    review = await judge_evidence(reviewer, case.evidence)
    metadata = review.metadata or {}
    state = metadata.get("outcome") or ("clear" if review.decision == "continue" else "flagged")
    return {
        "id": case.id,
        "reviewer": _host.log_name(reviewer),
        "outcome": state,
        "decision": review.decision,
        "score": metadata.get("score"),
        "explanation": review.explanation or "",
        "findings": metadata.get("findings", []),
        "fidelity": list(case.fidelity),
        "seconds": round(time.perf_counter() - started, 6),
    }


def parse_parameters(pairs: Sequence[str]) -> dict[str, Any]:
    """`key=value` pairs; a value that reads as JSON or YAML is that, else it is text.

    Raises:
        ReviewersError: A pair has no `=`.
    """
    import yaml

    parameters: dict[str, Any] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise ReviewersError(f"-p {pair}: a parameter is written key=value.")
        try:
            parameters[key] = yaml.safe_load(value)
        except yaml.YAMLError:
            parameters[key] = value
    return parameters


def _cases(files: Sequence[Path], tool: str, command: str, exit_code: int | None) -> Iterator[Case]:
    given = {
        "tool": tool,
        "arguments": {"command": command} if command else {},
        "exit_code": exit_code,
    }
    if not files:
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        yield case_from_line({**given, "id": "-", "output": text}, "standard input")
    for file in files:
        if file.name.endswith((".jsonl", ".jsonl.gz")):
            yield from _case_file(file)
            continue
        data = _read(file)
        if _is_log(file, data):
            raise ReviewersError(f"{file} is a log; use `reviewers replay {file}` to review it.")
        text = data.decode("utf-8", "surrogateescape")
        yield case_from_line({**given, "id": str(file), "output": text}, str(file))


def _is_log(file: Path, data: bytes) -> bool:
    """Whether a file is a log of Inspect's, in either of its formats."""
    if file.suffix == ".eval":
        return True
    head = data[:1000] if file.suffix == ".json" else b""
    return all(f'"{key}"'.encode() in head for key in ("version", "status", "eval"))


def _case_file(file: Path) -> Iterator[Case]:
    for number, raw in enumerate(_read(file).splitlines(), start=1):
        if not raw.strip():
            continue
        place = f"{file}:{number}"
        try:
            line = json.loads(raw)
        except ValueError as error:
            raise CaseError(f"{place}: this is not JSON: {error}.") from None
        named = {"id": f"{file.name}:{number}", **line} if isinstance(line, dict) else line
        yield case_from_line(named, place)


def _read(file: Path) -> bytes:
    try:
        data = file.read_bytes()
        return gzip.decompress(data) if file.name.endswith(".gz") else data
    except OSError as error:
        raise ReviewersError(f"{file}: {error.strerror or error}.") from None


def _sentence(line: dict[str, Any]) -> str:
    score = "" if line["score"] is None else f", score {line['score']:.2f}"
    text = f"{line['id']}: {line['outcome']} ({line['decision']}{score}). {line['explanation']}"
    for finding in line["findings"]:
        where = "" if finding["start"] is None else f" at {finding['start']}–{finding['end']}"
        shown = f": {finding['excerpt']}" if finding["excerpt"] else ""
        text += f"\n  {finding['what']}{where}{shown}"
    return text
