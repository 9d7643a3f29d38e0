"""Which hosts and addresses lie inside: loopback, private ranges, and what the user allows."""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK = tuple(map(ipaddress.ip_network, ("127.0.0.0/8", "::1/128", "0.0.0.0/32", "::/128")))

PRIVATE = tuple(
    map(
        ipaddress.ip_network,
        (
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "169.254.0.0/16",
            "100.64.0.0/10",
            "224.0.0.0/4",
            "255.255.255.255/32",
            "fc00::/7",
            "fe80::/10",
            "ff00::/8",
        ),
    )
)

CLOUD_METADATA = frozenset(
    map(
        ipaddress.ip_address,
        ("169.254.169.254", "169.254.170.2", "100.100.100.200", "fd00:ec2::254"),
    )
)
"""Services of the cloud that the machine runs in: private by number, outside by meaning."""

LOCAL_SUFFIXES = ("localhost", "localdomain", "ip6-localhost", "ip6-loopback")

PRIVATE_SUFFIXES = ("local", "internal", "lan", "home", "corp", "intranet", "home.arpa", "test")
"""Endings that no public name has; a name without a dot has none either."""

METADATA_NAMES = frozenset({"metadata.google.internal", "metadata.goog", "instance-data"})

HOST = r"(?:\[[0-9A-Fa-f:.%\w]+\]|[\w.-]+)"
"""A host in text, for patterns."""

_URL = re.compile(
    r"\b(?:https?|ftps?|sftp|git|ssh|wss?|rsync|telnet|ldaps?|smtps?|imaps?|pop3s?|git\+https?"
    r"|git\+ssh|svn|mqtts?|rediss?|postgres(?:ql)?|mysql|mongodb|amqps?|socks5h?)"
    rf"://(?:[^\s/@'\"<>]{{0,200}}@)?({HOST})",
    re.IGNORECASE,
)
_SCP_LIKE = re.compile(r"(?:[\w.+-]{1,64}@)?([A-Za-z0-9][\w.-]{0,200}|\[[0-9A-Fa-f:]+\]):(?!//)")
_DOTTED = re.compile(r"(?:0x[0-9a-f]+|\d+)(?:\.(?:0x[0-9a-f]+|\d+)){0,3}", re.IGNORECASE)
_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_](?:[\w-]*\w)?(?:\.[\w-]+)*", re.IGNORECASE)


@dataclass(frozen=True)
class Inside:
    """What counts as inside.

    Attributes:
        names: Allowed hosts, in lower case; those beginning with `*.` allow all below.
        networks: Allowed networks.
        private: Whether private ranges and names are inside.
        loopback: Whether this very machine is inside.
    """

    names: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()
    private: bool = True
    loopback: bool = True

    def contains(self, host: str, address: str = "") -> bool:
        """Whether a host lies inside; its address, where it is known, decides.

        Args:
            host: A name or an address; possibly empty.
            address: The address that the host was resolved to, if the result shows it.
        """
        if self._allows_name(clean_host(host)):
            return True
        number = read_address(address) or read_address(host)
        if number is not None:
            return self._contains_address(number)
        return self._is_inside_name(clean_host(host))

    def _contains_address(self, address: Address) -> bool:
        if _in(address, self.networks):
            return True
        if address in CLOUD_METADATA:
            return False
        if _in(address, LOOPBACK):
            return self.loopback
        return self.private and _in(address, PRIVATE)

    def _is_inside_name(self, name: str) -> bool:
        if name in METADATA_NAMES:
            return False
        if _ends_with(name, LOCAL_SUFFIXES):
            return self.loopback
        return self.private and ("." not in name or _ends_with(name, PRIVATE_SUFFIXES))

    def _allows_name(self, name: str) -> bool:
        if name in self.names:
            return True
        labels = name.split(".")[:64]
        return any("*." + ".".join(labels[i:]) in self.names for i in range(1, len(labels)))


def inside(allow: Iterable[str], private: bool, loopback: bool = True) -> Inside:
    """What counts as inside, from the user's list of hosts and networks.

    Raises:
        ValueError: An entry is neither a host nor a network; the message is the entry.
    """
    names, networks = set(), []
    for entry in allow:
        name = clean_host(entry)
        if "/" in entry or read_address(entry) is not None:
            try:
                networks.append(ipaddress.ip_network(entry.strip("[]"), strict=False))
            except ValueError:
                raise ValueError(entry) from None
        elif _NAME.fullmatch(name.removeprefix("*.")):
            names.add(name)
        else:
            raise ValueError(entry)
    return Inside(frozenset(names), tuple(networks), private, loopback)


def clean_host(host: str) -> str:
    """A host in lower case without brackets, zone and trailing dot."""
    return host.strip().strip("[]").partition("%")[0].rstrip(".").lower()


def read_address(text: str) -> Address | None:
    """The address that a text is: also the short, decimal and hexadecimal forms of IPv4."""
    text = clean_host(text)
    if len(text) > 64:
        return None
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return _short_address(text)
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped if mapped is not None else address


def _short_address(text: str) -> Address | None:
    if not _DOTTED.fullmatch(text) or ("." not in text and not _is_long(text)):
        return None
    numbers = [_number(part) for part in text.split(".")]
    *leading, last = numbers
    if any(number > 255 for number in leading) or last >= 256 ** (5 - len(numbers)):
        return None
    value = sum(number << (24 - 8 * index) for index, number in enumerate(leading)) + last
    return ipaddress.IPv4Address(value)


def _is_long(text: str) -> bool:
    return text.lower().startswith("0x") or int(text) > 0xFFFF or text == "0"


def _number(text: str) -> int:
    if text.lower().startswith("0x"):
        return int(text, 16)
    is_octal = len(text) > 1 and text[0] == "0" and set(text) <= set("01234567")
    return int(text, 8 if is_octal else 10)


def hosts_of_urls(text: str) -> list[str]:
    """The hosts of the URLs in a text, in order, each once."""
    return list(dict.fromkeys(unquote(match[1]) for match in _URL.finditer(text)))


def host_of_remote(text: str) -> str:
    """The host of a URL or of an scp-like `user@host:path`; empty for anything local."""
    if "://" in text:
        return next(iter(hosts_of_urls(text)), "")
    match = _SCP_LIKE.match(text)
    return match[1] if match and "/" not in text[: match.end()] else ""


def looks_like_host(text: str) -> bool:
    """Whether a word can be a host to connect to: a name, or an address."""
    return bool(_NAME.fullmatch(clean_host(text))) or read_address(text) is not None


def _in(address: Address, networks: Iterable[Network]) -> bool:
    return any(address.version == net.version and address in net for net in networks)


def _ends_with(name: str, suffixes: Iterable[str]) -> bool:
    return any(name == suffix or name.endswith("." + suffix) for suffix in suffixes)
