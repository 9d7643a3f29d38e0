"""Lines that network clients print once they were answered, and messages of those that were not.

Most lines are recognised by what no translation changes: a status code, an address, a transfer
rate, the numbering `:1 http://`. Words are listed only where nothing else tells.
"""

# ruff: noqa: E501  (the tables have one line for each client or kind of line)

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from reviewers.rules._network import words
from reviewers.rules._network.addresses import HOST, hosts_of_urls

MAX_TRIES = 2_000
"""Places looked at for one kind of line; past it the output is not read to its end."""

MAX_READ = 1_500_000
"""Characters of all the places that are looked at, for all kinds of lines together."""

COST_OF_MATCH = 300
"""What is seen is compared with the call: that costs as much as to read so many characters."""

MAX_LINES = 500
"""Lines at the beginning of which those that the call's own `echo` wrote are taken out."""

EDGE = 60_000
"""Characters at the beginning and at the end that are searched for messages of failure."""

NOT_RUN_REACH = 20_000
"""Characters at the beginning that are read for programs that are not there."""

LINE_REACH = 300
"""Characters of a line read to each side of where it is recognised."""

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
def _lines_of(clients: frozenset[str]) -> tuple[Line, ...]:
    return tuple(line for line in LINES if clients & line.clients)


# Lines that tell which address a name stands for, whatever became of the connection.
_RESOLVED = (
    (("onnect", "PING "), re.compile(rf"(?:Connected|connection|PING|Connection) (?:to )?(?P<host>[\w.-]+) ?\((?P<address>{ADDRESS})[) ]")),
    (_PORT, re.compile(rf"(?<![\w.-])(?P<host>[\w.-]++)\)?[|\[](?P<address>{ADDRESS})[|\]]:\d+")),
    (("...", "…"), re.compile(rf"(?<![\w.-])(?P<host>[\w.-]++) \([^)\n]*\)(?:\.\.\.|…) (?P<address>{ADDRESS})")),
)  # fmt: skip

NOT_REACHED = (
    *(f"{verb} {what}" for verb in ("could not", "couldn't", "unable to", "failed to", "cannot")
      for what in ("resolve", "connect", "establish a new connection")),
    *("unable to find the server", "could not be resolved", "unknownhost", "bad address"),
    *("name or service not known", "temporary failure in name resolution", "dial tcp"),
    *("temporary failure resolving", "nodename nor servname", "no address associated"),
    *("name does not resolve", "no such host", "nameresolutionerror", "getaddrinfo", "eai_again"),
    *("nxdomain", "servfail", "no servers could be reached", " enotfound", "'enotfound", "newconnectionerror"),
    *("connection refused", "connectionrefused", "econnrefused", "host unreachable"),
    *("network unreachable", "network is unreachable", "enetunreach", "ehostunreach"),
    *("no route to host", "100% packet loss", "max retries exceeded", "retrying (retry("),
    *("timed out", "timed-out", "timedout", "connecttimeout", "took too long to respond"),
    *("proxyerror", "ns_error_", "err_name_not_resolved", "err_connection", "err_network"),
    *("err_internet_disconnected", "err_address_unreachable", "err_proxy", "err_tunnel"),
    "err_timed_out",
    # German, French, Spanish, Italian, Portuguese.
    *("namensauflösung", "dienst nicht bekannt", "dienst ist nicht bekannt"),
    *("verbindungsaufbau abgelehnt", "netzwerk ist nicht erreichbar", "zeitüberschreitung"),
    *("keine route zum zielrechner", "nom ou service inconnu", "résolution du nom"),
    *("connexion refusée", "aucun chemin d'accès", "réseau n'est pas accessible"),
    *("connexion terminée par expiration", "nombre o servicio desconocido"),
    *("resolución de nombre", "resolución del nombre", "conexión rehusada"),
    *("la red es inaccesible", "ninguna ruta hasta", "expiró el tiempo"),
    *("nome o servizio sconosciuto", "connessione rifiutata", "rete non raggiungibile"),
    *("nome ou serviço desconhecido", "conexão recusada", "a rede está fora de alcance"),
    # Chinese, Japanese, Russian, Korean.
    *("未知的名称或服务", "域名解析", "無法解析", "无法解析", "拒绝连接", "拒絕連線", "连接被拒绝"),
    *("网络不可达", "没有到主机的路由", "连接超时", "連線逾時"),
    *("名前またはサービスが不明", "名前解決", "接続を拒否", "ネットワークに届き"),
    *("ネットワークに到達でき", "経路がありません", "タイムアウト"),
    *("неизвестное имя или служба", "разрешении имен", "соединении отказано"),
    *("сеть недоступна", "нет маршрута", "время ожидания"),
    *("연결이 거부", "알 수 없는 이름", "네트워크가 접근 불가능"),
)  # fmt: skip
"""Messages of clients that reached nobody, in lower case."""


def speaks_of_failure(text: str) -> bool:
    """Whether there is a message in a text of a client that reached nobody."""
    lowered = text.lower()
    return any(message in lowered for message in NOT_REACHED)


PROXY_REFUSED = re.compile(
    r"from proxy after CONNECT|CONNECT tunnel failed|Tunnel connection failed: [45]\d\d"
    r"|X-Squid-Error|ERR_ACCESS_DENIED|ERR_CANNOT_FORWARD|ERR_CONNECT_FAIL|ERR_DNS_FAIL"
    r"|407 Proxy Authentication Required|Proxy(?:-Agent)?: [^\n]{0,80}(?:denied|blocked)"
    r"|X-Proxy-Error|x-deny-reason|x-block-reason",
    re.IGNORECASE,
)
"""What a proxy says when it did not pass the request on."""

_NOT_THERE = (
    "not found",
    "nicht gefunden",
    "commande introuvable",
    "orden no encontrada",
    "未找到命令",
    "コマンドが見つかりません",
    "команда не найдена",
    "comando non trovato",
    "comando não encontrado",
    ":No such file or directory",
    ": No such file or directory",
)
_NOT_RUN = re.compile(
    rf"(?:^|[\s:/])(?P<program>[\w.+-]+)(?: ?: |: )?(?:command |Befehl )?(?:{'|'.join(_NOT_THERE)})"
)
"""What a shell says of a program that is not there, in one line."""


def programs_not_there(text: str) -> set[str]:
    """Programs of which a shell says near the beginning of a text that they are not there."""
    beginning = text[:NOT_RUN_REACH]
    if not any(words in beginning for words in _NOT_THERE):
        return set()
    return {
        match["program"] for line in beginning.splitlines() for match in _NOT_RUN.finditer(line)
    }


_CURL_ERROR = re.compile(r"^curl: \((\d{1,3})\)[^\n]{0,200}", re.MULTILINE)
"""curl's own account of what went wrong, with its exit code."""


@dataclass(frozen=True)
class Seen:
    """A line of evidence in an output."""

    line: Line
    text: str
    start: int
    end: int
    host: str
    address: str


class Output:
    """A result's text, as far as evidence of contact is concerned.

    Args:
        text: The text.
        command: What was run; lines that it holds itself prove nothing.
    """

    def __init__(self, text: str, command: str = "") -> None:
        self.text = text
        self.command = command
        self.complete = True
        self._left = MAX_READ
        self._ends = [text] if len(text) <= 2 * EDGE else [text[:EDGE], text[-EDGE:]]

    def lines(self, clients: frozenset[str]) -> Iterator[Seen]:
        """Lines that these clients print once they were answered."""
        for line in _lines_of(clients):
            yield from self._matches(line)

    def addresses(self) -> dict[str, list[str]]:
        """The addresses that the output shows hosts to stand for."""
        found: dict[str, list[str]] = {}
        for needles, pattern in _RESOLVED:
            for start, end in self._places(needles):
                for match in pattern.finditer(self.text, start, end):
                    if match[0] not in self.command:
                        found.setdefault(match["host"].lower(), []).append(match["address"])
        return found

    @cached_property
    def curl_errors(self) -> dict[int, str]:
        """Curl's own words for its exit codes, by code."""
        return {
            int(match[1]): match[0] for end in self._ends for match in _CURL_ERROR.finditer(end)
        }

    @cached_property
    def urls_in_command(self) -> list[str]:
        """The hosts of the URLs in what was run."""
        return hosts_of_urls(self.command)

    @cached_property
    def speaks_of_failure(self) -> bool:
        """Whether it begins or ends with a message of a client that reached nobody."""
        return any(map(speaks_of_failure, self._ends))

    @cached_property
    def refused_by_proxy(self) -> bool:
        """Whether a proxy says that it did not pass a request on."""
        return self.has(PROXY_REFUSED)

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern occurs near the beginning or the end."""
        return any(pattern.search(end) for end in self._ends)

    def without(self, is_said: Callable[[str], bool]) -> str:
        """The beginning of the text, less some of its first lines."""
        *first, rest = [*self._lines[:MAX_LINES], "\n".join(self._lines[MAX_LINES:])]
        return "\n".join([*(line for line in first if not is_said(line)), rest]).strip()

    @cached_property
    def _lines(self) -> list[str]:
        return [line.strip() for line in self._ends[0].splitlines()]

    def _matches(self, line: Line) -> Iterator[Seen]:
        for start, end in self._places(line.needles) if line.needles else [(0, 2 * EDGE)]:
            for match in line.pattern.finditer(self.text[start:end]):
                self._left -= COST_OF_MATCH
                if match[0] in self.command:
                    continue
                groups = match.groupdict()
                yield Seen(
                    line,
                    match[0],
                    start + match.start(),
                    start + match.end(),
                    groups.get("host") or "",
                    groups.get("address") or "",
                )

    def _places(self, needles: tuple[str, ...]) -> Iterator[tuple[int, int]]:
        """Spans of the lines that contain one of the needles."""
        for needle in needles:
            # Most texts hold few of the needles, and nothing is cheaper than to see that.
            if needle in self.text:
                yield from self._places_of(needle)

    def _places_of(self, needle: str) -> Iterator[tuple[int, int]]:
        """Spans of the lines that contain a needle, each line once."""
        position = 0
        for _ in range(MAX_TRIES):
            found = self.text.find(needle, position)
            if found < 0:
                return
            start = max(0, found - LINE_REACH)
            start += 1 + max(self.text[start:found].rfind(mark) for mark in "\n\r")
            end = self._line_end(found)
            self._left -= end - start
            if self._left < 0:
                break
            yield start, end
            position = max(end, found + 1)
        self.complete = False

    def _line_end(self, position: int) -> int:
        limit = min(len(self.text), position + LINE_REACH)
        ends = [self.text.find(mark, position, limit) for mark in "\n\r"]
        return min((end for end in ends if end >= 0), default=limit)
