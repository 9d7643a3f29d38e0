"""The grammar of shell command lines: a small, forgiving parser, bounded, no exception.

It knows quoting, expansions, substitutions, redirections, here-documents, lists, pipelines,
groups and compound commands of POSIX sh and bash. What is cut off or malformed is read as far as
it goes. General parsers were tried and left: on hostile text their time grows with its square.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from reviewers.rules._shell.tokens import MAX_DEPTH, REDIRECTIONS, Budget, Tokens
from reviewers.rules._shell.tree import (
    AndOr,
    Group,
    Node,
    Pipeline,
    Redirect,
    Sequence,
    Simple,
    Word,
)

_T = TypeVar("_T")

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_ARITHMETIC = re.compile(r"\(\([^\n]{0,300}?\)\)(?=[\s;&|]|$)")
_CLOSERS = {"then", "else", "elif", "fi", "do", "done", "esac", "}"}


class _Parser(Tokens):
    """Reads a program from `text[pos:]` up to its end, or to `closer` where one is given."""

    def __init__(
        self, text: str, budget: Budget, pos: int = 0, depth: int = 0, closer: str = ""
    ) -> None:
        self.closer = closer
        super().__init__(text, budget, pos, depth)

    def _within(self, text: str, pos: int, closer: str = "") -> tuple[Node, int]:
        inner = _Parser(text, self._budget, pos, self.depth + 1, closer)
        return inner.program(), inner.pos

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
            elif isinstance(token, str) and token not in ("(",) and token not in REDIRECTIONS:
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
        return Group(
            bodies,
            head=head,
            loops=keyword in ("for", "select"),
            condition=keyword in ("if", "while"),
        )

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
        while self.peek() in REDIRECTIONS:
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
            elif token in REDIRECTIONS:
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


def parse(text: str, budget: Budget, depth: int = 0) -> Node:
    """The tree of a command line; `budget.spent` says whether something was left unread.

    Args:
        text: The command line.
        budget: What reading it may cost.
        depth: How deep it lies within another line.
    """
    return _Parser(text, budget, 0, depth).program()


def parse_line(text: str) -> tuple[Node, Budget]:
    """The tree of a whole command line, and what is left to spend on the lines within it."""
    tree, left = _parsed(text)
    return tree, replace(left)


@lru_cache(maxsize=4)
def _parsed(text: str) -> tuple[Node, Budget]:
    """A line's tree, kept for a while: all rules read the same line one after the other."""
    budget = Budget()
    return parse(text, budget), budget
