"""A small, forgiving parser of shell command lines: one pass, bounded, no exception.

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
"""Commands read of one line; `Script.complete` says whether there were more."""


@dataclass(eq=False)
class Word:
    """One word: quotes removed, expansions left as written."""

    text: str
    bare: bool = True
    nested: list["Node"] = field(default_factory=list)


@dataclass(eq=False)
class Simple:
    """A simple command."""

    words: list[Word] = field(default_factory=list)
    assignments: list[Word] = field(default_factory=list)
    redirects: list["Redirect"] = field(default_factory=list)


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
    """A subshell, a brace group, or a compound command's part; `certain` if it surely runs."""

    bodies: list["Node"]
    certain: bool = True
    redirects: list[Redirect] = field(default_factory=list)


Node = Simple | Pipeline | AndOr | Sequence | Group
_T = TypeVar("_T")

_LITERAL = re.compile(r"[^\s'\"\\$`<>|&;()]+")
_IN_DOUBLE_QUOTES = re.compile(r"[^\"\\$`]+")
_BLANK = re.compile(r"(?:[ \t\r\f\v\0]|\\\r?\n)+")
_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|\|&|&>>|&>|<<<|<<-|<<|>>|>&|<&|>\||<>|[;&|()<>\n]")
_REDIRECTIONS = {"<", ">", "<<", "<<-", "<<<", ">>", ">&", "<&", ">|", "<>", "&>", "&>>"}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_EXPANSION_END = re.compile(r"[{}'\"\\]")
_ANSI_QUOTE = re.compile(r"(?:[^'\\]|\\.)*'?", re.DOTALL)
_BACKTICKS = re.compile(r"((?:[^`\\]|\\.)*)`?", re.DOTALL)
_ARITHMETIC = re.compile(r"\(\([^\n]{0,300}?\)\)(?=[\s;&|]|$)")
_CLOSERS = {"then", "else", "elif", "fi", "do", "done", "esac", "}"}


@dataclass(eq=False)
class _Budget:
    """What one line may cost, shared by all parsers of it."""

    commands: int = MAX_COMMANDS
    spent: bool = False


class _Parser:
    """Reads a program from `text[pos:]` up to its end, or to `closer` where one is given."""

    def __init__(
        self, text: str, budget: _Budget, pos: int = 0, depth: int = 0, closer: str = ""
    ) -> None:
        self.text = text
        self.pos = pos
        self.depth = depth
        self.closer = closer
        self._budget = budget
        self._waiting: list[tuple[Redirect, bool]] = []
        self._token: str | Word | None = None
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
        return self._token

    def next(self) -> str | Word:
        token = self.peek()
        self._token = None
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
        word = Word("")
        parts: list[str] = []
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
                parts.append(self._double_quoted(word))
                word.bare = False
            elif char == "\\":
                parts.append(self.text[self.pos + 1 : self.pos + 2].replace("\n", ""))
                self.pos += 2
            elif char in "$`":
                parts.append(self._expansion(word))
            elif char in "<>" and self.text.startswith("(", self.pos + 1):
                self.pos += 2
                word.nested.append(self._nested())
                parts.append("/dev/fd/63")
            elif char == "(" and parts and parts[-1].endswith("="):
                parts.append(self._balanced())
            else:
                break
        word.text = "".join(parts)
        if not parts:
            self.pos += 1
        return word

    def _until(self, quote: str) -> str:
        end = self.text.find(quote, self.pos + 1)
        end = len(self.text) if end < 0 else end
        inside = self.text[self.pos + 1 : end]
        self.pos = end + 1
        return inside

    def _double_quoted(self, word: Word) -> str:
        self.pos += 1
        parts: list[str] = []
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
                parts.append(self._expansion(word))
        return "".join(parts)

    def _expansion(self, word: Word) -> str:
        """What begins with `$` or a backtick, at the current position."""
        start = self.pos
        if self.text[start] == "`":
            ticks = _BACKTICKS.match(self.text, start + 1)
            assert ticks
            self.pos = ticks.end()
            inner = re.sub(r"\\([`\\$])", r"\1", ticks[1])
            word.nested.append(_Parser(inner, self._budget, 0, self.depth + 1).program())
            return "`...`"
        if self.text.startswith("$((", start):
            self.pos += 1
            return "$" + self._balanced()
        if self.text.startswith("$(", start):
            self.pos += 2
            word.nested.append(self._nested())
            return "$(...)"
        if self.text.startswith("${", start):
            self.pos += 2
            self._skip_parameter()
            return self.text[start : self.pos]
        if self.text.startswith("$'", start):
            quote = _ANSI_QUOTE.match(self.text, start + 2)
            assert quote
            self.pos = quote.end()
            return quote[0].rstrip("'")
        self.pos += 1
        return "$"

    def _nested(self) -> "Node":
        inner = _Parser(self.text, self._budget, self.pos, self.depth + 1, closer=")")
        node = inner.program()
        self.pos = inner.pos
        return node

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
        if token == "(":
            if self._is_arithmetic():
                return Simple()
            self.next()
            return self._with_redirects(self._block(frozenset({")"}), ")"))
        if isinstance(token, Word) and token.bare:
            if token.text == "{":
                self.next()
                return self._with_redirects(self._block(frozenset({"}"}), "}"))
            if token.text in ("if", "while", "until", "for", "select", "case"):
                self.next()
                return self._with_redirects(self._compound(token.text))
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
        if keyword == "case":
            bodies += self._head("in")
            self.next()
        elif not first and not (self.peek() == "(" and self._is_arithmetic()):
            bodies += self._head("do")
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
        return Group(bodies)

    def _head(self, last: str) -> list[Node]:
        """The substitutions between `for`, `select` or `case` and a word, `;` or the line's end."""
        nested: list[Node] = []
        while (token := self.peek()) not in ("", ";", "\n"):
            if isinstance(token, Word):
                if token.bare and token.text == last:
                    break
                nested += token.nested
            self.next()
        return nested

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
        command = Simple()
        while (token := self.peek()) not in ("", "\n"):
            self.next()
            if isinstance(token, Word):
                command.words.append(token)
                if token.text == "]]":
                    break
        return command

    def _with_redirects(self, group: Group) -> Group:
        while self.peek() in _REDIRECTIONS:
            group.redirects.append(self._redirect())
        return group

    def _redirect(self) -> Redirect:
        op, fd = str(self.peek()), self._fd
        self.next()
        target = self.peek()
        if not isinstance(target, Word):
            return Redirect(op, fd, Word(""))
        self.next()
        redirect = Redirect(op, fd, target)
        if op in ("<<", "<<-"):
            self._waiting.append((redirect, op == "<<-"))
        if op == "<<<":
            redirect.body = target.text + "\n"
        return redirect

    def _simple(self) -> Node:
        command = Simple()
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
                return command

    def _function(self) -> Node:
        """A definition `name() …`: what it holds runs when it is called, if ever."""
        self.next()
        while self.peek() not in ("", ")", "\n"):
            self.next()
        self.next()
        self._skip_newlines()
        return Group([self._deeper(self._command)], certain=False)


def parse(text: str) -> tuple[Node, bool]:
    """The tree of a command line, and whether all of it was read."""
    budget = _Budget()
    tree = _Parser(text, budget).program()
    return tree, not budget.spent
