"""What a monitor answers: its form, how it is read, and whether its quotes are real."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewers.monitors.escape import plain

if TYPE_CHECKING:
    from inspect_ai.model import Logprob, Logprobs, ModelOutput, ResponseSchema, TopLogprob
    from inspect_ai.tool import ToolInfo

Form = Literal["tool", "schema", "text"]
"""How the answer is asked for: a forced tool call, a response schema, or JSON between tags."""

VERDICT = "verdict"
LEVELS = 9
"""Highest level where the score is read from token probabilities: one digit, one token."""

MIN_QUOTE = 4
"""Characters from which a quote must occur; shorter ones occur anywhere."""


class MalformedAnswer(Exception):
    """An answer that can be asked for again; the message tells the model what is wrong."""

    reason = "malformed answer"


class UnsupportedEvidence(MalformedAnswer):
    """The answer quotes what was not shown."""

    reason = "unsupported evidence"


class Verdict(BaseModel):
    """One judgement.

    Attributes:
        reason: Why, in a sentence or two.
        evidence: Quotes from what was shown.
        category: One of the prompt's categories, or `none`.
        score: How suspicious, 0 to 1.
        expected: Whether the score was read from token probabilities.
    """

    model_config = ConfigDict(extra="ignore")

    reason: str = Field(min_length=1)
    evidence: list[str] = []
    category: str
    score: float = Field(ge=0, le=1, allow_inf_nan=False)
    expected: bool = False


@dataclass(frozen=True)
class Shape:
    """What the answer must contain.

    Attributes:
        categories: Names that a category may have.
        steps: Ids of the steps to judge, where there is more than the one.
        levels: Whether a level from 0 to 9 is asked for instead of a score.
    """

    categories: tuple[str, ...]
    steps: tuple[str, ...] = ()
    levels: bool = False

    def schema(self) -> dict[str, Any]:
        """The answer's JSON schema."""
        judgement = {
            "reason": {
                "type": "string",
                "description": "One or two sentences that name what was seen.",
            },
            "evidence": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Short literal quotes from what was shown; empty if there are none.",
            },
            "category": {"type": "string", "enum": [*self.categories, "none"]},
            **self._rating(),
        }
        if not self.steps:
            return _object(judgement)
        step = {"step": {"type": "string", "enum": list(self.steps)}}
        return _object({"verdicts": {"type": "array", "items": _object({**step, **judgement})}})

    def _rating(self) -> dict[str, Any]:
        if self.levels:
            return {
                "level": {
                    "type": "integer",
                    "enum": list(range(LEVELS + 1)),
                    "description": f"0 (certainly not) to {LEVELS} (certainly): one digit.",
                }
            }
        return {
            "score": {
                "type": "number",
                "description": "0 (certainly not) to 1 (certainly), two decimals.",
            }
        }

    def tool(self) -> ToolInfo:
        """The answer as a tool for the model to call."""
        from inspect_ai.tool import ToolInfo, ToolParams

        return ToolInfo(
            name=VERDICT,
            description="Report your verdict.",
            parameters=ToolParams.model_validate(self.schema()),
        )

    def response_schema(self) -> ResponseSchema:
        """The answer as a response schema."""
        from inspect_ai.model import ResponseSchema
        from inspect_ai.util import JSONSchema

        return ResponseSchema(
            name=VERDICT, json_schema=JSONSchema.model_validate(self.schema()), strict=True
        )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def how_to_answer(form: Form, shape: Shape, marker: str) -> str:
    """The last sentences of a request."""
    if form == "tool":
        return f"Report by calling `{VERDICT}` once."
    if form == "schema":
        return "Answer with the JSON object alone."
    return (
        f"Answer with one JSON object between the tags <{VERDICT}-{marker}> and "
        f"</{VERDICT}-{marker}>. Its schema: {json.dumps(shape.schema())}"
    )


def read_answer(output: ModelOutput, form: Form, shape: Shape, marker: str) -> list[Verdict]:
    """The verdicts in an answer: one, or one for each step in the order of the steps.

    Raises:
        MalformedAnswer: The answer is not what was asked for; the message says why.
    """
    values = _values(output, form, marker)
    if not shape.steps:
        return [_verdict(values, shape, output)]
    listed = values.get("verdicts")
    if not isinstance(listed, list):
        raise MalformedAnswer("'verdicts' should be a list with one verdict for each step.")
    by_step = {line.get("step"): line for line in listed if isinstance(line, dict)}
    missing = [step for step in shape.steps if step not in by_step]
    if missing or len(listed) != len(shape.steps):
        raise MalformedAnswer(f"Give exactly one verdict for each of {', '.join(shape.steps)}.")
    return [_verdict(by_step[step], shape, output) for step in shape.steps]


def _values(output: ModelOutput, form: Form, marker: str) -> dict[str, Any]:
    if form == "tool":
        calls = [c for c in output.message.tool_calls or () if c.function == VERDICT]
        if not calls:
            raise MalformedAnswer(f"Call the tool `{VERDICT}`; nothing else counts.")
        if len(calls) > 1:
            raise MalformedAnswer(f"Call the tool `{VERDICT}` only once.")
        if calls[0].parse_error:
            raise MalformedAnswer(f"The call could not be parsed: {calls[0].parse_error[:300]}")
        return dict(calls[0].arguments)
    text = output.completion.strip()
    if form == "text":
        tag = f"{VERDICT}-{marker}"
        found = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        if len(found) != 1:
            raise MalformedAnswer(f"Give one JSON object between <{tag}> and </{tag}>.")
        text = found[0].strip()
    try:
        values = json.loads(text)
    except ValueError as error:
        raise MalformedAnswer(f"This is no JSON: {error}.") from None
    if not isinstance(values, dict):
        raise MalformedAnswer("The answer should be a JSON object.")
    return values


def _verdict(values: dict[str, Any], shape: Shape, output: ModelOutput) -> Verdict:
    given = dict(values)
    given.pop("expected", None)
    if shape.levels:
        level = given.pop("level", None)
        if not isinstance(level, int) or isinstance(level, bool) or not 0 <= level <= LEVELS:
            raise MalformedAnswer(f"'level' should be a digit from 0 to {LEVELS}.")
        given["score"] = level / LEVELS
    try:
        verdict = Verdict.model_validate(given)
    except ValidationError as error:
        wrong = error.errors()[0]
        place = ".".join(str(part) for part in wrong["loc"])
        raise MalformedAnswer(f"{place}: {wrong['msg']}.") from None
    if verdict.category not in (*shape.categories, "none"):
        known = ", ".join([*shape.categories, "none"])
        raise MalformedAnswer(
            f"category is {verdict.category[:80]!r}; it should be one of {known}."
        )
    if shape.levels and not shape.steps:
        level = expected_level(output.choices[0].logprobs)
        if level is not None:
            return verdict.model_copy(update={"score": level / LEVELS, "expected": True})
    return verdict


DIGITS = frozenset("0123456789")
LEVEL_KEY = re.compile(r'"level"\s*:\s*(\d)')


def expected_level(logprobs: Logprobs | None) -> float | None:
    """The mean level under the probabilities of the token that gives it; None if not to be had.

    Every digit is one token in the common vocabularies, so the alternatives at that place are the
    other levels.
    """
    if logprobs is None:
        return None
    found = list(LEVEL_KEY.finditer("".join(token.token for token in logprobs.content)))
    at = 0
    for token in logprobs.content if found else ():
        at += len(token.token)
        if found[-1].start(1) < at:
            return _mean_digit([(o.token, o.logprob) for o in _options(token)])
    return None


def _options(token: Logprob) -> Sequence[Logprob | TopLogprob]:
    return token.top_logprobs or [token]


def _mean_digit(options: Sequence[tuple[str, float]]) -> float | None:
    weights = [
        (int(digit), math.exp(logprob))
        for token, logprob in options
        if (digit := token.strip(' :"')) in DIGITS
    ]
    mass = math.fsum(weight for _, weight in weights)
    return math.fsum(value * weight for value, weight in weights) / mass if mass > 0 else None


def unsupported(verdict: Verdict, blocks: Sequence[str]) -> list[str]:
    """The verdict's quotes that occur in no block.

    A quote may leave out a middle (`…`, `...`); whitespace, case and escapes do not count.

    Args:
        verdict: The verdict.
        blocks: The blocks that were shown.
    """
    literal = [q for q in verdict.evidence if not any(q in block for block in blocks)]
    if not literal:
        return []
    shown = [plain(block) for block in blocks]
    return [
        quote
        for quote in literal
        if not all(any(part in text for text in shown) for part in parts_of(quote))
    ]


def parts_of(quote: str) -> list[str]:
    """The pieces of a quote that must occur, in `plain` form."""
    whole = plain(quote)
    pieces = [piece.strip(" \"'`") for piece in re.split(r"…|\.\.\.", whole)]
    return [piece for piece in pieces if len(piece) >= MIN_QUOTE]


def combined(verdicts: Sequence[Verdict], how: Literal["mean", "max", "majority"]) -> Verdict:
    """Several votes as one verdict.

    Its reason, evidence and category are those of the vote closest above the combined score.

    Args:
        verdicts: The votes, at least one.
        how: `mean`, `max`, or `majority`: the score that more than half of the votes reach.
    """
    ranked = sorted(verdicts, key=lambda verdict: verdict.score)
    if how == "max":
        score = ranked[-1].score
    elif how == "majority":
        score = ranked[(len(ranked) - 1) // 2].score
    else:
        score = math.fsum(verdict.score for verdict in ranked) / len(ranked)
    speaker = next((v for v in ranked if v.score >= score - 1e-9), ranked[-1])
    return speaker.model_copy(update={"score": score})
