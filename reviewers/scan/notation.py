"""Examples of secrets in a notation, so that no real-looking secret stands in a file.

`ghp_{base62:30}{crc32}` becomes a token with a right checksum, the same one for the same seed.
"""

import base64
import json
import random
import re
import string
import uuid
import zlib

DIGITS_AND_LETTERS = string.digits + string.ascii_uppercase + string.ascii_lowercase
ALPHABETS = {
    "base62": DIGITS_AND_LETTERS,
    "alnum": DIGITS_AND_LETTERS,
    "base64": DIGITS_AND_LETTERS + "+/",
    "base64url": DIGITS_AND_LETTERS + "-_",
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "upper": string.ascii_uppercase,
    "lower": string.ascii_lowercase,
    "digit": string.digits,
    "alnumlower": string.digits + string.ascii_lowercase,
    "uppernum": string.digits + string.ascii_uppercase,
    "base32": string.ascii_uppercase + "234567",
    "base58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}
PEM_LABELS = {
    "PKCS8": "PRIVATE KEY",
    "RSA": "RSA PRIVATE KEY",
    "EC": "EC PRIVATE KEY",
    "DSA": "DSA PRIVATE KEY",
    "OPENSSH": "OPENSSH PRIVATE KEY",
    "ENCRYPTED": "ENCRYPTED PRIVATE KEY",
    "PGP": "PGP PRIVATE KEY BLOCK",
    "PUBLIC": "PUBLIC KEY",
    "CERTIFICATE": "CERTIFICATE",
}
PIECE = re.compile(r"\{\{|\}\}|\{(\w+)(?::([\w -]+))?\}|[^{}]+|[{}]")


class NotationError(ValueError):
    """A text is not in the notation."""


def expand(template: str, seed: str = "") -> str:
    """Fills in a template.

    Args:
        template: Text with `{alphabet:length}`, `{crc32}`, `{jwt}`, `{pem:KIND}`, `{uuid}`;
            `{{` and `}}` are literal braces.
        seed: The same seed gives the same text.

    Returns:
        The text.

    Raises:
        NotationError: The template names something unknown.
    """
    source = random.Random(f"{seed}\n{template}")
    parts: list[str] = []
    drawn = ""
    for piece in PIECE.finditer(template):
        name, argument = piece[1], piece[2]
        if name is None:
            parts.append({"{{": "{", "}}": "}"}.get(piece[0], piece[0]))
            drawn = ""
        elif name in ALPHABETS:
            text = _draw(source, ALPHABETS[name], _length(argument, template))
            parts.append(text)
            drawn += text
        else:
            parts.append(_made(name, argument, drawn, source, template))
    return "".join(parts)


def base62_crc32(text: str) -> str:
    """The checksum that GitHub and npm append to a token: CRC-32, six digits of base 62."""
    number = zlib.crc32(text.encode("utf-8", "surrogatepass"))
    digits = ""
    for _ in range(6):
        number, rest = divmod(number, 62)
        digits = DIGITS_AND_LETTERS[rest] + digits
    return digits


def _made(name: str, argument: str | None, drawn: str, source: random.Random, template: str) -> str:
    if name == "crc32":
        return base62_crc32(drawn)
    if name == "uuid":
        return str(uuid.UUID(int=source.getrandbits(128), version=4))
    if name == "jwt":
        return _jwt(source)
    if name == "pem" and argument in PEM_LABELS:
        return _pem(source, argument)
    raise NotationError(f"{template!r}: {{{name}}} is not in the notation.")


def _length(argument: str | None, template: str) -> int:
    if argument is None or not argument.isdigit():
        raise NotationError(f"{template!r}: an alphabet needs a length, as in {{hex:32}}.")
    return int(argument)


def _draw(source: random.Random, alphabet: str, length: int) -> str:
    """Draws characters; from eight on, every kind of the alphabet occurs, as in most tokens."""
    kinds = [
        members
        for kind in (string.digits, string.ascii_uppercase, string.ascii_lowercase)
        if (members := [character for character in alphabet if character in kind])
    ]
    while True:
        text = "".join(source.choices(alphabet, k=length))
        if length < 8 or all(any(one in text for one in members) for members in kinds):
            return text


def _jwt(source: random.Random) -> str:
    header = {"alg": "HS256", "typ": "JWT"}
    payload = {
        "sub": _draw(source, string.digits, 10),
        "iat": 1_700_000_000 + source.randrange(10_000_000),
        "jti": _draw(source, ALPHABETS["hex"], 16),
    }
    parts = [_url64(json.dumps(part, separators=(",", ":")).encode()) for part in (header, payload)]
    return ".".join([*parts, _url64(source.randbytes(32))])


def _url64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _pem(source: random.Random, kind: str) -> str:
    label = PEM_LABELS[kind]
    if kind == "OPENSSH":
        data = b"openssh-key-v1\0\0\0\0\x04none\0\0\0\x04none" + source.randbytes(360)
    elif kind == "PGP":
        data = b"\x95\x03\x98\x04" + source.randbytes(360)
    else:
        content = b"\x02\x01\x00" + source.randbytes(397)
        data = b"\x30\x82" + len(content).to_bytes(2, "big") + content
    body = base64.b64encode(data).decode()
    lines = [body[start : start + 64] for start in range(0, len(body), 64)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"])
