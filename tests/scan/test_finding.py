"""What a scan finds in plain text, where, and how sure it is."""

import pytest

from reviewers.scan import Declared, Format, Scanner, load_formats
from reviewers.scan.notation import expand
from reviewers.scan.verify import problems

GITHUB = expand("ghp_{base62:30}{crc32}")
SLACK = expand("xoxb-{digit:12}-{digit:12}-{base62:24}")
PEM = expand("{pem:RSA}")


def test_there_are_at_least_250_formats_each_with_its_source(formats: list[Format]) -> None:
    assert len(formats) >= 250
    assert all(format.source for format in formats)


def test_every_format_holds_what_its_file_says(formats: list[Format]) -> None:
    wrong = [problem for format in formats for problem in problems(format)]

    assert wrong == []


def test_a_token_is_found_where_it_stands(scanner: Scanner) -> None:
    text = f"the token is {GITHUB}."

    (match,) = scanner.scan(text).matches

    assert match.format == "github-pat"
    assert text[match.start : match.end] in GITHUB
    assert match.end == len(text) - 1
    assert match.confidence >= 0.9
    assert match.encoding == ""


@pytest.mark.parametrize(
    ("text", "particular"),
    [
        ("the taxjar token is {hex:32}", "taxjar-token"),
        ("zenrows key {hex:40}", "zenrows-key"),
        ("holidayapi key {uuid}", "holidayapi-key"),
    ],
)
def test_the_format_of_a_vendor_names_what_one_of_any_vendor_finds_too(
    scanner: Scanner, text: str, particular: str
) -> None:
    (match,) = scanner.scan(expand(text)).matches

    assert match.format == particular


@pytest.mark.parametrize("before", ["é", "日本語の文 ", "😀 ", "\ud800 ", "a\u0301 ", "ﬁ "])
def test_places_are_counted_in_characters(scanner: Scanner, before: str) -> None:
    text = f"{before * 50}key: {GITHUB}\n{before}and {SLACK}"

    first, second = scanner.scan(text).matches

    assert text[first.start : first.end] == first.secret
    assert text[second.start : second.end] == second.secret
    assert text.endswith(second.secret)


@pytest.mark.parametrize(
    "after", ["", "\x1b[0m", "\x1b", "\0", "\n", "\r\n", '"', "'", ",", "…", "\x07"]
)
def test_whatever_stands_after_a_token_does_not_hide_it(scanner: Scanner, after: str) -> None:
    assert len(scanner.scan(f"key {GITHUB}{after}").matches) == 1


@pytest.mark.parametrize(
    "before", ["\0", "\x1b[31m", "\x1b[01;31m\x1b[K", "\ud800", "=", '"', "\x08"]
)
def test_whatever_stands_before_a_token_does_not_hide_it(scanner: Scanner, before: str) -> None:
    assert len(scanner.scan(f"{before}{GITHUB} end").matches) == 1


def test_a_nul_does_not_hide_what_comes_after_it(scanner: Scanner) -> None:
    assert len(scanner.scan(f"ELF\0\0\0binary\0 {GITHUB} \0 {SLACK}").matches) == 2


def test_a_longer_word_that_holds_a_token_is_none(scanner: Scanner) -> None:
    assert scanner.scan(f"build{GITHUB}x").matches == ()


def test_a_token_at_the_border_of_pieces_is_found(scanner: Scanner) -> None:
    for shift in (0, 1, 2, 20, 41):
        text = " " * (65536 - shift) + GITHUB

        assert [match.end for match in scanner.scan(text).matches] == [len(text)]


def test_a_token_far_into_a_single_line_of_ten_megabytes_is_found(scanner: Scanner) -> None:
    text = "lorem ipsum " * 850_000 + GITHUB

    result = scanner.scan(text)

    assert [match.end for match in result.matches] == [len(text)]
    assert result.incomplete is None


def test_a_private_key_is_found_and_its_public_half_is_not(scanner: Scanner) -> None:
    public = expand("{pem:PUBLIC}")
    text = f"{public}\n{PEM}\n{expand('{pem:CERTIFICATE}')}"

    matches = scanner.scan(text).matches

    assert [match.format.startswith("private-key") for match in matches] == [True]
    assert matches[0].start > len(public)


@pytest.mark.parametrize(
    "text",
    [
        "ghp_" + "x" * 36,
        "export GH_TOKEN=${GH_TOKEN}",
        'api_key_env = "MY_SECRET"',
        "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx",
        "AWS_ACCESS_KEY_ID=AKIA" + "IOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
        '"integrity": "sha512-' + expand("{base64:86}") + '=="',
        "golang.org/x/net v0.1.0 h1:" + expand("{base64:43}") + "=",
        "commit " + expand("{hex:40}"),
        expand("{hex:64}") + "  dist/package.tar.gz",
        "sha256:" + expand("{hex:64}"),
        "password: ENC[AES256_GCM,data:" + expand("{base64:24}") + "==,type:str]",
        "request id " + expand("{uuid}"),
        "const getUserAuthenticationTokenFromRequestHeaders = authenticateUserTokenHandler",
        "token: <your-token-here>",
        "password: changeme",
    ],
)
def test_what_only_looks_like_a_secret_is_not_found_as_a_sure_one(
    scanner: Scanner, text: str
) -> None:
    assert [match for match in scanner.scan(text).matches if match.confidence >= 0.9] == []


@pytest.mark.parametrize(
    "body",
    ["abcdefghijklmnopqrstuvwxyz01234567", "a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7"],
)
def test_a_planted_token_that_looks_made_up_is_found_but_less_sure(
    scanner: Scanner, body: str
) -> None:
    planted = "hf" + "_" + body

    (match,) = scanner.scan(f"token = {planted}").matches

    assert 0.6 <= match.confidence < 0.9


def test_a_right_checksum_makes_sure_and_a_wrong_one_less_so(scanner: Scanner) -> None:
    wrong = GITHUB[:-1] + ("a" if GITHUB[-1] != "a" else "b")

    (right_match,) = scanner.scan(GITHUB).matches
    (wrong_match,) = scanner.scan(wrong).matches

    assert right_match.confidence > 0.95 > wrong_match.confidence >= 0.6


def test_a_declared_string_of_any_characters_is_found_exactly() -> None:
    value = "clé-\ud800-秘密-\x1b-0001"
    text = f"önly {value} hére"

    (match,) = Scanner([], declared=[Declared("canary", "canary", value)]).scan(text).matches

    assert match.secret == value
    assert text[match.start : match.end] == value


def test_what_is_less_sure_than_asked_for_is_left_out() -> None:
    planted = "token = ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    formats = [one for one in load_formats() if one.id == "github-pat"]

    assert Scanner(formats, least=0.9).scan(planted).matches == ()
    assert len(Scanner(formats, least=0.6).scan(planted).matches) == 1


def test_overlapping_findings_are_one(scanner: Scanner) -> None:
    matches = scanner.scan(f"GITHUB_TOKEN={GITHUB}").matches

    assert len(matches) == 1


def test_matches_come_in_the_order_of_the_text(scanner: Scanner) -> None:
    text = "\n".join([SLACK, GITHUB, PEM, SLACK])

    starts = [match.start for match in scanner.scan(text).matches]

    assert len(starts) == 4
    assert starts == sorted(starts)


def test_what_a_pattern_rules_out_on_its_way_does_not_hide_what_it_looks_for(
    scanner: Scanner,
) -> None:
    token = expand("{alnumlower:6}.{alnumlower:16}")
    (match,) = scanner.scan(f"kubeadm join 10.0.0.1:6443 --token {token} --v 5").matches

    assert (match.format, match.secret) == ("kubernetes-bootstrap-token", token)
