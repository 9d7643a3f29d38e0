"""Lines that network clients print once they were answered.

Most are recognised by what no translation changes: a status code, an address, a transfer rate, the
numbering `:1 http://`. Words are listed only where nothing else tells.
"""

# ruff: noqa: E501  (the tables have one line for each kind of line)

import re
from dataclasses import dataclass
from functools import cache

from reviewers.rules._no_network import words
from reviewers.rules._no_network.addresses import HOST

ADDRESS = (
    r"(?:(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}"
    r"|(?<![\w:.])(?:[0-9a-fA-F]{0,4}+:){2,7}[0-9a-fA-F]{1,4}(?:%\w+)?)"
)
URL_HOST = rf"(?:https?|ftp|ssh|git)://(?:[^\s/@'\"]{{0,100}}@)?(?P<host>{HOST})"


@dataclass(frozen=True)
class Line:
    """A kind of line that only a client that was answered prints.

    Attributes:
        clients: The clients that print it.
        needles: Texts of which every such line contains one; none where nothing is that fixed.
        pattern: What the line looks like; may name `host` and `address`.
        confidence: How sure it is that the network was reached.
        registry: Whether it names where a package manager looks, rather than proving contact.
    """

    clients: frozenset[str]
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    confidence: float
    registry: bool = False


def _line(
    clients: str,
    needle: str | tuple[str, ...],
    pattern: str,
    confidence: float = 0.95,
    registry: bool = False,
) -> Line:
    needles = (needle,) if isinstance(needle, str) else needle
    compiled = re.compile(pattern, re.MULTILINE)
    return Line(words(clients), needles, compiled, confidence, registry)


_PIP = "pip pip-folder"
_HTTP = "curl wget httpie xh nc socat openssl telnet lynx python /dev/tcp"
_CONNECTED = (
    "connected|verbunden|connect[ée]+|conectado|connesso|已连接|已連接|接続しました|接続されました"
    "|соединение установлено|połączono|verbonden|ansluten|bağlandı|연결|připojeno|kapcsolódva"
)
_APT_FAILED = (
    r"(?!Err|Ign|Fehl|Erreur|错误|錯誤|忽略|無視|エラー|Ошб|Игн|오류|무시|Błąd|Hata|Yoksay)"
)
_NOT_FOUND = (
    "not found|nicht gefunden|non trouvé|introuvable|no encontrado|未找到|не найден|non trovat"
)
_REFUSED_LOGIN = (
    "Authentication failed|Authentifizierung fehlgeschlagen|chec d'authentification"
    "|Autenticaci[óo]n fall|鉴权失败|認證失敗|Autenticazione non riuscita|Falha na autenticaç"
    "|[Сс]бой аутентификации"
)

_PORT = ("|:", "]:")
_DIRECTION = (
    *("To ", "From ", "Nach ", "Von ", "Vers ", "Depuis ", "A ", "De "),
    *("到 ", "来自 ", "В ", "Из "),
)
"""How git begins the line that says which remote it spoke to."""

LINES: tuple[Line, ...] = (
    # HTTP clients.
    _line("curl", "onnect", rf"^\* (?:Connected|Established connection) to (?P<host>{HOST}) "
          rf"\((?P<address>{ADDRESS})\)? port"),
    _line("curl", "onnect", rf"^\* Established connection to (?P<host>{HOST}) "
          rf"\((?P<address>{ADDRESS}) port"),
    _line("curl", "* SSL connection using", r"^\* SSL connection using"),
    _line("curl wget python", "onnect", r"CONNECT tunnel established, response 2"
          r"|Proxy replied 2\d\d to CONNECT|HTTP/1\.[01] 200 Connection [Ee]stablished"),
    _line(_HTTP, "HTTP/", r"^(?:< |\s+)?HTTP/\d(?:\.\d)? [1-5]\d\d\b"),
    _line("curl", ":--:--", r"\d{1,4}\s+[\d.]+[kMGTP]?\s+\d{1,3}\s+(?:[1-9][\d.]*[kMGTP]?\s+\d{1,3}\s+"
          r"[\d.]+[kMGTP]?|0\s+\d{1,3}\s+[1-9][\d.]*[kMGTP]?)\s+[\d.]+[kMGTP]?\s+[\d.]+[kMGTP]?\s+"
          r"(?:--?:--:--|\d+:\d\d:\d\d)", 0.9),
    _line("curl", "ailed to create the file", r"Warning: Failed to create the file", 0.85),
    _line("wget", _PORT, rf"(?<![\w.-])(?P<host>[\w.-]++)\)?[|\[](?P<address>{ADDRESS})[|\]]:\d+.{{0,40}}?"
          rf"(?:\.\.\.|…)\s*.{{0,20}}(?:{_CONNECTED})"),
    _line("wget", "HTTP", r"(?<!Proxy )\bHTTP[^.…\n]{0,80}+(?:\.\.\.|…)\s*[1-5]\d\d\b"),
    _line("wget", "Proxy request sent", r"(?:\.\.\.|…)\s*(?:[12]\d\d|30\d|404)\b"),
    _line("wget", "/s)", r"\(\d[\d.,]* [KMG]?B/s\) - .+\[\d+"),
    # git and ssh.
    _line("git", "://", rf"^(?:{'|'.join(_DIRECTION)}){URL_HOST}"),
    _line("git", _DIRECTION, rf"^(?:{'|'.join(_DIRECTION)})(?:[\w.-]+@)?(?P<host>[\w-]+(?:\.[\w-]+)+):(?!//)"),
    _line("git", "://", rf"^\S.{{0,40}} '{URL_HOST}[^']*': ?$"),
    _line("git", "://", rf"{URL_HOST}[^']*'.{{0,40}}(?:{_NOT_FOUND}|{_REFUSED_LOGIN})"),
    _line("git", "://", rf"(?:{_REFUSED_LOGIN}|could not read (?:Username|Password)).{{0,20}}'{URL_HOST}"),
    _line("git", "The requested URL returned error", rf"{URL_HOST}.*returned error: \d{{3}}"),
    _line("git", ("\tHEAD", "\trefs/"), r"^[0-9a-f]{40,64}\t(?:HEAD|refs/)", 0.9),
    _line("git", "registered for path", rf"\({URL_HOST}[^)]*\) registered for path", 0.4, registry=True),
    _line("git", "Submodule path", r"^Submodule path '[^'\n]+': checked out", 0.7),
    _line("git", "emote: ", r"^[Rr]emote: \S"),
    _line("git", "% (", r": +\d+% \(\d+/\d+\)"),
    _line("git ssh scp sftp rsync ssh-keyscan", "ermission denied (", rf"(?:^|@)(?P<host>{HOST}): Permission denied \("),
    _line("git ssh scp sftp rsync", "Permanently added", r"Permanently added '\[?(?P<host>[\w.:-]+)"),
    _line("git ssh scp sftp rsync", "authenticity of host", rf"'\[?(?P<host>{HOST})\]?(?::\d+)? \(\[?(?P<address>{ADDRESS})"),
    _line("git ssh scp sftp rsync", "'s password:", rf"@(?P<host>{HOST})'s password:"),
    _line("git ssh scp sftp rsync", "onnection ", rf"Connection (?:closed|reset) by (?:\S+ )?(?P<address>{ADDRESS}) port", 0.9),
    _line("git ssh scp sftp rsync", "Host key verification failed", r"Host key verification failed", 0.9),
    _line("git ssh scp sftp rsync", "kex_exchange_identification", r"Connection (?:closed|reset) by remote host", 0.8),
    _line("git ssh scp sftp rsync", "debug1: ", r"^debug1: (?:Connection established|Remote protocol version|Authenticated to )"),
    _line("ssh-keyscan", " SSH-2.0", rf"^# (?P<host>{HOST})"),
    # Reachability, ports, names.
    _line("ping", "ttl=", rf"(?P<address>{ADDRESS})\)?.{{0,120}}\bttl=\d+"),
    _line("ping", "PING ", rf"^PING (?P<host>(?=[\d.]*[A-Za-z]){HOST}) ?\((?P<address>{ADDRESS})\)", 0.8),
    _line("nc", "ucceeded", rf"to (?P<host>{HOST})(?: \((?P<address>{ADDRESS})\))?,? (?:port )?\d+ .*succeeded"),
    _line("nc", "open", rf"^(?P<host>{HOST}) \[(?P<address>{ADDRESS})\] \d+ .*open\b"),
    _line("nc telnet", "onnected to ", rf"^(?:Ncat: )?Connected to (?P<host>{HOST}?)(?::\d+)?\.$"),
    _line("openssl", "CONNECTED(", r"^CONNECTED\([0-9A-F]+\)"),
    _line("openssl", ("CONNECTION ESTABLISHED", "Peer certificate: "), r"^(?:CONNECTION ESTABLISHED|Peer certificate: \S)"),
    _line("openssl", ("notBefore=", "notAfter=", "BEGIN CERTIFICATE-"), r"^(?:not(?:Before|After)=|-----BEGIN CERTIFICATE-)", 0.75),
    _line("Test-NetConnection", "TcpTestSucceeded", r"^TcpTestSucceeded\s*: True"),
    _line("openssl", "depth=", r"^depth=\d+ \S.{0,60}"),
    _line("openssl", "handshake has read", r"handshake has read [1-9]"),
    _line("traceroute", " ms", rf"^\s*\d+[:?]?\s+.*?(?P<address>{ADDRESS})\)?\s+\d+\.\d+ ?ms"),
    _line("nmap", "Host is up", r"^Host is up"),
    _line("nmap", "scan report for", rf"for (?P<host>{HOST}) \((?P<address>{ADDRESS})\)", 0.7),
    _line("dig host nslookup", "IN", rf"^\S+\s+\d+\s+IN\s+A(?:AAA)?\s+(?P<address>{ADDRESS})\s*$"),
    _line("dig host nslookup", "IN", r"^[^;\s]\S*\s+\d+\s+IN\s+(?:CNAME|MX|TXT|NS|SOA|SRV|PTR)\s", 0.85),
    _line("dig getent", (), rf"^(?P<address>{ADDRESS})(?:[ \t]+\S.*)?$", 0.9),
    _line("dig", (), r'^(?:(?:\d+ )?(?:[\w-]+\.){2,}|"[^"\n]{1,300}".{0,300})$', 0.85),
    _line("nslookup", "Address", rf"^Address(?:es)?(?: \d+)?:\s+(?P<address>{ADDRESS})\s*$", 0.9),
    _line("host", "address ", rf"^(?P<host>{HOST}) has (?:IPv6 )?address (?P<address>{ADDRESS})"),
    _line("host", " is handled by ", rf"^(?P<host>{HOST}) mail is handled by "),
    _line("whois", ":", r"^\s*(?:Registrar|Domain Name|refer|NetRange|inetnum|Registry Domain ID):", 0.9),
    # Package managers.
    _line("apt", "://", rf"^{_APT_FAILED}[^\s:]{{1,24}}(?: de)? ?:\d+ (?:https?|ftp|mirror\+\w+)://(?P<host>{HOST})"),
    _line("apt", "[IP: ", rf"\[IP: (?P<address>{ADDRESS}) \d+\]$"),
    _line("apt", ("/s)", "/c)", "/с)"), r"(?<![\d.,])[1-9][\d.,\s]{0,12}+[kMG]?[BoБ]\b.{0,60}\(\d[\d.,\s]{0,12}[kMG]?[BoБ]/[scс]\)", 0.9),
    _line(_PIP, "Looking in indexes: ", rf"Looking in indexes: .*?{URL_HOST}", 0.4, registry=True),
    _line(_PIP, "Collecting ", r"^\s*Collecting [A-Za-z0-9]", 0.84),
    _line(_PIP, "Downloading ", rf"^\s*Downloading (?:{URL_HOST}|\S+\.(?:whl|tar\.gz|zip|metadata)\b)"),
    _line(_PIP, "Using cached ", rf"^\s*Using cached (?:{URL_HOST})?\S+ \(", 0.9),
    _line(_PIP, "(from versions: ", r"\(from versions: (?!none|\))", 0.9),
    _line(_PIP, "Ignored the following versions", r"Ignored the following", 0.9),
    _line(_PIP, "(from versions: ", r"\(from versions: none", 0.4),
    _line(_PIP, "Available versions: ", r"^Available versions: \d", 0.9),
    _line(_PIP, "build dependencies", r"Installing build dependencies.*\bdone\b", 0.75),
    _line("pip", "uccessfully installed", r"^Successfully installed [A-Za-z0-9]", 0.6),
    _line("pip pip-folder uv", "Cloning ", rf"Cloning {URL_HOST}", 0.6),
    _line("poetry", "esolving dependencies", r"Resolving dependencies\.\.\. +\([\d.]+s\)", 0.75),
    _line("poetry", "ing ", r"^\s*[-•] (?:Installing|Updating|Downgrading) \S+ \(", 0.85),
    _line("uv", " package", r"^Prepared \d+ packages? in", 0.85),
    _line("uv", " package", r"^Resolved \d+ packages? in", 0.4),
    _line("uv", "ownload", r"^\s*Download(?:ing|ed) \S+", 0.8),
    _line("conda", "package metadata", r"Collecting package metadata.*done", 0.9),
    _line("conda", "ackages", r"^Downloading and Extracting Packages", 0.85),
    _line("conda", "No change", r"^\S+/(?:noarch|linux-\S+|osx-\S+)\s.*No change"),
    _line("npm", "added ", r"^added \d+ packages?", 0.75),
    _line("npm", "audited", r"\baudited \d+ packages?", 0.6),
    _line("npm", "npm http", rf"npm http fetch \w+ [1-5]\d\d {URL_HOST}"),
    _line("npm", "E40", r"code E40[0-9]"),
    _line("npm", " - GET http", rf"[45]\d\d .*- GET {URL_HOST}"),
    _line("yarn", "[3/", r"^\[3/[45]\]", 0.7),
    _line("yarn", "YN0013", r"YN0013.*(?:added|fetched)", 0.85),
    _line("pnpm", "downloaded ", r"downloaded [1-9]\d*", 0.9),
    _line("apk", "nstalling", r"^\(\d+/\d+\) (?:Installing|Upgrading) \S+ \(", 0.85),
    _line("apk", "distinct packages available", r"^OK: \d+ distinct packages available", 0.75),
    _line("dnf", "B/s", r"\d [kMG]?B/s \|\s{1,9}[\d.]{1,9} {1,4}[kMG]?B\b"),
    _line("dnf", "B/s", r"^\(\d+/\d+\): \S+.*[kMG]?B/s"),
    _line("zypper", "etrieving", r"^Retrieving.*\bdone", 0.9),
    _line("pacman", "iB/s", r"\d [KMG]iB/s", 0.9),
    _line("brew", "Downloading http", rf"==> Downloading {URL_HOST}", 0.7),
    _line("cargo", "Download", r"^\s*Downloaded (?:\d+ crates?|\S+ v\d)"),
    _line("cargo", "Downloading crates", r"^\s*Downloading crates", 0.8),
    _line("cargo", "pdating ", r"^\s*Updating (?:crates\.io index|git repository)", 0.6),
    _line("rustup", "nfo: ", r"^info: (?:downloading|installing) component", 0.7),
    _line("go", "go: ", r"^go: (?:downloading|added|upgraded) (?P<host>[a-z0-9-]+\.[\w.-]+)/?\S* v\d", 0.75),
    _line("gem", "etching ", r"^Fetching [\w.-]+(?:-\d[\w.]*\.gem| \d[\w.]*)$", 0.9),
    _line("gem", "Fetching gem metadata", rf"Fetching gem metadata from {URL_HOST}", 0.7),
    _line("gem", "uccessfully installed", r"^Successfully installed [\w-]+-\d", 0.7),
    _line("composer", "ownloading ", r"- Downloading \S+ \(", 0.85),
    _line("mvn", "ownloaded", rf"Downloaded(?: from \S+)?: {URL_HOST}"),
    _line("gradle", "Download", rf"^Download {URL_HOST}", 0.8),
    _line("terraform", "- Installed ", r"^- Installed \S+ v\d\S* \(", 0.8),
    _line("docker", "Pull", r"^(?:\S+: )?(?:Pull complete|Pulling from \S+|Pulling fs layer)"),
    _line("docker", "Download complete", r"^[0-9a-f]{12}: Download complete"),
    _line("docker", "Status: ", r"^Status: (?:Downloaded newer image|Image is up to date)"),
    _line("docker", "pull access denied", r"pull access denied"),
    _line("docker", "manifest", r"manifest (?:unknown|for \S+ not found)"),
    _line("docker", "toomanyrequests", r"toomanyrequests"),
    _line("docker", "Login Succeeded", r"^Login Succeeded"),
    _line("docker", "Digest: sha256", r"^Digest: sha256:", 0.8),
    _line("ollama", "pulling ", r"^pulling (?:manifest|[0-9a-f]{12}).*(?:100%|B/s)"),
    # Downloads, clouds, APIs.
    _line("huggingface python", "B/s", r"\d%\|[^%\n]{0,150}\d[kMG]?B/s\]", 0.85),
    _line("huggingface python", "Fetching ", r"^Fetching \d+ files:\s+[1-9]\d*%", 0.8),
    _line("yt-dlp youtube-dl", "[download]", r"^\[download\]\s+\d[\d.]*% of"),
    _line("yt-dlp youtube-dl", ": Downloading ", r": Downloading (?:tv|ios|web|android|player|m3u8|MPD|API|JSON) ", 0.8),
    _line("aria2c", "ownload complete", r"Download complete", 0.9),
    _line("aws python", "when calling the ", r"An error occurred \(\w+\) when calling the \w+ operation"),
    _line("aws", "s3://", r"^(?:upload|download|copy): "),
    _line("gcloud az gh", "HTTP", r"(?:HTTPError|HTTP) \d{3}\b", 0.9),
    _line("kubectl", "Error from server", r"^Error from server"),
    _line("rsync", "bytes  received", r"^sent [\d,.]+ bytes +received"),
    # Python.
    _line("python pip huggingface gh", " for url", rf"\b[45]\d\d (?:Client|Server) Error: .{{0,120}} for url:? {URL_HOST}"),
    _line("python", " for url", rf"(?:Client|Server) error '\d{{3}} [^']*' for url '{URL_HOST}"),
    _line("python", "url=URL(", rf"\b[45]\d\d, message=.*url=URL\('{URL_HOST}"),
    _line("java", "Server returned HTTP response code", rf"HTTP response code: \d{{3}} for URL: {URL_HOST}"),
    _line("python", "HTTP Error ", r"\bHTTP Error [1-5]\d\d\b", 0.9),
    _line("python", "<Response [", r"<(?:Client)?Response \[[1-5]\d\d[ \]]", 0.9),
    _line("python", "_VERIFY_FAILED", rf"host='(?P<host>{HOST})'.{{0,200}}CERTIFICATE_VERIFY_FAILED", 0.9),
    _line("python", "_VERIFY_FAILED", r"CERTIFICATE_VERIFY_FAILED", 0.8),
    _line("python", "Remote end closed connection", r"Remote end closed connection without response", 0.8),
    _line("python", "tatus", r"(?i)\bstatus(?:[ _]?code)?\W{1,4}[1-5]\d\d\b", 0.8),
    _line("python", "Error code: ", r"(?:Error|Exception): Error code: [45]\d\d\b", 0.9),
)  # fmt: skip


@cache
def lines_of(clients: frozenset[str]) -> tuple[Line, ...]:
    return tuple(line for line in LINES if clients & line.clients)


# Lines that tell which address a name stands for, whatever became of the connection.
RESOLVED = (
    (("onnect", "PING "), re.compile(rf"(?:Connected|connection|PING|Connection) (?:to )?(?P<host>[\w.-]+) ?\((?P<address>{ADDRESS})[) ]")),
    (_PORT, re.compile(rf"(?<![\w.-])(?P<host>[\w.-]++)\)?[|\[](?P<address>{ADDRESS})[|\]]:\d+")),
    (("...", "…"), re.compile(rf"(?<![\w.-])(?P<host>[\w.-]++) \([^)\n]*\)(?:\.\.\.|…) (?P<address>{ADDRESS})")),
)  # fmt: skip

_NEEDLES = {needle for line in LINES for needle in line.needles}

SHORTEST_PART = 4
"""Characters of a part that is worth being looked for first."""

_FIRST = {needle for needle in _NEEDLES if len(needle) >= SHORTEST_PART}

PARTS = {
    needle: min(parts, key=len)
    for needle in _NEEDLES
    if (parts := [part for part in _FIRST - {needle} if part in needle])
}
"""The needles that contain another one, with the shortest that they contain."""
