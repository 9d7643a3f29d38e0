"""Whom a call speaks to: from a client's words to hosts.

Each function gives, for a client's words, the hosts that it would speak to, and None if it would
speak to none.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from reviewers.rules._no_network import words
from reviewers.rules._no_network.addresses import host_of_remote, hosts_of_urls, looks_like_host

Argv = tuple[str, ...]
Hosts = Callable[[Argv], tuple[str, ...] | None]

UNKNOWN = ""
"""A host that the call does not name: a remote in a repository's configuration, a cluster."""


def of_urls(argv: Argv) -> tuple[str, ...] | None:
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
    "--upload-file -E --cert --key --cacert --capath -r --range --resolve --connect-to -K --config "
    "-O --output-document -P --directory-prefix --post-data --method --body-data --tries -t "
    "--timeout --limit-rate "
    "-D --dump-header -i --interface --unix-socket --max-redirs --password --http-user "
    "--http-password -U --proxy-user --dns-servers --preproxy --socks5 --noproxy"
)


def of_curl(argv: Argv) -> tuple[str, ...] | None:
    if "--unix-socket" in argv:
        return None
    hosts = of_urls(tuple(word for word in argv if word not in ("-O", "-i")))
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


def of_any_url(argv: Argv) -> tuple[str, ...] | None:
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


SSH_VALUES = words("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -P")


def first_operand(valued: frozenset[str]) -> Hosts:
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


def of_nc(argv: Argv) -> tuple[str, ...] | None:
    if any(re.fullmatch(r"-[a-zA-Z]*[lU][a-zA-Z]*", word) for word in argv[1:]):
        return None
    return first_operand(words("-w -p -s -i -x -X -q -e -c -I -O"))(argv)


def of_socat(argv: Argv) -> tuple[str, ...] | None:
    """The hosts of addresses such as `TCP:example.com:80`."""
    return tuple(match[1] for word in argv[1:] if (match := _SOCAT_PEER.match(word))) or None


_SOCAT_PEER = re.compile(r"(?:tcp[46]?|udp[46]?|openssl|ssl|sctp)(?:-connect)?:([^:,]+):", re.I)


def of_copies(argv: Argv) -> tuple[str, ...] | None:
    """scp, rsync, sftp: operands of the form `host:path` or URLs."""
    hosts = [host_of_remote(word) for word in _operands(argv, SSH_VALUES)]
    return tuple(host for host in hosts if host) or None


_GIT_REMOTE = frozenset(
    {"clone", "fetch", "pull", "push", "ls-remote", "submodule", "remote-update", "lfs", "archive"}
)
_GIT_VALUES = frozenset({"-C", "-c", "--git-dir", "--work-tree"})
_CLONE_VALUES = words("-b --branch --depth -o --origin --reference -c -u -j --filter")


def of_git(argv: Argv) -> tuple[str, ...] | None:
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


def registry(host: str, subcommands: str, options: str = "", offline: str = "") -> Hosts:
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


def behind_option(options: str) -> Hosts:
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


def of_image(argv: Argv) -> tuple[str, ...] | None:
    words = [word for word in argv[1:] if not word.startswith("-")]
    if not {"pull", "push", "login", "run", "build", "create", "up", "buildx", "search"} & set(
        words[:2]
    ):
        return None
    image = next((word for word in words[1:] if "/" in word), "")
    first = image.split("/")[0]
    registry = first.split(":")[0] if "." in first or ":" in first else "docker.io"
    return (registry if looks_like_host(registry) else "docker.io",)


def cloud(host: str, local: str) -> Hosts:
    """Cloud command lines: all but their subcommands that only configure."""
    quiet = words(local)

    def hosts(argv: Argv) -> tuple[str, ...] | None:
        words = [word for word in argv[1:] if not word.startswith("-")]
        if not words or words[0] in quiet:
            return None
        named = [h for word in argv[1:] for h in hosts_of_urls(word.partition("=")[2] or word)]
        return tuple(h for h in named if not h.startswith("s3")) or (host,)

    return hosts


def of_getent(argv: Argv) -> tuple[str, ...] | None:
    if not argv[1:2] or argv[1] not in ("hosts", "ahosts", "ahostsv4", "ahostsv6"):
        return None
    return tuple(word for word in argv[2:] if looks_like_host(word)) or None


def of_dns(argv: Argv) -> tuple[str, ...] | None:
    words = [w for w in _operands(argv, frozenset({"-t", "-p", "-c", "-x"})) if w[0] not in "+@"]
    names = [word for word in words if "." in word and looks_like_host(word)]
    return tuple(names[:1]) or None


def of_s_client(argv: Argv) -> tuple[str, ...] | None:
    if argv[1:2] != ("s_client",) or "-connect" not in argv:
        return None
    index = argv.index("-connect")
    host = argv[index + 1].rpartition(":")[0] if index + 1 < len(argv) else ""
    return (host,) if looks_like_host(host) else (UNKNOWN,)


def of_apt(argv: Argv) -> tuple[str, ...] | None:
    wanted = {"update", "install", "upgrade", "dist-upgrade", "full-upgrade", "source", "download"}
    wanted |= {"build-dep", "reinstall", "safe-upgrade"}
    return (UNKNOWN,) if wanted & set(argv[1:]) and "--no-download" not in argv else None
