"""Formats of secrets that have no prefix of their own, but stand by the name of their vendor."""

from typing import Any

# "datadog" and 32 hexadecimal digits in one line may be a checksum; "datadog key" and 32 digits
# are a key: one of these words is in the name or near it, or a sign of assignment right behind it.
_ROLE = (
    r"(?=[\s\S]{0,48}?"
    r"(?:key|token|secret|pass|pwd|auth|access|private|cred|api|login|pat(?![a-z])|sid(?![a-z])))"
)
_SIGN_BEHIND = r"""(?=[\w.\-"'\])]{0,24}+[ \t]{0,12}(?:[:=]|->))"""
_REST_OF_THE_WORD = r"[A-Za-z0-9]{0,30}+"
_FURTHER_WORDS = r"(?:[^A-Za-z0-9#]{1,10}+[A-Za-z0-9]{1,16}+){0,5}"
_SIGN_AND_QUOTES = r"[^A-Za-z0-9#_\-]{0,20}(?:[_\-][^A-Za-z0-9#_\-]{0,4}){0,2}"
_BETWEEN = f"(?:{_REST_OF_THE_WORD}{_FURTHER_WORDS}{_SIGN_AND_QUOTES})"
_SPACE = r"[ _.\-]{1,3}"
_LEFT = r"(?<![A-Za-z0-9#]|sha\d[-:=]|sha\d{3}[-:=]|md5[-:=])"
_RIGHT = r"(?![A-Za-z0-9_\-(]|\.[A-Za-z0-9])"


def spelled_out(table: dict[str, Any]) -> dict[str, Any]:
    """A format given by `keywords` and `value`, in terms of `literals` and `pattern`.

    Args:
        table: The format as its file has it.

    Returns:
        The table; its pattern finds the value where it is given to a name with a keyword in it.
    """
    rest = {key: value for key, value in table.items() if key not in ("keywords", "value")}
    words = table["keywords"]
    names = "|".join(_escaped(word) for word in sorted(words, key=len, reverse=True))
    value = f"(?-i:{table['value']})"
    return {
        "left": "",
        **rest,
        "literals": words,
        "ignore_case": True,
        "pattern": named(names, value),
        "quick": rf"(?:{names})(?:{_BETWEEN}|{_SPACE}){value}",
    }


def named(names: str, value: str) -> str:
    """The pattern of a value that is given to a name with a keyword in it.

    It matches from the keyword on: the rest of its word (`datadogApiKey`), up to five further
    words (`_API_KEY`, ` secret key`, `.environ.get`), a sign of assignment or a space, quotes,
    and the value, which must not be a part of something longer. Case counts in the value alone.
    """
    return (
        rf"(?:{_ROLE}(?:{names}){_BETWEEN}|(?:{names})(?:{_SIGN_BEHIND}{_BETWEEN}|{_SPACE}))"
        rf"{_LEFT}(?P<secret>{value}){_RIGHT}"
    )


def _escaped(word: str) -> str:
    return "".join(letter if letter.isalnum() else f"\\{letter}" for letter in word)
