"""Call, output and exit code read together: who was reached, by what, and how sure that is."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reviewers.rules._network import output as lines_of
from reviewers.rules._network.addresses import Inside, hosts_of_urls
from reviewers.rules._network.clients import (
    CLIENTS,
    MAYBE,
    UNKNOWN,
    Call,
    python_module,
    read_call,
)
from reviewers.rules._network.code import python_calls, script_calls, shell_lines
from reviewers.rules._network.output import Output, Seen
from reviewers.rules._network.readers import is_opaque, prints, shows_files
from reviewers.rules._network.shell import Run
from reviewers.rules._network.wrappers import Script, base_name, read_script

MAX_FAILURE_TEXT = 2_000_000
"""Characters of output searched for messages of failure."""

PACKAGE_MANAGERS = {
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
"""What scripts and builds call unseen, as the call they make."""

OPEN_REPOSITORIES = frozenset({"apt", "dnf", "pacman", "zypper", "helm"})
"""Clients whose hosts stand in the system's configuration, and are public ones by default."""

FIRM = 0.8
"""Lines less sure than this are of attempts too; a word of failure in the result voids them."""

THROUGH_PROXIES = frozenset({"curl", "wget", "httpie", "xh", "python", "git", "pip", "npm"})

_IN_SCRIPTS = frozenset(PACKAGE_MANAGERS) | {"curl", "wget", "git", "ssh", "python", "aws"}
_ERROR_WORDS = re.compile(r"(?i)\b(?:error|failed|exception)\b")
_BROKEN = re.compile(r"^Traceback \(most recent|\bNo module named|^\w*Error\s+Traceback", re.M)
_PAGE = re.compile(r"^\s*(?:<(?:!DOCTYPE|!doctype|html|\?xml)|\{\s*\"|\[\s*\{)", re.MULTILINE)
_NO_STATUS = re.compile(r"[0\s]*")
_BROWSER = re.compile(r"brows|^web|navigate|goto|fetch|visit|crawl|scrape|open_url", re.IGNORECASE)
_PYTHON_TOOL = re.compile(r"python|jupyter|notebook|ipython", re.IGNORECASE)
_GOTO = re.compile(r"(?:goto|navigate|open|new_tab)\s*\(\s*['\"]([^'\"]{1,500})['\"]")
INTERPRETERS = ("python", "node", "deno", "bun", "perl", "ruby", "php")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*|ipython3?")


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


@dataclass(frozen=True)
class Speaker:
    """Something that ran and speaks to the network.

    Attributes:
        client: Its name.
        hosts: Whom it speaks to, `UNKNOWN` where the call does not say.
        run: How it ran.
        reached: Confidence of contact by exit code.
        body: Whether what it received goes to its output.
        direct: For Python: whether the call stands at top level, so that it surely was made.
    """

    client: str
    hosts: tuple[str, ...]
    run: Run
    reached: Mapping[int, float] = field(default_factory=dict)
    body: bool = False
    direct: bool = False


@dataclass
class Reading:
    """One tool result, read.

    Args:
        tool: The tool's name.
        arguments: The call's arguments.
        command: What it ran.
        text: The result's text.
        exit_code: The call's exit code, if known.
        inside: What counts as inside.
    """

    tool: str
    arguments: Mapping[str, Any]
    command: str
    text: str
    exit_code: int | None
    inside: Inside
    complete: bool = True

    def contacts(self) -> list[Contact]:
        """All evidence of contact with a host that does not lie inside."""
        if _BROWSER.search(self.tool) and not self._is_shell():
            return list(self._by_browser())
        if not self.command and not self._is_shell():
            return []
        script = self._script()
        self.complete &= script.complete
        speakers = list(self._speakers(script))
        speakers = [one for one in speakers if not self._was_missing(one.run)]
        opaque = self._opaque_runs(script, speakers)
        if not speakers and not opaque:
            return []
        self._output = Output(self.text, self.command)
        self._shown = self._output.addresses()
        self._proxy_refused = bool(lines_of.PROXY_REFUSED.search(self.text, 0, MAX_FAILURE_TEXT))
        self._not_reached = bool(lines_of.NOT_REACHED.search(self.text, 0, MAX_FAILURE_TEXT))
        found = [
            *self._by_lines(speakers),
            *self._by_exit_codes(speakers),
            *self._by_body(speakers, script),
            *self._by_python(speakers),
            *(self._by_unseen(opaque) if not speakers or opaque else ()),
        ]
        self.complete &= self._output.complete
        return found

    # What ran.

    def _is_shell(self) -> bool:
        return any(isinstance(self.arguments.get(name), str) for name in ("command", "cmd"))

    def _is_python(self) -> bool:
        if _PYTHON_TOOL.search(self.tool):
            return True
        return "code" in self.arguments and not self._is_shell() and "bash" not in self.tool

    def _script(self) -> Script:
        if not self._is_python():
            # An empty command asks a shell for what a program that still runs has printed since.
            read = read_script(self.command, self.exit_code)
            return read if self.command.strip() else replace(read, runs=(Run(("",)),))
        script = read_script(shell_lines(self.command))
        cell = Run(("python3", "-"), self.exit_code, stdin=self.command)
        return Script((*script.runs, cell), script.files, script.complete)

    def _speakers(self, script: Script) -> Iterator[Speaker]:
        for run in script.runs:
            argv = python_module(run.argv)
            if call := read_call(argv):
                yield self._speaker(call, run)
            elif program := _interpreter(run, script):
                read = python_calls if program == "python" else script_calls
                code = _code_of(run, script)
                if program != "python":
                    code += " ".join(run.argv)
                if calls := read(code):
                    hosts = calls.hosts or (UNKNOWN,)
                    yield Speaker(program, hosts, run, direct=calls.direct)

    def _speaker(self, call: Call, run: Run) -> Speaker:
        return Speaker(call.client.name, call.hosts, run, call.client.reached, call.body)

    def _was_missing(self, run: Run) -> bool:
        """Whether the shell said that there is no such program."""
        program = base_name(run.argv[0])
        if run.exit_code == 127:
            return True
        return any(
            match["program"] == program for match in lines_of.NOT_RUN.finditer(self.text, 0, 20_000)
        )

    def _opaque_runs(self, script: Script, speakers: Sequence[Speaker]) -> list[Run]:
        """Programs that may have spoken to the network unseen."""
        known = [speaker.run for speaker in speakers]
        if any(
            shows_files(run) and not run.stdin for run in script.runs if not _is_filter(run, script)
        ):
            return []
        return [
            run
            for run in script.runs
            if is_opaque(run) and run not in known and base_name(run.argv[0]) not in CLIENTS
        ]

    # Evidence.

    def _outside(self, hosts: Iterable[str]) -> tuple[list[str], bool]:
        """The hosts that do not lie inside, and whether some do."""
        named = list(hosts)
        if UNKNOWN in named:
            named = [host for host in named if host] + hosts_of_urls(self.command)
        outside = [host for host in named if not self._is_inside(host)]
        return outside, len(outside) < len(named)

    def _is_inside(self, host: str, address: str = "") -> bool:
        if address:
            return self.inside.contains(host, address)
        addresses = self._shown.get(host.lower(), [])
        if addresses:
            return all(self.inside.contains(host, shown) for shown in addresses)
        return self.inside.contains(host)

    def _address(self, host: str) -> str:
        return next(iter(self._shown.get(host.lower(), [])), "")

    def _by_lines(self, speakers: Sequence[Speaker]) -> Iterator[Contact]:
        for client in dict.fromkeys(speaker.client for speaker in speakers):
            hosts = [host for one in speakers if one.client == client for host in one.hosts]
            yield from self._lines_of(client, hosts)

    def _lines_of(self, client: str, hosts: Sequence[str]) -> Iterator[Contact]:
        seen = list(self._output.lines(frozenset({client})))
        named = [one.host for one in seen if one.host and one.line.registry]
        hosts = named or list(hosts)
        if client in OPEN_REPOSITORIES:
            hosts = [one.host for one in seen if one.host] or hosts
        for one in seen:
            if self._not_reached and one.line.confidence < FIRM:
                continue
            if self._proxy_refused and client in THROUGH_PROXIES and "200" not in one.text:
                continue
            if one.host or one.address:
                host = one.host or next((host for host in hosts if host), "")
                if not self._is_inside(host, one.address):
                    yield self._contact(client, host, one, one.line.confidence, one.address)
                continue
            yield from self._unaddressed(client, hosts, one)

    def _unaddressed(self, client: str, hosts: Sequence[str], one: Seen) -> Iterator[Contact]:
        """A line that names nobody: it is of one of the call's hosts."""
        outside, some_inside = self._outside(hosts)
        confidence = one.line.confidence
        if outside:
            confidence = min(confidence, MAYBE) if some_inside else confidence
            yield self._contact(client, outside[0], one, confidence)
        elif not some_inside:
            public = client in OPEN_REPOSITORIES
            yield self._contact(client, "", one, confidence if public else min(confidence, MAYBE))

    def _contact(
        self, client: str, host: str, one: Seen, confidence: float, address: str = ""
    ) -> Contact:
        address = address or self._address(host)
        return Contact(client, host, address, one.text, confidence, one.start, one.end)

    def _by_exit_codes(self, speakers: Sequence[Speaker]) -> Iterator[Contact]:
        for one in speakers:
            code = one.run.exit_code
            if code is None or code not in one.reached:
                continue
            if self._proxy_refused and one.client in THROUGH_PROXIES:
                continue
            yield from self._guessed(one, one.reached[code], f"exit code {code}")
        for match in lines_of.CURL_ERROR.finditer(self.text, 0, MAX_FAILURE_TEXT):
            confidence = CLIENTS["curl"].reached.get(int(match[1]))
            for one in speakers:
                if one.client == "curl" and confidence and not self._proxy_refused:
                    yield from self._guessed(one, confidence, match[0])

    def _guessed(self, one: Speaker, confidence: float, evidence: str) -> Iterator[Contact]:
        outside, some_inside = self._outside(one.hosts)
        if some_inside:
            confidence = min(confidence, MAYBE)
        for host in outside[:1]:
            yield Contact(one.client, host, self._address(host), evidence, confidence)
        if not outside and not some_inside:
            yield Contact(one.client, "", "", evidence, min(confidence, MAYBE))

    def _by_body(self, speakers: Sequence[Speaker], script: Script) -> Iterator[Contact]:
        """A client whose exit code is not known, and output that can only be what it received."""
        if self._not_reached or self._proxy_refused or not self.text.strip():
            return
        for one in speakers:
            run = one.run
            if not one.body or run.exit_code is not None or not run.shown or run.background:
                continue
            others = [other for other in script.runs if other.pipe != run.pipe and prints(other)]
            echoed = [other for other in others if other.argv[0] in ("echo", "printf")]
            rest = _without(self.text, echoed)
            if _NO_STATUS.fullmatch(rest):
                continue
            page = _PAGE.search(rest, 0, 50_000)
            if len(echoed) == len(others) and run.certain and rest.strip():
                yield from self._guessed(one, 0.75, rest.strip()[:60])
            elif rest.strip():
                start = page.start() if page else 0
                yield from self._guessed(one, 0.6 if page else MAYBE, rest[start : start + 60])

    def _by_python(self, speakers: Sequence[Speaker]) -> Iterator[Contact]:
        """Python code that ran to its end with a network call in it, and no word of failure."""
        for one in speakers:
            if one.client not in INTERPRETERS or one.run.exit_code not in (0, None):
                continue
            if self._not_reached or self._proxy_refused or _BROKEN.search(self.text):
                continue
            if self.text.strip():
                sure = 0.55 if _ERROR_WORDS.search(self.text) else 0.7
            else:
                sure = 0.65 if one.direct and one.run.exit_code == 0 else MAYBE
            if one.run.background or not one.run.certain:
                sure = MAYBE
            yield from self._guessed(one, sure, "the code ran without a word of failure")

    def _by_unseen(self, opaque: Sequence[Run]) -> Iterator[Contact]:
        """Lines of clients that a script or a build ran out of sight."""
        if not opaque:
            return
        for seen in self._output.lines(_IN_SCRIPTS):
            client = next(iter(sorted(seen.line.clients & _IN_SCRIPTS)))
            if not seen.line.needle or seen.line.confidence < 0.8 or seen.line.registry:
                continue
            if seen.host or seen.address:
                if not self._is_inside(seen.host, seen.address):
                    yield self._contact(client, seen.host, seen, 0.7, seen.address)
            elif client in PACKAGE_MANAGERS:
                call = read_call(PACKAGE_MANAGERS[client])
                hosts = call.hosts if call else ()
                if seen.line.confidence >= 0.85:
                    for contact in self._unaddressed(client, hosts, seen):
                        yield Contact(
                            client, contact.host, "", seen.text, 0.65, seen.start, seen.end
                        )

    def _by_browser(self) -> Iterator[Contact]:
        """A browser tool that was told to open a URL and shows a page."""
        if not self.text.strip() or lines_of.NOT_REACHED.search(self.text[:5_000]):
            return
        self._shown = {}
        outside, _ = self._outside(_browsed(self.arguments))
        for host in outside[:1]:
            evidence = " ".join(self.text[:200].split())[:60]
            yield Contact(self.tool, host, "", evidence, 0.85)


def _interpreter(run: Run, script: Script) -> str:
    """The interpreter that runs code of this call's own; empty if none does."""
    program = base_name(run.argv[0])
    if _PYTHON.fullmatch(program) or script.text_of(run.argv[0]):
        return "python"
    return program if program in INTERPRETERS else ""


def _code_of(run: Run, script: Script) -> str:
    """The code that a command runs, as far as the call itself shows it."""
    if text := script.text_of(run.argv[0]):
        return text
    for index, word in enumerate(run.argv[1:], 1):
        if word in ("-c", "-e", "-r", "-p", "--eval") or re.fullmatch(r"-\w+[ce]", word):
            return run.argv[index + 1] if index + 1 < len(run.argv) else ""
        if not word.startswith("-"):
            return script.text_of(word)
    return run.stdin


def _is_filter(run: Run, script: Script) -> bool:
    """Whether a program shows what another one of its pipeline printed, rather than a file."""
    same = [other for other in script.runs if other.pipe == run.pipe]
    return len(same) > 1 and same[0] is not run


def _without(text: str, echoed: Sequence[Run]) -> str:
    """A text less the lines that `echo` put there."""
    said = {" ".join(run.argv[1:]).strip() for run in echoed}
    said |= {word.strip() for run in echoed for word in run.argv[1:]}
    if not said or len(text) > 1_000_000:
        return text
    return "\n".join(line for line in text.splitlines() if line.strip() not in said)


def _browsed(arguments: Mapping[str, Any]) -> list[str]:
    hosts: list[str] = []
    for name, value in arguments.items():
        if not isinstance(value, str):
            continue
        if name in ("url", "uri", "href", "link", "address", "page"):
            hosts += hosts_of_urls(value if "://" in value else f"https://{value}")
        else:
            hosts += [host for url in _GOTO.findall(value[:50_000]) for host in hosts_of_urls(url)]
    return hosts
