"""Agent Security Bench (ASB): injections in templated tool results.

SOURCE is a file of rows of steps with `labels.injection` by step and `labels.attack_success` by
run.

Labels are those of the AgentDojo loader. The set's results are templates, and those of its attack
tools say so in words: good for injections, of no use for unsafe actions.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.loaders import agentdojo
from benchmarks.loaders.trajectory import Line

SOURCE = "asb"


def load(source: Path) -> Iterator[Line]:
    """Case lines of all runs in a file."""
    for line in agentdojo.load(source):
        yield line | {"source": SOURCE}
