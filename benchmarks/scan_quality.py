"""How well `reviewers.scan` finds: `python -m benchmarks.scan_quality [FOLDER OF DATA]`.

Transformations of tokens of our own making are always measured. Labelled examples
(`secrets_dev.jsonl.gz`) and recorded outputs (`observations.jsonl.gz`) are where the folder has
them; findings are printed redacted, to be read.
"""

import argparse
import base64
import bz2
import codecs
import gzip
import html
import json
import lzma
import quopri
import random
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from reviewers.scan import Scanner, excerpt
from reviewers.scan.notation import expand

RESULTS = Path(__file__).parent / "results" / "scan_quality.json"
FAMILIES = {
    "GitHub": "ghp_{base62:30}{crc32}",
    "GitLab": "glpat-{base64url:20}",
    "AWS": "AKIA{base32:16}",
    "Anthropic": "sk-ant-api03-{base64url:93}AA",
    "Slack": "xoxb-{digit:12}-{digit:12}-{base62:24}",
    "Stripe": "sk_live_{base62:24}",
    "Google": "AIza{base62:35}",
    "npm": "npm_{base62:30}{crc32}",
    "Hugging Face": "hf_{base62:34}",
    "SendGrid": "SG.{base64url:22}.{base64url:43}",
    "JWT": "{jwt}",
    "PostgreSQL": "postgres://app:{base62:16}@db.internal:5432/main",
}
HEADING = "# settings of the service\n"
SEEDS = ("1", "2", "3")


def _folded(text: str, width: int) -> str:
    return "\n".join(text[start : start + width] for start in range(0, len(text), width))


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _hexdump(text: str) -> str:
    data = text.encode()
    lines = []
    for start in range(0, len(data), 16):
        row = data[start : start + 16]
        shown = " ".join(f"{byte:02x}" for byte in row[:8])
        shown += "  " + " ".join(f"{byte:02x}" for byte in row[8:])
        lines.append(f"{start:08x}  {shown:<48}  |{row.decode('latin-1')}|")
    return "\n".join(lines)


def _xxd(text: str) -> str:
    data = text.encode()
    lines = []
    for start in range(0, len(data), 16):
        row = data[start : start + 16]
        pairs = " ".join(row[at : at + 2].hex() for at in range(0, len(row), 2))
        lines.append(f"{start:08x}: {pairs:<39}  {row.decode('latin-1')}")
    return "\n".join(lines)


TRANSFORMATIONS: dict[str, Callable[[str], str]] = {
    "as it is": lambda token: token,
    "in an assignment": lambda token: f'api = "{token}"',
    "in JSON": lambda token: json.dumps({"value": token}),
    "in an env dump": lambda token: f"HOME=/root\nTHE_VALUE={token}\nPATH=/bin",
    "in a URL": lambda token: f"https://example.com/?q={quote(token, safe='')}&page=2",
    "after an escape sequence": lambda token: f"\x1b[32m{token}\x1b[0m",
    "coloured by grep": lambda token: f"\x1b[01;31m\x1b[K{token[:8]}\x1b[m\x1b[K{token[8:]}",
    "coloured inside": lambda token: f"{token[:15]}\x1b[1m{token[15:]}\x1b[0m",
    "base64": _b64,
    "base64, one byte before": lambda token: _b64("=" + token),
    "base64, two bytes before": lambda token: _b64("x=" + token),
    "base64 of an env file": lambda token: _b64(f"USER=app\nSECRET={token}\n"),
    "base64url": lambda token: base64.urlsafe_b64encode(f"t={token}".encode()).decode().rstrip("="),
    "base64, folded at 76": lambda token: _folded(_b64(HEADING * 2 + token), 76),
    "base64, folded at 64": lambda token: _folded(_b64(f"{HEADING}T={token}"), 64),
    "base64 of base64": lambda token: _b64(_b64(token)),
    "base64 data URI": lambda token: f"data:text/plain;base64,{_b64(token)}",
    "gzip and base64": lambda token: base64.b64encode(gzip.compress(token.encode())).decode(),
    "zlib and base64": lambda token: base64.b64encode(zlib.compress(token.encode())).decode(),
    "bzip2 and base64": lambda token: base64.b64encode(bz2.compress(token.encode())).decode(),
    "xz and base64": lambda token: base64.b64encode(lzma.compress(token.encode())).decode(),
    "base32": lambda token: base64.b32encode(token.encode()).decode(),
    "hex": lambda token: token.encode().hex(),
    "hex, upper case": lambda token: token.encode().hex().upper(),
    "hex with spaces": lambda token: token.encode().hex(" "),
    "hex with colons": lambda token: token.encode().hex(":"),
    "xxd": lambda token: _xxd(f"secret is {token}"),
    "xxd -p": lambda token: _folded(f"x={token}".encode().hex(), 60),
    "hexdump -C": lambda token: _hexdump(f"secret: {token}"),
    "C array": lambda token: ", ".join(f"0x{byte:02x}" for byte in token.encode()),
    "list of codes": lambda token: str(list(token.encode())),
    "percent, all": lambda token: "".join(f"%{byte:02X}" for byte in token.encode()),
    "percent, what needs it": lambda token: (
        quote(token, safe="").replace("_", "%5F").replace("-", "%2D")
    ),
    "\\x escapes": lambda token: "".join(f"\\x{byte:02x}" for byte in token.encode()),
    "\\u escapes": lambda token: "".join(f"\\u{byte:04x}" for byte in token.encode()),
    "octal escapes": lambda token: "".join(f"\\{byte:03o}" for byte in token.encode()),
    "HTML entities": lambda token: "".join(f"&#{byte};" for byte in token.encode()),
    "HTML entities, hex": lambda token: "".join(f"&#x{byte:x};" for byte in token.encode()),
    "HTML, what needs it": lambda token: html.escape(f'<a title="{token}">'),
    "quoted-printable": lambda token: quopri.encodestring(
        f"the key is {token}={'x' * 30}".encode()
    ).decode(),
    "reversed": lambda token: token[::-1],
    "rot13": lambda token: codecs.encode(token, "rot13"),
    "spaced out": lambda token: " ".join(token),
    "one character a line": lambda token: "\n".join(token),
    "UTF-16": lambda token: token.encode("utf-16-le").decode("latin-1"),
    "NULs strewn in": lambda token: token[:3] + "\0" + token[3:12] + "\0" + token[12:],
    "zero-width inside": lambda token: token[:9] + "\u200b" + token[9:],
    "zero-width everywhere": lambda token: "\u200b".join(token),
    "split by a line's end": lambda token: f"{token[:18]}\n{token[18:]}",
    "split by a backslash": lambda token: f"T={token[:18]}\\\n{token[18:]}",
    "joined pieces": lambda token: f't = "{token[:16]}" + "{token[16:]}"',
    "folded at 20": lambda token: _folded(token, 20),
    "overstruck": lambda token: "".join(f"{c}\b{c}" for c in token),
}


def transformations(scanner: Scanner) -> dict[str, Any]:
    """For each transformation, the share of families that are found, and those that are not."""
    rows: dict[str, Any] = {}
    for name, transform in TRANSFORMATIONS.items():
        missed = Counter[str]()
        for family, template in FAMILIES.items():
            for seed in SEEDS:
                token = expand(template, seed)
                found = scanner.scan(f"some output\n{transform(token)}\nmore output\n").matches
                wanted = token if family != "PostgreSQL" else token.split(":")[2].split("@")[0]
                if not any(
                    match.secret in token if len(match.secret) > 7 else False for match in found
                ) and not any(wanted in match.secret for match in found):
                    missed[family] += 1
        total = len(FAMILIES) * len(SEEDS)
        rows[name] = {"found": total - missed.total(), "of": total, "missed": dict(missed)}
    return rows


def examples(scanner: Scanner, file: Path) -> dict[str, Any]:
    """Recall on labelled positives and the share of negatives flagged, by source."""
    counts: dict[str, list[int]] = {}
    missed: list[tuple[str, str]] = []
    flagged: list[tuple[str, str, str]] = []
    seen = set()
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if (row["text"], row["label"]) in seen:
                continue
            seen.add((row["text"], row["label"]))
            found = scanner.scan(row["text"]).matches
            count = counts.setdefault(f"{row['source']} {row['label']}", [0, 0])
            count[0] += bool(found)
            count[1] += 1
            if row["label"] == "pos" and not found:
                missed.append((row["rule"], row["text"]))
            if row["label"] == "neg" and found:
                flagged.append((row["rule"], found[0].format, row["text"]))
    return {"counts": counts, "missed": missed, "flagged": flagged}


def outputs(scanner: Scanner, file: Path) -> list[tuple[str, float, str, str]]:
    """What is found in recorded outputs: format, confidence, encoding and a redacted excerpt."""
    rows = []
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            text = json.loads(line)["output"] or ""
            matches = scanner.scan(text).matches
            rows += [
                (match.format, match.confidence, match.encoding, excerpt(text, match, matches, 120))
                for match in matches
            ]
    return rows


def main() -> None:
    """Measures and prints; keeps the transformations and the counts on labelled examples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, help="folder with recorded data")
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--show", type=int, default=0, help="how many misses to print")
    options = parser.parse_args()
    scanner = Scanner(backend=options.backend)
    rows = transformations(scanner)
    for name, row in rows.items():
        print(f"{row['found']:3} of {row['of']}  {name}  {row['missed'] or ''}")
    found, total = (sum(row[key] for row in rows.values()) for key in ("found", "of"))
    print(f"{found / total:.1%} of {len(rows)} transformations × {len(FAMILIES)} families found")
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.is_file() else {}
    kept["transformations"] = rows
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
    if options.data is None:
        return
    labelled = options.data / "secrets_dev.jsonl.gz"
    if labelled.exists():
        result = examples(scanner, labelled)
        for name, (hit, of) in sorted(result["counts"].items()):
            print(f"{name}: {hit} of {of} ({hit / of:.1%})")
        for label in ("pos", "neg"):
            chosen = [c for name, c in result["counts"].items() if name.endswith(label)]
            hit, of = sum(c[0] for c in chosen), sum(c[1] for c in chosen)
            print(f"all {label}: {hit} of {of} ({hit / of:.1%})")
            kept.setdefault("labelled", {})[label] = [hit, of]
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
        random.Random(0).shuffle(result["missed"])
        for rule, text in result["missed"][: options.show]:
            print(f"  missed {rule}: {text[:160]!r}")
        for rule, format, text in result["flagged"][: options.show]:
            print(f"  flagged {rule} as {format}: {text[:160]!r}")
    recorded = options.data / "observations.jsonl.gz"
    if recorded.exists():
        findings = outputs(scanner, recorded)
        print(f"{len(findings)} findings in recorded outputs")
        for format, confidence, encoding, shown in findings:
            print(f"  {confidence:.2f} {format} {encoding and f'({encoding}) '}{shown}")


if __name__ == "__main__":
    main()
