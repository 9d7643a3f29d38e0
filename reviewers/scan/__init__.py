"""The text engine: credentials and declared strings, found in one pass, also where encoded.

It knows formats and text, and no reviewer. Names are loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reviewers.scan.declared import Declared, DeclaredError
    from reviewers.scan.engine import Scanner
    from reviewers.scan.format import Format, FormatError, load_formats
    from reviewers.scan.match import Match, ScanResult
    from reviewers.scan.redaction import excerpt, redact

__all__ = [
    "Declared",
    "DeclaredError",
    "Format",
    "FormatError",
    "Match",
    "ScanResult",
    "Scanner",
    "excerpt",
    "load_formats",
    "redact",
]

_WHERE = {
    "Declared": "declared",
    "DeclaredError": "declared",
    "Format": "format",
    "FormatError": "format",
    "Match": "match",
    "ScanResult": "match",
    "Scanner": "engine",
    "excerpt": "redaction",
    "load_formats": "format",
    "redact": "redaction",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'reviewers.scan' has no attribute {name!r}")
    return getattr(import_module(f"reviewers.scan.{_WHERE[name]}"), name)
