"""Named tests that a format can ask of a candidate secret, beyond its pattern.

A check gets the secret, the whole match and its own argument (`entropy:3.0` has `3.0`).
Those in `CHECKSUMS` do not reject: what passes is surer, what fails is less sure, since secrets
that are planted in evaluations seldom have a right checksum.
"""

import base64
import binascii
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Callable

from reviewers.scan.notation import base62_crc32

Check = Callable[[str, str, str], bool]

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
PLACEHOLDER = re.compile(
    r"""
    x{4,} | \*{3,} | \.{3,} | …                       # sk-xxxx, sk-...
    | <[a-z _-]{2,}> | \[[a-z _-]{2,}\] | \{[a-z _-]{2,}\}  # <token>, {token}
    | ^\$\w | \$\{[\w.:-]*(?:\}|$) | \$\(             # $TOKEN, ${TOKEN}, $(token)
    | ^\{\{ | \{\{[^{}]*\}\} | %\(\w+\) | <%            # {{ token }}, %(token)s
    | your[-_ ]?(?:own|secret|token|api|key|pass|access|client|app|user|[a-z]{2,12}[-_])
    | example | sample | placeholder | change[-_]?me | replace[-_]?(?:me|with|this)
    | dummy | fake | redacted | insert[-_ ] | todo | fixme | not[-_]?(?:a[-_]?)?real
    | goes[-_]?here | [-_]here\b | \bmy[-_](?:secret|token|key|api|pass) | foo[-_]?bar
    | lorem | deadbeef
    """,
    re.IGNORECASE | re.VERBOSE,
)
NAMES_A_SECRET = re.compile(
    r"""
    ^[#.] | (?:^|[^A-Za-z0-9])pass(?:word|wd|phrase) | [a-z]P(?:assword|asswd|assphrase)
    | [_-](?:key|token|secret|pass|pwd|field|input|hash)$
    """,
    re.VERBOSE,
)
# The pairs of letters that make up three quarters of English text, and of names in code.
ENGLISH = (
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve "
    "co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no "
    "ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie ey ee em ad ol po ap pi ke ex nf fi mp "
    "cl ss ab ag am ai ur rd wo oo ck up"
)
PAIRS = frozenset(ENGLISH.split())
REFERENCE = re.compile(
    r"""
    ^[$%<{\[(*&~|=/\\,;] | \$\{[\w.:|\-]{1,60}\} | \$\( | \{\{[^}]{1,60}\}\} | %\(\w+\) | %[sd]\b
    | <[^<>]{1,60}> | \#\{ | \w\(\)
    | (?:getenv|environ|process\.env|config|settings|secrets?|params|self|this|request|args)
      [.(\[]
    | ^(?:pass(?:word|wd|phrase)?|pwd|secrets?|token|key|user(?:name)?|null|nil|none|true|false
        |undefined|string|str|text|value|required|optional|hidden|masked|redacted|empty|blank
        |default|unset|env|var|file|stdin|prompt|yes|no|on|off|int|bool|object|todo|n/?a|x+)$
    | ^(?:your|my|the|some|new|old|enter|insert|change|replace)[-_ ]?
      (?:own[-_ ]?)?(?:pass|pw|secret|token|key|here)
    | ^test[a-z]*\d{0,4}$ | ^pass(?:word)?\d{1,3}!?$ | change[-_]?me | \*{3} | x{4} | \.{3}
    | ^0x[0-9a-f]{1,16}$                              # a number of up to 64 bits
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A part of a name: words in one case, or each with a capital, or a number.
NAME = re.compile(r"[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+|\d+")
FEWEST_PAIRS = 6
WORDY = 0.45
WORDY_LETTERS = 0.45
WORDY_MIXTURE = 0.6
LONG_NUMBER = 20
REPEATED = re.compile(r"(.)\1{5,}")
REPEATED_SHARE = 5
RUN_LENGTH = 6
RUNS = frozenset(
    line[start : start + RUN_LENGTH]
    for run in (
        "abcdefghijklmnopqrstuvwxyz",
        "01234567890123456789",
        "qwertyuiop",
        "asdfghjkl",
    )
    for line in (run, run[::-1])
    for start in range(len(line) - RUN_LENGTH + 1)
)


def entropy(text: str) -> float:
    """Shannon entropy in bits for each character."""
    if not text:
        return 0.0
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values())


def looks_like_placeholder(text: str) -> bool:
    """Whether a text says that it stands for a secret, as `sk-xxxx` and `your_token` do."""
    if PLACEHOLDER.search(text) is not None or len(set(text)) < 5 <= len(text):
        return True
    repeated = (len(run[0]) for run in REPEATED.finditer(text))
    return max(repeated, default=0) * REPEATED_SHARE > len(text)


def looks_made_up(text: str) -> bool:
    """Whether most of a text is runs of the alphabet, of digits or of the keyboard.

    The letters and the digits may alternate, as in `a1b2c3d4`.
    """
    letters = "".join(filter(str.isalpha, text))
    digits = "".join(filter(str.isdigit, text))
    return _is_runs(text) or (_is_runs(letters) and _is_runs(digits))


def _is_runs(text: str) -> bool:
    lowered = text.lower()
    covered = end = 0
    for start in range(len(lowered) - RUN_LENGTH + 1):
        if lowered[start : start + RUN_LENGTH] in RUNS:
            covered += start + RUN_LENGTH - max(start, end)
            end = start + RUN_LENGTH
    return covered * 2 > len(text)


def looks_machine_made(text: str) -> bool:
    """Whether a text is a mixture of digits and letters that are no words, as keys are."""
    digits = sum(map(str.isdigit, text))
    if not digits or not any(map(str.isalpha, text)):
        return False
    return digits * 4 >= len(text) or _share_of_pairs(text) < WORDY


def _share_of_pairs(text: str) -> float:
    """How much of a text's pairs of letters are frequent ones; 0 if there are too few to tell."""
    pairs = [a + b for a, b in itertools.pairwise(text.lower()) if (a + b).isalpha()]
    if len(pairs) < FEWEST_PAIRS:
        return 0.0
    return sum(pair in PAIRS for pair in pairs) / len(pairs)


def _entropy(secret: str, whole: str, argument: str) -> bool:
    return entropy(secret) >= float(argument)


def _mixed(secret: str, whole: str, argument: str) -> bool:
    return any(c.isdigit() for c in secret) and any(c.isalpha() for c in secret)


def _digit(secret: str, whole: str, argument: str) -> bool:
    return any(c.isdigit() for c in secret)


def _upper_and_lower(secret: str, whole: str, argument: str) -> bool:
    return any(c.isupper() for c in secret) and any(c.islower() for c in secret)


def _not_hex(secret: str, whole: str, argument: str) -> bool:
    return re.fullmatch(r"[0-9a-fA-F]+", secret) is None


def _not_placeholder(secret: str, whole: str, argument: str) -> bool:
    return not looks_like_placeholder(secret)


def _not_uuid(secret: str, whole: str, argument: str) -> bool:
    return UUID.fullmatch(secret) is None


def _crc32(secret: str, whole: str, argument: str) -> bool:
    """The last six characters are the checksum of those before, after the last `_`."""
    body = secret.rpartition("_")[2]
    return len(body) > 6 and base62_crc32(body[:-6]) == body[-6:]


def _random(secret: str, whole: str, argument: str) -> bool:
    return looks_machine_made(secret) and entropy(secret) >= float(argument or 3.0)


def _opaque(secret: str, whole: str, argument: str) -> bool:
    """No words: random, or digits alone if there are many of them, or letters without a sense."""
    if secret.isdigit():
        return len(secret) >= LONG_NUMBER
    if not any(c.isdigit() for c in secret):
        return len(set(secret.lower())) > 1 and _share_of_pairs(secret) < WORDY_LETTERS
    return _share_of_pairs(secret) < WORDY_MIXTURE or looks_machine_made(secret)


def _not_words(secret: str, whole: str, argument: str) -> bool:
    return _share_of_pairs(secret) < WORDY


def _not_reference(secret: str, whole: str, argument: str) -> bool:
    """No variable, no call, no word that only says that a password stands there."""
    return REFERENCE.search(secret) is None


def _strong_password(secret: str, whole: str, argument: str) -> bool:
    """Three kinds of characters, or two and no words: what people do not write as an example."""
    has_small, has_capital = secret != secret.upper(), secret != secret.lower()
    has_digit, has_mark = any(map(str.isdigit, secret)), not secret.isalnum()
    kinds = has_small + has_capital + has_digit + has_mark
    if len(secret) < int(argument or 8) or kinds < 2 or secret.endswith(":"):
        return False
    if REFERENCE.search(secret):
        return False
    marks = len(secret) - sum(map(str.isalnum, secret))
    return kinds > 2 or looks_machine_made(secret) or marks * 4 > len(secret)


def _not_label(secret: str, whole: str, argument: str) -> bool:
    """No word that a form shows beside its field, no selector, no name of where a secret is."""
    word = secret.rstrip(":*")
    shown = word.isalpha() and word.istitle()
    return secret.isascii() and not shown and NAMES_A_SECRET.search(secret) is None


def _not_path(secret: str, whole: str, argument: str) -> bool:
    """No path, address, attribute, name of a package or date: no parts that are words."""
    parts = re.split(r"[/.:_-]", secret)
    if len(parts) == 2 and len(parts[0]) == 1:
        return looks_machine_made(parts[1])
    if len(parts) < 3:
        return True
    wordy = sum(len(part) < 3 or NAME.fullmatch(part) is not None for part in parts)
    return wordy * 3 < len(parts) * 2


def _basic_auth(secret: str, whole: str, argument: str) -> bool:
    """Base64 of a user, a colon and a password; `strong` asks for one that nobody guesses."""
    try:
        user, colon, password = _from_base64(secret).decode().partition(":")
    except (ValueError, UnicodeDecodeError):
        return False
    if not colon or not password or password == user or not (user + password).isprintable():
        return False
    return argument != "strong" or _strong_password(password, whole, "")


def _jwt_header(secret: str, whole: str, argument: str) -> bool:
    try:
        header = json.loads(_from_base64(secret.split(".", 1)[0]))
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and bool({"alg", "enc", "typ", "kid"} & header.keys())


def _luhn(secret: str, whole: str, argument: str) -> bool:
    digits = [int(c) for c in secret if c in "0123456789"]
    doubled = [2 * d - 9 if d > 4 else 2 * d for d in digits[-2::-2]]
    return len(digits) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _base64_key(secret: str, whole: str, argument: str) -> bool:
    try:
        return len(_from_base64(secret)) >= int(argument or 1)
    except ValueError:
        return False


def _pem_body(secret: str, whole: str, argument: str) -> bool:
    """A private key's body: base64 of at least 32 bytes, not a word such as `…` or `REDACTED`."""
    text = re.sub(r"\\[rn]|-----[A-Z0-9 ]+-----", "\n", whole)
    lines = [line.strip(" \t\"'+,#*>|") for line in text.splitlines()]
    body = "".join(line for line in lines if ":" not in line and not line.startswith("="))
    body = re.sub(r"[^A-Za-z0-9+/]", "", body)
    return len(body) >= 40 and len(set(body[:64])) >= 10


def _from_base64(text: str) -> bytes:
    padded = text.rstrip("=").replace("-", "+").replace("_", "/")
    if len(padded) % 4 == 1:
        raise ValueError("not base64")
    try:
        return base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError("not base64") from error


CHECKS: dict[str, Check] = {
    "entropy": _entropy,
    "mixed": _mixed,
    "digit": _digit,
    "upper-and-lower": _upper_and_lower,
    "not-hex": _not_hex,
    "not-placeholder": _not_placeholder,
    "not-uuid": _not_uuid,
    "github-crc32": _crc32,
    "npm-crc32": _crc32,
    "jwt-header": _jwt_header,
    "luhn": _luhn,
    "base64-key": _base64_key,
    "pem-body": _pem_body,
    "random": _random,
    "opaque": _opaque,
    "not-words": _not_words,
    "not-path": _not_path,
    "not-label": _not_label,
    "basic-auth": _basic_auth,
    "not-reference": _not_reference,
    "strong-password": _strong_password,
}
CHECKSUMS = frozenset({"github-crc32", "npm-crc32"})
