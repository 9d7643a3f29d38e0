"""A small, forgiving parser of shell command lines: one pass, bounded, no exception.

It knows quoting, expansions, substitutions, redirections, here-documents, lists, pipelines,
groups and compound commands of POSIX sh and bash. What is cut off or malformed is read as far as
it goes. General parsers were tried and left: on hostile text their time grows with its square.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
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


@dataclass(frozen=True)
class Run:
    """A simple command that the line runs, and what is known of how it went.

    Attributes:
        argv: Its words.
        exit_code: Its own exit code where the line's says it; else None.
        certain: Whether it surely ran.
        shown: Whether its output (or what the pipeline makes of it) is in the result.
        pipe: Number of its pipeline; commands of one pipeline share it.
        piped: Whether its own output is another command's input.
        stdin: Text that it is fed from a here-document or here-string.
        writes: Files that its output is redirected to.
        background: Whether nobody waited for it.
        quiet_errors: Whether its error messages are thrown away.
    """

    argv: tuple[str, ...]
    exit_code: int | None = None
    certain: bool = True
    shown: bool = True
    pipe: int = 0
    piped: bool = False
    stdin: str = ""
    writes: tuple[str, ...] = ()
    background: bool = False
    quiet_errors: bool = False


@dataclass(frozen=True)
class _How:
    """What is known of how a node ran."""

    exit_code: int | None
    certain: bool = True
    shown: bool = True
    piped: bool = False
    background: bool = False

    def but(self, **changes: "bool | int | None") -> "_How":
        return replace(self, **changes)  # type: ignore[arg-type]


HARDLY_FAILING = {"cd", "echo", "printf", "export", "mkdir", "sleep", "true", ":", "set", "pwd"}
"""Commands taken to have succeeded where one other of an `&&` list can have failed."""


def runs(text: str, exit_code: int | None = None) -> tuple[list[Run], bool]:
    """The simple commands of a line in order, and whether the whole line was read.

    Args:
        text: The command line, possibly cut off or malformed.
        exit_code: The line's exit code; None or a negative number where it is not known.
    """
    tree, complete = parse(text)
    if exit_code is not None and exit_code < 0:
        exit_code = None
    return list(_walk(tree, _How(exit_code), _Counter())), complete


PASSES_ON = {"bash", "sh", "zsh", "eval", "source", ".", "python3", "python", "echo", "printf"}
"""Commands that run or print what a substitution among their words gives them."""

_SOCKET = re.compile(r"(/dev/(?:tcp|udp))/([^/\s]+)/(\w+)")
"""The shell's own sockets, as the target of a redirection."""


class _Counter:
    """Numbers pipelines."""

    def __init__(self) -> None:
        self.value = 0

    def next(self) -> int:
        self.value += 1
        return self.value


def _walk(node: Node, how: _How, pipes: _Counter, pipe: int | None = None) -> Iterator[Run]:
    if isinstance(node, Simple):
        yield from _walk_simple(node, how, pipes, pipe)
    elif isinstance(node, Pipeline):
        number = pipes.next()
        for index, child in enumerate(node.nodes):
            last = index == len(node.nodes) - 1
            code = how.exit_code if last and not node.negated else None
            inner = how.but(exit_code=code, piped=how.piped or not last)
            yield from _walk(child, inner, pipes, number)
    elif isinstance(node, AndOr):
        for child, code, certain in _and_or(node, how.exit_code):
            inner = how.but(exit_code=code, certain=how.certain and certain)
            yield from _walk(child, inner, pipes, pipe)
    elif isinstance(node, Sequence):
        stops_at_errors = how.exit_code == 0 and _sets_errexit(node)
        for index, child in enumerate(node.nodes):
            known = index == len(node.nodes) - 1 or stops_at_errors
            background = node.background[index]
            code = how.exit_code if known and not background else None
            inner = how.but(exit_code=code, background=how.background or background)
            yield from _walk(child, inner, pipes, pipe)
    else:
        hidden = any(redirect.hides_output for redirect in node.redirects)
        for body in node.bodies:
            code = how.exit_code if len(node.bodies) == 1 and node.certain else None
            certain = how.certain and node.certain
            inner = how.but(exit_code=code, certain=certain, shown=how.shown and not hidden)
            yield from _walk(body, inner, pipes, pipe)


def _walk_simple(node: Simple, how: _How, pipes: _Counter, pipe: int | None) -> Iterator[Run]:
    words = node.assignments + node.words
    targets = [redirect.target for redirect in node.redirects]
    nested = [inner for word in words + targets for inner in word.nested]
    alone = not node.words and len(nested) == 1
    passes_on = bool(node.words) and node.words[0].text in PASSES_ON
    if pipe is None:
        pipe = pipes.next()
    for inner in nested:
        captured = how.but(
            exit_code=how.exit_code if alone else None, shown=how.shown and passes_on
        )
        yield from _walk(inner, captured, pipes, pipe if passes_on else None)
    for target in targets:
        if match := _SOCKET.match(target.text):
            yield Run(match.groups(), how.exit_code, how.certain, shown=True, pipe=pipe)
    if not node.words:
        return
    yield Run(
        argv=tuple(word.text for word in node.words),
        exit_code=how.exit_code,
        certain=how.certain,
        shown=how.shown and not any(redirect.hides_output for redirect in node.redirects),
        pipe=pipe,
        piped=how.piped,
        stdin="".join(redirect.body or "" for redirect in node.redirects),
        writes=tuple(r.target.text for r in node.redirects if r.hides_output),
        background=how.background,
        quiet_errors=any(r.fd == "2" and r.target.text == "/dev/null" for r in node.redirects),
    )


def _and_or(node: AndOr, code: int | None) -> Iterator[tuple[Node, int | None, bool]]:
    """Each part with its exit code, where the whole one tells, and whether it surely ran."""
    codes: list[int | None] = [None] * len(node.nodes)
    last = len(node.nodes) - 1
    if code == 0:
        while last >= 0 and (last == 0 or node.operators[last - 1] == "&&"):
            codes[last] = 0
            last -= 1
        if last > 0:
            codes[last] = None
        certain = [index > last or index == 0 for index in range(len(codes))]
    elif code is not None and all(operator == "||" for operator in node.operators):
        codes[-1] = code
        certain = [True] * len(codes)
    else:
        likely = [i for i, child in enumerate(node.nodes) if not _hardly_fails(child)]
        if code is not None and len(likely) == 1 and "||" not in node.operators:
            codes[likely[0]] = code
        certain = [index == 0 or index in likely[:1] for index in range(len(codes))]
    yield from zip(node.nodes, codes, certain, strict=True)


def _hardly_fails(node: Node) -> bool:
    return isinstance(node, Simple) and (not node.words or node.words[0].text in HARDLY_FAILING)


def _sets_errexit(node: Sequence) -> bool:
    first = node.nodes[0] if node.nodes else None
    return (
        isinstance(first, Simple)
        and [word.text for word in first.words[:1]] == ["set"]
        and any(re.match(r"-\w*e", word.text) for word in first.words[1:])
    )
