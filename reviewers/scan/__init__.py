"""The text engine: credentials and declared strings, found in one pass, also where encoded.

It knows formats and text, and no reviewer. The files, in the order in which they are needed:

- what is looked for: `formats/` (data), `format`, `named` and `notation` (how they are read),
  `declared` (strings known beforehand), `verify` (the check of the data);
- ready to be looked for: `needs`, `table`, `stored`, `cache`;
- where a literal occurs: `engine` (the scanner), `search` (one scan), `stretches`, `lookup`,
  `backends`;
- whether something stands there: `judge`, `confirm`, `checks`, and `work` (how much may be done);
- the same in encoded or torn text: `long_words`, `grouped`, `encodings`, `views`, `signs`;
- what was found: `found` (in bytes), `placing`, `match` (in the text), `redaction`.

Names are loaded on first use.
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
