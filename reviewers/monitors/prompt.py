"""Prompt files: one Markdown file with front matter per monitor, checked when read."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from reviewers.outcome import ReviewersError

Sees = Literal["all", "no_reasoning", "actions"]
"""What of the agent a monitor sees: everything, no reasoning, or only calls and results."""

PLACEHOLDER = re.compile(r"\{\{\s*([^{}\n]*?)\s*\}\}")
PLACEHOLDERS = ("categories", "examples", "title")
FENCE = "---"


class PromptError(ReviewersError):
    """A prompt file that cannot be used; the message says file, line and what would be right."""


class PromptExample(BaseModel):
    """One worked example in a prompt's front matter.

    Attributes:
        call: What was called.
        result: What it returned.
        score: The score that it deserves.
        category: Its category.
        because: Why, in one sentence.
    """

    model_config = ConfigDict(extra="forbid")

    call: str
    result: str
    score: float = Field(ge=0, le=1)
    category: str
    because: str


class BadStep(BaseModel):
    """A step that the monitor must never let pass, for `tripwire: true`.

    Attributes:
        tool: The tool that was called.
        call: What it was called with.
        result: What it returned.
    """

    model_config = ConfigDict(extra="forbid")

    tool: str = "bash"
    call: str
    result: str


class FrontMatter(BaseModel):
    """What a prompt file says of itself.

    Attributes:
        title: What the monitor does, as a sentence: its row in the catalogue.
        asks: The question that the score answers.
        sees: What of the agent it is shown.
        categories: Names of what it tells apart, with a line on each.
        escalate_at: Default score from which a result goes to the next reviewer.
        terminate_at: Default score from which the sample ends; none if it never ends one.
        catches: Kinds of label that it is there for; empty means all.
        examples: Worked examples, shown where the prompt says `{{examples}}`.
        tripwires: Steps that it must never let pass; needed for `tripwire: true`.
        version: Raised when what the prompt asks changes.
    """

    model_config = ConfigDict(extra="forbid")

    title: str
    asks: str
    sees: Sees = "all"
    categories: dict[str, str] = Field(min_length=1)
    escalate_at: float = Field(default=0.5, gt=0, le=1)
    terminate_at: float | None = Field(default=None, gt=0, le=1)
    catches: list[str] = []
    examples: list[PromptExample] = []
    tripwires: list[BadStep] = []
    version: int | str = 1

    @field_validator("examples")
    @classmethod
    def _known_categories(cls, examples: list[PromptExample], info: Any) -> list[PromptExample]:
        known = [*info.data.get("categories", {}), "none"]
        for example in examples:
            if example.category not in known:
                raise ValueError(f"the category {example.category!r} is not among {known}")
        return examples


@dataclass(frozen=True)
class Prompt:
    """A prompt file that was read and found good.

    Attributes:
        name: The file's stem.
        about: Its front matter.
        body: The Markdown below it.
        hash: Hash of the whole file: changes with every change of it.
    """

    name: str
    about: FrontMatter
    body: str
    hash: str

    @property
    def version(self) -> str:
        """Name, version and hash, as metadata and bench carry them."""
        return f"{self.name}-{self.about.version}-{self.hash}"

    @cached_property
    def instructions(self) -> str:
        """The body with its placeholders filled."""
        parts = {
            "title": self.about.title,
            "categories": "\n".join(
                f"- `{name}`: {what}" for name, what in self.about.categories.items()
            ),
            "examples": "\n\n".join(_worked(example) for example in self.about.examples),
        }
        # One pass: what was inserted is no template.
        return PLACEHOLDER.sub(lambda match: parts[match[1]], self.body)


def _worked(example: PromptExample) -> str:
    return (
        f"Call: {example.call}\nResult: {example.result}\n"
        f"Score {example.score:g}, category `{example.category}`: {example.because}"
    )


def read_prompt(path: Path) -> Prompt:
    """Read and check a prompt file.

    Raises:
        PromptError: It cannot be read, or has an unknown key, value or placeholder.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PromptError(f"{path}: there is no such prompt file.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"{path}: cannot be read as UTF-8 text: {error}.") from None
    return parse_prompt(text, path.stem, str(path))


def parse_prompt(text: str, name: str, place: str) -> Prompt:
    """Check a prompt's text.

    Args:
        text: The whole file.
        name: The monitor's name.
        place: Names the file in errors.
    """
    lines = text.splitlines()
    ends = [number for number, line in enumerate(lines) if line.strip() == FENCE]
    if len(ends) < 2 or ends[0] != 0:
        raise PromptError(f"{place}:1: the file begins with front matter between two lines of ---.")
    head = lines[1 : ends[1]]
    about = _front_matter(head, place)
    body = "\n".join(lines[ends[1] + 1 :]).strip("\n")
    if not body.strip():
        raise PromptError(f"{place}:{ends[1] + 2}: there is no prompt below the front matter.")
    for number, line in enumerate(lines[ends[1] + 1 :], start=ends[1] + 2):
        for found in PLACEHOLDER.finditer(line):
            if found[1] not in PLACEHOLDERS:
                raise PromptError(
                    f"{place}:{number}: unknown placeholder {found[1]!r}; "
                    f"it may use {', '.join(PLACEHOLDERS)}."
                )
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return Prompt(name, about, body, digest)


def _front_matter(head: list[str], place: str) -> FrontMatter:
    try:
        values = yaml.safe_load("\n".join(head))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise PromptError(f"{place}:{line}: this is no YAML: {error.problem}.") from None
    except yaml.YAMLError as error:
        raise PromptError(f"{place}:1: this is no YAML: {error}.") from None
    if not isinstance(values, dict):
        raise PromptError(f"{place}:2: the front matter should be keys and values.")
    try:
        return FrontMatter.model_validate(values)
    except ValidationError as error:
        # A misspelt key is both unknown and missing; the one that was written is the one to name.
        first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        where = [str(part) for part in first["loc"]]
        line = _line_of(head, where)
        raise PromptError(f"{place}:{line}: {_what_is_wrong(where, first)}") from None


def _what_is_wrong(where: list[str], error: Any) -> str:
    key = ".".join(where)
    if error["type"] == "extra_forbidden":
        parts: dict[str, type[BaseModel]] = {"examples": PromptExample, "tripwires": BadStep}
        known = parts.get(where[0], FrontMatter) if len(where) > 1 else FrontMatter
        return f"unknown key {key!r}; it may have {', '.join(known.model_fields)}."
    if error["type"] == "missing":
        return f"the key {key!r} is missing."
    reason = error["msg"].removeprefix("Value error, ")
    return f"{key} is {error['input']!r}; {reason[:1].lower()}{reason[1:]}."


def _line_of(head: list[str], where: list[str]) -> int:
    """The line that a key stands on, found from outside in; the last one found if it is nowhere."""
    at = 0
    for key in where:
        if key.isdigit():
            items = [n for n in range(at, len(head)) if re.match(r"\s*-\s", head[n])]
            at = items[int(key)] if int(key) < len(items) else at
            continue
        written = re.compile(rf"[\s-]*[\"']?{re.escape(key)}[\"']?\s*:")
        at = next((n for n in range(at, len(head)) if written.match(head[n])), at)
    return at + 2
