"""Formats and backends: what is refused, what is cached, what is light."""

import subprocess
import sys
from pathlib import Path

import pytest

from reviewers.scan import Declared, DeclaredError, Format, FormatError, Scanner, load_formats
from reviewers.scan.backends import BackendError, Literal, made
from reviewers.scan.format import parse_formats
from reviewers.scan.notation import NotationError, base62_crc32, expand
from reviewers.scan.verify import main, problems

GOOD = """
vendor = "Acme"

[[format]]
id = "acme-key"
title = "Acme key"
source = "https://acme.example/docs"
literals = ["acme_"]
pattern = 'acme_(?P<secret>[a-z0-9]{20})(?![a-z0-9])'
examples = [{ text = "acme_{alnumlower:20}", because = "a key" }]
counterexamples = [{ text = "acme_{alnumlower:12}", because = "too short" }]
"""


def only(text: str) -> Format:
    (format,) = parse_formats(text)
    return format


def test_a_good_format_has_no_problems() -> None:
    assert problems(only(GOOD)) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"acme_"]', '"acme-"]', "is not found"),
        ('source = "https://acme.example/docs"', "", "no source"),
        (
            'examples = [{ text = "acme_{alnumlower:20}", because = "a key" }]\ncounter',
            "counter",
            "no examples",
        ),
        ("{alnumlower:12}", "{alnumlower:20}", "is found at"),
        ('"too short"', '" "', "has no reason"),
        ("{alnumlower:12}", "{nonsense:12}", "not in the notation"),
        ("(?![a-z0-9])'", "(?![a-z0-9])|acme_(?:a+a*)+b'", "grows faster"),
    ],
)
def test_the_check_says_what_is_wrong_with_a_format(old: str, new: str, said: str) -> None:
    assert old in GOOD

    found = problems(only(GOOD.replace(old, new)))

    assert any(said in problem for problem in found), found


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('["acme_"]', '["ac"]', "3 or more"),
        ('["acme_"]', "[]", "no literals"),
        ('["acme_"]', '"names"', "acme-key: the file has no list 'names'"),
        ('title = "Acme key"', 'titel = "Acme key"', "unknown field 'titel'"),
        ("source =", 'confidence = "sure"\nsource =', "confidence is one of"),
        ("source =", "window = 0\nsource =", "window"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        parse_formats(GOOD.replace(old, new))


def test_formats_of_one_file_may_share_a_list_of_literals() -> None:
    table = GOOD.replace('["acme_"]', '"names"').split("\n\n", 1)[1]
    other = table.replace("acme-key", "acme-other-key")

    one, two = parse_formats(f'lists.names = ["acme_", "acme-"]\n\n{table}\n{other}')

    assert one.literals == two.literals == ("acme_", "acme-")


def test_two_formats_of_one_id_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(GOOD)
    (tmp_path / "b.toml").write_text(GOOD)

    with pytest.raises(FormatError, match="acme-key stands in"):
        load_formats(tmp_path)


def test_the_check_runs_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "acme.toml"
    file.write_text(GOOD)
    assert main([str(file)]) == 0

    file.write_text(GOOD.replace("acme_{alnumlower:20}", "nothing"))

    assert main([str(file)]) == 1
    assert "acme-key" in capsys.readouterr().out


def test_an_unknown_check_is_named() -> None:
    format = only(GOOD.replace("source =", 'checks = ["astrology"]\nsource ='))

    assert "no check 'astrology'" in problems(format)[0]


def test_the_notation_gives_the_same_text_for_the_same_seed() -> None:
    assert expand("{base62:40}", "a") == expand("{base62:40}", "a")
    assert expand("{base62:40}", "a") != expand("{base62:40}", "b")
    assert expand("{{{digit:1}}}")[0] == "{"
    token = expand("x_{base62:30}{crc32}")
    assert base62_crc32(token[2:32]) == token[32:]
    with pytest.raises(NotationError):
        expand("{base62}")


def test_a_declared_string_of_three_characters_is_refused() -> None:
    with pytest.raises(DeclaredError, match="3 characters"):
        Declared("own", "own key", "abc")


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(BackendError, match="there are auto"):
        Scanner([], backend="magic").scan("text")


@pytest.mark.parametrize("backend", ["ahocorasick", "hyperscan", "plain"])
def test_literals_are_found_with_overlaps_with_nuls_and_by_case(backend: str) -> None:
    if backend == "hyperscan":
        pytest.importorskip("hyperscan")
    sought = [Literal(b"abc"), Literal(b"bcd"), Literal(b"key", True), Literal(b"a\0b")]
    literals = made(sought, backend)

    found = {hit for batch in literals.hits(b"xabcd KeY a\0b ABC key") for hit in batch}

    assert found == {(0, 4), (1, 5), (2, 9), (3, 13), (2, 21)}


def test_the_fast_backend_tells_only_of_literals_that_may_begin_there() -> None:
    pytest.importorskip("hyperscan")
    sought = [Literal(b"sk_", False, 1), Literal(b"key_", True, 2), Literal(b"any_")]
    data = b"sk_ task_ m_sk_ \x1b[mKEY_ my_key_ /key_ many_ 2sk_"

    found = {hit for batch in made(sought, "hyperscan").hits(data) for hit in batch}

    assert found == {(0, 3), (0, 15), (1, 23), (1, 37), (2, 43)}


def test_a_flood_of_hits_is_whole_in_every_backend() -> None:
    pytest.importorskip("hyperscan")
    data = b"abcab" * 30_000
    counts = set()
    for backend in ("ahocorasick", "hyperscan", "plain"):
        literals = made([Literal(b"abc"), Literal(b"cab", True), Literal(b"bca")], backend)
        hits = [hit for batch in literals.hits(data) for hit in batch]
        assert len(hits) == len(set(hits))
        counts.add(frozenset(hits))

    assert len(counts) == 1


def test_a_cache_folder_that_cannot_be_written_is_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("hyperscan")
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))

    literals = made([Literal(b"some-literal")], "hyperscan")

    assert list(literals.hits(b"some-literal")) == [[(0, 12)]]


def test_a_broken_cache_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("hyperscan")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made([Literal(b"some-literal")], "hyperscan")
    (file,) = (tmp_path / "reviewers").iterdir()
    file.write_bytes(b"broken")

    literals = made([Literal(b"some-literal")], "hyperscan")

    assert list(literals.hits(b"some-literal")) == [[(0, 12)]]


def test_importing_the_engine_loads_no_format_and_no_backend() -> None:
    program = (
        "import sys, reviewers.scan; "
        "print([n for n in ('regex', 'hyperscan', 'ahocorasick_rs', 'tomllib', 'inspect_ai') "
        "if n in sys.modules])"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
