"""Answers as patterns: what of an answer can be told from chance, however it is written."""

from __future__ import annotations

import unicodedata
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import regex

WHOLE = 200
"""Characters up to which an answer is looked for as a whole; a longer one by its lines."""

MAX_PIECES = 64
"""Lines of a long answer that are looked for."""

PIECE_LENGTH = 20
"""Letters and digits that a line needs to be told from other lines."""

DIGITS = 5
"""Digits that a whole number needs: shorter ones turn up as sizes, dates, ports and counts."""

DISGUISED = 8
"""Characters that an answer needs to be looked for reversed and encoded too."""

MAPPED = 1_000_000
"""Characters of a text that is not ASCII up to which the place of a match is worked out."""

SEARCH_TIMEOUT_S = 2.0

_COMMON_WORDS = """
a about above absent accept accepted after all allow allowed an and answer answers any apple april
are array as at august available away banana before below big bird black blank blue boolean both
bottom brown by cannot cat center central circle class clear closed cold color colour common
complete completed correct could count current data date day days december decrease default denied
deny different disabled dog done double down east easy eight eighteen eighty either eleven empty
enabled enough entailment equal error even event every exit fail failed failure false february
female few fifteen fifty file final first five float for found four fourteen friday from full
function given good gray greater green grey group hard have high hot hour hours house how if
important in include included incorrect increase index inf infinity information input insufficient
integer into invalid is it item itself january javascript july june just key known language large
last later least left length less level light line linux list long longer low lower main male many
march maximum may maybe message method middle million minimum minute minutes missing module monday
month months more most name nan negative neither neutral never new next nil nine nineteen ninety
no nobody none nor normal north not nothing november null number object october odd of off ok okay
old on once one only open option or orange order other output parent pass passed password pink
plan point positive possible present previous public purple python question random ready red
reject rejected required result return right round running same saturday season second seconds
september set seven seventeen seventy short shorter should side single six sixteen sixty size
small solution some south spring square start started state status stop string success successful
successfully summer sunday system target ten test tests than that the them then there these they
thing third thirteen thirty this those thousand three through thursday time title to today
tomorrow top total triangle true tuesday twelve twenty two type undefined under undetermined
unknown unsure up upper user valid value version warning was water wednesday week weeks west what
when where which white who will winter with within without word world wrong year years yellow yes
yesterday you zero
"""

TRIVIAL = frozenset(_COMMON_WORDS.split())
"""Words that turn up anywhere; an answer made of nothing else never counts."""

TRIVIAL_NUMBERS = frozenset(
    {str(2**n) for n in range(64)}
    | {str(2**n - 1) for n in range(65)}
    | {"12345", "123456", "1234567", "12345678", "123456789", "1234567890", "86400", "31415"}
)
"""Whole numbers that programs print on their own account."""

_TOKEN = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_NUMBER = regex.compile(r"[-+$€£¥]?\s*(\d{1,3}(?:[,' ]\d{3})+|\d+)\s*%?\.?")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}]")
_ACCENTED = regex.compile(r"[\u00c0-\u024f\u1e00-\u1eff]")
_SPACED = r"[\p{Latin}\p{Greek}\p{Cyrillic}\p{N}]"
_IDENTIFIER = regex.compile(r"[\w./:-]*(?:_|::|\.|/)[\w./:-]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """Something to look for in a folded text.

    Attributes:
        anchor: Text that must occur before it is worth looking further.
        pattern: What it looks like, however it is spaced, quoted or marked up.
    """

    anchor: str
    pattern: regex.Pattern[str]

    def search(self, text: str) -> regex.Match[str] | None:
        """The first place in a folded text.

        Raises:
            TimeoutError: The text did not come to an end within `SEARCH_TIMEOUT_S`.
        """
        if self.anchor not in text:
            return None
        return self.pattern.search(text, timeout=SEARCH_TIMEOUT_S, concurrent=True)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that can be told from chance: one piece, or the lines of a long one.

    Attributes:
        pieces: What is looked for.
        needed: How many of them make a leak.
        disguises: The whole answer reversed and encoded, folded.
    """

    pieces: tuple[Piece, ...]
    needed: int
    disguises: tuple[str, ...] = ()


def folded(text: str) -> str:
    """A text without what tells nothing apart: case, and forms that Unicode holds compatible."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=1024)
def answer_of(text: str, min_length: int) -> Answer | None:
    """An answer to look for; None if it is too short or too common to be told from chance.

    Args:
        text: The answer as the task gives it.
        min_length: Letters and digits that it needs (one of an unspaced script counts twice).
    """
    given = text.strip()
    text = folded(text).strip()
    if len(text) <= WHOLE:
        if is_trivial(text, min_length):
            return None
        disguises = tuple(_disguises(given)) if len(given) >= DISGUISED else ()
        return Answer((_number_piece(text) or _piece(text),), 1, disguises)
    pieces = tuple(_piece(line) for line in _telling_lines(text) or [text[:WHOLE]])
    return Answer(pieces, needed=max(min(3, len(pieces)), len(pieces) // 2))


def _disguises(text: str) -> Iterator[str]:
    """A text reversed, in hexadecimal, and in base64 wherever it begins in what is encoded."""
    data = text.encode("utf-8", "surrogatepass")
    yield folded(text[::-1])
    yield data.hex()
    for before in range(3):
        encoded = b64encode(bytes(before) + data).decode()
        # Letters at both ends stand for bits of what surrounds the text, too.
        yield encoded[(8 * before + 5) // 6 : (before + len(data)) * 8 // 6].lower()


def is_trivial(text: str, min_length: int) -> bool:
    """Whether a folded text says too little to be told from chance."""
    number = _NUMBER.fullmatch(text)
    if number is not None:
        digits = "".join(filter(str.isdigit, number[1]))
        return (
            len(digits) < max(DIGITS, min_length)
            or len(digits.rstrip("0")) <= 2
            or digits in TRIVIAL_NUMBERS
        )
    tokens = _TOKEN.findall(text)
    weight = sum(len(token) for token in tokens) + len(_UNSPACED.findall(text))
    if weight < min_length:
        return True
    letters = [token for token in tokens if not token.isdigit()]
    if not letters:
        return weight < DIGITS + 2
    return all(token in TRIVIAL for token in letters) or len(set("".join(tokens))) < 3


def place_in(text: str, piece: Piece) -> tuple[int, int] | None:
    """Where a piece stands in the text as it is; None if that cannot be told cheaply."""
    if text.isascii():
        match = piece.search(text.lower())
        return match.span() if match else None
    if len(text) > MAPPED:
        return None
    parts = [folded(character) for character in text]
    match = piece.search("".join(parts))
    if match is None:
        return None
    origins = [index for index, part in enumerate(parts) for _ in part]
    return origins[match.start()], origins[match.end() - 1] + 1


def _telling_lines(text: str) -> list[str]:
    """Lines of a long answer that are its own: of a patch those that it adds."""
    lines = regex.split(r"\n|(?<=[.!?。！？])\s", text)
    if "\n@@ " in text:
        lines = [line[1:] for line in lines if line.startswith("+") and line[:3] != "+++"]
    telling = [line for line in lines if not is_trivial(line, PIECE_LENGTH)]
    return list(dict.fromkeys(line.strip()[:WHOLE] for line in telling))[:MAX_PIECES]


def _piece(text: str) -> Piece:
    tokens = _TOKEN.findall(text)
    between = r"[^\p{L}\p{M}\p{N}]{1,16}"
    # `test_login` is another test than `test_login_twice`; `_word_` is markup.
    strict = _IDENTIFIER.fullmatch(text) is not None
    before, after = _edge(tokens[0][0], strict), _edge(tokens[-1][-1], strict)
    middle = between.join("".join(map(_letter, token)) for token in tokens)
    plain = [run for token in tokens for run in _ACCENTED.split(token)]
    return Piece(
        anchor=max(plain, key=len),
        pattern=regex.compile(
            (f"(?<!{before})" if before else "") + middle + (f"(?!{after})" if after else "")
        ),
    )


def _letter(character: str) -> str:
    """A pattern of a character, of a Latin letter with an accent without it too."""
    base = unicodedata.normalize("NFD", character)[0]
    return f"[{character}{base}]" if _ACCENTED.match(character) else regex.escape(character)


def _edge(character: str, strict: bool) -> str:
    if _UNSPACED.match(character):
        return ""
    return r"\w" if strict else _SPACED


def _number_piece(text: str) -> Piece | None:
    number = _NUMBER.fullmatch(text)
    if number is None:
        return None
    digits = "".join(filter(str.isdigit, number[1]))
    groups = [digits[: len(digits) % 3]] if len(digits) % 3 else []
    groups += [digits[at : at + 3] for at in range(len(digits) % 3, len(digits), 3)]
    middle = "[,_' \u00a0\u202f]?".join(groups)
    return Piece(
        anchor=groups[-1],
        pattern=regex.compile(rf"(?<![\w]|\d[.,]){middle}(?:\.0+)?(?![\w]|[.,]\d)"),
    )
