"""Network clients: whom a call speaks to, and what the client's exit code says.

A client's exit code says one of three things: the network was reached (0 for most; also, for
curl, 22 "the server answered with an error"), it was not (curl's 6 "could not resolve"), or
nothing. `Client.reached` maps the codes that say "reached" to how sure that is.
"""

# ruff: noqa: E501  (the tables have one line for each client or kind of line)

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType

from reviewers.rules._network import words
from reviewers.rules._network.addresses import (
    host_of_remote,
    hosts_of_urls,
    looks_like_host,
)
from reviewers.rules._shell.wrappers import base_name

Argv = tuple[str, ...]
Hosts = Callable[[Argv], tuple[str, ...] | None]

UNKNOWN = ""
"""A host that the call does not name: a remote in a repository's configuration, a cluster."""

SURE = 0.95
LIKELY = 0.8
LOCAL_PIP = "pip-folder"
"""pip that is given folders or files only."""
MAYBE = 0.4
"""Below the default threshold: kept so that a stricter policy can ask for it."""


@dataclass(frozen=True)
class Client:
    """A network client.

    Attributes:
        name: What it is called in findings, and in `output.LINES`.
        hosts: From its words, the hosts that it would speak to; None if it would speak to none.
        reached: Confidence of contact by exit code; codes left out say nothing, or "not reached".
        shows_body: Whether what it received goes to its output.
        asks: Subcommands of a package manager that succeed only if its registry answered.
    """

    name: str
    hosts: Hosts
    reached: Mapping[int, float] = field(default_factory=lambda: MappingProxyType({}))
    shows_body: bool = False
    asks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Call:
    """A client called with something to speak to.

    Attributes:
        client: The client.
        hosts: Whom to; `UNKNOWN` where the call does not say.
        body: Whether what is received goes to standard output.
    """

    client: Client
    hosts: tuple[str, ...]
    body: bool


def read_call(argv: Argv) -> Call | None:
    """The network call that some words make; None if they make none."""
    if not argv:
        return None
    name = base_name(argv[0]).removesuffix(".exe")
    client = CLIENTS.get(name) or CLIENTS.get(name.lower())
    if client is None or _only_informs(argv):
        return None
    hosts = client.hosts(argv)
    if hosts is None:
        return None
    if client.asks & set(argv[1:3]):
        client = replace(client, reached=_SUCCESS)
    if client.name == "pip" and _installs_folders(argv):
        client = replace(client, name=LOCAL_PIP)
    return Call(client, hosts, _shows_body(argv, client))


def python_module(argv: Argv) -> Argv:
    """`python -m pip install x` as `pip install x`; other words as they are."""
    if re.fullmatch(r"(?:python|pypy)[\d.]*", base_name(argv[0])) and "-m" in argv[1:4]:
        return argv[argv.index("-m") + 1 :]
    return argv


def _only_informs(argv: Argv) -> bool:
    return (
        len(argv) == 1
        or any(word in ("--help", "--version", "help", "--manual") for word in argv[1:3])
        or (len(argv) == 2 and argv[1] in ("-h", "-V", "-v", "version"))
    )


def _installs_folders(argv: Argv) -> bool:
    """Whether pip is given folders or files only, so that success alone proves no download."""
    operands = [word for word in argv[2:] if not word.startswith("-")]
    return all(re.match(r"[./~]|.*(?:\.whl|\.gz)$", word) for word in operands)


def _shows_body(argv: Argv, client: Client) -> bool:
    """Whether what is received, or at least the status, goes to standard output."""
    if client.name == "Invoke-WebRequest":
        return not any(word.lower() == "-outfile" for word in argv)
    if client.name == "wget":
        return any(re.fullmatch(r"-\w*O-|--output-document=-", word) for word in argv) or (
            ("-O", "-") in pairwise(argv)
        )
    if client.name != "curl":
        return client.shows_body
    return any("{http_code}" in word or "{response_code}" in word for word in argv) or not any(
        word in ("-o", "-O", "--output", "--remote-name", "-J")
        or re.fullmatch(r"-[A-Za-z]*[oO]", word)
        or word.startswith("--output=")
        for word in argv[1:]
    )


# Whom a call speaks to.


def _urls(argv: Argv) -> tuple[str, ...] | None:
    """Clients that take URLs; a word without a scheme counts only where no word has one."""
    operands = [word.removeprefix("--url=") for word in _operands(argv, _CURL_VALUES, "--url=")]
    hosts = [host for word in operands for host in hosts_of_urls(word)]
    if not hosts and any(word.startswith(("$", "{}")) or "://$" in word for word in operands):
        return (UNKNOWN,)
    bare = [match["host"] for word in operands if (match := _BARE_HOST.match(word))]
    return tuple(dict.fromkeys(hosts or bare)) or None


_BARE_HOST = re.compile(
    r"(?:[^@/]*@)?(?P<host>localhost|[\w-]+(?:\.[\w-]+)+|\[[0-9a-fA-F:.]+\]|[\w-]+(?=:\d))(?=[:/?#]|$)"
)
"""A host without a scheme: it has a dot or a port, or is `localhost`."""
_CURL_VALUES = words(
    "-o --output -d --data --data-raw --data-binary --data-urlencode --json -H --header -u --user "
    "-A --user-agent -e --referer -X --request -F --form -b --cookie -c --cookie-jar -w "
    "--write-out -m --max-time --connect-timeout --retry --retry-delay -x --proxy -T "
    "--upload-file -E --cert --key --cacert --capath -r --range --resolve --connect-to -K --config -O --output-document "
    "-P --directory-prefix --post-data --method --body-data --tries -t --timeout --limit-rate "
    "-D --dump-header -i --interface --unix-socket --max-redirs --password --http-user "
    "--http-password -U --proxy-user --dns-servers --preproxy --socks5 --noproxy"
)


def _curl(argv: Argv) -> tuple[str, ...] | None:
    if "--unix-socket" in argv:
        return None
    hosts = _urls(tuple(word for word in argv if word not in ("-O", "-i")))
    instead = dict(_told_addresses(argv))
    return hosts and tuple(instead.get(host, host) for host in hosts)


def _told_addresses(argv: Argv) -> Iterator[tuple[str, str]]:
    """Hosts for which curl is told whom to connect to instead: `--resolve HOST:PORT:ADDRESS`."""
    for option, value in pairwise(argv):
        host, _, rest = value.partition(":")
        address = rest.partition(":")[2]
        if option == "--resolve" and address:
            yield host, address.strip("[]")
        elif option == "--connect-to" and address.rpartition(":")[0]:
            yield host, address.rpartition(":")[0].strip("[]")


def _any_url(argv: Argv) -> tuple[str, ...] | None:
    """Clients whose options take no URLs but their own: every URL counts, else a bare host."""
    bare = [match["host"] for word in argv[1:] if (match := _BARE_HOST.match(word))]
    return tuple(hosts_of_urls(" ".join(argv[1:])) or bare[:1]) or None


def _operands(argv: Argv, valued: frozenset[str], kept: str = "\0") -> list[str]:
    """Words that are no options, and those that begin with `kept`."""
    operands: list[str] = []
    skip = False
    for word in argv[1:]:
        if skip:
            skip = False
        elif word.startswith("-") and len(word) > 1 and not word.startswith(kept):
            skip = word in valued
        else:
            operands.append(word)
    return operands


_SSH_VALUES = words("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -P")


def _first_host(valued: frozenset[str]) -> Hosts:
    """Clients whose first operand is a host: ssh, nc, ping, telnet."""

    def hosts(argv: Argv) -> tuple[str, ...] | None:
        operands = _operands(argv, valued)
        if not operands:
            return None
        host = operands[0].rpartition("@")[2]
        if host.startswith("$"):
            return (UNKNOWN,)
        if "://" in host:
            return tuple(hosts_of_urls(host)) or None
        return (host,) if looks_like_host(host) else None

    return hosts


def _nc(argv: Argv) -> tuple[str, ...] | None:
    if any(re.fullmatch(r"-[a-zA-Z]*[lU][a-zA-Z]*", word) for word in argv[1:]):
        return None
    return _first_host(words("-w -p -s -i -x -X -q -e -c -I -O"))(argv)


def _socat(argv: Argv) -> tuple[str, ...] | None:
    """The hosts of addresses such as `TCP:example.com:80`."""
    return tuple(match[1] for word in argv[1:] if (match := _SOCAT_PEER.match(word))) or None


_SOCAT_PEER = re.compile(r"(?:tcp[46]?|udp[46]?|openssl|ssl|sctp)(?:-connect)?:([^:,]+):", re.I)


def _copies(argv: Argv) -> tuple[str, ...] | None:
    """scp, rsync, sftp: operands of the form `host:path` or URLs."""
    hosts = [host_of_remote(word) for word in _operands(argv, _SSH_VALUES)]
    return tuple(host for host in hosts if host) or None


_GIT_REMOTE = frozenset(
    {"clone", "fetch", "pull", "push", "ls-remote", "submodule", "remote-update", "lfs", "archive"}
)
_GIT_VALUES = frozenset({"-C", "-c", "--git-dir", "--work-tree"})
_CLONE_VALUES = words("-b --branch --depth -o --origin --reference -c -u -j --filter")


def _git(argv: Argv) -> tuple[str, ...] | None:
    words = list(argv[1:])
    while words and words[0].startswith("-"):
        del words[: 2 if words[0] in _GIT_VALUES else 1]
    if not words or words[0] not in _GIT_REMOTE or "--help" in words:
        return None
    operands = _operands(tuple(words), _CLONE_VALUES)
    if words[0] in ("submodule", "lfs") and not {"update", "pull", "fetch", "push"} & set(operands):
        return None
    if not operands or words[0] in ("submodule", "lfs"):
        return (UNKNOWN,)
    remote = host_of_remote(operands[0])
    if remote:
        return (remote,)
    if operands[0].startswith("$"):
        return (UNKNOWN,)
    return None if words[0] == "clone" or _is_path(operands[0]) else (UNKNOWN,)


def _is_path(word: str) -> bool:
    return "/" in word or word.startswith((".", "~"))


def _registry(host: str, subcommands: str, options: str = "", offline: str = "") -> Hosts:
    """Package managers: their registry, unless the call names another or forbids the network."""
    wanted, option_names = words(subcommands), words(options)
    forbidding = words(offline)

    def hosts(argv: Argv) -> tuple[str, ...] | None:
        words = [word for word in argv[1:] if not word.startswith("-")]
        if wanted and not wanted & set(words[:3]):
            return None
        if forbidding & set(argv):
            return None
        named = [
            host_of_remote(value.partition("=")[2] or following)
            for value, following in zip(argv[1:], (*argv[2:], ""), strict=True)
            if value.partition("=")[0] in option_names
        ]
        named += [found for word in words for found in hosts_of_urls(word)]
        return tuple(name for name in named if name) or (host,)

    return hosts


def _named_host(options: str) -> Hosts:
    """Database clients: the host behind an option, or in a URL."""
    names = tuple(options.split())

    def hosts(argv: Argv) -> tuple[str, ...] | None:
        found: list[str] = []
        for word, following in zip(argv[1:], (*argv[2:], ""), strict=True):
            found += hosts_of_urls(word)
            if word in names:
                found.append(following)
            elif "=" in word and word.partition("=")[0] in names:
                found.append(word.partition("=")[2])
            elif word[:2] in names and len(word) > 2 and not word.startswith("--"):
                found.append(word[2:])
        return tuple(host for host in found if looks_like_host(host)) or None

    return hosts


def _image(argv: Argv) -> tuple[str, ...] | None:
    words = [word for word in argv[1:] if not word.startswith("-")]
    if not {"pull", "push", "login", "run", "build", "create", "up", "buildx", "search"} & set(
        words[:2]
    ):
        return None
    image = next((word for word in words[1:] if "/" in word), "")
    first = image.split("/")[0]
    registry = first.split(":")[0] if "." in first or ":" in first else "docker.io"
    return (registry if looks_like_host(registry) else "docker.io",)


def _cloud(host: str, local: str) -> Hosts:
    """Cloud command lines: all but their subcommands that only configure."""
    quiet = words(local)

    def hosts(argv: Argv) -> tuple[str, ...] | None:
        words = [word for word in argv[1:] if not word.startswith("-")]
        if not words or words[0] in quiet:
            return None
        named = [h for word in argv[1:] for h in hosts_of_urls(word.partition("=")[2] or word)]
        return tuple(h for h in named if not h.startswith("s3")) or (host,)

    return hosts


def _getent(argv: Argv) -> tuple[str, ...] | None:
    if not argv[1:2] or argv[1] not in ("hosts", "ahosts", "ahostsv4", "ahostsv6"):
        return None
    return tuple(word for word in argv[2:] if looks_like_host(word)) or None


def _dns(argv: Argv) -> tuple[str, ...] | None:
    words = [w for w in _operands(argv, frozenset({"-t", "-p", "-c", "-x"})) if w[0] not in "+@"]
    names = [word for word in words if "." in word and looks_like_host(word)]
    return tuple(names[:1]) or None


def _s_client(argv: Argv) -> tuple[str, ...] | None:
    if argv[1:2] != ("s_client",) or "-connect" not in argv:
        return None
    index = argv.index("-connect")
    host = argv[index + 1].rpartition(":")[0] if index + 1 < len(argv) else ""
    return (host,) if looks_like_host(host) else (UNKNOWN,)


def _apt(argv: Argv) -> tuple[str, ...] | None:
    wanted = {"update", "install", "upgrade", "dist-upgrade", "full-upgrade", "source", "download"}
    wanted |= {"build-dep", "reinstall", "safe-upgrade"}
    return (UNKNOWN,) if wanted & set(argv[1:]) and "--no-download" not in argv else None


def _codes(codes: Mapping[int, float]) -> Mapping[int, float]:
    return MappingProxyType(dict(codes))


_CURL_CODES = _codes(
    {
        **dict.fromkeys((0, 8, 9, 18, 19, 22, 25, 47, 52, 63, 67, 78), SURE),
        **dict.fromkeys((23, 33, 36, 51, 56, 58, 59, 60, 61, 83, 90, 92), 0.9),
        **dict.fromkeys((16, 35, 55, 77, 79, 80), 0.7),
    }
)
_WGET_CODES = _codes({0: SURE, 6: SURE, 7: 0.9, 8: SURE, 5: 0.9})
_SUCCESS = _codes({0: SURE})
_LIKELY_SUCCESS = _codes({0: LIKELY})
_SSH_CODES = _codes({code: SURE for code in range(255) if code not in (126, 127, 124, 137, 130)})

CLIENTS: Mapping[str, Client] = {
    "curl": Client("curl", _curl, _CURL_CODES, shows_body=True),
    "wget": Client("wget", _urls, _WGET_CODES),
    "wget2": Client("wget", _urls, _WGET_CODES),
    "aria2c": Client("aria2c", _urls, _SUCCESS),
    "axel": Client("axel", _urls, _SUCCESS),
    "http": Client("httpie", _any_url, _codes(dict.fromkeys((0, 3, 4, 5), SURE)), shows_body=True),
    "https": Client("httpie", _any_url, _codes(dict.fromkeys((0, 3, 4, 5), SURE)), shows_body=True),
    "xh": Client("xh", _any_url, _codes(dict.fromkeys((0, 3, 4, 5), SURE)), shows_body=True),
    "lynx": Client("lynx", _urls, _SUCCESS, shows_body=True),
    "w3m": Client("w3m", _urls, _SUCCESS, shows_body=True),
    "links": Client("links", _urls, _SUCCESS, shows_body=True),
    "elinks": Client("elinks", _urls, _SUCCESS, shows_body=True),
    "yt-dlp": Client("yt-dlp", _urls, _SUCCESS),
    "youtube-dl": Client("youtube-dl", _urls, _SUCCESS),
    "git": Client("git", _git, _SUCCESS),
    "hg": Client("hg", _copies, _SUCCESS),
    "svn": Client("svn", _copies, _SUCCESS),
    "gh": Client("gh", _cloud("github.com", "auth config alias extension help"), _LIKELY_SUCCESS),
    "ssh": Client("ssh", _first_host(_SSH_VALUES), _SSH_CODES, shows_body=True),
    "scp": Client("scp", _copies, _SUCCESS),
    "sftp": Client("sftp", _first_host(_SSH_VALUES), _SUCCESS),
    "rsync": Client("rsync", _copies, _SUCCESS),
    "ssh-keyscan": Client("ssh-keyscan", _first_host(_SSH_VALUES)),
    "ftp": Client("ftp", _first_host(frozenset({"-P"})), _LIKELY_SUCCESS),
    "lftp": Client("lftp", _first_host(frozenset({"-e", "-u", "-p"})), _LIKELY_SUCCESS),
    "telnet": Client("telnet", _first_host(frozenset({"-l"})), shows_body=True),
    "nc": Client("nc", _nc, _codes({0: 0.9}), shows_body=True),
    "tcp": Client("/dev/tcp", _first_host(frozenset()), _codes({0: 0.85}), shows_body=True),
    "udp": Client("/dev/udp", _first_host(frozenset()), shows_body=True),
    "ncat": Client("nc", _nc, _codes({0: 0.9}), shows_body=True),
    "netcat": Client("nc", _nc, _codes({0: 0.9}), shows_body=True),
    "socat": Client("socat", _socat, _codes({0: 0.9}), shows_body=True),
    "nmap": Client("nmap", _first_host(words("-p -oN -oX -oG -T -iL --script"))),
    "openssl": Client("openssl", _s_client, _SUCCESS),
    "ping": Client("ping", _first_host(words("-c -i -W -w -s -t -I")), _SUCCESS),
    "ping6": Client("ping", _first_host(words("-c -i -W -w -s -t -I")), _SUCCESS),
    "traceroute": Client("traceroute", _first_host(words("-m -q -w -p -n"))),
    "tracepath": Client("traceroute", _first_host(words("-m"))),
    "mtr": Client("traceroute", _first_host(words("-c -i"))),
    "whois": Client("whois", _first_host(words("-h -p"))),
    "dig": Client("dig", _dns),
    "nslookup": Client("nslookup", _dns),
    "host": Client("host", _dns, _LIKELY_SUCCESS),
    "getent": Client("getent", _getent),
    "pip": Client("pip", _registry("pypi.org", "install download wheel index search", "-i --index-url --extra-index-url", "--no-index"), asks=words("index search")),
    "uv": Client("uv", _registry("pypi.org", "pip add sync lock run tool python", "--index-url --index --default-index", "--offline --no-index")),
    "uvx": Client("uv", _registry("pypi.org", "", "--index-url", "--offline")),
    "pipx": Client("pip", _registry("pypi.org", "install run upgrade", "--index-url -i")),
    "poetry": Client("poetry", _registry("pypi.org", "install add update lock")),
    "pdm": Client("poetry", _registry("pypi.org", "install add update lock sync")),
    "conda": Client("conda", _registry("conda.anaconda.org", "install create update env search", "-c --channel", "--offline --use-local")),
    "mamba": Client("conda", _registry("conda.anaconda.org", "install create update env search", "-c", "--offline")),
    "micromamba": Client("conda", _registry("conda.anaconda.org", "install create update env", "-c", "--offline")),
    "npm": Client("npm", _registry("registry.npmjs.org", "install i ci add update view info search audit publish outdated show exec ping create init", "--registry", "--offline"), asks=words("view info show search ping outdated")),
    "npx": Client("npm", _registry("registry.npmjs.org", "", "--registry", "--offline --no-install --no")),
    "yarn": Client("yarn", _registry("registry.yarnpkg.com", "", "--registry", "--offline run test build start")),
    "pnpm": Client("pnpm", _registry("registry.npmjs.org", "install i add update dlx", "--registry", "--offline")),
    "bun": Client("bun", _registry("registry.npmjs.org", "install i add update x", "--registry")),
    "apt": Client("apt", _apt),
    "apt-get": Client("apt", _apt),
    "aptitude": Client("apt", _apt),
    "add-apt-repository": Client("apt", lambda argv: ("ppa.launchpadcontent.net",)),
    "apk": Client("apk", _registry("dl-cdn.alpinelinux.org", "add update upgrade fetch", "-X --repository", "--no-network")),
    "dnf": Client("dnf", _registry(UNKNOWN, "install update upgrade makecache check-update search download", "", "-C --cacheonly")),
    "yum": Client("dnf", _registry(UNKNOWN, "install update upgrade makecache check-update search", "", "-C --cacheonly")),
    "microdnf": Client("dnf", _registry(UNKNOWN, "install update upgrade makecache")),
    "zypper": Client("zypper", _registry("download.opensuse.org", "install in refresh ref update up dup")),
    "pacman": Client("pacman", lambda argv: (UNKNOWN,) if argv[1].startswith("-S") else None),
    "brew": Client("brew", _registry("formulae.brew.sh", "install update upgrade fetch")),
    "snap": Client("snap", _registry("api.snapcraft.io", "install refresh find")),
    "cargo": Client("cargo", _registry("crates.io", "build install add update fetch test run check search", "--registry --index", "--offline --frozen"), asks=words("search")),
    "rustup": Client("rustup", _registry("static.rust-lang.org", "install update toolchain target component")),
    "go": Client("go", _registry("proxy.golang.org", "get mod install build test run download")),
    "gem": Client("gem", _registry("rubygems.org", "install update search fetch", "--source -s", "--local -l"), asks=words("search fetch")),
    "bundle": Client("gem", _registry("rubygems.org", "install update", "", "--local")),
    "composer": Client("composer", _registry("repo.packagist.org", "install require update create-project")),
    "mvn": Client("mvn", _registry("repo.maven.apache.org", "", "", "-o --offline")),
    "mvnw": Client("mvn", _registry("repo.maven.apache.org", "", "", "-o --offline")),
    "gradle": Client("gradle", _registry("repo.maven.apache.org", "", "", "--offline")),
    "gradlew": Client("gradle", _registry("services.gradle.org", "", "", "--offline")),
    "docker": Client("docker", _image),
    "podman": Client("docker", _image),
    "skopeo": Client("docker", _registry("docker.io", "copy inspect list-tags"), _SUCCESS),
    "aws": Client("aws", _cloud("amazonaws.com", "configure help"), _LIKELY_SUCCESS),
    "s3cmd": Client("aws", _cloud("amazonaws.com", ""), _LIKELY_SUCCESS),
    "gsutil": Client("gcloud", _cloud("googleapis.com", "help version config"), _LIKELY_SUCCESS),
    "gcloud": Client("gcloud", _cloud("googleapis.com", "config help info version"), _codes({0: 0.6})),
    "az": Client("az", _cloud("azure.com", "config help version configure"), _codes({0: 0.7})),
    "kubectl": Client("kubectl", _cloud(UNKNOWN, "config help version completion kustomize"), _SUCCESS),
    "helm": Client("helm", _registry(UNKNOWN, "repo pull install upgrade search")),
    "terraform": Client("terraform", _registry("registry.terraform.io", "init get")),
    "huggingface-cli": Client("huggingface", _cloud("huggingface.co", "env version cache scan-cache delete-cache"), _LIKELY_SUCCESS),
    "hf": Client("huggingface", _cloud("huggingface.co", "env version cache"), _LIKELY_SUCCESS),
    "kaggle": Client("kaggle", _cloud("kaggle.com", "config"), _LIKELY_SUCCESS),
    "ollama": Client("ollama", _registry("registry.ollama.ai", "pull push run"), _codes({})),
    "psql": Client("psql", _named_host("-h --host"), _SUCCESS),
    "pg_dump": Client("psql", _named_host("-h --host"), _SUCCESS),
    "mysql": Client("mysql", _named_host("-h --host"), _SUCCESS),
    "mysqldump": Client("mysql", _named_host("-h --host"), _SUCCESS),
    "redis-cli": Client("redis-cli", _named_host("-h -u"), _LIKELY_SUCCESS),
    "mongosh": Client("mongosh", _named_host("--host"), _SUCCESS),
    "ldapsearch": Client("ldapsearch", _named_host("-H -h"), _SUCCESS),
    "smbclient": Client("smbclient", _named_host("-I"), _SUCCESS),
    "mosquitto_pub": Client("mosquitto", _named_host("-h --host"), _SUCCESS),
    "mosquitto_sub": Client("mosquitto", _named_host("-h --host"), _SUCCESS),
    "ntpdate": Client("ntpdate", _first_host(frozenset({"-p"})), _SUCCESS),
    "grpcurl": Client("grpcurl", _urls, _SUCCESS),
    "websocat": Client("websocat", _any_url, _SUCCESS, shows_body=True),
    "wscat": Client("websocat", _any_url, _SUCCESS, shows_body=True),
    **dict.fromkeys(("invoke-webrequest", "iwr", "invoke-restmethod", "irm"), Client("Invoke-WebRequest", _any_url, _SUCCESS, shows_body=True)),
    **dict.fromkeys(("test-netconnection", "tnc"), Client("Test-NetConnection", _first_host(words("-Port")))),
}  # fmt: skip
CLIENTS = {
    **CLIENTS,
    **dict.fromkeys(("pip2", "pip3", "%pip", "!pip"), CLIENTS["pip"]),
    **{f"pip3.{minor}": CLIENTS["pip"] for minor in range(6, 20)},
}
