"""Files that save work and can be made anew, in the user's cache folder; the oldest are dropped."""

import contextlib
import os
import sys
import tempfile
from pathlib import Path

MOST_FILES = 24


def cache_folder() -> Path:
    """Where this user's caches stand."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "reviewers"


def kept(name: str) -> bytes | None:
    """A file's content, if it was kept."""
    try:
        return (cache_folder() / name).read_bytes()
    except (OSError, RuntimeError):
        return None


def keep(name: str, content: bytes) -> None:
    """Writes a file whole or not at all; a folder that cannot be written is fine."""
    try:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as unfinished:
            unfinished.write(content)
        os.replace(unfinished.name, folder / name)
        _drop_oldest(folder)
    except (OSError, RuntimeError):
        return


def _drop_oldest(folder: Path) -> None:
    files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files[MOST_FILES:]:
        with contextlib.suppress(OSError):
            file.unlink()
