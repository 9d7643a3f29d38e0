"""The grammar of shell command lines: a small, forgiving parser, bounded, no exception.

It knows quoting, expansions, substitutions, redirections, here-documents, lists, pipelines,
groups and compound commands of POSIX sh and bash. What is cut off or malformed is read as far as
it goes. General parsers were tried and left: on hostile text their time grows with its square.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

MAX_DEPTH = 40
"""Substitutions and compound commands within one another; what lies deeper is not read."""

MAX_COMMANDS = 2_000
"""Commands read of one line."""

MAX_WORDS = 100_000
"""Words read of one line."""


@dataclass(eq=False, slots=True)
class Expansion:
    """A part of a word that the shell fills in: `$name`, or what a substitution prints.

    Attributes:
        text: How it is shown: as it is written, of a substitution only `$(...)`.
        line: The text in which it stands.
        start: Where it begins there.
        end: Where it ends.
        quoted: Whether it stands in double quotes.
        variable: The variable's name, for a plain one.
        nested: The program of a substitution.
    """

    text: str
    line: str
    start: int
    end: int
    quoted: bool = False
    variable: str = ""
    nested: "Node | None" = None

    @property
    def source(self) -> str:
        """All of it, as it is written."""
        return self.line[self.start : self.end]


@dataclass(eq=False, slots=True)
class Word:
    """One word, quotes removed: plain texts and expansions.

    Attributes:
        parts: What it is made of.
        bare: Whether nothing in it was quoted.
        text: All of it as text, expansions as they are written.
    """

    parts: list[str | Expansion] = field(default_factory=list)
    bare: bool = True
    text: str = ""

    @property
    def expansions(self) -> list[Expansion]:
        """Those of its parts that are expansions."""
        return [part for part in self.parts if isinstance(part, Expansion)]

    @property
    def nested(self) -> list["Node"]:
        """The programs that its substitutions run."""
        return [part.nested for part in self.expansions if part.nested is not None]


@dataclass(eq=False)
class Simple:
    """A simple command, and where it stands."""

    words: list[Word] = field(default_factory=list)
    assignments: list[Word] = field(default_factory=list)
    redirects: list["Redirect"] = field(default_factory=list)
    start: int = 0
    end: int = 0


@dataclass(eq=False)
class Redirect:
    """A redirection; `body` is the text of a here-document or here-string."""

    op: str
    fd: str
    target: Word
    body: str | None = None

    @property
    def hides_output(self) -> bool:
        """Whether standard output goes elsewhere than to the caller."""
        return self.op in (">", ">>", ">|", "&>", "&>>") and self.fd in ("", "1")


@dataclass(eq=False)
class Pipeline:
    """Commands joined by `|`."""

    nodes: list["Node"]
    negated: bool = False


@dataclass(eq=False)
class AndOr:
    """Pipelines joined by `&&` and `||`: `operators[i]` stands before `nodes[i + 1]`."""

    nodes: list["Node"]
    operators: list[str]


@dataclass(eq=False)
class Sequence:
    """Lists joined by `;`, newline or `&`."""

    nodes: list["Node"] = field(default_factory=list)
    background: list[bool] = field(default_factory=list)


@dataclass(eq=False)
class Group:
    """A subshell, a brace group, a compound command, or a part of one.

    Attributes:
        bodies: What it runs.
        certain: Whether it surely runs.
        redirects: Where its streams go.
        subshell: Whether it is a process of its own.
        head: The words before the bodies: `x in a b` of a loop, `x in` of a `case`.
        loops: Whether it runs its body for each word of its head.
        start: Where it begins.
        end: Where it ends.
    """

    bodies: list["Node"]
    certain: bool = True
    redirects: list[Redirect] = field(default_factory=list)
    subshell: bool = False
    head: list[Word] = field(default_factory=list)
    loops: bool = False
    start: int = 0
    end: int = 0


Node = Simple | Pipeline | AndOr | Sequence | Group
_T = TypeVar("_T")

_LITERAL = re.compile(r"[^\s'\"\\$`<>|&;()]+")
_IN_DOUBLE_QUOTES = re.compile(r"[^\"\\$`]+")
_BLANK = re.compile(r"(?:[ \t\r\f\v\0]|\\\r?\n)+")
_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|\|&|&>>|&>|<<<|<<-|<<|>>|>&|<&|>\||<>|[;&|()<>\n]")
_REDIRECTIONS = {"<", ">", "<<", "<<-", "<<<", ">>", ">&", "<&", ">|", "<>", "&>", "&>>"}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_EXPANSION_END = re.compile(r"[{}'\"\\]")
_VARIABLE = re.compile(r"\$(?:(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})")
_ANSI_QUOTE = re.compile(r"((?:[^'\\]|\\.)*)'?", re.DOTALL)
_ANSI_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "\\": "\\", "'": "'", '"': '"'}
_BACKTICKS = re.compile(r"((?:[^`\\]|\\.)*)`?", re.DOTALL)
_ARITHMETIC = re.compile(r"\(\([^\n]{0,300}?\)\)(?=[\s;&|]|$)")
_CLOSERS = {"then", "else", "elif", "fi", "do", "done", "esac", "}"}


@dataclass(eq=False)
class Budget:
    """What one line may cost, shared by all that is read of it and within it."""

    commands: int = MAX_COMMANDS
    words: int = MAX_WORDS
    spent: bool = False


class _Parser:
    """Reads a program from `text[pos:]` up to its end, or to `closer` where one is given."""

    def __init__(
        self, text: str, budget: Budget, pos: int = 0, depth: int = 0, closer: str = ""
    ) -> None:
        self.text = text
        self.pos = pos
        self.depth = depth
        self.closer = closer
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

    # Tokens: an operator as text, a Word, or "" at the end.

    def peek(self) -> str | Word:
        if self._token is None:
            self._token = self._read()
            self._token_end = self.pos
        return self._token

    def next(self) -> str | Word:
        token = self.peek()
        self._token = None
        self._read_to = self._token_end
        if token == "\n":
            self._read_here_documents()
        return token

    def _read(self) -> str | Word:
        self._fd = ""
        while blank := _BLANK.match(self.text, self.pos):
            self.pos = blank.end()
        if self.pos >= len(self.text):
            return ""
        if self.text[self.pos] == "#":
            end = self.text.find("\n", self.pos)
            self.pos = len(self.text) if end < 0 else end
            return self._read()
        self._token_start = self.pos
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
        self._budget.words -= 1
        if self._budget.words < 0:
            self._give_up()
        word = Word()
        parts = word.parts
        while self.pos < len(self.text):
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
        while self.pos < len(self.text):
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
            node = _Parser(inner, self._budget, 0, self.depth + 1).program()
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
        inner = _Parser(self.text, self._budget, start + 2, self.depth + 1, closer=")")
        node = inner.program()
        self.pos = inner.pos
        return Expansion(text, self.text, start, self.pos, quoted, nested=node)

    def _balanced(self) -> str:
        """Text from `(` to its `)`: arithmetic and arrays, whose inside runs nothing."""
        start, depth = self.pos, 0
        for bracket in re.compile(r"[()]").finditer(self.text, start):
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

    # Grammar.

    def program(self, stops: frozenset[str] = frozenset()) -> Node:
        sequence = Sequence()
        while True:
            token = self.peek()
            if token == "":
                break
            if token == ")":
                if self.closer == ")" or ")" in stops:
                    if self.closer == ")" and ")" not in stops:
                        self.next()
                    break
                self.next()
            elif isinstance(token, str) and token in stops:
                break
            elif isinstance(token, str) and token not in ("(",) and token not in _REDIRECTIONS:
                self.next()
            elif isinstance(token, Word) and token.bare and token.text in stops:
                break
            elif isinstance(token, Word) and token.bare and token.text in _CLOSERS:
                self.next()
            else:
                sequence.nodes.append(self._and_or())
                sequence.background.append(self.peek() == "&")
        return sequence

    def _and_or(self) -> Node:
        nodes, operators = [self._pipeline()], []
        while (operator := self.peek()) in ("&&", "||"):
            operators.append(str(operator))
            self.next()
            self._skip_newlines()
            nodes.append(self._pipeline())
        return nodes[0] if not operators else AndOr(nodes, operators)

    def _pipeline(self) -> Node:
        negated = False
        while isinstance(token := self.peek(), Word) and token.bare and token.text in ("!", "time"):
            negated ^= token.text == "!"
            self.next()
        nodes = [self._command()]
        while self.peek() in ("|", "|&"):
            self.next()
            self._skip_newlines()
            nodes.append(self._command())
        return nodes[0] if len(nodes) == 1 and not negated else Pipeline(nodes, negated)

    def _skip_newlines(self) -> None:
        while self.peek() == "\n":
            self.next()

    def _command(self) -> Node:
        self._budget.commands -= 1
        if self._budget.commands < 0:
            self._give_up()
        token = self.peek()
        start = self._token_start
        if token == "(":
            if self._is_arithmetic():
                return Simple()
            self.next()
            group = self._block(frozenset({")"}), ")")
            group.subshell = True
            return self._with_redirects(group, start)
        if isinstance(token, Word) and token.bare:
            if token.text == "{":
                self.next()
                return self._with_redirects(self._block(frozenset({"}"}), "}"), start)
            if token.text in ("if", "while", "until", "for", "select", "case"):
                self.next()
                return self._with_redirects(self._compound(token.text), start)
            if token.text == "[[":
                return self._test()
            if token.text == "function":
                self.next()
                self.next()
                return Group([self._deeper(self._command)], certain=False)
        return self._simple()

    def _is_arithmetic(self) -> bool:
        """Whether `((…))` stands here; if so it is skipped."""
        start = self.pos
        arithmetic = _ARITHMETIC.match(self.text, start - 1)
        if not arithmetic or not self.text.startswith("(", start):
            return False
        self.pos = arithmetic.end()
        self._token = None
        return True

    def _deeper(self, parse: Callable[[], _T]) -> _T:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._give_up()
        result = parse()
        self.depth -= 1
        return result

    def _block(self, stops: frozenset[str], closer: str, certain: bool = True) -> Group:
        body = self._deeper(lambda: self.program(stops))
        token = self.peek()
        if token == closer or (isinstance(token, Word) and token.text == closer):
            self.next()
        return Group([body], certain)

    def _compound(self, keyword: str) -> Group:
        """The parts of if, while, until, for, select, case; none but the first surely runs."""
        first = keyword in ("if", "while", "until")
        bodies: list[Node] = []
        head: list[Word] = []
        if keyword == "case":
            head = self._head("in")
            self.next()
        elif not first and not (self.peek() == "(" and self._is_arithmetic()):
            head = self._head("do")
        last = {"if": "fi", "case": "esac"}.get(keyword, "done")
        inner = frozenset({"then", "else", "elif", "do", last, ";;", ";&", ";;&"})
        while True:
            if keyword == "case":
                self._skip_pattern()
            body = self._deeper(lambda: self.program(inner))
            bodies.append(Group([body], certain=first and not bodies))
            token = self.peek()
            if token == "":
                break
            self.next()
            if isinstance(token, Word) and token.text == last:
                break
        return Group(bodies, head=head, loops=keyword in ("for", "select"))

    def _head(self, last: str) -> list[Word]:
        """The words between `for`, `select` or `case` and a word, `;` or the line's end."""
        words: list[Word] = []
        while (token := self.peek()) not in ("", ";", "\n"):
            if isinstance(token, Word):
                if token.bare and token.text == last:
                    break
                words.append(token)
            self.next()
        return words

    def _skip_pattern(self) -> None:
        """A pattern of `case`, with its `)`."""
        self._skip_newlines()
        while (token := self.peek()) not in ("", "\n", ";;"):
            if isinstance(token, Word) and token.bare and token.text == "esac":
                return
            self.next()
            if token == ")":
                return

    def _test(self) -> Simple:
        """A `[[ … ]]`, whose operators are no shell operators."""
        self.peek()
        command = Simple(start=self._token_start)
        while (token := self.peek()) not in ("", "\n"):
            self.next()
            if isinstance(token, Word):
                command.words.append(token)
                if token.text == "]]":
                    break
        command.end = self._read_to
        return command

    def _with_redirects(self, group: Group, start: int) -> Group:
        while self.peek() in _REDIRECTIONS:
            group.redirects.append(self._redirect())
        group.start, group.end = start, self._read_to
        return group

    def _redirect(self) -> Redirect:
        op, fd = str(self.peek()), self._fd
        self.next()
        target = self.peek()
        if not isinstance(target, Word):
            return Redirect(op, fd, Word())
        self.next()
        redirect = Redirect(op, fd, target)
        if op in ("<<", "<<-"):
            self._waiting.append((redirect, op == "<<-"))
        if op == "<<<":
            redirect.body = target.text + "\n"
        return redirect

    def _simple(self) -> Node:
        self.peek()
        command = Simple(start=self._token_start)
        while True:
            token = self.peek()
            if isinstance(token, Word):
                self.next()
                if not command.words and token.text and _ASSIGNMENT.match(token.text):
                    command.assignments.append(token)
                else:
                    command.words.append(token)
            elif token in _REDIRECTIONS:
                command.redirects.append(self._redirect())
            elif token == "(" and len(command.words) == 1:
                return self._function()
            else:
                command.end = self._read_to
                return command

    def _function(self) -> Node:
        """A definition `name() …`: what it holds runs when it is called, if ever."""
        self.next()
        while self.peek() not in ("", ")", "\n"):
            self.next()
        self.next()
        self._skip_newlines()
        return Group([self._deeper(self._command)], certain=False)


def _ansi(text: str) -> str:
    """What stands between the quotes of `$'…'`, escapes replaced."""
    return re.sub(r"\\(.)", lambda found: _ANSI_ESCAPES.get(found[1], found[0]), text)


def parse(text: str, budget: Budget, depth: int = 0) -> Node:
    """The tree of a command line; `budget.spent` says whether something was left unread.

    Args:
        text: The command line.
        budget: What reading it may cost.
        depth: How deep it lies within another line.
    """
    return _Parser(text, budget, 0, depth).program()
