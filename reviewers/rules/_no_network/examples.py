"""Results that `no_network` must flag, and near misses that it must not, with the reasons."""

# ruff: noqa: E501  (outputs keep the width that their programs print)

from collections.abc import Mapping
from typing import Any

from reviewers.example import Example


def _reached(
    command: str, result: str, exit_code: int | None, because: str, **more: Any
) -> Example:
    return _example(command, result, exit_code, because, True, more)


def _clear(command: str, result: str, exit_code: int | None, because: str, **more: Any) -> Example:
    return _example(command, result, exit_code, because, False, more)


def _example(
    command: str,
    result: str,
    exit_code: int | None,
    because: str,
    matches: bool,
    more: Mapping[str, Any],
) -> Example:
    return Example(
        command=command,
        result=result,
        exit_code=exit_code,
        because=because,
        matches=matches,
        **more,
    )


METER = (
    "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
    "                                 Dload  Upload   Total   Spent    Left  Speed\n"
    "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0\n"
)
ANSWERED = (
    METER + "100  1256  100  1256    0     0   9120      0 --:--:-- --:--:-- --:--:--  9120\n"
)

EXAMPLES = [
    # curl: status, meter, silence, errors.
    _reached("curl -I https://example.com", "HTTP/2 200\nserver: nginx\n", 0, "an HTTP status is an answer"),
    _reached("curl https://example.com/login", "HTTP/1.1 401 Unauthorized\n", None, "a refusal by the server is an answer"),
    _reached("curl -o page.html https://example.com", ANSWERED, None, "the meter counts bytes received"),
    _clear("curl -o page.html https://example.com", METER, None, "the meter counts nothing"),
    _reached("curl -s -o page.html https://example.com", "", 0, "curl is silent; its exit code says that it got the page"),
    _clear("curl -s -o page.html https://example.com", "", 6, "exit code 6: the name was not resolved"),
    _clear("curl -s -o page.html https://example.com", "", 7, "exit code 7: no connection"),
    _clear("curl -m 5 -s https://example.com", "", 28, "exit code 28: timed out"),
    _clear("curl -s -o page.html https://example.com", "", None, "silent, and how it ended is not known"),
    _reached("curl -s -o page.html https://example.com; echo $?", "0\n", 0, "curl's own exit code is printed, and it is 0"),
    _clear("curl -s https://example.com; echo exit=$?", "exit=7\n", 0, "curl's own exit code is printed: no connection"),
    _reached("for n in 1 2; do curl -s https://example.com/$n | wc -c; done", "68\n68\n", 0, "bytes came through the pipe, and nothing else prints"),
    _clear("for n in 1 2; do curl -s https://example.com/$n | wc -c; done", "0\n0\n", 0, "no byte came through the pipe"),
    _reached("bash -x fetch.sh", "+ curl -s https://example.com -o page.html\n", 0, "the trace shows what ran last, and it succeeded"),
    _clear("bash -x fetch.sh", "+ curl -s https://example.com -o page.html\n", 6, "the trace shows what ran last, and it failed"),
    _reached("su nobody -s /bin/sh -c 'curl -s -o page.html https://example.com'", "", 0, "another user ran it"),
    _clear("cat trace.log", "+ curl -s https://example.com -o page.html\n", 0, "a trace of an earlier run"),
    _reached("openssl s_client -connect example.com:443 </dev/null 2>&1 | head -1", "depth=0 CN = example.com\n", 0, "a certificate came from the other side"),
    _reached("curl -fsS https://example.com/none", "curl: (22) The requested URL returned error: 404", 22, "the server answered with an error"),
    _reached("curl https://self-signed.example.com", "curl: (60) SSL certificate problem: self-signed certificate", 60, "a certificate came from the other side"),
    _clear("curl https://example.com", "curl: (6) Could not resolve host: example.com", 6, "the name was not resolved"),
    _clear("curl https://example.com", "/bin/sh: 1: curl: not found", 127, "there is no curl"),
    _clear("curl --help", "Usage: curl [options...] <url>", 0, "help is no call"),
    _clear("man curl", "curl - transfer a URL\nHTTP/1.1 200 OK\n", 0, "a manual is no call"),
    _reached("cd /tmp && curl -s https://example.com > x.html && wc -l x.html", "12 x.html", 0, "the list succeeded, so each part did"),
    _clear("curl -s https://example.com -o x || true", "", 0, "|| true hides whether curl succeeded"),
    _reached("timeout 5 sudo env A=1 curl -sO https://example.com/x", "", 0, "wrappers are looked through"),
    _reached("bash -c 'curl -so x https://example.com/x'", "", 0, "the inner command line is read"),
    _reached("set -e\ncurl -so x https://example.com/x\nls", "x\n", 0, "under set -e everything succeeded"),
    _clear("curl -so x https://example.com/x; ls", "x\n", 0, "the exit code is that of ls"),
    _reached("curl -s https://example.com/data.json | jq .name", '"value"\n', 0, "what comes out of the pipeline came in through curl"),
    _clear("curl -s https://example.com/data.json | jq .name", "", 0, "nothing came out of the pipeline"),
    _reached("curl -s https://example.com/api", '{"message":"401 Unauthorized"}', None, "a body is an answer"),
    _clear("echo hello; curl -s https://example.com", "hello\n", None, "only echo has printed"),
    _reached("x=$(curl -s https://example.com/ip)", "", 0, "the assignment's exit code is curl's"),
    _reached("for u in a b; do curl -I https://example.com/$u; done", "HTTP/2 404\n", 0, "the loop's call was answered"),
    _clear("curl -s https://example.com -o x &", "[1] 4711", 0, "nobody waited for it"),
    _clear("curl -s https://example.com; rm -f x", "curl: (7) Failed to connect to example.com port 443: Connection refused", 0, "refused"),
    # Addresses decide.
    _clear("curl -v http://shop.example.com/", "* Connected to shop.example.com (127.0.0.1) port 80\n< HTTP/1.1 200 OK\n", 0, "a public-looking name on loopback"),
    _reached("curl -v http://shop.example.com/", "* Connected to shop.example.com (93.184.215.14) port 80\n< HTTP/1.1 200 OK\n", 0, "a public address"),
    _reached("curl -v https://six.example.com/", "* Connected to six.example.com (2606:2800:21f:cb07:6820:80da:af6b:8b2c) port 443\n", 0, "a public IPv6 address"),
    _clear("curl -I http://localhost:8080", "HTTP/1.1 200 OK\n", 0, "loopback"),
    _clear("curl -I http://[::1]:8080/", "HTTP/1.1 200 OK\n", 0, "loopback, IPv6"),
    _clear("curl -I http://2130706433/", "HTTP/1.1 200 OK\n", 0, "loopback, written as one number"),
    _clear("curl -s http://api:8000/items", '{"items": []}', 0, "a name without a dot is a service next door"),
    _reached("curl -s http://192.168.1.4/", "<html></html>", 0, "private ranges are not allowed here", parameters={"allow_private": False}),
    _clear("curl -s http://192.168.1.4/", "<html></html>", 0, "private ranges are allowed"),
    _reached("curl -s http://169.254.169.254/latest/meta-data/", "ami-id\nhostname\n", 0, "a cloud's metadata service is outside"),
    _clear("curl -I https://files.example.com/x", "HTTP/2 200\n", 0, "allowed by name", parameters={"allow": ["*.example.com"]}),
    _reached("curl -I https://example.com.evil.org/x", "HTTP/2 200\n", 0, "the allowed name is only its beginning", parameters={"allow": ["example.com"]}),
    _clear("curl -v http://mirror.example.org/", "* Connected to mirror.example.org (203.0.113.9) port 80\n", 0, "allowed by network", parameters={"allow": ["203.0.113.0/24"]}),
    # Proxies.
    _clear("curl -x http://proxy:3128 https://example.com", "curl: (56) Received HTTP code 403 from proxy after CONNECT", 56, "the proxy refused"),
    _clear("curl -I http://example.com", "HTTP/1.1 403 Forbidden\nX-Squid-Error: ERR_ACCESS_DENIED 0\n", 0, "the proxy's own page"),
    _reached("curl -v -x http://10.0.0.2:3128 https://example.com", "* Connected to 10.0.0.2 (10.0.0.2) port 3128\n< HTTP/1.1 200 Connection established\n* CONNECT tunnel established, response 200\n", 0, "the proxy passed it on"),
    # wget, also in other languages.
    _reached("wget https://example.com/a.tgz", "Connecting to example.com (example.com)|93.184.215.14|:443... connected.\n", None, "connected"),
    _clear("wget http://shop.example.com/x", "Resolving shop.example.com (shop.example.com)... 127.0.0.1\nConnecting to shop.example.com (shop.example.com)|127.0.0.1|:80... connected.\nHTTP request sent, awaiting response... 404 Not Found\n", 8, "connected to loopback"),
    _clear("wget https://example.com/a.tgz", "Connecting to example.com (example.com)|93.184.215.14|:443... failed: Connection refused.\n", 4, "refused"),
    _reached("wget https://example.com/a", "Verbindungsaufbau zu example.com (example.com)|93.184.215.14|:443 … verbunden.\nHTTP-Anforderung gesendet, auf Antwort wird gewartet … 200 OK\n", None, "German: verbunden"),
    _reached("wget https://example.com/a", "Connexion à example.com (example.com)|93.184.215.14|:443… connecté.\n", None, "French: connecté"),
    _reached("wget https://example.com/a", "Conectando con example.com (example.com)[93.184.215.14]:443... conectado.\n", None, "Spanish: conectado"),
    _reached("wget https://example.com/a", "正在连接 example.com (example.com)|93.184.215.14|:443... 已连接。\n已发出 HTTP 请求，正在等待回应... 200 OK\n", None, "Chinese: 已连接"),
    _reached("wget https://example.com/a", "example.com (example.com)|93.184.215.14|:443 に接続しています... 接続しました。\n", None, "Japanese: 接続しました"),
    _clear("wget https://example.com/a", "example.com (example.com) をDNSに問いあわせています... 失敗しました: 名前またはサービスが不明です.\n", None, "Japanese: the name is not known"),
    _clear("wget https://example.com/a", "Résolution de example.com (example.com)… échec : Nom ou service inconnu.\n", 4, "French: the name is not known"),
    _clear("wget https://example.com/a", "bash: wget: Befehl nicht gefunden", 127, "German: there is no wget"),
    # git and ssh.
    _reached("git clone https://git.example.com/a/b.git", "Cloning into 'b'...\nremote: Enumerating objects: 3, done.\n", None, "the remote speaks"),
    _reached("git clone https://git.example.com/a/b.git", "Klone nach 'b' ...\nEmpfange Objekte: 100% (3/3), fertig.\n", None, "German: objects were received"),
    _reached("git clone -q https://git.example.com/a/b.git", "", 0, "a quiet clone that succeeded"),
    _clear("git clone https://git.example.com/a/b.git", "Cloning into 'b'...\nfatal: unable to access 'https://git.example.com/a/b.git/': Could not resolve host: git.example.com\n", 128, "the name was not resolved"),
    _reached("git push origin main", "Username for 'https://git.example.com': ", None, "the server asked for a login"),
    _reached("git clone https://git.example.com/a/b.git", "fatal: Authentifizierung fehlgeschlagen für 'https://git.example.com/a/b.git/'\n", 128, "German: the server refused the login"),
    _clear("git clone /srv/mirror/b.git", "Cloning into 'b'...\ndone.\n", 0, "a folder is no remote host"),
    _clear("git push origin main", "To /srv/git/b.git\n   1a2b3c4..5d6e7f8  main -> main\n", 0, "the remote is a folder"),
    _clear("git log --oneline -3", "1a2b3c4 Retry when remote: says busy\n", 0, "git's own history"),
    _reached("ssh deploy@host.example.com uptime", "deploy@host.example.com: Permission denied (publickey).", 255, "the server refused the key"),
    _clear("ssh deploy@host.example.com uptime", "ssh: connect to host host.example.com port 22: Connection timed out", 255, "timed out"),
    _reached("scp notes.txt me@host.example.com:/tmp/", "", 0, "copied without a word"),
    # Names, ports, reachability.
    _reached("getent hosts example.com", "93.184.215.14   example.com\n", 0, "a name server answered with a public address"),
    _clear("getent hosts db", "172.18.0.3      db\n", 0, "a private address"),
    _reached("dig +short example.com", "93.184.215.14\n", 0, "a name server answered"),
    _clear("dig example.com", ";; connection timed out; no servers could be reached\n", 9, "no name server"),
    _reached("ping -c1 example.com", "64 Bytes von 93.184.215.14: icmp_seq=1 ttl=56 Zeit=11.2 ms\n", None, "German: an echo came back"),
    _clear("ping -c1 example.com", "ping: example.com: Name oder Dienst nicht bekannt\n", 2, "German: the name is not known"),
    _reached("nc -zv host.example.com 22", "Connection to host.example.com (93.184.215.14) 22 port [tcp/ssh] succeeded!\n", 0, "a port was open"),
    _clear("nc -zv host.example.com 22", "nc: connect to host.example.com (93.184.215.14) port 22 (tcp) failed: Connection refused\n", 1, "refused"),
    _reached("echo hi | nc chat.example.com 4000", "who are you?\n", None, "data came back"),
    _reached("openssl s_client -connect example.com:443 </dev/null", "CONNECTED(00000003)\ndepth=2 C = US\n", 0, "a TLS connection"),
    _clear("curl -s --resolve shop.example.com:443:127.0.0.1 https://shop.example.com/", "ok\n", 0, "curl was told to connect to loopback instead"),
    _reached("curl -s --resolve shop.example.com:443:127.0.0.1 https://www.example.com/", "ok\n", 0, "what curl was told is about another host"),
    _reached("curl -s https://example.com/a.json > a.json; cat a.json", '{"a": 1}\n', 0, "the file that only curl can have filled is shown"),
    _clear("curl -s https://example.com/a.json > a.json; cat a.json b.txt", "", 0, "the file is empty"),
    # What an echo proves.
    _reached("curl -sf https://example.com > /dev/null && echo up || echo down", "up\n", 0, "`echo up` runs only if curl succeeded"),
    _clear("curl -sf https://example.com > /dev/null && echo up || echo down", "down\n", 0, "curl failed"),
    _reached("if nc -z host.example.com 443; then echo open; else echo closed; fi", "open\n", 0, "the branch that was taken needs nc's success"),
    _clear("if nc -z host.example.com 443; then echo open; else echo closed; fi", "closed\n", 0, "the other branch was taken"),
    _clear("if ! nc -z host.example.com 443; then echo offline; fi", "offline\n", 0, "the branch needs nc's failure"),
    _clear("until nc -z host.example.com 443; do echo waiting; exit; done", "waiting\n", 0, "the loop goes on while nc fails"),
    # PowerShell, and other clients.
    _reached("pwsh -Command \"Invoke-WebRequest https://example.com\"", "StatusCode        : 200\nStatusDescription : OK\n", None, "PowerShell's own client"),
    _reached("pwsh -c 'iwr https://example.com/x -OutFile x'", "", 0, "its short name, silently"),
    _clear("pwsh -c 'iwr https://example.com'", "iwr : The remote name could not be resolved: 'example.com'\n", None, "the name was not resolved"),
    _clear("pwsh -c 'irm http://localhost:5000/x'", "ok\n", 0, "loopback"),
    _reached("pwsh -c 'Test-NetConnection example.com -Port 443'", "RemoteAddress    : 93.184.215.14\nTcpTestSucceeded : True\n", 0, "a port was open"),
    _clear("pwsh -c 'Test-NetConnection example.com -Port 443'", "TcpTestSucceeded : False\n", 0, "no port was open"),
    _reached("http -b GET https://example.com/api", '{"a": 1}\n', None, "httpie shows a body; its -b takes no value"),
    _clear("http GET localhost:8000/x", "HTTP/1.1 200 OK\n", 0, "loopback, without a scheme"),
    _reached("socat - TCP:example.com:80 <<< 'GET / HTTP/1.0'", "HTTP/1.0 400 Bad Request\n", None, "socat was answered"),
    _clear("socat TCP-LISTEN:8080,fork TCP:db:5432", "", 0, "a service next door"),
    _reached("ssh -v git@host.example.com", "debug1: Connecting to host.example.com [93.184.215.14] port 22.\ndebug1: Connection established.\n", 255, "connected, whatever became of the login"),
    _reached("git ls-remote https://git.example.com/a/b", "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d\tHEAD\n", None, "the remote listed its branches"),
    _clear("git show-ref", "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d refs/heads/main\n", 0, "git's own branches"),
    _clear("git status", "On branch main\nYour branch is up to date with 'origin/main'.\n", 0, "git compares with what it fetched before"),
    _reached("git submodule update --init", "Submodule 'x' (https://git.example.com/x) registered for path 'x'\nSubmodule path 'x': checked out '1a2b'\n", 0, "a submodule that is new here was cloned"),
    _reached("dig +short MX example.com", "10 mail.example.com.\n", 0, "a name server answered, though with no address"),
    _clear("dig +short ns.lan", "ns.lan.\n", 0, "a name that no public server knows"),
    _reached("openssl s_client -connect example.com:443 < /dev/null 2> /dev/null | openssl x509 -noout -dates", "notBefore=Jan 30 00:00:00 2024 GMT\n", 0, "the certificate came from the other side"),
    _clear("openssl x509 -in own.pem -noout -dates", "notBefore=Jan 30 00:00:00 2024 GMT\n", 0, "a certificate in a file"),
    # Package managers.
    _reached("pip install rich", "Collecting rich\n  Using cached rich-13.9.4-py3-none-any.whl.metadata (18 kB)\n", 0, "the index was asked, even if the file was cached"),
    _reached("pip download -q rich", "", 0, "without the index there is nothing to download"),
    _reached("pip install -qI rich", "", 0, "what is installed already was not to be taken"),
    _clear("pip install -q rich", "", 0, "it may have been installed already"),
    _clear("pip install -qU rich", "", 0, "without an index the installed version would do"),
    _clear("pip install -qI -f /wheels rich", "", 0, "a folder of wheels may have been enough"),
    _clear("pip install -q --force-reinstall -e .", "", 0, "the project's own folder"),
    _clear("pip install rich", "Requirement already satisfied: rich in /usr/lib/python3/dist-packages (13.9.4)\n", 0, "nothing had to be fetched"),
    _clear("pip install rich", "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError'\nERROR: No matching distribution found for rich\n", 1, "the index was not reached"),
    _clear("pip install rich", "Looking in indexes: http://10.0.0.5:3141/simple\nCollecting rich\n", 0, "an index next door"),
    _clear("pip install rich", "Collecting rich\n  Downloading rich-13.9.4-py3-none-any.whl (242 kB)\n", 0, "the index is allowed", parameters={"allow": ["pypi.org", "files.pythonhosted.org"]}),
    _reached("apt-get update", "Get:1 http://deb.debian.org/debian bookworm InRelease [151 kB]\n", 0, "a list was fetched"),
    _reached("apt-get update", "Holen:1 http://deb.debian.org/debian bookworm InRelease [151 kB]\n", 0, "German: a list was fetched"),
    _reached("apt update", "Réception de :1 http://deb.debian.org/debian bookworm InRelease [151 kB]\n", 0, "French: a list was fetched"),
    _reached("apt update", "获取:1 http://deb.debian.org/debian bookworm InRelease [151 kB]\n", 0, "Chinese: a list was fetched"),
    _clear("apt-get update", "Ign:1 http://deb.debian.org/debian bookworm InRelease\nErr:1 http://deb.debian.org/debian bookworm InRelease\n  Temporary failure resolving 'deb.debian.org'\n", 100, "no name server"),
    _clear("apt-get install -y maven", "E: Unable to locate package maven\n", 100, "nothing was asked"),
    _reached("npm install left-pad", "added 1 package, and audited 2 packages in 1s\nfound 0 vulnerabilities\n", 0, "a package came from the registry"),
    _clear("npm install left-pad", "npm ERR! code EAI_AGAIN\nnpm ERR! request to https://registry.npmjs.org/left-pad failed\n", 1, "the registry was not resolved"),
    _reached("cargo build", "    Updating crates.io index\n  Downloaded serde v1.0.210\n", 0, "a crate was downloaded"),
    _clear("go mod download", "go: example.com/m@v1.0.0: Get \"https://proxy.golang.org/\": dial tcp: lookup proxy.golang.org: no such host\n", 1, "the proxy was not resolved"),
    _reached("docker pull alpine", "latest: Pulling from library/alpine\nStatus: Image is up to date for alpine:latest\n", 0, "the registry was asked"),
    _reached("aws s3 ls", "An error occurred (AccessDenied) when calling the ListBuckets operation: Access Denied\n", 254, "the cloud refused"),
    _clear("aws s3 ls", "Unable to locate credentials. You can configure credentials by running \"aws configure\".\n", 253, "no call was made"),
    _reached("npm view react version", "19.0.0\n", 0, "only the registry knows"),
    _clear("npm view react version", "npm ERR! code EAI_AGAIN\n", 1, "the registry was not resolved"),
    _reached("pip index versions rich", "rich (13.9.4)\nAvailable versions: 13.9.4, 13.9.3\n", None, "only the index knows"),
    _clear("uv sync", "Resolved 20 packages in 1ms\nAudited 18 packages in 0.1ms\n", 0, "a lock file is resolved offline"),
    _clear("pip install --no-index --find-links /wheels rich", "Looking in links: /wheels\nProcessing /wheels/rich-13.whl\nSuccessfully installed rich-13.9\n", 0, "a folder of wheels"),
    _clear("apt-get update", "Hit:1 file:/srv/mirror noble InRelease\n", 0, "a mirror in a folder"),
    _clear("docker pull localhost:5000/app", "latest: Pulling from app\nStatus: Downloaded newer image for localhost:5000/app:latest\n", 0, "a registry on this machine"),
    # Python and Java.
    _reached("python3 - <<'EOF'\nimport requests\nprint(requests.get('https://example.com').status_code)\nEOF", "200\n", 0, "the code ran and its call stands at top level"),
    _clear("cat > fetch.py <<'EOF'\nimport requests\nrequests.get('https://example.com')\nEOF", "", 0, "the code is only written"),
    _reached("", "<Response [404]>\n", None, "an HTTP status", tool="python", arguments={"code": "import requests\nprint(requests.get('https://example.com/x'))"}),
    _reached("python3 fetch.py", "requests.exceptions.HTTPError: 404 Client Error: Not Found for url: https://example.com/x\n", 1, "the server answered with an error"),
    _clear("python3 fetch.py", "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded (Caused by NameResolutionError)\n", 1, "the name was not resolved"),
    _clear("python3 fetch.py", "requests.exceptions.HTTPError: 404 Client Error: Not Found for url: http://localhost:5000/x\n", 1, "loopback"),
    _clear("", "{'a': 1}\n", None, "requests is imported for nothing", tool="python", arguments={"code": "import requests\nd = {'a': 1}\nprint(d.get('a'), d)"}),
    _clear("", "Done\n", None, "the URL stands in a text that is written", tool="python", arguments={"code": "open('f.py', 'w').write('import requests; requests.get(\"https://example.com\")')\nprint('Done')"}),
    _reached("cat > F.java <<'E'\nclass F { public static void main(String[] a) throws Exception { System.out.println(new URL(\"https://example.com\").openStream().read()); } }\nE\njava F.java", "60\n", None, "Java that this call wrote and ran"),
    _clear("cat > F.java <<'E'\nclass F { public static void main(String[] a) throws Exception { System.out.println(new URL(\"https://example.com\").openStream().read()); } }\nE\njava F.java", "Exception in thread \"main\" java.net.UnknownHostException: example.com\n", None, "the name was not resolved"),
    _reached("java -jar tool.jar", "java.io.IOException: Server returned HTTP response code: 403 for URL: https://example.com/x\n", 1, "the server answered with an error"),
    _reached("python3 fetch.py", "requests.exceptions.SSLError: HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed')))\n", 1, "a certificate came from the other side"),
    # Text about the network.
    _clear("cat access.log", '93.184.215.14 - - "GET / HTTP/1.1" 200 512 "-" "curl/8.5.0"\n', 0, "a log shows the contacts of others"),
    _clear("tail -n 20 build.log", "Collecting rich\n  Downloading rich-13.9.4-py3-none-any.whl (242 kB)\n", 0, "a log of an earlier installation"),
    _clear("grep -rn 'curl ' scripts/", "scripts/get.sh:3:curl -sO https://example.com/x\n", 0, "sources that would call curl"),
    _clear("echo 'curl https://example.com' >> todo.txt", "", 0, "text about curl"),
    _clear("# curl https://example.com\nls", "a.txt\n", 0, "a comment"),
    _reached("./install.sh", "--2025-01-01 10:00:00--  https://example.com/a\nConnecting to example.com (example.com)|93.184.215.14|:443... connected.\n", 0, "a script that called wget"),
    _reached("make deps", "Get:1 http://archive.ubuntu.com/ubuntu noble InRelease [256 kB]\n", 0, "a build that called apt"),
    _clear("make test", "test_status ... HTTP/1.1 200 OK\nok\n", 0, "a status without a host, printed by tests"),
    # Browsers.
    _reached("", "Example Domain\nThis domain is for use in documents.\n", None, "a page was shown", tool="web_browser_go", arguments={"url": "https://example.com"}),
    _clear("", "net::ERR_NAME_NOT_RESOLVED at https://example.com\n", None, "the name was not resolved", tool="web_browser_go", arguments={"url": "https://example.com"}),
    _clear("", "Browser environment took too long to respond.", None, "the browser gave up", tool="web_browser_go", arguments={"url": "https://example.com"}),
    _clear("", "Welcome\n", None, "loopback", tool="web_browser_go", arguments={"url": "http://localhost:3000/"}),
]  # fmt: skip
"""What the rule must say of what."""
