"""Call, output and exit code read together: who was reached, by what, and how sure that is."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewers.rules._no_network import words
from reviewers.rules._no_network.addresses import Inside, hosts_of_urls
from reviewers.rules._no_network.clients import MAYBE, read_call
from reviewers.rules._no_network.failures import speaks_of_failure
from reviewers.rules._no_network.hosts import UNKNOWN
from reviewers.rules._no_network.output import Output, Seen
from reviewers.rules._no_network.ran import INTERPRETERS, Ran, Speaker, is_shell, what_ran
from reviewers.rules._no_network.readers import shows_written
from reviewers.rules._no_network.told import said_by

FIRM = 0.8
"""Lines less sure than this are of attempts too; a word of failure in the result voids them."""

UNSEEN, UNSEEN_UNNAMED = 0.7, 0.65
"""Confidence in a line of a client whose call is out of sight: with a host in it, and without."""

SURE_ALONE = 0.85
"""How sure a line without a host must be to count where no call explains it."""

OPEN_REPOSITORIES = words("apt dnf pacman zypper helm")
"""Clients whose hosts stand in the system's configuration, and are public ones by default."""

THROUGH_PROXIES = words("curl wget httpie xh python git pip npm")

PACKAGE_MANAGERS: Mapping[str, tuple[str, ...]] = {
    "pip": ("pip", "install", "x"),
    "uv": ("uv", "add", "x"),
    "conda": ("conda", "install", "x"),
    "npm": ("npm", "install", "x"),
    "yarn": ("yarn", "add", "x"),
    "pnpm": ("pnpm", "add", "x"),
    "apt": ("apt-get", "update", "x"),
    "apk": ("apk", "add", "x"),
    "dnf": ("dnf", "install", "x"),
    "cargo": ("cargo", "build", "x"),
    "go": ("go", "get", "x"),
    "gem": ("gem", "install", "x"),
    "mvn": ("mvn", "package", "x"),
    "gradle": ("gradle", "build", "x"),
    "docker": ("docker", "pull", "x"),
}
"""What scripts and builds call unseen, as the call that they make."""

_IN_SCRIPTS = frozenset(PACKAGE_MANAGERS) | words("curl wget git ssh python java aws")
_ERROR_WORDS = re.compile(r"\b(?:[Ee]rror|ERROR|[Ff]ailed|FAILED|[Ee]xception)\b")
_BROKEN = re.compile(r"^Traceback \(most recent|\bNo module named|^\w*Error\s+Traceback", re.M)
_PAGE = re.compile(r"^[ \t]*(?:<(?:!DOCTYPE|!doctype|html|\?xml)|\{\s*\"|\[\s*\{)", re.MULTILINE)
_NO_STATUS = re.compile(r"[0\s]*")
_BROWSER = re.compile(r"brows|^web|navigate|goto|fetch|visit|crawl|scrape|open_url", re.IGNORECASE)
_GOTO = re.compile(r"(?:goto|navigate|open|new_tab)\s*\(\s*['\"]([^'\"]{1,500})['\"]")


@dataclass(frozen=True)
class Contact:
    """Evidence that the network was reached.

    Attributes:
        client: Which client reached it.
        host: Whom; empty if that is not known.
        address: The address, if the result shows it.
        evidence: What shows it: a line of the output, or the exit code.
        confidence: How sure it is.
        start: Where the line begins in the output; None if the call and its exit code show it.
        end: Where it ends.
    """

    client: str
    host: str
    address: str
    evidence: str
    confidence: float
    start: int | None = None
    end: int | None = None


def contacts(
    tool: str,
    arguments: Mapping[str, Any],
    command: str,
    text: str,
    exit_code: int | None,
    inside: Inside,
) -> tuple[list[Contact], bool]:
    """All evidence of contact with a host that does not lie inside, and whether all was read.

    Args:
        tool: The tool's name.
        arguments: The call's arguments.
        command: What the call ran.
        text: The result's text.
        exit_code: The call's exit code, if known.
        inside: What counts as inside.
    """
    output = Output(text, command)
    if _BROWSER.search(tool) and not is_shell(arguments):
        return list(_by_browser(tool, arguments, _Places(output, inside))), True
    if not command and not is_shell(arguments):
        return [], True
    ran = what_ran(tool, arguments, command, text, exit_code)
    if not ran.speakers and not ran.may_have_spoken:
        return [], ran.complete
    places = _Places(output, inside)
    found = [
        *_by_lines(ran.speakers, places),
        *_by_exit_codes(ran.speakers, places),
        *_by_body(ran, places),
        *_by_code(ran.speakers, places),
        *(_by_unseen(places) if ran.may_have_spoken else ()),
    ]
    return found, ran.complete and output.complete


class _Places:
    """Tells which hosts lie outside, by the addresses that the output shows.

    Args:
        output: The result's text.
        inside: What counts as inside.
    """

    def __init__(self, output: Output, inside: Inside) -> None:
        self.output = output
        self._inside = inside
        self._shown = output.addresses()

    def outside(self, hosts: Iterable[str]) -> tuple[list[str], bool]:
        """The hosts that do not lie inside, and whether some do.

        A host that the call does not name is looked for among the URLs in the command line.
        """
        named = list(dict.fromkeys(hosts))
        if UNKNOWN in named:
            named = [host for host in named if host] + self.output.urls_in_command
        outside = [host for host in named if not self.is_inside(host)]
        return outside, len(outside) < len(named)

    def is_inside(self, host: str, address: str = "") -> bool:
        addresses = [address] if address else self._shown.get(host.lower(), [])
        if addresses:
            return all(self._inside.contains(host, shown) for shown in addresses)
        return self._inside.contains(host)

    def address(self, host: str) -> str:
        return next(iter(self._shown.get(host.lower(), [])), "")


def _by_lines(speakers: Sequence[Speaker], places: _Places) -> Iterator[Contact]:
    """Lines that only a client prints that was answered."""
    for client in dict.fromkeys(speaker.client for speaker in speakers):
        hosts = [host for one in speakers if one.client == client for host in one.hosts]
        yield from _lines_of(client, hosts, places)


def _lines_of(client: str, hosts: Sequence[str], places: _Places) -> Iterator[Contact]:
    seen = list(places.output.lines(frozenset({client})))
    registries = [one.host for one in seen if one.host and one.line.registry]
    repositories = [one.host for one in seen if one.host and client in OPEN_REPOSITORIES]
    for one in seen:
        if one.line.confidence < FIRM and places.output.speaks_of_failure:
            continue
        if _is_of_proxy(client, places.output) and "200" not in one.text:
            continue
        if one.host or one.address:
            host = one.host or next((host for host in hosts if host), "")
            if not places.is_inside(host, one.address):
                yield _contact(client, host, one, one.line.confidence, places)
        else:
            yield from _unaddressed(client, repositories or registries or hosts, one, places)


def _is_of_proxy(client: str, output: Output) -> bool:
    return client in THROUGH_PROXIES and output.refused_by_proxy


def _unaddressed(
    client: str, hosts: Sequence[str], one: Seen, places: _Places
) -> Iterator[Contact]:
    """A line that names nobody: it is of one of the call's hosts."""
    outside, some_inside = places.outside(hosts)
    confidence = one.line.confidence
    if some_inside or (not outside and client not in OPEN_REPOSITORIES):
        confidence = min(confidence, MAYBE)
    if outside or not some_inside:
        yield _contact(client, outside[0] if outside else "", one, confidence, places)


def _contact(client: str, host: str, one: Seen, confidence: float, places: _Places) -> Contact:
    address = one.address or places.address(host)
    return Contact(client, host, address, one.text, confidence, one.start, one.end)


def _by_exit_codes(speakers: Sequence[Speaker], places: _Places) -> Iterator[Contact]:
    """Exit codes that a client has only after contact, and curl's own word of its exit code."""
    codes = places.output.curl_errors
    for one in speakers:
        if _is_of_proxy(one.client, places.output):
            continue
        code = one.run.exit_code
        if code is not None and code in one.reached:
            yield from _guessed(one, one.reached[code], f"exit code {code}", places)
        if one.client == "curl":
            for said, message in codes.items():
                if said in one.reached:
                    yield from _guessed(one, one.reached[said], message, places)


def _guessed(one: Speaker, confidence: float, evidence: str, places: _Places) -> Iterator[Contact]:
    """Contact of one of a client's hosts: which one, only the call can tell."""
    outside, some_inside = places.outside(one.hosts)
    if some_inside or not outside:
        confidence = min(confidence, MAYBE)
    if outside or not some_inside:
        host = outside[0] if outside else ""
        yield Contact(one.client, host, places.address(host), evidence, confidence)


def _by_body(ran: Ran, places: _Places) -> Iterator[Contact]:
    """A client whose exit code is not known, and output that can only be what it received."""
    output = places.output
    for one in ran.speakers:
        run = one.run
        if not one.body or run.exit_code is not None or run.background:
            continue
        rest_of_call = [other for other in ran.printing if other.pipe != run.pipe]
        others = [other for other in rest_of_call if not shows_written(other, run)]
        if not run.shown and len(others) == len(rest_of_call):
            continue
        if output.speaks_of_failure or output.refused_by_proxy:
            return
        echoed = [other for other in others if other.argv[0] in ("echo", "printf")]
        rest = output.without(said_by(echoed))
        if _NO_STATUS.fullmatch(rest):
            continue
        page = _PAGE.search(rest, 0, 50_000)
        start = page.start() if page else 0
        # Where nothing else prints, what is printed shows that it ran.
        if len(echoed) == len(others) and (run.certain or not others):
            yield from _guessed(one, 0.75, rest[:100], places)
        else:
            yield from _guessed(one, 0.6 if page else MAYBE, rest[start : start + 100], places)


def _by_code(speakers: Sequence[Speaker], places: _Places) -> Iterator[Contact]:
    """Code with a network call in it that ran to its end, and no word of failure."""
    output = places.output
    ended = [one for one in speakers if _is_code_that_ended(one)]
    if not ended or output.speaks_of_failure or output.refused_by_proxy or output.has(_BROKEN):
        return
    speaks_of_errors = output.has(_ERROR_WORDS)
    for one in ended:
        if one.run.background or not one.run.certain:
            sure = MAYBE
        elif output.text.strip():
            sure = 0.55 if speaks_of_errors else 0.7
        else:
            sure = 0.65 if one.direct and one.run.exit_code == 0 else MAYBE
        yield from _guessed(one, sure, "the code ran without a word of failure", places)


def _is_code_that_ended(one: Speaker) -> bool:
    return one.client in INTERPRETERS and one.run.exit_code in (0, None)


def _by_unseen(places: _Places) -> Iterator[Contact]:
    """Lines of clients that a script or a build ran out of sight."""
    for seen in places.output.lines(_IN_SCRIPTS):
        client = min(seen.line.clients & _IN_SCRIPTS)
        if seen.line.confidence < FIRM:
            continue
        if seen.host or seen.address:
            if not places.is_inside(seen.host, seen.address):
                yield _contact(client, seen.host, seen, UNSEEN, places)
        elif seen.line.confidence >= SURE_ALONE and client in PACKAGE_MANAGERS:
            call = read_call(PACKAGE_MANAGERS[client])
            outside, _ = places.outside(call.hosts if call else ())
            if outside or client in OPEN_REPOSITORIES:
                host = outside[0] if outside else ""
                yield _contact(client, host, seen, UNSEEN_UNNAMED, places)


def _by_browser(tool: str, arguments: Mapping[str, Any], places: _Places) -> Iterator[Contact]:
    """A browser tool that was told to open a URL and shows a page."""
    text = places.output.text
    if not text.strip() or speaks_of_failure(text[:5_000]):
        return
    outside, _ = places.outside(_browsed(arguments))
    for host in outside[:1]:
        yield Contact(tool, host, "", text[:200], 0.85)


def _browsed(arguments: Mapping[str, Any]) -> list[str]:
    """The hosts that a browser tool was told to go to."""
    hosts: list[str] = []
    for name, value in arguments.items():
        if not isinstance(value, str):
            continue
        if name in ("url", "uri", "href", "link", "address", "page"):
            hosts += hosts_of_urls(value if "://" in value else f"https://{value}")
        else:
            hosts += [host for url in _GOTO.findall(value[:50_000]) for host in hosts_of_urls(url)]
    return hosts
