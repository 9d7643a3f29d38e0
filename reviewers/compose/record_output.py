"""Keeps in the log what the log would lose: the full text of a truncated output."""

from __future__ import annotations

import base64
import zlib
from typing import Annotated, Any

from inspect_ai.log import transcript
from inspect_ai.review import Reviewer
from pydantic import Field

from reviewers.evidence import Evidence
from reviewers.judging import JudgingReviewer, reviewer
from reviewers.outcome import Outcome, clear
from reviewers.texts import output_text

SOURCE = "reviewers/record_output"
"""Source of the info events that hold kept outputs."""

MAX_KEPT_BYTES = 64 * 1024 * 1024
"""The most that a kept output may hold, whatever `max_bytes` a policy sets."""


@reviewer(family="composition")
def record_output(
    max_bytes: Annotated[int, Field(ge=1024, le=MAX_KEPT_BYTES)] = 10 * 1024 * 1024,
) -> Reviewer:
    """Keep the full text of a truncated output in the log, so that a replay sees what was seen.

    Belongs at the beginning of a policy, and always passes on. Inspect hands reviewers the whole
    output and logs only what the model was shown (16 KiB by default). The rest is kept compressed,
    in an info event of the log. Leaves alone what was not cut; of an output longer than
    `max_bytes`, the first and the last half of that size are kept, and a replay says so.

    Args:
        max_bytes: Bytes kept of one output, before compression.
    """

    async def judge(evidence: Evidence) -> Outcome:
        if evidence.truncated is None:
            return clear("The log keeps the whole output.")
        text = output_text(evidence.output)
        transcript().info(kept(text, evidence.key, max_bytes), source=SOURCE)
        return clear(f"Kept the whole output in the log: {evidence.truncated[0]:,} bytes.")

    return JudgingReviewer(
        judge,
        lambda outcome: "escalate",
        possible={"clear": frozenset({"escalate"}), "flagged": frozenset(), "failed": frozenset()},
    )


def kept(text: str, key: str, max_bytes: int) -> dict[str, Any]:
    """What the log keeps of an output: plain JSON values.

    Args:
        text: The whole output.
        key: The case that it belongs to.
        max_bytes: How many bytes are kept.
    """
    whole = text.encode("utf-8", "surrogatepass")
    half = max_bytes // 2
    parts = [whole] if len(whole) <= max_bytes else [whole[:half], whole[-half:]]
    return {
        "case": key,
        "bytes": len(whole),
        "parts": [base64.b85encode(zlib.compress(part, 6)).decode("ascii") for part in parts],
    }


def kept_text(data: Any) -> tuple[str, bool] | None:
    """The output that an info event keeps, and whether it is whole; None if it cannot be read.

    Args:
        data: The event's data.
    """
    try:
        parts = [_unpacked(part) for part in data["parts"]]
        text = b"".join(parts).decode("utf-8", "surrogatepass" if len(parts) == 1 else "replace")
        return text, len(parts) == 1
    except (KeyError, TypeError, ValueError, zlib.error):
        return None


def _unpacked(part: str) -> bytes:
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(base64.b85decode(part), MAX_KEPT_BYTES)
    if not unpacking.eof:
        raise ValueError("not a whole part")
    return text
