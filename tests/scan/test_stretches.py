"""Long words, and what is looked for only near them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewers.scan import Scanner, long_words, stretches
from reviewers.scan.needs import needs_of
from reviewers.scan.notation import expand
from reviewers.scan.stretches import Stretches
from reviewers.scan.table import in_cases

LONG = re.compile(rb"(?=[0-9A-Za-z_-]{0,15}[0-9])[0-9A-Za-z_-]{16}")
PARTS = st.sampled_from(
    (" ", "\n", "a", "token", "_", "-", "7", "é", "\0", "0123456789abcdef" * 2, "A2B7" * 9, "+")
) | st.text(st.characters(codec="utf-8"), max_size=30)
TEXTS = st.lists(PARTS, max_size=60).map("".join)


@given(TEXTS)
def test_short_and_long_texts_are_read_alike(text: str) -> None:
    data = text.encode()
    one_by_one = Stretches(data)
    padding = b" " * (stretches.SHORT_TEXT + 1)
    at_once = Stretches(data + padding)

    assert at_once.long_words == one_by_one.long_words
    assert at_once.long_word_ends == one_by_one.long_word_ends
    assert at_once.flags == one_by_one.flags
    words = {at for match in LONG.finditer(data) for at in range(*match.span())}
    assert words <= _covered(at_once) <= _covered(one_by_one)


def _covered(found: Stretches) -> set[int]:
    return {at for near in found.near for at in range(*near)}


def test_a_word_over_the_end_of_a_piece_is_one() -> None:
    text = b" " * (stretches.PIECE - 10) + b"0123456789abcdef0123456789abcdef" + b" " * 100

    found = Stretches(text)

    assert found.long_words == [stretches.PIECE - 10]
    assert len(found.near) == 1


@given(TEXTS)
def test_encoded_text_is_found_alike_in_few_words_and_in_many(text: str) -> None:
    data = text.encode() + b" aGVsbG8gd29ybGQsIHRoaXMgaXMgdGV4dA== 68656c6c6f20776f726c642074657874"
    found = Stretches(data)
    kinds = bytes(found.flags).translate(long_words.KIND_OF)
    looks = (long_words.one_by_one, long_words.at_once)
    few, many = (
        [sorted(look(data, found, kinds, kind)) for kind in range(len(long_words.KINDS))]
        for look in looks
    )

    assert few == many
    assert few[0] != []
    assert few[-1] != []


@pytest.mark.parametrize(("words", "is_found"), [(1, True), (2, True), (4, False)])
def test_the_name_of_a_service_counts_only_near_a_long_word(
    scanner: Scanner, words: int, is_found: bool
) -> None:
    between = "     abcdefghijklmno" * words

    text = expand(f"wakatime key{between} = {{uuid}}")

    assert bool(scanner.scan(text).matches) == is_found


def test_a_name_is_looked_for_as_programs_write_it() -> None:
    assert in_cases("api_key") == {"api_key", "API_KEY", "Api_key", "Api_Key", "api_Key"}
    assert {"password", "PASSWORD", "Password", "passWord", "PassWord"} == in_cases("password")
    assert "PsExec" in in_cases("PsExec")


def test_fixed_letters_are_no_long_word() -> None:
    assert needs_of("eagleeyenetworks.{0,9}[A-Z0-9]{16}", []).word
    assert not needs_of("eagleeyenetworks.{0,9}[A-Z0-9]{15}", []).word
    assert needs_of("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}", []).word
    assert not needs_of("key[A-Za-z0-9/]{40}", []).word


def test_further_text_is_what_every_match_holds() -> None:
    assert needs_of("https?://[^@]{1,9}@", ["http://"]).text == b"@"
    assert needs_of("machine \\w+ login \\w+", ["machine "]).text == b" login "
    assert needs_of("a(?:@|b)", ["a"]).text is None
    assert needs_of("sk-[a-z]{9}", ["sk-"]).text is None
