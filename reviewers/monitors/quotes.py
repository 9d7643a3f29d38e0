"""Turns a verdict's quotes into findings, with secrets hidden."""

from __future__ import annotations

from typing import Any

from reviewers.evidence import Evidence
from reviewers.hiding import without_secrets
from reviewers.monitors.verdict import Verdict
from reviewers.monitors.windows import Window
from reviewers.outcome import Finding

MAX_EXCERPT = 160


def findings_of(verdict: Verdict, evidence: Evidence, window: Window) -> tuple[Finding, ...]:
    """One finding for each quote, at its place; one without a place if nothing was quoted."""
    quotes = [quote for quote in dict.fromkeys(verdict.evidence) if quote.strip()]
    if not quotes:
        return (Finding(what=verdict.category, confidence=verdict.score),)
    return tuple(_finding(quote, verdict, evidence, window) for quote in quotes)


def _finding(quote: str, verdict: Verdict, evidence: Evidence, window: Window) -> Finding:
    excerpt = without_secrets(quote)[:MAX_EXCERPT]
    common: dict[str, Any] = {
        "what": f"{verdict.category}: {excerpt!r}",
        "confidence": verdict.score,
        "excerpt": excerpt,
        "kind": verdict.category,
    }
    start = evidence.text.find(quote, window.start, window.end)
    if start >= 0:
        return Finding(**common, start=start, end=start + len(quote))
    for argument in evidence.argument_texts:
        start = argument.find(quote)
        if start >= 0:
            return Finding(**common, start=start, end=start + len(quote), place="arguments")
    start = evidence.message.find(quote)
    if start >= 0:
        return Finding(**common, start=start, end=start + len(quote), place="message")
    return Finding(**common, place="history")
