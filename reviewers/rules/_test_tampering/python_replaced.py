"""What Python tests put in the place of what: patches, assignments, and other bindings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewers.rules._test_tampering.python_imports import imports
from reviewers.rules._test_tampering.python_trees import functions, nodes, spelled, walk

MODULE = "<module>"
"""Stands for a whole module where one is replaced in `sys.modules`."""


FAKE = re.compile(r"Mock|create_autospec|MethodType|\bSimpleNamespace")
"""What makes things that answer as they are told to."""


def replaced(tree: ast.Module | None, project: set[str]) -> Iterator[tuple[str, int]]:
    """Dotted names that a test replaces, and where.

    Args:
        tree: The test; None if it is no Python.
        project: Names whose attributes no test has reason to assign to.
    """
    spellings = _Spellings(imports(tree), _texts(tree))
    for call in nodes(tree, ast.Call):
        yield from ((name, call.lineno) for name in _replaced_by_call(call, spellings))
    for assignment in nodes(tree, ast.Assign):
        for target in assignment.targets:
            if name := _assigned(target, assignment.value, project):
                yield name, assignment.lineno
    yield from _bound(tree, project)


def _bound(tree: ast.Module | None, project: set[str]) -> Iterator[tuple[str, int]]:
    """Names of the project that are bound to something else by other than plain assignments."""
    plain = {id(target) for node in nodes(tree, ast.Assign) for target in node.targets}
    for name in nodes(tree, ast.Name):
        if isinstance(name.ctx, ast.Store) and id(name) not in plain and name.id in project:
            yield name.id, name.lineno
    for function in functions(tree):
        given = function.args.args[len(function.args.args) - len(function.args.defaults) :]
        yield from ((part.arg, part.lineno) for part in given if part.arg in project)


@dataclass(frozen=True, slots=True)
class _Spellings:
    """What names in a test stand for.

    Attributes:
        imported: Imported names, with what they stand for.
        texts: Names of constant texts, with the text.
    """

    imported: Mapping[str, str]
    texts: Mapping[str, str]

    def of(self, function: ast.expr) -> str:
        """A function's full name, whatever it was imported as."""
        text = spelled(function)
        root, dot, rest = text.partition(".")
        return self.imported.get(root, root) + dot + rest

    def text(self, node: ast.expr) -> str | None:
        """The constant text that an expression stands for."""
        return self.texts.get(node.id) if isinstance(node, ast.Name) else _text(node)


def _texts(tree: ast.Module | None) -> dict[str, str]:
    return {
        spelled(node.targets[0]): text
        for node in nodes(tree, ast.Assign)
        if (text := _text(node.value)) is not None
    }


def _assigned(target: ast.expr, value: ast.expr, project: set[str]) -> str:
    """The dotted name that an assignment replaces; empty if it replaces none."""
    fake = _is_fake(value)
    if isinstance(target, ast.Attribute) and target.attr == "__code__":
        return spelled(target.value)
    if isinstance(target, ast.Attribute):
        name = _dotted(target)
        ours = name.partition(".")[0] in project and not _is_plain(value)
        return name if fake or ours else ""
    if isinstance(target, ast.Name):
        wraps = target.id in names_in(value)
        ours = target.id in project and not wraps
        return target.id if (fake or ours) and not target.id.startswith("_") else ""
    if not isinstance(target, ast.Subscript) or not isinstance(target.slice, ast.Constant):
        return ""
    owner, key = _namespace(target.value), str(target.slice.value)
    if owner == "sys.modules":
        return f"{key}.{MODULE}"
    return "" if owner is None else f"{owner}.{key}".strip(".")


def names_in(node: ast.AST) -> set[str]:
    return {part.id for part in walk(node) if isinstance(part, ast.Name)}


def _dotted(node: ast.expr) -> str:
    """An expression as a dotted name: the module of `sys.modules["m"]`, the owner of `type(x)`."""
    text = re.sub(r"sys\.modules\[['\"]([\w.]+)['\"]\]", r"\1", spelled(node))
    return re.sub(r"\btype\((\w+)\)", r"\1", text).replace(".__class__", "")


def _namespace(node: ast.expr) -> str | None:
    """Whose names a mapping holds: `X.__dict__`, `vars(X)`, `globals()`; None if it is no such."""
    text = spelled(node)
    if text in ("globals()", "sys.modules"):
        return text.removesuffix("globals()")
    found = re.fullmatch(r"vars\((?P<of>[\w.]+)\)|(?P<dict>[\w.]+)\.__dict__", text)
    return (found["of"] or found["dict"]) if found else None


def _is_plain(node: ast.expr) -> bool:
    """Whether a value is data, which configures a thing rather than replaces it."""
    return isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp)


def _is_fake(node: ast.expr) -> bool:
    if isinstance(node, ast.Lambda):
        return True
    if isinstance(node, ast.Call):
        return (
            re.search(r"Mock|create_autospec|MethodType|\bSimpleNamespace", spelled(node.func))
            is not None
        )
    return isinstance(node, ast.Name) and bool(
        re.match(r"_?(?:fake|stub|mock|dummy)", node.id, re.I)
    )


def _replaced_by_call(node: ast.Call, spellings: _Spellings) -> Iterator[str]:
    called = spellings.of(node.func)
    method = called.rpartition(".")[2]
    named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    arguments = node.args or [named[key] for key in ("target",) if key in named]
    if "attribute" in named:
        arguments = [*arguments[:1], named["attribute"], *arguments[1:]]
    if method == "update" and isinstance(node.func, ast.Attribute):
        owner = _namespace(node.func.value)
        names = [*named, *_keys(node.args)]
        yield from (f"{owner}.{name}".strip(".") for name in names if owner is not None)
    if not arguments or "wraps" in named:
        return
    first, text = arguments[0], [spellings.text(arg) for arg in arguments]
    if method in ("setattr", "__setattr__") or called.endswith("patch.object"):
        if len(text) > 1 and text[1] is not None:
            yield f"{_dotted(first)}.{text[1]}"
        elif text[0] is not None:
            yield text[0]
    elif method == "patch":
        if isinstance(first, ast.JoinedStr | ast.BinOp):
            yield spelled(first).split(".")[-1].strip("'\"")
        elif text[0] is not None:
            yield text[0]
    elif called.endswith("patch.multiple"):
        yield from (f"{text[0] or _dotted(first)}.{name}" for name in named)
    elif called.endswith("patch.dict") or method == "setitem":
        yield from _replaced_items(text[0] or spelled(first), arguments[1:], named)
    elif method == "should_receive" and text[0] is not None:
        yield f"{_given(node)}.{text[0]}"
    elif method and re.match(r"(?:when|expect|allow)\(", called) and _given(node):
        yield f"{_given(node)}.{method}"


def _replaced_items(
    mapping: str, values: Sequence[ast.expr], named: Mapping[str, ast.expr]
) -> Iterator[str]:
    """What is replaced in `sys.modules`, or in the names of a module."""
    names = [*_keys(values[:1]), *map(_text, values[:1]), *named]
    owner = mapping.removesuffix(".__dict__")
    if mapping == "sys.modules":
        yield from (f"{name}.{MODULE}" for name in names if name)
    elif mapping == "globals()":
        yield from filter(None, names)
    elif owner != mapping:
        yield from (f"{owner}.{name}" for name in names if name)


def _keys(values: Sequence[ast.expr]) -> Iterator[str]:
    """The keys of constant mappings."""
    for value in values:
        if isinstance(value, ast.Dict):
            yield from (text for key in value.keys if key and (text := _text(key)))


def _text(node: ast.expr) -> str | None:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text else None  # type: ignore[attr-defined]


def _given(node: ast.Call) -> str:
    """What the first call of a chain is given: `rates` in `flexmock(rates).should_receive()`."""
    inner = node.func
    while isinstance(inner, ast.Attribute | ast.Call):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name):
            return spelled(inner.args[0]) if inner.args else ""
        inner = inner.func if isinstance(inner, ast.Call) else inner.value
    return ""
