"""Network clients: which are known, and what their exit codes say.

A client's exit code says one of three things: the network was reached (0 for most; also, for
curl, 22 "the server answered with an error"), it was not (curl's 6 "could not resolve"), or
nothing. `Client.reached` maps the codes that say "reached" to how sure that is.
"""

# ruff: noqa: E501  (the tables have one line for each client or kind of line)

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType

from reviewers.rules._no_network import words
from reviewers.rules._no_network.hosts import (
    SSH_VALUES,
    UNKNOWN,
    Argv,
    Hosts,
    behind_option,
    cloud,
    first_operand,
    of_any_url,
    of_apt,
    of_copies,
    of_curl,
    of_dns,
    of_getent,
    of_git,
    of_image,
    of_nc,
    of_s_client,
    of_socat,
    of_urls,
    registry,
)
from reviewers.rules._shell.wrappers import base_name

SURE = 0.95
LIKELY = 0.8
LOCAL_PIP = "pip-folder"
"""pip that is given folders or files."""
MAYBE = 0.4
"""Below the default threshold: kept so that a stricter policy can ask for it."""


@dataclass(frozen=True)
class Client:
    """A network client.

    Attributes:
        name: What it is called in findings, and in `lines.LINES`.
        hosts: From its words, the hosts that it would speak to; None if it would speak to none.
        reached: Confidence of contact by exit code; codes left out say nothing, or "not reached".
        shows_body: Whether what it received goes to its output.
        asks: Subcommands and options with which a package manager succeeds only if its registry
            answered.
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
    if client.name == "pip" and _installs_folders(argv):
        client = replace(client, name=LOCAL_PIP)
    elif client.asks & {*argv[1:3], *_flags(argv)}:
        client = replace(client, reached=_SUCCESS)
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


def _flags(argv: Argv) -> Iterator[str]:
    """The options among some words, clustered ones one by one."""
    for word in argv[1:]:
        if word.startswith("--"):
            yield word.partition("=")[0]
        elif word.startswith("-"):
            yield from (f"-{letter}" for letter in word[1:])


def _installs_folders(argv: Argv) -> bool:
    """Whether pip is given folders or files, so that success alone proves no download."""
    if {"-f", "--find-links"} & set(_flags(argv)):
        return True
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
    "curl": Client("curl", of_curl, _CURL_CODES, shows_body=True),
    "wget": Client("wget", of_urls, _WGET_CODES),
    "wget2": Client("wget", of_urls, _WGET_CODES),
    "aria2c": Client("aria2c", of_urls, _SUCCESS),
    "axel": Client("axel", of_urls, _SUCCESS),
    "http": Client("httpie", of_any_url, _codes(dict.fromkeys((0, 3, 4, 5), SURE)), shows_body=True),
    "https": Client("httpie", of_any_url, _codes(dict.fromkeys((0, 3, 4, 5), SURE)), shows_body=True),
    "xh": Client("xh", of_any_url, _codes(dict.fromkeys((0, 3, 4, 5), SURE)), shows_body=True),
    "lynx": Client("lynx", of_urls, _SUCCESS, shows_body=True),
    "w3m": Client("w3m", of_urls, _SUCCESS, shows_body=True),
    "links": Client("links", of_urls, _SUCCESS, shows_body=True),
    "elinks": Client("elinks", of_urls, _SUCCESS, shows_body=True),
    "yt-dlp": Client("yt-dlp", of_urls, _SUCCESS),
    "youtube-dl": Client("youtube-dl", of_urls, _SUCCESS),
    "git": Client("git", of_git, _SUCCESS),
    "hg": Client("hg", of_copies, _SUCCESS),
    "svn": Client("svn", of_copies, _SUCCESS),
    "gh": Client("gh", cloud("github.com", "auth config alias extension help"), _LIKELY_SUCCESS),
    "ssh": Client("ssh", first_operand(SSH_VALUES), _SSH_CODES, shows_body=True),
    "scp": Client("scp", of_copies, _SUCCESS),
    "sftp": Client("sftp", first_operand(SSH_VALUES), _SUCCESS),
    "rsync": Client("rsync", of_copies, _SUCCESS),
    "ssh-keyscan": Client("ssh-keyscan", first_operand(SSH_VALUES)),
    "ftp": Client("ftp", first_operand(frozenset({"-P"})), _LIKELY_SUCCESS),
    "lftp": Client("lftp", first_operand(frozenset({"-e", "-u", "-p"})), _LIKELY_SUCCESS),
    "telnet": Client("telnet", first_operand(frozenset({"-l"})), shows_body=True),
    "nc": Client("nc", of_nc, _codes({0: 0.9}), shows_body=True),
    "tcp": Client("/dev/tcp", first_operand(frozenset()), _codes({0: 0.85}), shows_body=True),
    "udp": Client("/dev/udp", first_operand(frozenset()), shows_body=True),
    "ncat": Client("nc", of_nc, _codes({0: 0.9}), shows_body=True),
    "netcat": Client("nc", of_nc, _codes({0: 0.9}), shows_body=True),
    "socat": Client("socat", of_socat, _codes({0: 0.9}), shows_body=True),
    "nmap": Client("nmap", first_operand(words("-p -oN -oX -oG -T -iL --script"))),
    "openssl": Client("openssl", of_s_client, _SUCCESS),
    "ping": Client("ping", first_operand(words("-c -i -W -w -s -t -I")), _SUCCESS),
    "ping6": Client("ping", first_operand(words("-c -i -W -w -s -t -I")), _SUCCESS),
    "traceroute": Client("traceroute", first_operand(words("-m -q -w -p -n"))),
    "tracepath": Client("traceroute", first_operand(words("-m"))),
    "mtr": Client("traceroute", first_operand(words("-c -i"))),
    "whois": Client("whois", first_operand(words("-h -p"))),
    "dig": Client("dig", of_dns),
    "nslookup": Client("nslookup", of_dns),
    "host": Client("host", of_dns, _LIKELY_SUCCESS),
    "getent": Client("getent", of_getent),
    "pip": Client("pip", registry("pypi.org", "install download wheel index search", "-i --index-url --extra-index-url", "--no-index"), asks=words("index search download -I --ignore-installed --force-reinstall")),
    "uv": Client("uv", registry("pypi.org", "pip add sync lock run tool python", "--index-url --index --default-index", "--offline --no-index")),
    "uvx": Client("uv", registry("pypi.org", "", "--index-url", "--offline")),
    "pipx": Client("pip", registry("pypi.org", "install run upgrade", "--index-url -i")),
    "poetry": Client("poetry", registry("pypi.org", "install add update lock")),
    "pdm": Client("poetry", registry("pypi.org", "install add update lock sync")),
    "conda": Client("conda", registry("conda.anaconda.org", "install create update env search", "-c --channel", "--offline --use-local")),
    "mamba": Client("conda", registry("conda.anaconda.org", "install create update env search", "-c", "--offline")),
    "micromamba": Client("conda", registry("conda.anaconda.org", "install create update env", "-c", "--offline")),
    "npm": Client("npm", registry("registry.npmjs.org", "install i ci add update view info search audit publish outdated show exec ping create init", "--registry", "--offline"), asks=words("view info show search ping outdated")),
    "npx": Client("npm", registry("registry.npmjs.org", "", "--registry", "--offline --no-install --no")),
    "yarn": Client("yarn", registry("registry.yarnpkg.com", "", "--registry", "--offline run test build start")),
    "pnpm": Client("pnpm", registry("registry.npmjs.org", "install i add update dlx", "--registry", "--offline")),
    "bun": Client("bun", registry("registry.npmjs.org", "install i add update x", "--registry")),
    "apt": Client("apt", of_apt),
    "apt-get": Client("apt", of_apt),
    "aptitude": Client("apt", of_apt),
    "add-apt-repository": Client("apt", lambda argv: ("ppa.launchpadcontent.net",)),
    "apk": Client("apk", registry("dl-cdn.alpinelinux.org", "add update upgrade fetch", "-X --repository", "--no-network")),
    "dnf": Client("dnf", registry(UNKNOWN, "install update upgrade makecache check-update search download", "", "-C --cacheonly")),
    "yum": Client("dnf", registry(UNKNOWN, "install update upgrade makecache check-update search", "", "-C --cacheonly")),
    "microdnf": Client("dnf", registry(UNKNOWN, "install update upgrade makecache")),
    "zypper": Client("zypper", registry("download.opensuse.org", "install in refresh ref update up dup")),
    "pacman": Client("pacman", lambda argv: (UNKNOWN,) if argv[1].startswith("-S") else None),
    "brew": Client("brew", registry("formulae.brew.sh", "install update upgrade fetch")),
    "snap": Client("snap", registry("api.snapcraft.io", "install refresh find")),
    "cargo": Client("cargo", registry("crates.io", "build install add update fetch test run check search", "--registry --index", "--offline --frozen"), asks=words("search")),
    "rustup": Client("rustup", registry("static.rust-lang.org", "install update toolchain target component")),
    "go": Client("go", registry("proxy.golang.org", "get mod install build test run download")),
    "gem": Client("gem", registry("rubygems.org", "install update search fetch", "--source -s", "--local -l"), asks=words("search fetch")),
    "bundle": Client("gem", registry("rubygems.org", "install update", "", "--local")),
    "composer": Client("composer", registry("repo.packagist.org", "install require update create-project")),
    "mvn": Client("mvn", registry("repo.maven.apache.org", "", "", "-o --offline")),
    "mvnw": Client("mvn", registry("repo.maven.apache.org", "", "", "-o --offline")),
    "gradle": Client("gradle", registry("repo.maven.apache.org", "", "", "--offline")),
    "gradlew": Client("gradle", registry("services.gradle.org", "", "", "--offline")),
    "docker": Client("docker", of_image),
    "podman": Client("docker", of_image),
    "skopeo": Client("docker", registry("docker.io", "copy inspect list-tags"), _SUCCESS),
    "aws": Client("aws", cloud("amazonaws.com", "configure help"), _LIKELY_SUCCESS),
    "s3cmd": Client("aws", cloud("amazonaws.com", ""), _LIKELY_SUCCESS),
    "gsutil": Client("gcloud", cloud("googleapis.com", "help version config"), _LIKELY_SUCCESS),
    "gcloud": Client("gcloud", cloud("googleapis.com", "config help info version"), _codes({0: 0.6})),
    "az": Client("az", cloud("azure.com", "config help version configure"), _codes({0: 0.7})),
    "kubectl": Client("kubectl", cloud(UNKNOWN, "config help version completion kustomize"), _SUCCESS),
    "helm": Client("helm", registry(UNKNOWN, "repo pull install upgrade search")),
    "terraform": Client("terraform", registry("registry.terraform.io", "init get")),
    "huggingface-cli": Client("huggingface", cloud("huggingface.co", "env version cache scan-cache delete-cache"), _LIKELY_SUCCESS),
    "hf": Client("huggingface", cloud("huggingface.co", "env version cache"), _LIKELY_SUCCESS),
    "kaggle": Client("kaggle", cloud("kaggle.com", "config"), _LIKELY_SUCCESS),
    "ollama": Client("ollama", registry("registry.ollama.ai", "pull push run"), _codes({})),
    "psql": Client("psql", behind_option("-h --host"), _SUCCESS),
    "pg_dump": Client("psql", behind_option("-h --host"), _SUCCESS),
    "mysql": Client("mysql", behind_option("-h --host"), _SUCCESS),
    "mysqldump": Client("mysql", behind_option("-h --host"), _SUCCESS),
    "redis-cli": Client("redis-cli", behind_option("-h -u"), _LIKELY_SUCCESS),
    "mongosh": Client("mongosh", behind_option("--host"), _SUCCESS),
    "ldapsearch": Client("ldapsearch", behind_option("-H -h"), _SUCCESS),
    "smbclient": Client("smbclient", behind_option("-I"), _SUCCESS),
    "mosquitto_pub": Client("mosquitto", behind_option("-h --host"), _SUCCESS),
    "mosquitto_sub": Client("mosquitto", behind_option("-h --host"), _SUCCESS),
    "ntpdate": Client("ntpdate", first_operand(frozenset({"-p"})), _SUCCESS),
    "grpcurl": Client("grpcurl", of_urls, _SUCCESS),
    "websocat": Client("websocat", of_any_url, _SUCCESS, shows_body=True),
    "wscat": Client("websocat", of_any_url, _SUCCESS, shows_body=True),
    **dict.fromkeys(("invoke-webrequest", "iwr", "invoke-restmethod", "irm"), Client("Invoke-WebRequest", of_any_url, _SUCCESS, shows_body=True)),
    **dict.fromkeys(("test-netconnection", "tnc"), Client("Test-NetConnection", first_operand(words("-Port")))),
}  # fmt: skip
CLIENTS = {
    **CLIENTS,
    **dict.fromkeys(("pip2", "pip3", "%pip", "!pip"), CLIENTS["pip"]),
    **{f"pip3.{minor}": CLIENTS["pip"] for minor in range(6, 20)},
}
