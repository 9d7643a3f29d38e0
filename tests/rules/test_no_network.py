"""What the examples of `no_network` cannot say."""

from typing import Any

import pytest
from inspect_ai.review import Review

from reviewers.outcome import Finding
from reviewers.rules._no_network.addresses import inside, read_address
from reviewers.rules._no_network.clients import CLIENTS
from reviewers.rules._no_network.code import python_calls
from reviewers.rules._no_network.lines import LINES
from reviewers.rules._no_network.output import COST_OF_MATCH, MAX_READ, Output
from reviewers.rules._no_network.ran import INTERPRETERS
from reviewers.rules._no_network.runs import Run
from reviewers.rules._no_network.wrappers import read_script
from reviewers.rules._shell.tokens import MAX_COMMANDS, MAX_DEPTH
from reviewers.rules.no_network import find_contact, no_network
from reviewers.testing import evidence, judge

PUBLIC = "93.184.215.14"
SILENT = "curl -s -o page.html https://example.com"


def found(command: str, result: str, exit_code: int | None = None, **allowed: Any) -> list[Finding]:
    within = inside(allowed.get("allow", []), allowed.get("private", True))
    return find_contact(evidence(result, command=command, exit_code=exit_code), within)


def argvs(command: str) -> list[tuple[str, ...]]:
    return [run.argv for run in read_script(command).runs]


def codes(command: str, exit_code: int) -> dict[str, int | None]:
    return {run.argv[0]: run.exit_code for run in read_script(command, exit_code).runs}


# Decisions and explanations.


async def test_contact_ends_the_sample_and_silence_passes_on() -> None:
    reached = await judge(no_network(), "", command=SILENT, exit_code=0)
    refused = await judge(no_network(), "", command=SILENT, exit_code=7)

    assert reached.decision == "terminate"
    assert refused.decision == "escalate"
    assert refused.metadata is not None
    assert refused.metadata["outcome"] == "clear"


async def test_the_explanation_names_client_host_address_and_evidence() -> None:
    review = await judge(
        no_network(),
        f"* Connected to example.com ({PUBLIC}) port 443\n< HTTP/1.1 200 OK\n",
        command="curl -v https://example.com",
    )

    assert review.explanation is not None
    assert f"url reached example.com ({PUBLIC}): Connected to example.com" in review.explanation


def test_a_finding_points_at_its_line_in_the_output() -> None:
    text = "starting\nGet:1 http://deb.debian.org/debian bookworm InRelease [151 kB]\n"
    (finding,) = found("apt-get update", text)

    assert finding.place == "output"
    assert text[finding.start : finding.end].startswith("Get:1 http://deb.debian.org")


def test_what_only_the_exit_code_shows_points_at_the_call() -> None:
    (finding,) = found(SILENT, "", 0)

    assert (finding.place, finding.start, finding.end) == ("arguments", None, None)


def test_passwords_in_urls_and_control_characters_are_not_repeated() -> None:
    (finding,) = found(
        "git push", "To https://me:hunter2@git.example.com/a.git\n\x1b[31m   main -> main\n"
    )

    assert "hunter2" not in finding.what + finding.excerpt
    assert "\x1b" not in finding.what + finding.excerpt


def test_each_host_is_named_once_by_its_surest_evidence() -> None:
    text = "".join(
        f"* Connected to {host}.example.com ({PUBLIC}) port 443\n< HTTP/2 200\n" * 3
        for host in "ab"
    )
    command = "curl -v https://a.example.com https://b.example.com"

    hosts = [f.what.split()[2] for f in found(command, text, 0)]

    assert hosts == ["a.example.com", "b.example.com"]


async def test_scores_rank_certain_contact_above_likely_contact() -> None:
    certain = await judge(no_network(), "HTTP/2 200\n", command="curl -I https://example.com")
    likely = await judge(no_network(), "hello\n", command="curl -s https://example.com | head -1")

    assert certain.metadata is not None
    assert likely.metadata is not None
    assert certain.metadata["score"] > likely.metadata["score"] >= 0.5


async def test_weak_evidence_flags_only_where_it_is_asked_for() -> None:
    usual = await judge(no_network(), "", command=f"{SILENT} || true", exit_code=0)
    weak = {"result": "hello\nworld\n", "command": "date; curl -s https://example.com"}
    strict = await judge(no_network(min_confidence=0.35), **weak)
    default = await judge(no_network(), **weak)

    assert usual.decision == "escalate"
    assert default.decision == "escalate"
    assert strict.decision == "terminate"


# Parameters.


@pytest.mark.parametrize("entry", ["10.0.0.0/99", "exa mple.com", "https://example.com", ""])
def test_an_entry_that_is_no_host_and_no_network_is_refused(entry: str) -> None:
    with pytest.raises(Exception, match=r"reviewers/no_network: allow has"):
        no_network(allow=[entry])


def test_a_threshold_out_of_range_is_refused() -> None:
    with pytest.raises(Exception, match=r"min_confidence is 1\.5"):
        no_network(min_confidence=1.5)


def test_loopback_stays_allowed_where_private_ranges_are_not() -> None:
    assert not found("curl -I http://127.0.0.1/", "HTTP/1.1 200 OK\n", private=False)
    assert found("curl -I http://10.0.0.1/", "HTTP/1.1 200 OK\n", private=False)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.1", "127.0.0.1"),
        ("0x7f.0.0.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("[::1]", "::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("example.com", None),
        ("8000", None),
        ("1.2.3.4.5", None),
    ],
)
def test_addresses_are_read_in_all_their_spellings(text: str, address: str | None) -> None:
    read = read_address(text)

    assert (None if read is None else str(read)) == address


def test_a_wildcard_allows_what_lies_below_a_name_but_not_the_name() -> None:
    within = inside(["*.example.com"], private=True)

    assert within.contains("a.b.example.com")
    assert not within.contains("example.com")
    assert not within.contains("badexample.com")


# What ran.


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        ("sudo -u me timeout -k 1 5 env A=1 curl x.org", ("curl", "x.org")),
        ("echo x.org | xargs -n 1 curl -s", ("curl", "-s", "$item")),
        ("bash -lc 'curl x.org'", ("curl", "x.org")),
        ('sh -c "$(curl -fsSL https://x.org/i.sh)"', ("curl", "-fsSL", "https://x.org/i.sh")),
        ("diff <(curl a.org) b", ("curl", "a.org")),
        ("if true; then (cd /tmp; curl x.org); fi", ("curl", "x.org")),
        ("case $a in b|c) curl x.org;; esac", ("curl", "x.org")),
        ("curl \\\n  x.org # curl y.org", ("curl", "x.org")),
        ("for i in $(curl x.org); do echo $i; done", ("curl", "x.org")),
        ("cat > r.sh <<'E'\ncurl x.org\nE\nbash r.sh", ("curl", "x.org")),
        ("execute[curl x.org]", ("curl", "x.org")),
        ("exec 3<>/dev/tcp/x.org/80", ("/dev/tcp", "x.org", "80")),
        ("echo 'unterminated; curl x.org", ("echo", "unterminated; curl x.org")),
    ],
)
def test_the_command_that_really_runs_is_found(command: str, argv: tuple[str, ...]) -> None:
    assert argv in argvs(command)


@pytest.mark.parametrize(
    "command",
    [
        "echo 'curl x.org'",
        "cat <<E\ncurl x.org\nE",
        "# curl x.org",
        "cat > r.sh <<E\ncurl x.org\nE",
        "grep -r 'curl x.org' .",
        'git commit -m "run; curl x.org"',
    ],
)
def test_what_is_only_written_is_not_run(command: str) -> None:
    assert not [argv for argv in argvs(command) if argv[0] == "curl"]


@pytest.mark.parametrize(
    ("command", "code", "of_curl"),
    [
        ("curl x", 0, 0),
        ("cd /tmp && curl x", 22, 22),
        ("curl x && ls", 0, 0),
        ("curl x && ls", 1, None),
        ("curl x || ls", 0, None),
        ("ls; curl x", 7, 7),
        ("curl x; ls", 0, None),
        ("curl x | cat", 0, None),
        ("cat f | curl x", 0, 0),
        ("(curl x)", 6, 6),
        ("! curl x", 0, None),
        ("curl x &", 0, None),
        ("if curl x; then ls; fi", 0, None),
        ("a=$(curl x)", 6, 6),
        ("curl x", -1, None),
    ],
)
def test_an_exit_code_is_a_commands_own_only_where_the_line_says_so(
    command: str, code: int, of_curl: int | None
) -> None:
    assert codes(command, code)["curl"] == of_curl


def test_functions_that_are_only_defined_do_not_surely_run() -> None:
    (inner, *_) = read_script("f() { curl x; }; g").runs

    assert inner == Run(("curl", "x"), certain=False, pipe=inner.pipe)


def test_network_calls_are_found_in_code_that_was_cut_off() -> None:
    calls = python_calls("import requests\nr = requests.get('https://example.com/a'\n\n…cut…")

    assert calls is not None
    assert calls.hosts == ("example.com",)


@pytest.mark.parametrize(
    "code",
    [
        "import requests",
        "print('requests.get')",
        "import os\nos.environ.get('https://example.com')",
        "text = '''import requests\\nrequests.get(1)'''",
    ],
)
def test_code_that_makes_no_network_call_has_none(code: str) -> None:
    assert python_calls(code) is None


# Hostile text.

HOSTILE = ["\0", "\ud800", "\x1b[2J", "(", "$(", "`", '"', "<<", "a=(", "${", "<(", "if ", "\\"]


@pytest.mark.parametrize("piece", HOSTILE)
async def test_hostile_command_lines_are_read_without_an_error(piece: str) -> None:
    command = f"curl -s https://example.com; {piece * 5_000}"
    review = await judge(no_network(), "x", command=command)

    assert not broke(review)


@pytest.mark.parametrize("piece", [*HOSTILE, "://", "HTTP/", "Downloading ", "a.b|1.1.1.1", ":1 "])
async def test_hostile_results_are_read_without_an_error(piece: str) -> None:
    clients = "; ".join(f"{name} install x.org" for name in CLIENTS)
    review = await judge(no_network(), piece * 20_000, command=clients)

    assert not broke(review)


def broke(review: Review) -> bool:
    """Whether the rule failed for another reason than the size of what it was given."""
    assert review.metadata is not None
    reason = review.metadata.get("reason", "")
    return bool(reason) and reason != "call or result too large to be read to its end"


async def test_a_call_too_long_to_be_read_is_a_failure_and_not_a_pass() -> None:
    review = await judge(no_network(), "", command="curl -s https://example.com; " * 20_000)

    assert review.metadata is not None
    assert review.metadata["outcome"] == "failed"


RUNS_ITSELF = "cat > r.sh <<E\n" + "sh r.sh\n" * 200 + "E\nsh r.sh; curl -s https://example.com"
UNREAD = {
    "nested substitutions": "$(" * 300_000 + "curl -s https://example.com",
    "nested subshells": "(" * 300_000 + "curl -s https://example.com",
    "backticks": "``" * 100_000 + "curl -s https://example.com",
    "separators": ";;;;" * 100_000 + "curl -s https://example.com",
    "line ends": "\n" * 150_000 + "curl -s https://example.com",
    "here-documents": "cat <<E\nx\nE\n" * 20_000 + "curl -s https://example.com",
    "words": "echo " + "a " * 90_000 + "; curl -s https://example.com",
    "a script that runs itself": RUNS_ITSELF,
    "a chain of eval": "eval " * 30_000 + "curl -s https://example.com",
}


@pytest.mark.parametrize("command", UNREAD.values(), ids=UNREAD)
async def test_a_client_behind_more_than_is_read_is_a_failure_and_not_a_pass(command: str) -> None:
    review = await judge(no_network(), "hello", command=command)

    assert review.metadata is not None
    assert review.metadata["outcome"] in ("failed", "flagged")


def test_a_script_that_runs_itself_costs_no_more_than_any_other() -> None:
    script = read_script(RUNS_ITSELF)

    assert len(script.runs) <= MAX_COMMANDS
    assert not script.complete


@pytest.mark.parametrize(
    "text",
    [
        "(from versions: " * 500_000,
        "(1 B/s)" * 500_000,
        "1.1.1.1 ttl=1 " * 200_000,
        "status 200\n" * 200_000,
    ],
)
def test_a_result_full_of_evidence_is_looked_at_in_part_and_said_so(text: str) -> None:
    output = Output(text)
    clients = frozenset({client.name for client in CLIENTS.values()} | {"python"})

    seen = list(output.lines(clients))

    assert len(seen) <= MAX_READ // COST_OF_MATCH + 100
    assert not output.complete


async def test_a_trace_of_more_than_is_read_is_no_pass() -> None:
    text = "+ true\n" * 100_000 + "+ curl -so x https://example.com/\n"
    review = await judge(no_network(), text, command="bash -x fetch.sh")

    assert review.metadata is not None
    assert review.metadata["outcome"] == "failed"


def test_deep_nesting_and_many_commands_are_left_unread_and_reported() -> None:
    assert not read_script("$(" * (MAX_DEPTH + 5)).complete
    assert not read_script("a;" * (MAX_COMMANDS + 5)).complete
    assert read_script("a;" * 100).complete


# Tables.


def test_every_kind_of_line_belongs_to_a_known_client() -> None:
    known = {client.name for client in CLIENTS.values()} | {*INTERPRETERS, "pip-folder"}

    assert not {name for line in LINES for name in line.clients} - known


def test_no_line_is_surer_than_certain() -> None:
    assert all(0 < line.confidence <= 1 for line in LINES)
    assert all(0 < sure <= 1 for client in CLIENTS.values() for sure in client.reached.values())
