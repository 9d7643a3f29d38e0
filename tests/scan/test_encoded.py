"""What is found where it is encoded, split or hidden."""

import base64
import gzip
import random
from collections.abc import Callable

import pytest

from benchmarks.scan_quality import FAMILIES, TRANSFORMATIONS, transformations
from reviewers.scan import Scanner
from reviewers.scan.notation import expand
from tests.scan.conftest import CANARY

GITHUB = expand("ghp_{base62:30}{crc32}")
PADDING = "nothing to see here\n" * 4000


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_a_declared_string_is_found_however_it_is_written(scanner: Scanner, name: str) -> None:
    text = f"output\n{TRANSFORMATIONS[name](CANARY)}\nend\n"

    found = [match for match in scanner.scan(text).matches if match.format == "canary"]

    assert len(found) >= 1
    assert all(match.secret == CANARY for match in found)


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_a_declared_string_is_found_in_a_long_text_too(scanner: Scanner, name: str) -> None:
    text = f"{PADDING}{TRANSFORMATIONS[name](CANARY)}\n{PADDING}"

    assert "canary" in [match.format for match in scanner.scan(text).matches]


def test_nearly_all_transformations_of_twelve_families_are_seen_through(scanner: Scanner) -> None:
    rows = transformations(scanner)

    found, total = (sum(row[key] for row in rows.values()) for key in ("found", "of"))
    assert len(rows) >= 30
    assert len(FAMILIES) == 12
    assert found / total >= 0.95


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("encode", "how"),
    [
        (lambda text: text, ""),
        (_base64, "base64"),
        (lambda text: text.encode().hex(), "hex"),
        (lambda text: text[::-1], "reversed"),
        (lambda text: " ".join(text), "spaced out"),
        (lambda text: _base64(_base64(text)), "base64 in base64"),
        (lambda text: base64.b64encode(gzip.compress(text.encode())).decode(), "gzip+base64"),
        (lambda text: f"{text[:9]}\x1b[1m{text[9:]}", "control characters inside"),
        (lambda text: f"{text[:9]}\n{text[9:]}", "split over lines"),
    ],
)
def test_a_finding_says_how_it_was_encoded(
    scanner: Scanner, encode: Callable[[str], str], how: str
) -> None:
    (match,) = scanner.scan(f"output: {encode(GITHUB)} end").matches

    assert match.encoding == how


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_the_place_of_an_encoded_finding_holds_all_of_its_secret(
    scanner: Scanner, name: str
) -> None:
    before, after = "Größe: 日本 ", "\nfin ü"
    written = TRANSFORMATIONS[name](CANARY)
    text = f"{before}{written}{after}"

    matches = [match for match in scanner.scan(text).matches if match.format == "canary"]

    for match in matches:
        assert 0 <= match.start < match.end <= len(text)
        rest = text[: match.start] + text[match.end :]
        assert (
            not [m for m in scanner.scan(rest).matches if m.format == "canary"] or len(matches) > 1
        )


@pytest.mark.parametrize("width", [60, 64, 72, 76, 100])
@pytest.mark.parametrize("shift", range(0, 60, 7))
def test_base64_that_is_folded_in_the_middle_of_a_token_is_read(
    scanner: Scanner, width: int, shift: int
) -> None:
    encoded = _base64("x" * shift + " " + GITHUB + " and some more words after it, to fill lines")
    folded = "\n".join(encoded[at : at + width] for at in range(0, len(encoded), width))

    matches = scanner.scan(f"$ base64 file\n{folded}\n$").matches

    assert [match.format for match in matches] == ["github-pat"]


def test_three_encodings_deep_is_read(scanner: Scanner) -> None:
    packed = base64.b64encode(gzip.compress(_base64(GITHUB).encode())).decode()

    (match,) = scanner.scan(packed).matches

    assert match.encoding == "base64 in gzip+base64"


def test_a_compressed_bomb_is_unpacked_only_so_far(scanner: Scanner) -> None:
    bomb = base64.b64encode(gzip.compress(b"0" * 50_000_000)).decode()

    found = scanner.scan(f"data: {bomb[:60_000]}")

    assert found.matches == ()
    assert found.incomplete is not None
    assert "compressed" in found.incomplete


@pytest.mark.parametrize("line", [0, 76])
@pytest.mark.parametrize(
    "encode",
    [
        bytes.hex,
        lambda text: base64.b64encode(text).decode(),
        lambda text: base64.b32encode(text).decode(),
        lambda text: base64.b64encode(gzip.compress(text)).decode(),
    ],
    ids=["hex", "base64", "base32", "gzip"],
)
def test_encoded_text_is_read_however_far_in_a_token_is(
    scanner: Scanner, encode: Callable[[bytes], str], line: int
) -> None:
    words = " ".join(expand("{base62:6}", str(seed)) for seed in range(15_000))
    encoded = encode(f"{words} {GITHUB} {words[:900]}".encode())
    if line:
        encoded = "\n".join(encoded[at : at + line] for at in range(0, len(encoded), line))

    found = scanner.scan(f"cat: {encoded}")

    assert [match.format for match in found.matches] == ["github-pat"]
    assert found.incomplete is None


def test_random_base64_holds_nothing(scanner: Scanner) -> None:
    blob = expand("{base64:200000}")
    lines = "\n".join(blob[at : at + 76] for at in range(0, len(blob), 76))

    assert [match for match in scanner.scan(lines).matches if match.confidence >= 0.9] == []


@pytest.mark.parametrize("before", ["deadbeef" * 4, "b5f1c0ffee12ab34" * 2, "0123456789" * 3])
def test_base64_is_read_behind_a_number_that_it_follows_at_once(
    scanner: Scanner, before: str
) -> None:
    encoded = _base64(f"the token is {GITHUB}")

    assert [match.encoding for match in scanner.scan(f"x {before}{encoded} y").matches] == [
        "base64"
    ]


def test_a_character_a_line_is_read_behind_a_line_of_words(scanner: Scanner) -> None:
    text = "some output\n" + "\n".join(expand(FAMILIES["Stripe"], "1")) + "\nmore output\n"

    assert [match.encoding for match in scanner.scan(text).matches] == ["one character a line"]


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_a_token_deep_in_a_long_text_is_found_however_it_is_written(
    scanner: Scanner, name: str
) -> None:
    words = " ".join(expand("{base62:6}", str(seed)) for seed in range(3_000))
    write = TRANSFORMATIONS[name]

    among_others = scanner.scan(f"{words * 2}\n{write(GITHUB)}\n{words * 2}")
    all_written_so = scanner.scan(write(f"{words} {GITHUB} {words}"))

    assert "github-pat" in [match.format for match in among_others.matches]
    assert "github-pat" in [match.format for match in all_written_so.matches]
    assert all_written_so.incomplete is None


@pytest.mark.parametrize("kind", ["binary data", "Chinese"])
@pytest.mark.parametrize(
    "encode", [bytes.hex, base64.b64encode, base64.b32encode], ids=["hex", "base64", "base32"]
)
def test_a_token_within_what_is_no_ascii_is_found_in_an_encoded_line(
    scanner: Scanner, encode: Callable[[bytes], str | bytes], kind: str
) -> None:
    other = random.Random(kind).randbytes(900) if kind == "binary data" else "秘密は何" * 90
    data = other if isinstance(other, bytes) else other.encode()
    encoded = encode(data + f" token={GITHUB} ".encode() + data)
    text = encoded if isinstance(encoded, str) else encoded.decode()

    assert [match.format for match in scanner.scan(f"data: {text}").matches] == ["github-pat"]
