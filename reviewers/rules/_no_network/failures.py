"""Messages of clients that reached nobody, of proxies that refused, of programs not there."""

import re

NOT_RUN_REACH = 20_000
"""Characters at the beginning that are read for programs that are not there."""

NOT_REACHED = (
    *(f"{verb} {what}" for verb in ("could not", "couldn't", "unable to", "failed to", "cannot")
      for what in ("resolve", "connect", "establish a new connection")),
    *("unable to find the server", "could not be resolved", "unknownhost", "bad address"),
    *("name or service not known", "temporary failure in name resolution", "dial tcp"),
    *("temporary failure resolving", "nodename nor servname", "no address associated"),
    *("name does not resolve", "no such host", "nameresolutionerror", "getaddrinfo", "eai_again"),
    *("nxdomain", "servfail", "no servers could be reached", " enotfound", "'enotfound"),
    *("connection refused", "connectionrefused", "econnrefused", "host unreachable"),
    *("network unreachable", "network is unreachable", "enetunreach", "ehostunreach"),
    *("no route to host", "100% packet loss", "max retries exceeded", "retrying (retry("),
    *("timed out", "timed-out", "timedout", "connecttimeout", "took too long to respond"),
    *("proxyerror", "newconnectionerror", "ns_error_", "err_name_not_resolved", "err_network"),
    *("err_internet_disconnected", "err_address_unreachable", "err_proxy", "err_tunnel"),
    *("err_connection", "err_timed_out"),
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


CURL_ERROR = re.compile(r"^curl: \((\d{1,3})\)[^\n]{0,200}", re.MULTILINE)
"""curl's own account of what went wrong, with its exit code."""
