"""What is shown of a secret, and what is not."""

from reviewers.scan import Declared, Scanner, excerpt, redact
from reviewers.scan.notation import expand

GITHUB = expand("ghp_{base62:30}{crc32}")
STRIPE = expand("sk_live_{base62:24}")
KEY = b"a key of this process"


def test_a_match_does_not_show_its_secret(scanner: Scanner) -> None:
    (match,) = scanner.scan(f"key {STRIPE}").matches

    assert STRIPE[10:] not in repr(match)
    assert STRIPE[10:] not in str(match)
    assert match.shown == f"sk_live_… ({len(STRIPE)} characters)"


def test_a_declared_string_does_not_show_its_value() -> None:
    assert "hunter2hunter2" not in repr(Declared("own", "own key", "hunter2hunter2"))


def test_a_redacted_text_keeps_all_but_the_secrets(scanner: Scanner) -> None:
    text = f"first {GITHUB} then {STRIPE} end"

    shown = redact(text, scanner.scan(text).matches)

    assert GITHUB[4:] not in shown
    assert STRIPE[8:] not in shown
    assert shown.startswith("first ")
    assert shown.endswith(" end")


def test_an_excerpt_hides_neighbouring_secrets_too(scanner: Scanner) -> None:
    text = f"a {GITHUB} {STRIPE} b"
    first, second = scanner.scan(text).matches

    shown = excerpt(text, first, [first, second])

    assert GITHUB[4:] not in shown
    assert STRIPE[8:] not in shown


def test_an_excerpt_never_begins_or_ends_within_a_secret(scanner: Scanner) -> None:
    text = f"{GITHUB} {'word ' * 9}{STRIPE}"
    matches = scanner.scan(text).matches

    for width in range(0, 200, 3):
        shown = excerpt(text, matches[1], matches, width=width)
        assert not any(GITHUB[at : at + 6] in shown for at in range(4, 34))


def test_an_excerpt_is_one_line_and_shows_control_characters(scanner: Scanner) -> None:
    text = f"\x1b[31mred\0\n{GITHUB}\u202e"

    shown = excerpt(text, scanner.scan(text).matches[0])

    assert "\n" not in shown
    assert "\\x1b[31mred\\x00\\n" in shown
    assert shown.isprintable()


def test_an_encoded_secret_is_hidden_where_it_is_encoded(scanner: Scanner) -> None:
    text = f"before {GITHUB.encode().hex()} after"
    matches = scanner.scan(text).matches

    shown = redact(text, matches)

    assert GITHUB[8:].encode().hex() not in shown
    assert shown.endswith(" after")


def test_equal_secrets_have_equal_fingerprints_and_others_do_not(scanner: Scanner) -> None:
    first, second, third = scanner.scan(f"{GITHUB} {GITHUB[::-1]} {STRIPE}").matches

    assert first.fingerprint(KEY) == second.fingerprint(KEY)
    assert first.fingerprint(KEY) != third.fingerprint(KEY)
    assert first.fingerprint(KEY) != first.fingerprint(b"another key")
    assert GITHUB not in first.fingerprint(KEY)
