"""The labelled transcripts that come with the package."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

LABELS = "labels.csv"


def bundled_folder() -> Path:
    """The folder of the bundled logs and their labels."""
    return Path(str(resources.files("reviewers.bench").joinpath("data")))


def bundled_logs() -> list[str]:
    """Paths of the bundled logs, by name."""
    return sorted(str(path) for path in bundled_folder().glob("*.eval"))


def bundled_labels() -> str:
    """Path of their labels."""
    return str(bundled_folder() / LABELS)
