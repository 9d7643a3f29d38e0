"""What a command line is made of: words, commands, and how they are joined."""

from dataclasses import dataclass, field


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
        return [
            part.nested
            for part in self.parts
            if isinstance(part, Expansion) and part.nested is not None
        ]


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
        condition: Whether its second body runs only if the first one succeeded.
        start: Where it begins.
        end: Where it ends.
    """

    bodies: list["Node"]
    certain: bool = True
    redirects: list[Redirect] = field(default_factory=list)
    subshell: bool = False
    head: list[Word] = field(default_factory=list)
    loops: bool = False
    condition: bool = False
    start: int = 0
    end: int = 0


Node = Simple | Pipeline | AndOr | Sequence | Group
