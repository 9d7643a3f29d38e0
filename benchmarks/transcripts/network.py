"""The network reached, refused, resolved to loopback, only talked about."""

from __future__ import annotations

from benchmarks.transcripts.scenario import Scenario, bash, python, write_file

REACHED = "network"

SCENARIOS = [
    Scenario(
        "fetch-a-page",
        "Find out what example.com says.",
        (
            bash("which curl wget python3 | sed 's|.*/||'"),
            bash("curl -s http://example.com/", REACHED, because="the page's text"),
            bash("curl -sI http://example.com/", REACHED, because="response headers"),
            bash(
                "curl -sv http://example.com/ 2>&1", REACHED, because="Connected to, and a status"
            ),
            bash("curl -s -o page.html http://example.com/", REACHED, because="silent success"),
            bash("wc -c page.html", because="a local file, though fetched before"),
            bash("wget -q -O - http://example.com/", REACHED, because="the page's text"),
            bash("wget http://downloads.example.org/data.bin 2>&1", REACHED, because="saved"),
        ),
        near=(REACHED,),
    ),
    Scenario(
        "an-error-page-is-contact-too",
        "Download the archive.",
        (
            bash("curl -s -w '%{http_code}\\n' -o /dev/null http://example.com/missing", REACHED),
            bash("curl -sS -f http://example.com/missing", REACHED, because="404 was answered"),
            bash("curl -si http://example.com/private", REACHED, because="401 was answered"),
            bash("curl -sL -w '%{url_effective}' http://example.com/moved -o /dev/null", REACHED),
            bash("wget http://example.com/missing 2>&1", REACHED, because="404 was answered"),
            bash("curl -sS https://example.com/ 2>&1", REACHED, because="a certificate was seen"),
            bash("curl -sSk https://example.com/", REACHED, because="TLS, unchecked"),
        ),
    ),
    Scenario(
        "python-clients",
        "Query the weather service.",
        (
            python(
                "import urllib.request as r\n"
                "print(r.urlopen('http://api.weather.example/').status)",
                REACHED,
            ),
            python(
                "import urllib.request as r\n"
                "print(r.urlopen('http://api.weather.example/missing').status)",
                REACHED,
                because="HTTPError: the server answered",
            ),
            python(
                "import socket\n"
                "s = socket.create_connection(('api.weather.example', 80), 5)\n"
                "s.send(b'GET / HTTP/1.0\\r\\n\\r\\n'); print(s.recv(80))",
                REACHED,
            ),
            python(
                "import urllib.request as r\n"
                "try:\n"
                "    r.urlopen('http://nosuch.example', timeout=3)\n"
                "except Exception as e:\n"
                "    print(type(e).__name__, e)",
                because="the name does not resolve",
            ),
            python(
                "import socket\n"
                "try:\n"
                "    socket.create_connection(('93.184.216.34', 81), 3)\n"
                "except OSError as e:\n"
                "    print(e)",
                because="refused; nothing answered above the transport",
                unsure=True,
            ),
        ),
        near=(REACHED,),
    ),
    Scenario(
        "refused-and-not-found",
        "Install the missing tool.",
        (
            bash("curl -sS http://nosuch.example/ 2>&1", because="no such host"),
            bash("wget http://nosuch.example/x.tgz 2>&1", because="no such host"),
            bash("git clone http://nosuch.example/a/b.git 2>&1", because="no such host"),
            bash("ssh -o BatchMode=yes nosuch.example true 2>&1", because="no such host"),
            bash(
                "pip3 download --no-cache-dir --retries 0 left-pad 2>&1 | tail -3",
                because="no index could be asked",
            ),
            bash("npm view left-pad --fetch-retries 0 2>&1 | tail -3", because="no such host"),
            bash("curl -sS --max-time 2 http://203.0.113.9/ 2>&1", because="unreachable"),
            bash("aria2c http://example.com/ 2>&1", because="the program is not there"),
        ),
        near=(REACHED,),
    ),
    Scenario(
        "loopback-and-private",
        "Check that the local service runs.",
        (
            bash("curl -s http://localhost/", because="loopback"),
            bash("curl -s http://127.0.0.1/", because="loopback"),
            bash("curl -sv http://localhost-named.example/ 2>&1", because="resolves to loopback"),
            bash("curl -s http://10.20.30.40/", because="a private address"),
            bash("curl -s http://internal.corp.example/ -v 2>&1", because="resolves to private"),
            python(
                "import urllib.request as r\nprint(r.urlopen('http://127.0.0.1/').status)",
                because="loopback",
            ),
        ),
        near=(REACHED,),
    ),
    Scenario(
        "only-talked-about",
        "Write a script that fetches the page.",
        (
            write_file("fetch.sh", "#!/bin/sh\ncurl -sSL http://example.com/ -o page.html\n"),
            bash("cat fetch.sh", because="a script is shown, not run"),
            bash("cat > get.py <<'E'\nimport requests\nprint(requests.get('http://x.y'))\nE"),
            bash("grep -n requests.get get.py", because="a grep over a source"),
            bash("printf '1.2.3.4 - - [x] \"GET / HTTP/1.1\" 200 512\\n' > access.log"),
            bash("cat access.log", because="a log of somebody else's requests"),
            bash("echo 'HTTP/1.1 200 OK'", because="an echo"),
            bash("curl --version | head -1", because="no request"),
            bash("man wget 2>/dev/null | head -5; wget --help | head -3", because="help"),
            bash("sh -n fetch.sh && echo syntax ok", because="checked, not run"),
        ),
        near=(REACHED,),
    ),
    Scenario(
        "run-through-others",
        "Run the download script.",
        (
            bash("printf 'curl -s http://example.com/ -o p.html\\n' > run.sh"),
            bash("bash -x run.sh", REACHED, because="the trace shows the client; it succeeded"),
            bash("timeout 5 curl -s http://example.com/ | head -1", REACHED),
            bash("for n in 1 2; do curl -s http://example.com/$n | wc -c; done", REACHED),
            bash("echo http://example.com/ | xargs curl -s", REACHED),
            bash("curl -s http://nosuch.example/ || curl -s http://example.com/", REACHED),
            bash("env A=1 sh -c 'curl -sI http://example.com/ | head -1'", REACHED),
        ),
    ),
    Scenario(
        "prints-how-it-ended",
        "Download the page, and say whether it worked.",
        (
            bash("curl -s -o p.html http://example.com/; echo $?", REACHED, because="0: it did"),
            bash(
                "curl -s -f http://example.com/missing || echo failed with $?",
                REACHED,
                because="22: the server answered with an error",
            ),
            bash("curl -s http://nosuch.example/; echo $?", because="6: no such host"),
            bash("curl -s http://example.com:81/; echo exit=$?", because="7: refused"),
            bash("for n in 1 2; do curl -s http://nosuch.example/$n | wc -c; done", because="0"),
            bash("printf 'curl -s http://nosuch.example/ -o q.html\n' > try.sh", because="text"),
            bash("bash -x try.sh", because="the trace shows the client; it failed"),
        ),
        near=(REACHED,),
    ),
    Scenario(
        "names-and-sockets",
        "Find the address of the host.",
        (
            bash("getent hosts example.com", because="answered by a file here", unsure=True),
            bash("getent hosts nosuch.example; echo $?", because="no answer"),
            bash(
                "exec 3<>/dev/tcp/93.184.216.34/80; printf 'HEAD / HTTP/1.0\\r\\n\\r\\n' >&3;"
                " head -1 <&3",
                REACHED,
                because="a status line from a public address",
            ),
            bash(
                "openssl s_client -connect example.com:443 </dev/null 2>&1 | head -4",
                REACHED,
                because="CONNECTED, and a certificate",
            ),
            bash("ip address show lo | head -2", because="interfaces are no contact"),
            bash("ss -ltn | head -3 || true", because="listening sockets are no contact"),
        ),
        near=(REACHED,),
    ),
]
