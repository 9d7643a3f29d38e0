"""What is kept between processes: the same table again, and never a declared secret."""

from pathlib import Path

import pytest

from reviewers.scan import Declared, Format, Scanner, stored
from reviewers.scan.cache import MOST_FILES, cache_folder, keep
from reviewers.scan.confirm import Confirmer
from reviewers.scan.notation import expand

GITHUB = expand("ghp_{base62:30}{crc32}")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_a_kept_table_means_the_same(formats: list[Format]) -> None:
    made = stored.table_of([Confirmer(one) for one in formats])
    read = stored.table_of([Confirmer(one) for one in formats])

    assert isinstance(read, stored.Stored)
    assert read.literals == made.literals
    for index in range(0, len(made.literals), 7):
        old, new = made.entry(index), read.entry(index)
        assert [one.format.id for one in new.formats] == [one.format.id for one in old.formats]
        assert [one.encoding for one in new.encoded] == [one.encoding for one in old.encoded]
        assert (new.not_after, new.ends_word, new.rewriting) == (
            (old.not_after, old.ends_word, old.rewriting)
        )


def test_a_broken_table_is_made_anew(formats: list[Format]) -> None:
    stored.table_of([Confirmer(one) for one in formats])
    for file in cache_folder().glob("table-*"):
        file.write_text('{"literals": ["x"]}')

    table = stored.table_of([Confirmer(one) for one in formats])

    assert len(table.literals) > len(formats)


def test_a_changed_format_has_a_table_of_its_own(formats: list[Format]) -> None:
    stored.table_of([Confirmer(one) for one in formats])
    stored.table_of([Confirmer(one) for one in formats[1:]])

    assert len(list(cache_folder().glob("table-*"))) == 2


def test_only_so_many_files_are_kept() -> None:
    for number in range(MOST_FILES + 5):
        keep(f"file-{number}", b"x")

    assert len(list(cache_folder().iterdir())) == MOST_FILES


@pytest.mark.parametrize("backend", ["ahocorasick", "hyperscan"])
def test_no_declared_secret_is_written_to_the_cache(backend: str) -> None:
    if backend == "hyperscan":
        pytest.importorskip("hyperscan")
    secret = "Vq7-planted-by-the-test-93x"
    scanner = Scanner(backend=backend, declared=[Declared("own", "own key", secret)])

    assert scanner.scan(f"a {secret} b").matches

    for file in cache_folder().iterdir():
        assert secret[:8].encode() not in file.read_bytes()
