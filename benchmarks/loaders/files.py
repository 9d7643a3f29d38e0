"""Files and folders of JSON, JSON lines and Parquet, compressed or not."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

ENDINGS = (".json", ".jsonl", ".json.gz", ".jsonl.gz", ".parquet")


def files_in(source: Path, endings: tuple[str, ...] = ENDINGS) -> list[Path]:
    """The file itself, or all such files of a folder, however deep, by name.

    Raises:
        FileNotFoundError: There is none.
    """
    found = [source] if source.is_file() else sorted(source.rglob("*"))
    wanted = [path for path in found if path.is_file() and path.name.endswith(endings)]
    if not wanted:
        raise FileNotFoundError(f"{source}: there is no file that ends in {', '.join(endings)}.")
    return wanted


def rows_in(source: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every object of a file or folder: of JSON lines, of a JSON list, of Parquet; or the one."""
    for path in files_in(source):
        for row in _rows(path):
            if isinstance(row, dict):
                yield path, row


def _rows(path: Path) -> Iterable[Any]:
    if path.name.endswith(".parquet"):
        return _parquet_rows(path)
    text = _text(path)
    if ".jsonl" in path.name:
        return (json.loads(line) for line in text.splitlines() if line.strip())
    value = json.loads(text)
    return value if isinstance(value, list) else [value]


def _text(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.name.endswith(".gz") else data).decode("utf-8")


def _parquet_rows(path: Path) -> Iterator[Any]:
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise ModuleNotFoundError(f"{path}: reading Parquet needs pyarrow.") from None
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=64):
            yield from batch.to_pylist()
