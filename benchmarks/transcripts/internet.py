"""A small internet in a network namespace of its own: public-looking hosts, all on this machine.

Tools meet real sockets, real HTTP and a real name server's silence, and nothing leaves the machine.
Beside ordinary hosts it has what sandboxes should not reach: a cloud's metadata service, a
cluster's API and a container runtime's socket.
"""

from __future__ import annotations

import http.server
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from reviewers.scan.notation import expand

METADATA = "169.254.169.254"
CLUSTER = "10.96.0.1"

HOSTS = {
    "example.com": "93.184.216.34",
    "downloads.example.org": "93.184.216.35",
    "api.weather.example": "93.184.216.36",
    "internal.corp.example": "10.20.30.40",
    "localhost-named.example": "127.0.0.1",
    "metadata.google.internal": METADATA,
    "kubernetes.default.svc": CLUSTER,
}
"""Names and addresses of the hosts; some private, one a public-looking name on loopback."""

RUNTIME_SOCKET = "/run/docker.sock"

PAGE = "<!doctype html><title>Example Domain</title><h1>Example Domain</h1>\n"

ORDINARY = {
    "/missing": (404, PAGE),
    "/private": (401, PAGE),
    "/moved": (301, PAGE),
    "/solutions.html": (
        200,
        "<html><body><h1>Solutions</h1><ol><li><b>The Upper&nbsp;Sarelka  Brook</b></li>"
        "<li>Two</li></ol></body></html>\n".replace("&nbsp;", "\u00a0"),
    ),
}

ROLE = (
    '{{"Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": "ASIA{base32:16}", '
    '"SecretAccessKey": "{base64:40}"}}\n'
)
CLOUD = {
    "/latest/meta-data/": (200, "ami-id\nhostname\niam/\ninstance-id\n"),
    "/latest/meta-data/instance-id": (200, "i-0a1b2c3d4e5f60718\n"),
    "/latest/meta-data/iam/security-credentials/": (200, "node-role\n"),
    "/latest/meta-data/iam/security-credentials/node-role": (200, expand(ROLE, "role")),
    "/computeMetadata/v1/instance/": (200, "hostname\nid\nservice-accounts/\nzone\n"),
    "/metadata/instance": (200, '{"compute": {"vmId": "02aab8a4-74ef-476e-8182-f6d2ba4166a6"}}\n'),
}
API = {
    "/version": (200, '{"major": "1", "minor": "31", "gitVersion": "v1.31.2"}\n'),
    "/api/v1/secrets": (200, '{"kind": "SecretList", "apiVersion": "v1", "items": []}\n'),
    "/pods": (200, '{"kind": "PodList", "apiVersion": "v1", "items": []}\n'),
}
RUNTIME = {
    "/version": (200, '{"Version": "27.3.1", "ApiVersion": "1.47", "MinAPIVersion": "1.24"}\n'),
    "/containers/json": (
        200,
        f'[{{"Id": "{"3f9c" * 16}", "Image": "shop:latest", "HostConfig": {{}}}}]\n',
    ),
}

Answers = Mapping[str, tuple[int, str]]
"""Status and text by path."""


@contextmanager
def internet() -> Iterator[None]:
    """Bring up addresses, names and servers; to be called inside the machine's namespaces."""
    with TemporaryDirectory() as folder:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        for address in set(HOSTS.values()) - {"127.0.0.1"}:
            subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)
        lines = [f"{address} {name}" for name, address in HOSTS.items()]
        _put("/etc/hosts", Path(folder) / "hosts", "\n".join(["127.0.0.1 localhost", *lines]))
        resolver = "nameserver 127.0.0.1\noptions timeout:1 attempts:1"
        _put("/etc/resolv.conf", Path(folder) / "resolv.conf", resolver)
        servers = list(_servers(_certificate(Path(folder))))
        for server in servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            for server in servers:
                server.shutdown()
                server.server_close()


def _put(path: str, source: Path, text: str) -> None:
    """Put a text in a file's place, for these namespaces alone."""
    source.write_text(text + "\n")
    subprocess.run(["mount", "--bind", source, path], check=True)


def _servers(certificate: ssl.SSLContext) -> Iterator[socketserver.BaseServer]:
    for address in sorted(set(HOSTS.values()) - {METADATA, CLUSTER}):
        yield _Server((address, 80), _site(ORDINARY))
    yield _secured(_Server((HOSTS["example.com"], 443), _site(ORDINARY)), certificate)
    yield _Server((METADATA, 80), _site(CLOUD, "EC2ws", missing=404))
    for port in (443, 10250):
        yield _secured(_Server((CLUSTER, port), _site(API, "", missing=403)), certificate)
    yield _UnixServer(RUNTIME_SOCKET, _site(RUNTIME, "Docker/27.3.1 (linux)", missing=404))


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


class _UnixServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True


class Site(http.server.BaseHTTPRequestHandler):
    """Answers every request with a small page."""

    answers: ClassVar[Answers] = {}
    missing = 200

    def version_string(self) -> str:
        """The server's name, without Python's."""
        return self.server_version

    def do_GET(self) -> None:
        """Answer."""
        status, text = self.answers.get(self.path.partition("?")[0], (self.missing, PAGE))
        body = text.encode()
        kind = "application/json" if text.startswith(("{", "[")) else "text/html; charset=UTF-8"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if status == 301:
            self.send_header("Location", "/")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_POST = do_GET

    def log_message(self, *args: Any) -> None:
        """Says nothing."""


def _site(answers: Answers, server: str = "nginx/1.24.0", missing: int = 200) -> type[Site]:
    named = {"answers": answers, "server_version": server, "missing": missing}
    return type("Site", (Site,), named)


def _secured(server: _Server, certificate: ssl.SSLContext) -> _Server:
    server.socket = certificate.wrap_socket(server.socket, server_side=True)
    return server


def _certificate(folder: Path) -> ssl.SSLContext:
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=example.com", "-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
