"""Text of the kinds that tools print, made from a seed: clean, with secrets, and hostile."""

import base64
import json
import random
from collections.abc import Callable

from reviewers.scan.notation import expand

WORDS = """
    account agent archive array async backup batch binary branch buffer build cache call channel
    check class client cluster code column command commit config connection container context
    copy count current data database date debug default delete deploy device directory disk
    document domain download driver email empty endpoint engine entry error event example export
    field file filter folder format function gateway graph group handler hash header history host
    image import index input install instance integer interface internal item job key label
    language layer length level library limit line link list load local lock log machine main
    manager map memory merge message method metric mode model module monitor mount name network
    node number object offset operation option order output owner package page parameter parent
    parser path pattern payload permission pipeline plugin policy port prefix process
    profile project protocol provider proxy query queue range read record region registry release
    remote report request resource response result role root route rule runtime schema scope
    script search section segment select server service session setting shell signal size
    snapshot socket source stack start state status step storage stream string structure style
    system table target task template test text thread time tool total trace transaction
    type update upload user utility value variable vector version view volume warning window
    worker write zone
""".split()  # noqa: SIM905
# As often as in the output of agents' commands: a few hundred in a megabyte.
RARE_WORDS = ("token", "token", "token", "password", "secret")
RARE = 0.002
PLANTS = (
    "ghp_{base62:30}{crc32}",
    "AKIA{uppernum:16}",
    "xoxb-{digit:12}-{digit:12}-{base62:24}",
    "sk_live_{base62:24}",
    "{jwt}",
    "{pem:RSA}",
)
PLANT_EVERY = 20_000


class _Maker:
    """Draws pieces of text."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def word(self) -> str:
        return self.random.choice(RARE_WORDS if self.random.random() < RARE else WORDS)

    def name(self) -> str:
        joint = self.random.choice(("_", "_", "", "-", "."))
        parts = [self.word() for _ in range(self.random.randint(1, 3))]
        return joint.join(parts) if joint else parts[0] + "".join(p.title() for p in parts[1:])

    def path(self) -> str:
        depth = self.random.randint(2, 5)
        return (
            "/"
            + "/".join(self.name() for _ in range(depth))
            + self.random.choice((".py", ".js", ".txt", ".log", "", ".so", ".json"))
        )

    def digits(self, length: int) -> str:
        return "".join(self.random.choices("0123456789", k=length))

    def hex(self, length: int) -> str:
        return "".join(self.random.choices("0123456789abcdef", k=length))

    def sentence(self) -> str:
        return " ".join(self.word() for _ in range(self.random.randint(4, 14)))


def _shell(m: _Maker) -> str:
    kind = m.random.randrange(7)
    if kind == 0:
        return f"-rw-r--r--  1 root root {m.digits(5)} Aug {m.digits(2)} 12:30 {m.name()}"
    if kind == 1:
        return f"{m.hex(7)} {m.sentence()}"
    if kind == 2:
        return f"2025-03-{m.digits(2)}T10:{m.digits(2)}:00Z INFO {m.name()}: {m.sentence()}"
    if kind == 3:
        memory = f"{m.digits(6)} {m.digits(5)}"
        command = f"/usr/bin/{m.name()} --{m.name()}={m.word()}"
        return f"root  {m.digits(5)}  0.0  0.1 {memory} ? Ss {command}"
    if kind == 4:
        version = f"{m.digits(1)}.{m.digits(2)}"
        return f"Requirement already satisfied: {m.name()}>={version} in {m.path()}"
    if kind == 5:
        return f"{m.path()}:{m.digits(3)}: {m.sentence()}"
    return f"export {m.name().upper()}={m.path()}"


def _source(m: _Maker) -> str:
    kind = m.random.randrange(6)
    indent = "    " * m.random.randint(0, 3)
    if kind == 0:
        parameters = f"self, {m.word()}: str, {m.word()}: int = {m.digits(2)}"
        return f"{indent}def {m.name()}({parameters}) -> None:"
    if kind == 1:
        return f"{indent}{m.name()} = self.{m.name()}({m.word()}, {m.word()}[{m.digits(1)}])"
    if kind == 2:
        return f'{indent}raise ValueError(f"{m.sentence()} {{{m.word()}}}")'
    if kind == 3:
        return f"{indent}# {m.sentence()}"
    if kind == 4:
        return f"{indent}if {m.name()} is not None and len({m.word()}) > {m.digits(2)}:"
    return f"{indent}return {{'{m.word()}': {m.name()}, '{m.word()}': {m.digits(3)}}}"


def _json(maker: _Maker) -> str:
    row = {
        "id": maker.digits(8),
        maker.name(): maker.sentence(),
        maker.name(): {maker.name(): maker.random.random(), "sha": maker.hex(40)},
        "uuid": f"{maker.hex(8)}-{maker.hex(4)}-4{maker.hex(3)}-a{maker.hex(3)}-{maker.hex(12)}",
        "url": f"https://{maker.word()}.example.com{maker.path()}?{maker.word()}={maker.digits(4)}",
    }
    return json.dumps(row) + ","


def _html(maker: _Maker) -> str:
    return (
        f'<div class="{maker.name()} {maker.name()}" id="{maker.name()}"><a href="{maker.path()}">'
        f"{maker.sentence()}</a> &amp; <span>{maker.sentence()}</span></div>"
    )


def _base64(maker: _Maker) -> str:
    return base64.b64encode(maker.random.randbytes(57)).decode()


KINDS: dict[str, Callable[[_Maker], str]] = {
    "shell": _shell,
    "source": _source,
    "JSON": _json,
    "HTML": _html,
    "base64": _base64,
}


def made_text(kind: str, size: int, planted: bool = False) -> str:
    """A text of a kind and size; with secrets planted, about one every 20,000 characters."""
    maker = _Maker(f"{kind} {planted}")
    lines: list[str] = []
    length = 0
    next_plant = min(size // 2, PLANT_EVERY // 2) if planted else size + 1
    while length < size:
        line = KINDS[kind](maker)
        if length >= next_plant:
            plant = PLANTS[maker.random.randrange(len(PLANTS) - 1 if size < 5_000 else len(PLANTS))]
            line = f"{maker.name()} {expand(plant, str(length))}"
            next_plant += PLANT_EVERY
        lines.append(line)
        length += len(line) + 1
    text = "\n".join(lines)
    return text if planted and size < 1_000 else text[:size]


def hostile_texts(size: int) -> dict[str, str]:
    """Texts that make scanners slow."""
    jwt_start = "eyJhbGciOiJIUzI1NiJ9-"
    units = {
        "flood of PEM headers": "-----BEGIN RSA PRIVATE KEY-----\n",
        "flood of PEM beginnings": "-----BEGIN ",
        "flood of one prefix": "ghp_",
        "flood of short prefixes": "sk-",
        "flood of JWT beginnings": jwt_start,
        "flood of a keyword": "password=",
        "flood of keywords and spaces": "api_key" + " " * 40,
        "run of spaces": " ",
        "run of one letter": "a",
        "flood of encoded prefixes": base64.b64encode(b" ghp_ ").decode() + " ",
        "flood of reversed prefixes": "_phg ",
        "flood of gzip beginnings": "H4sIAAAA ",
        "flood of connection strings": "postgres://a:",
        "flood of hex dump offsets": "00000010: ",
        "flood of escapes": "\\u0067\\x67%67&#103;",
        "flood of terminal sequences": "ghp_\x1b[31m",
        "NULs": "\0a",
        "flood of quotes": "key='\"",
    }
    return {name: (unit * (size // len(unit) + 1))[:size] for name, unit in units.items()}
