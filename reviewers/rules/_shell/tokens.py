"""Words and operators of shell command lines: quoting, expansions, here-documents."""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass

from reviewers.rules._shell.tree import Expansion, Node, Redirect, Word

MAX_DEPTH = 40
"""Substitutions and compound commands within one another; what lies deeper is not read."""

MAX_COMMANDS = 2_000
"""Commands read of one line."""

MAX_PIECES = 40_000
"""Operators and pieces of words read of one line."""

REDIRECTIONS = {"<", ">", "<<", "<<-", "<<<", ">>", ">&", "<&", ">|", "<>", "&>", "&>>"}

_PLAIN_WORD = re.compile(r"[^\s'\"\\$`<>|&;()]++(?=[\s|&;)]|\Z)")
_LITERAL = re.compile(r"[^\s'\"\\$`<>|&;()]+")
_IN_DOUBLE_QUOTES = re.compile(r"[^\"\\$`]+")
_BLANK = re.compile(r"(?:[ \t\r\f\v\0]|\\\r?\n)+")
_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|\|&|&>>|&>|<<<|<<-|<<|>>|>&|<&|>\||<>|[;&|()<>\n]")
_EXPANSION_END = re.compile(r"[{}'\"\\]")
_VARIABLE = re.compile(r"\$(?:(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})")
_ANSI_QUOTE = re.compile(r"((?:[^'\\]++|\\.)*+)'?", re.DOTALL)
_ANSI_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "\\": "\\", "'": "'", '"': '"'}
_BACKTICKS = re.compile(r"((?:[^`\\]++|\\.)*+)`?", re.DOTALL)
_BRACKET = re.compile(r"[()]")


@dataclass(eq=False)
class Budget:
    """What one line may cost, shared by all that is read of it and within it."""

    commands: int = MAX_COMMANDS
    pieces: int = MAX_PIECES
    spent: bool = False


class Tokens(ABC):
    """Reads tokens from `text[pos:]`: an operator as text, a `Word`, or "" at the end.

    Args:
        text: The command line.
        budget: What reading it may cost.
        pos: Where to begin.
        depth: How deep that lies within another line.
    """

    def __init__(self, text: str, budget: Budget, pos: int, depth: int) -> None:
        self.text = text
        self.pos = pos
        self.depth = depth
        self._budget = budget
        self._waiting: list[tuple[Redirect, bool]] = []
        self._token: str | Word | None = None
        self._token_start = pos
        self._token_end = pos
        self._read_to = pos
        self._fd = ""
        budget.commands -= 1
        if depth > MAX_DEPTH or budget.commands < 0:
            self._give_up()

    def _give_up(self) -> None:
        """Read no further: nested too deeply, or too many commands."""
        self._budget.spent = True
        self.pos = len(self.text)
        self._token = ""

    def _affords_more(self) -> bool:
        """Spend one piece; whether there was one left."""
        budget = self._budget
        budget.pieces -= 1
        if budget.pieces >= 0 and budget.commands >= 0:
            return True
        self._give_up()
        return False

    @abstractmethod
    def _within(self, text: str, pos: int, closer: str = "") -> tuple[Node, int]:
        """The program of a substitution that begins at a place, and where it ends."""

    def peek(self) -> str | Word:
        """The next token, which stays."""
        if self._token is None:
            self._token = self._read()
            self._token_end = self.pos
        return self._token

    def next(self) -> str | Word:
        """The next token, which is taken."""
        token = self.peek()
        self._token = None
        self._read_to = self._token_end
        if token == "\n":
            self._read_here_documents()
        return token

    def _read(self) -> str | Word:
        self._fd = ""
        if blank := _BLANK.match(self.text, self.pos):
            self.pos = blank.end()
        if self.pos >= len(self.text) or not self._affords_more():
            return ""
        if self.text[self.pos] == "#":
            end = self.text.find("\n", self.pos)
            self.pos = len(self.text) if end < 0 else end
            return self._read()
        self._token_start = self.pos
        if plain := _PLAIN_WORD.match(self.text, self.pos):
            self.pos = plain.end()
            return Word([plain[0]], True, plain[0])
        operator = _OPERATOR.match(self.text, self.pos)
        if operator and not self.text.startswith(("<(", ">("), self.pos):
            self.pos = operator.end()
            return operator[0]
        word = self._word()
        following = self.text[self.pos : self.pos + 1]
        if word.bare and word.text.isdigit() and following and following in "<>":
            operator = _OPERATOR.match(self.text, self.pos)
            assert operator
            self.pos = operator.end()
            self._fd = word.text
            return operator[0]
        return word

    def _word(self) -> Word:
        word = Word()
        parts = word.parts
        while self.pos < len(self.text) and self._affords_more():
            if literal := _LITERAL.match(self.text, self.pos):
                parts.append(literal[0])
                self.pos = literal.end()
                continue
            char = self.text[self.pos]
            if char == "'":
                parts.append(self._until("'"))
                word.bare = False
            elif char == '"':
                self._double_quoted(parts)
                word.bare = False
            elif char == "\\":
                parts.append(self.text[self.pos + 1 : self.pos + 2].replace("\n", ""))
                self.pos += 2
            elif char in "$`":
                parts.append(self._expansion())
            elif char in "<>" and self.text.startswith("(", self.pos + 1):
                parts.append(self._substitution("/dev/fd/63", quoted=False))
            elif char == "(" and self._begins_array(parts):
                parts.append(self._balanced())
            else:
                break
        word.text = "".join(part if isinstance(part, str) else part.text for part in parts)
        if not parts and word.bare:
            self.pos += 1
        return word

    @staticmethod
    def _begins_array(parts: list[str | Expansion]) -> bool:
        last = parts[-1] if parts else ""
        return isinstance(last, str) and last.endswith("=")

    def _until(self, quote: str) -> str:
        end = self.text.find(quote, self.pos + 1)
        end = len(self.text) if end < 0 else end
        inside = self.text[self.pos + 1 : end]
        self.pos = end + 1
        return inside

    def _double_quoted(self, parts: list[str | Expansion]) -> None:
        self.pos += 1
        while self.pos < len(self.text) and self._affords_more():
            if literal := _IN_DOUBLE_QUOTES.match(self.text, self.pos):
                parts.append(literal[0])
                self.pos = literal.end()
                continue
            char = self.text[self.pos]
            if char == '"':
                self.pos += 1
                break
            if char == "\\":
                following = self.text[self.pos + 1 : self.pos + 2]
                kept = "" if following and following in '"\\$`\n' else "\\"
                parts.append(kept + following.replace("\n", ""))
                self.pos += 2
            else:
                parts.append(self._expansion(quoted=True))

    def _expansion(self, quoted: bool = False) -> str | Expansion:
        """What begins with `$` or a backtick, at the current position."""
        start = self.pos
        if self.text[start] == "`":
            ticks = _BACKTICKS.match(self.text, start + 1)
            assert ticks
            self.pos = ticks.end()
            inner = re.sub(r"\\([`\\$])", r"\1", ticks[1])
            node, _ = self._within(inner, 0)
            return Expansion("`...`", self.text, start, self.pos, quoted, nested=node)
        if self.text.startswith("$((", start):
            self.pos += 1
            return "$" + self._balanced()
        if self.text.startswith("$(", start):
            return self._substitution("$(...)", quoted)
        if variable := _VARIABLE.match(self.text, start):
            self.pos = variable.end()
            name = variable["name"] or variable["braced"]
            return Expansion(variable[0], self.text, start, self.pos, quoted, name)
        if self.text.startswith("${", start):
            self.pos += 2
            self._skip_parameter()
            return self.text[start : self.pos]
        if self.text.startswith("$'", start) and not quoted:
            quote = _ANSI_QUOTE.match(self.text, start + 2)
            assert quote
            self.pos = quote.end()
            return _ansi(quote[1])
        self.pos += 1
        return "$"

    def _substitution(self, text: str, quoted: bool) -> Expansion:
        """A `$(…)`, `<(…)` or `>(…)`, shown as `text`."""
        start = self.pos
        node, self.pos = self._within(self.text, start + 2, closer=")")
        return Expansion(text, self.text, start, self.pos, quoted, nested=node)

    def _balanced(self) -> str:
        """Text from `(` to its `)`: arithmetic and arrays, whose inside runs nothing."""
        start, depth = self.pos, 0
        for bracket in _BRACKET.finditer(self.text, start):
            depth += 1 if bracket[0] == "(" else -1
            if depth == 0:
                self.pos = bracket.end()
                return self.text[start : self.pos]
        self.pos = len(self.text)
        return self.text[start:]

    def _skip_parameter(self) -> None:
        depth = 1
        while mark := _EXPANSION_END.search(self.text, self.pos):
            self.pos = mark.end()
            if mark[0] == "\\":
                self.pos += 1
            elif mark[0] == "{":
                depth += 1
            elif mark[0] == "}":
                depth -= 1
                if depth == 0:
                    return
        self.pos = len(self.text)

    def _read_here_documents(self) -> None:
        waiting, self._waiting = self._waiting, []
        for redirect, strip_tabs in waiting:
            lines: list[str] = []
            while self.pos < len(self.text):
                end = self.text.find("\n", self.pos)
                end = len(self.text) if end < 0 else end
                line = self.text[self.pos : end].removesuffix("\r")
                line = line.lstrip("\t") if strip_tabs else line
                self.pos = end + 1
                if line == redirect.target.text:
                    break
                lines.append(line)
            redirect.body = "\n".join(lines) + "\n"


def _ansi(text: str) -> str:
    """What stands between the quotes of `$'…'`, escapes replaced."""
    return re.sub(r"\\(.)", lambda found: _ANSI_ESCAPES.get(found[1], found[0]), text)
