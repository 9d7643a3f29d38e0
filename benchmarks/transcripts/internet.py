"""A small internet in a network namespace of its own: public-looking hosts, all on this machine.

Tools meet real sockets, real HTTP and a real name server's silence, and nothing leaves the machine.
"""

from __future__ import annotations

import http.server
import os
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HOSTS = {
    "example.com": "93.184.216.34",
    "downloads.example.org": "93.184.216.35",
    "api.weather.example": "93.184.216.36",
    "internal.corp.example": "10.20.30.40",
    "localhost-named.example": "127.0.0.1",
}
"""Names and addresses of the hosts; one private, one a public-looking name on loopback."""

INSIDE = "REVIEWERS_BENCH_INSIDE"


def enter() -> None:
    """Start this program again inside namespaces of its own, unless it is in them already.

    Needs Linux, `unshare` and `ip`, and the right to make namespaces (root).
    """
    if os.environ.get(INSIDE):
        return
    command = ["unshare", "--net", "--mount", sys.executable, *_module(), *sys.argv[1:]]
    raise SystemExit(subprocess.run(command, env={**os.environ, INSIDE: "1"}).returncode)


def _module() -> list[str]:
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return ["-m", spec.name.removesuffix(".__main__")] if spec else [sys.argv[0]]


@contextmanager
def internet() -> Iterator[None]:
    """Bring up addresses, names and web servers; to be called inside (see `enter`)."""
    with TemporaryDirectory() as folder:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        for address in set(HOSTS.values()) - {"127.0.0.1"}:
            subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)
        names = Path(folder) / "hosts"
        lines = [f"{address} {name}" for name, address in HOSTS.items()]
        names.write_text("\n".join(["127.0.0.1 localhost", *lines]) + "\n")
        subprocess.run(["mount", "--bind", names, "/etc/hosts"], check=True)
        resolver = Path(folder) / "resolv.conf"
        resolver.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        subprocess.run(["mount", "--bind", resolver, "/etc/resolv.conf"], check=True)
        servers = [_serve(address, 80) for address in set(HOSTS.values())]
        servers.append(_serve(HOSTS["example.com"], 443, _certificate(Path(folder))))
        try:
            yield
        finally:
            for server in servers:
                server.shutdown()
                server.server_close()


class Site(http.server.BaseHTTPRequestHandler):
    """Answers every request with a small page; /missing with 404, /private with 401."""

    server_version = "nginx/1.24.0"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer."""
        status = {"/missing": 404, "/private": 401, "/moved": 301}.get(self.path, 200)
        body = b"<!doctype html><title>Example Domain</title><h1>Example Domain</h1>\n"
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=UTF-8")
        self.send_header("Content-Length", str(len(body)))
        if status == 301:
            self.send_header("Location", "/")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_POST = do_GET

    def log_message(self, *args: Any) -> None:
        """Says nothing."""


def _serve(
    address: str, port: int, context: ssl.SSLContext | None = None
) -> http.server.ThreadingHTTPServer:
    server = http.server.ThreadingHTTPServer((address, port), Site)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
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
