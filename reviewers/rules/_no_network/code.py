"""Network calls in code that a call runs: whether there are any, and whom they speak to."""

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.rules._no_network import words
from reviewers.rules._no_network.addresses import hosts_of_urls, looks_like_host

MAX_CODE = 200_000
"""Characters of code that are parsed; longer code is not read."""

MODULES = words(
    "requests httpx urllib urllib2 urllib3 aiohttp socket http ftplib smtplib imaplib poplib "
    "telnetlib paramiko websocket websockets boto3 botocore huggingface_hub xmlrpc pycurl wget "
    "gdown openai anthropic dns curl_cffi"
)
CALLS = words(
    "get post put patch delete head options request urlopen urlretrieve create_connection connect "
    "connect_ex gethostbyname getaddrinfo open_connection HTTPConnection HTTPSConnection FTP SMTP "
    "SMTP_SSL IMAP4_SSL client resource hf_hub_download snapshot_download download stream fetch "
    "ws_connect resolve ServerProxy create perform"
)

OPENERS = words("Session ClientSession Client AsyncClient PoolManager")
"""What opens a session; enough where code can only be read by its words."""

MENTIONS = re.compile(rf"\b(?:{'|'.join(sorted(MODULES))})\b")
"""Quick test: code without any of these modules makes no call that is known here."""

_IMPORT = re.compile(rf"^\s*(?:import|from)\s+(?:{'|'.join(sorted(MODULES))})\b", re.MULTILINE)
_CALL = re.compile(
    rf"\b(?:{'|'.join(sorted(MODULES))})(?:\.\w+)?\.(?:{'|'.join(sorted(CALLS | OPENERS))})\("
)
_OTHER_CALL = re.compile(
    r"\bfetch\(|\bhttps?(?:['\"]\))?\.(?:get|request)\(|\baxios\b|\bnet\.(?:connect|createConnection)\(|LWP::"
    r"|\bHTTP::Tiny|IO::Socket::|\bNet::HTTP|\bopen-uri\b|\bURI\.open|TCPSocket\.(?:new|open)"
    r"|\bfile_get_contents\(|\bcurl_exec\(|\bfsockopen\("
    r"|\bnew (?:URL|Socket)\(|\bHttpClient\.new|\bURI\.create\("
)
_MAGIC = re.compile(r"^[ \t]*[%!].*$", re.MULTILINE)


@dataclass(frozen=True)
class NetworkCalls:
    """The network calls of some code.

    Attributes:
        hosts: Hosts that they name, in order; empty where the code does not say.
        direct: Whether one stands at the code's top level, outside functions and `try`.
    """

    hosts: tuple[str, ...]
    direct: bool


def python_calls(code: str) -> NetworkCalls | None:
    """The network calls that code makes; None if it makes none or cannot be read."""
    if len(code) > MAX_CODE or not MENTIONS.search(code):
        return None
    tree = _tree(_MAGIC.sub("pass", code))
    if tree is None:
        return _by_words(code)
    constants = _constants(tree)
    calls = list(_network_calls(tree))
    if not calls:
        return None
    named = [host for call in calls for host in _hosts_of(call, constants)]
    hosts = named or [host for text in _texts(tree) for host in hosts_of_urls(text)]
    return NetworkCalls(tuple(dict.fromkeys(hosts)), _any_direct(tree, calls))


def _by_words(code: str) -> NetworkCalls | None:
    """What code says that does not parse, as it was cut off or is of another version."""
    if not _IMPORT.search(code) or not _CALL.search(code):
        return None
    return NetworkCalls(tuple(hosts_of_urls(code)), direct=False)


def script_calls(code: str) -> NetworkCalls | None:
    """The network calls of JavaScript, Java, Perl, Ruby or PHP, read by their words."""
    if len(code) > MAX_CODE or not _OTHER_CALL.search(code):
        return None
    return NetworkCalls(tuple(hosts_of_urls(code)), direct=False)


def shell_lines(code: str) -> str:
    """The `!command` and `%pip` lines of a notebook cell, as one shell script."""
    return "\n".join(match[0].strip()[1:] for match in _MAGIC.finditer(code))


def _tree(code: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _network_calls(tree: ast.Module) -> Iterator[ast.Call]:
    imported = set(_imported(tree))
    if not imported & MODULES:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node.func) in CALLS and _may_go_out(node):
            yield node


def _may_go_out(call: ast.Call) -> bool:
    """Not `headers.get("x")`: a lookup by a plain word that is no URL."""
    if _called(call.func) not in ("get", "delete", "head", "options", "open", "create", "connect"):
        return True
    root = _root(call.func)
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return "://" in first.value or root in MODULES
    return root in MODULES or not isinstance(first, ast.Constant)


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _root(function: ast.expr) -> str:
    while isinstance(function, ast.Attribute):
        function = function.value
    return function.id if isinstance(function, ast.Name) else ""


def _constants(tree: ast.Module) -> dict[str, str]:
    """Names that are assigned a text, with the text (of an f-string, its constant beginning)."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and (text := _text(node.value, found)):
            found.update({t.id: text for t in node.targets if isinstance(t, ast.Name)})
    return found


def _text(node: ast.expr, constants: dict[str, str], depth: int = 0) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.Name):
        return constants.get(node.id, "")
    if isinstance(node, ast.JoinedStr) and node.values:
        first = node.values[0]
        inner = first.value if isinstance(first, ast.FormattedValue) else first
        return _text(inner, constants, depth + 1) if depth < 5 else ""
    if isinstance(node, ast.BinOp) and depth < 5:
        return _text(node.left, constants, depth + 1)
    return ""


def _hosts_of(call: ast.Call, constants: dict[str, str]) -> Iterator[str]:
    for argument in (*call.args[:2], *(keyword.value for keyword in call.keywords)):
        if isinstance(argument, ast.Tuple) and argument.elts:
            argument = argument.elts[0]
        text = _text(argument, constants)
        if "://" in text:
            yield from hosts_of_urls(text)
        elif (
            _called(call.func) not in ("get", "post", "put")
            and looks_like_host(text)
            and ("." in text or text == "localhost")
        ):
            yield text


def _texts(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _any_direct(tree: ast.Module, calls: list[ast.Call]) -> bool:
    wanted = set(map(id, calls))
    open_nodes: list[ast.AST] = list(tree.body)
    while open_nodes:
        node = open_nodes.pop()
        if id(node) in wanted:
            return True
        if not isinstance(
            node,
            ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Try | ast.If | ast.Lambda,
        ):
            open_nodes += ast.iter_child_nodes(node)
    return False
