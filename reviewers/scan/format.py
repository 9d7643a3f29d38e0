"""Credential formats as data: what one is, and reading them from their files."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from reviewers.scan.named import spelled_out

WORD_BEFORE = "(?<![A-Za-z0-9_])"
LEVELS = {"high": 0.95, "medium": 0.75, "low": 0.4}
SHORTEST_LITERAL = 3
WIDEST_WINDOW = 16384
# Files for any vendor, read last: where two formats find the same, the first one names it.
LAST = ("generic.toml", "named_services.toml")


class FormatError(ValueError):
    """A format file says something that cannot be used."""


@dataclass(frozen=True, slots=True)
class Example:
    """A text in the notation of `notation.py`, and why it is or is not a hit."""

    text: str
    because: str


@dataclass(frozen=True, slots=True)
class Format:
    """One credential format.

    Attributes:
        id: Unique name, as findings show it.
        title: What a sentence calls it ("The result shows a …").
        vendor: Whose format it is.
        source: Where the vendor describes it.
        literals: Fixed text that every match holds; what the one pass looks for. In a file also
            the name of one of its `lists`, for formats that share it.
        pattern: Matched from the literal on; group `secret` is what is hidden and judged.
        left: What must hold directly before the match.
        window: How many bytes after the literal the pattern may need.
        before: How many bytes before the literal a match may start.
        ignore_case: Whether literals and pattern disregard case.
        checks: Names of checks (`checks.py`) that the secret must pass.
        confidence: high, medium or low.
        trusted: Whether the pattern was checked to stay fast; else it runs under a time limit.
        word: Whether a secret is taken to hold a long word (`stretches.py`) with a digit in it,
            though the pattern alone does not say so: it is looked for only near such words then.
        context: For formats without a prefix of their own: what must stand near the match.
        quick: Matches wherever `pattern` does, and fails sooner; only if that is worth having.
        examples: Texts that must be found.
        counterexamples: Texts that must not.
    """

    id: str
    title: str
    pattern: str
    literals: tuple[str, ...]
    vendor: str = ""
    source: str = ""
    left: str = WORD_BEFORE
    window: int = 320
    before: int = 0
    ignore_case: bool = False
    checks: tuple[str, ...] = ()
    confidence: str = "high"
    context: str = ""
    quick: str = ""
    trusted: bool = False
    word: bool = False
    examples: tuple[Example, ...] = field(default=(), repr=False)
    counterexamples: tuple[Example, ...] = field(default=(), repr=False)

    @property
    def distinctive(self) -> bool:
        """Whether the literal alone tells the format, as `ghp_` does and `datadog` does not."""
        return not self.context and self.confidence != "low" and not self.ignore_case


def load_formats(path: str | Path | None = None) -> list[Format]:
    """Reads formats from the files that come with the package, or from a file or folder.

    Args:
        path: A TOML file, or a folder of them; the package's own if not given.

    Returns:
        The formats, in the order of file names and of each file, those of any vendor last. The
        package's own are trusted: `verify.py` has checked them.

    Raises:
        FormatError: A file cannot be read as formats, or two formats share an id.
    """
    formats: list[Format] = []
    seen: dict[str, str] = {}
    for file in _files(path):
        for one in parse_formats(file.read_text(encoding="utf-8"), file.name):
            if one.id in seen:
                raise FormatError(f"{file.name}: {one.id} stands in {seen[one.id]} already.")
            seen[one.id] = file.name
            formats.append(one)
    return [replace(one, trusted=True) for one in formats] if path is None else formats


def parse_formats(text: str, name: str = "formats") -> list[Format]:
    """Reads the formats of one file's text."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{name}: {error}") from error
    vendor, lists = data.get("vendor", ""), data.get("lists", {})
    return [_format({"vendor": vendor, **one}, lists, name) for one in data.get("format", [])]


def _files(path: str | Path | None) -> Iterable[Traversable]:
    if path is None:
        folder: Traversable = resources.files("reviewers.scan") / "formats"
    else:
        folder = Path(path)
    if folder.is_file():
        return [folder]
    found = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    return sorted(found, key=lambda file: (file.name in LAST, file.name))


def _format(table: dict[str, Any], lists: dict[str, list[str]], name: str) -> Format:
    where = f"{name}: {table.get('id', 'a format without id')}"
    if "keywords" in table and "value" in table:
        table = spelled_out(table)
    unknown = sorted(set(table) - (Format.__dataclass_fields__.keys() - {"trusted"}))
    if unknown:
        raise FormatError(f"{where}: unknown field {unknown[0]!r}.")
    missing = [key for key in ("id", "title", "pattern", "literals") if not table.get(key)]
    if missing:
        raise FormatError(f"{where}: no {missing[0]}.")
    literals = table["literals"]
    if isinstance(literals, str):
        if not lists.get(literals):
            raise FormatError(f"{where}: the file has no list {literals!r}.")
        literals = lists[literals]
    values = {**table, "literals": tuple(literals), "checks": tuple(table.get("checks", ()))}
    for key in ("examples", "counterexamples"):
        values[key] = tuple(Example(**row) for row in values.get(key, ()))
    made = Format(**values)
    _refuse_unusable(made, where)
    return made


def _refuse_unusable(made: Format, where: str) -> None:
    for literal in made.literals:
        if len(literal) < SHORTEST_LITERAL or not literal.isascii():
            raise FormatError(
                f"{where}: literal {literal!r} must be {SHORTEST_LITERAL} or more ASCII characters."
            )
    if made.confidence not in LEVELS:
        raise FormatError(f"{where}: confidence is one of {', '.join(LEVELS)}.")
    if not 0 < made.window <= WIDEST_WINDOW or not 0 <= made.before <= WIDEST_WINDOW:
        raise FormatError(f"{where}: window and before go up to {WIDEST_WINDOW}.")
