"""The pattern of a secret that has no prefix of its own, but stands by the name of its vendor."""

_LONGEST_HINT = 48

# One of these words, or a sign of assignment, has to follow the vendor's name: "datadog" and 32
# hexadecimal digits in one line may be a checksum, "datadog key" and 32 digits are a key.
_ROLE = r"key|token|secret|passw|pwd|auth|access|private|cred|api|pat|sid|[:=]"

_REST_OF_THE_NAME = r"[\w.\-]{0,40}"
_FURTHER_WORDS = r"(?:[^A-Za-z0-9#]{1,10}[A-Za-z_]{1,20}){0,3}"
_SIGN_AND_QUOTES = r"[^A-Za-z0-9#]{0,10}"
_LEFT = r"(?<![A-Za-z0-9#]|sha\d[-:=]|sha\d{3}[-:=]|md5[-:=])"
_RIGHT = r"(?![A-Za-z0-9_\-(]|\.[A-Za-z0-9])"


def named(keywords: list[str], value: str) -> str:
    """Return the pattern that finds `value` where it is given to a name with a keyword in it.

    It matches from the keyword on: the rest of the name (`DD_API_KEY`, `datadogApiKey`), up to
    three further words (`secret key`, `String`, `os.getenv`), a sign of assignment or a space,
    quotes, and the value, which must not be a part of something longer.

    Args:
        keywords: Names of the vendor, as the literals give them; any case.
        value: Pattern of the value alone.
    """
    names = "|".join(_escaped(word) for word in sorted(keywords, key=len, reverse=True))
    hint = rf"(?=[^\n]{{0,{_LONGEST_HINT}}}?(?i:{_ROLE}))"
    return (
        rf"(?i:{names}){hint}{_REST_OF_THE_NAME}{_FURTHER_WORDS}{_SIGN_AND_QUOTES}"
        rf"{_LEFT}(?P<secret>{value}){_RIGHT}"
    )


def _escaped(word: str) -> str:
    return "".join(letter if letter.isalnum() else f"\\{letter}" for letter in word)
