"""Hostile text: no exception, no run-away, and what was not judged is said."""

import asyncio
import sys
import threading
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.scan_texts import hostile_texts
from reviewers.scan import Format, Scanner, excerpt, redact
from reviewers.scan.notation import expand

GITHUB = expand("ghp_{base62:30}{crc32}")
PIECES = (
    GITHUB,
    "ghp_",
    "-----BEGIN RSA PRIVATE KEY-----",
    "eyJhbGciOi",
    "\x1b[31m",
    "\0",
    "\u200b",
    "\ud83d",
    "%67%68",
    "\\u0067",
    "&#103;",
    "Z2hwX",
    "H4sIAAAA",
    "00000010: 6768 705f",
    "password=",
    " " * 300,
    "\r\n",
    "=\n",
    '"',
    "é",
)


@pytest.mark.parametrize("name", hostile_texts(1))
def test_a_flood_ends_and_says_what_was_not_judged(scanner: Scanner, name: str) -> None:
    text = hostile_texts(300_000)[name]

    result = scanner.scan(text)

    assert result.incomplete is None or result.incomplete.startswith("The text holds more")


def test_a_flood_of_one_prefix_is_never_passed_over_in_silence(scanner: Scanner) -> None:
    result = scanner.scan("ghp_ " * 200_000)

    assert result.incomplete is not None
    assert "GitHub" in result.incomplete


def test_a_flood_of_key_headers_is_bounded(scanner: Scanner) -> None:
    result = scanner.scan("-----BEGIN RSA PRIVATE KEY-----\n" * 30_000)

    assert result.incomplete is not None


def test_ordinary_text_of_a_megabyte_is_judged_completely(scanner: Scanner) -> None:
    line = (
        "GET /api/token?user=12 200 secret_name=none password_hash key_id=7 https://example.com/a\n"
    )

    assert scanner.scan(line * 3_000).incomplete is None


def test_a_pattern_that_runs_away_is_stopped_and_named() -> None:
    bad = Format(
        id="bad", title="bad pattern", literals=("bad:",), pattern=r"bad:(?:a|b|ab)+c", left=""
    )

    result = Scanner([bad], backend="plain").scan("bad:" + "ab" * 100 + "!c")

    assert result.matches == ()
    assert result.incomplete is not None
    assert "bad pattern" in result.incomplete


def test_many_findings_are_cut_off_with_a_word(scanner: Scanner) -> None:
    text = "\n".join(expand("ghp_{base62:30}{crc32}", str(seed)) for seed in range(2_100))

    result = scanner.scan(text)

    assert len(result.matches) <= 2_000
    assert result.incomplete is not None


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=40)), max_size=30))
def test_no_text_raises_and_every_place_is_in_the_text(scanner: Scanner, parts: list[str]) -> None:
    text = "".join(parts)

    result = scanner.scan(text)

    for match in result.matches:
        assert 0 <= match.start < match.end <= len(text)
        assert match.secret
        assert match.secret not in excerpt(text, match, result.matches) or len(match.secret) < 8
    redact(text, result.matches)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=20)), max_size=12))
def test_all_backends_find_the_same(scanners: dict[str, Scanner], parts: list[str]) -> None:
    text = "".join(parts)

    results = [scanner.scan(text) for scanner in scanners.values()]

    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("name", ["flood of JWT beginnings", "flood of escapes", "NULs"])
def test_all_backends_find_the_same_in_long_texts(scanners: dict[str, Scanner], name: str) -> None:
    text = f"{GITHUB} {hostile_texts(20_000)[name]} {GITHUB}"

    results = [scanner.scan(text).matches for scanner in scanners.values()]

    assert results[0] == results[1] == results[2]


def test_scans_at_once_do_not_disturb_each_other(scanners: dict[str, Scanner]) -> None:
    texts = [f"{'filler ' * n} {expand('ghp_{base62:30}{crc32}', str(n))}" for n in range(40)]
    for scanner in scanners.values():
        expected = [scanner.scan(text) for text in texts]
        found: list[object] = [None] * 4

        def scan(place: int, scanner: Scanner = scanner, found: list[object] = found) -> None:
            found[place] = [scanner.scan(text) for text in texts]

        threads = [threading.Thread(target=scan, args=(place,)) for place in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert found == [expected] * 4


async def test_the_event_loop_goes_on_while_a_thread_scans(scanner: Scanner) -> None:
    text = "some ordinary output of a command, token and all\n" * 200_000
    ticks = 0
    task = asyncio.create_task(asyncio.to_thread(scanner.scan, text))
    while not task.done():
        await asyncio.sleep(0.005)
        ticks += 1

    assert ticks > 3


def test_memory_stays_within_three_times_the_text(scanner: Scanner) -> None:
    text = "ghp_ and sk- or token=1, " * 100_000
    scanner.scan("warm up " + GITHUB)
    tracemalloc.start()
    scanner.scan(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 2 * sys.getsizeof(text)
