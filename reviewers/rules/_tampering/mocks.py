"""Tests that replace the very thing that they test."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator

from reviewers.rules._tampering.read_python import parsed
from reviewers.rules._tampering.suite import Harm

MOCKS = re.compile(
    r"patch|Mock|monkeypatch|setattr|sys\.modules|lambda|stub|spyOn|jest|vi\.|sinon|mock", re.I
)


def mocked_targets(
    path: str, old: str | None, new: str, whole: str | None, others: Iterable[str], existed: bool
) -> Iterator[Harm]:
    """Mocks of what the tests import from the project and call.

    Args:
        path: The test file.
        old: The changed text before.
        new: The changed text after.
        whole: The file's whole text after the change, if it is known.
        others: Texts of other known tests, for what a shared fixture replaces.
        existed: Whether the tests stood there before the agent came. In those, what any of them
            calls is a target; in the agent's own, only what the very test calls.
    """
    if not MOCKS.search(new):
        return
    if path.endswith(".py"):
        yield from _python_mocks(path, old, new, whole, others, existed)
    else:
        yield from _script_mocks(old, new, whole)


def _python_mocks(
    path: str, old: str | None, new: str, whole: str | None, others: Iterable[str], existed: bool
) -> Iterator[Harm]:
    tree = parsed(new)
    if tree is None:
        return
    shared = path.endswith("conftest.py")
    texts = [text for text in (whole or new, *(others if shared else ())) if text]
    imported: dict[str, str] = {}
    called: set[str] = set()
    for text in texts:
        if (context := parsed(text)) is not None:
            imported.update(_project_names(context))
            called |= _exercised(context)
    instances = dict(_instances(tree, imported))
    before = {name for name, _ in _replaced(parsed(old or ""), set(imported))}
    for name, line in _replaced(tree, set(imported) | set(instances)):
        if name in before:
            continue
        first, _, rest = name.partition(".")
        name = f"{instances[first]}.{rest}" if rest and first in instances else name
        owner, _, last = name.rpartition(".")
        beside = called if existed else _called_beside(tree, line, called)
        if _is_target(owner, last, imported, beside):
            yield Harm(
                "mock_target", f"{name}, which the tests are there to test, is replaced", line, 0.9
            )


def _called_beside(tree: ast.Module, line: int, called: set[str]) -> set[str]:
    """What the test around a line calls; what all tests call, where it is in none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith(
            "test"
        ):
            first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
            if first <= line <= (node.end_lineno or first):
                return _exercised(ast.Module(list(node.body), []))
    return called


def _is_target(owner: str, last: str, imported: dict[str, str], called: set[str]) -> bool:
    if last == MODULE:
        return any(module.startswith(owner + ".") for module in imported.values())
    root = imported.get(owner.partition(".")[0], owner).partition(".")[0]
    if _foreign(root):
        return False
    if last in imported:
        return last in called
    if not owner:
        return False
    if owner.rpartition(".")[2][:1].isupper() or owner in imported or owner == "self":
        return last in called and not last.startswith("__")
    return last in called and root in {name.partition(".")[0] for name in imported.values()}


def _foreign(root: str) -> bool:
    return root in sys.stdlib_module_names or root in THIRD_PARTY


MODULE = "<module>"
"""Stands for a whole module where one is replaced in `sys.modules`."""

THIRD_PARTY = frozenset(
    [
        "requests",
        "httpx",
        "aiohttp",
        "urllib3",
        "boto3",
        "botocore",
        "numpy",
        "pandas",
        "django",
        "flask",
        "fastapi",
        "redis",
        "sqlalchemy",
        "pymongo",
        "psycopg2",
        "docker",
        "yaml",
        "click",
        "rich",
        "torch",
        "transformers",
        "openai",
        "anthropic",
        "pydantic",
        "pytest",
        "freezegun",
        "responses",
        "celery",
        "kafka",
        "stripe",
        "twilio",
    ]
)


def _project_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that a test imports from the project, with the modules they come from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            if not _foreign(node.module.partition(".")[0]):
                yield from (
                    (name.asname or name.name, f"{node.module}.{name.name}") for name in node.names
                )
        elif isinstance(node, ast.ImportFrom):
            yield from ((name.asname or name.name, name.name) for name in node.names)
        elif isinstance(node, ast.Import):
            for name in node.names:
                if not _foreign(name.name.partition(".")[0]):
                    yield name.asname or name.name.partition(".")[0], name.name


def _exercised(tree: ast.Module) -> set[str]:
    """Functions and methods that tests themselves call."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                names.add(node.func.id)
            elif isinstance(node.func, ast.Attribute):
                names.add(node.func.attr)
    return names


def _instances(tree: ast.Module, imported: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Local names that hold an instance of an imported class, with the class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = node.value.func
            target = node.targets[0]
            if not (isinstance(made, ast.Name) and isinstance(target, ast.Name)):
                continue
            if made.id in imported and made.id[:1].isupper():
                yield target.id, made.id


def _replaced(tree: ast.Module | None, project: set[str]) -> Iterator[tuple[str, int]]:
    """Dotted names that a test replaces, and where.

    Args:
        tree: The test; None if it is no Python.
        project: Names whose attributes no test has reason to assign to.
    """
    if tree is None:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from ((name, node.lineno) for name in _replaced_by_call(node))
        elif isinstance(node, ast.Assign):
            fake = _is_fake(node.value)
            for target in node.targets:
                if isinstance(target, ast.Attribute):
                    name = ast.unparse(target)
                    if fake or (name.partition(".")[0] in project and not _is_plain(node.value)):
                        yield name, node.lineno
                elif isinstance(target, ast.Name) and fake and not target.id.startswith("_"):
                    yield target.id, node.lineno
                elif (
                    isinstance(target, ast.Subscript) and ast.unparse(target.value) == "sys.modules"
                ):
                    yield from _constant_text(target.slice, node.lineno)


def _constant_text(node: ast.expr, line: int) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield f"{node.value}.{MODULE}", line


def _is_plain(node: ast.expr) -> bool:
    """Whether a value is data, which configures a thing rather than replaces it."""
    return isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp)


def _is_fake(node: ast.expr) -> bool:
    if isinstance(node, ast.Lambda):
        return True
    if isinstance(node, ast.Call):
        return "Mock" in ast.unparse(node.func) or "create_autospec" in ast.unparse(node.func)
    return isinstance(node, ast.Name) and bool(
        re.match(r"_?(?:fake|stub|mock|dummy)", node.id, re.I)
    )


def _replaced_by_call(node: ast.Call) -> Iterator[str]:
    called = ast.unparse(node.func)
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    arguments = node.args or [named[key] for key in ("target", "attribute") if key in named]
    if len(arguments) == 1 and "attribute" in named:
        arguments = [*arguments, named["attribute"]]
    if (
        called.endswith(("patch.object", "monkeypatch.setattr", "mocker.spy"))
        or called == "setattr"
    ):
        if called.endswith("mocker.spy"):
            return
        text = [ast.unparse(arg) for arg in arguments[:2]]
        constants = [arg.value if isinstance(arg, ast.Constant) else None for arg in arguments[:2]]
        if len(constants) > 1 and isinstance(constants[1], str):
            yield f"{text[0]}.{constants[1]}"
        elif constants and isinstance(constants[0], str):
            yield constants[0]
    elif called.endswith(("patch", "mocker.patch")) and arguments:
        if isinstance(arguments[0], ast.Constant) and isinstance(arguments[0].value, str):
            yield arguments[0].value
        elif isinstance(arguments[0], ast.JoinedStr):
            yield ast.unparse(arguments[0]).split(".")[-1].strip("'\"")
    elif called.endswith("patch.multiple") and arguments:
        owner = (
            str(arguments[0].value)
            if isinstance(arguments[0], ast.Constant)
            else ast.unparse(arguments[0])
        )
        yield from (f"{owner}.{keyword.arg}" for keyword in node.keywords if keyword.arg)
    elif called.endswith("patch.dict") and arguments and "sys.modules" in ast.unparse(arguments[0]):
        for part in arguments[1:]:
            if isinstance(part, ast.Dict):
                yield from (
                    f"{key.value}.{MODULE}"
                    for key in part.keys
                    if isinstance(key, ast.Constant) and isinstance(key.value, str)
                )


OWN_MODULE = r"""["'](?P<%s>(?:[.@#~]|src/)[^"']+)["']"""
JS_IMPORT = re.compile(
    r"import\s+(?:type\s+)?(?P<names>[\w*{}\s,$]+?)\s+from\s+" + OWN_MODULE % "module"
    + r"|(?:const|let|var)\s+(?P<required>[\w{}\s,:$]+?)\s*=\s*(?:await\s+)?(?:require|import)\(\s*"
    + OWN_MODULE % "from"
)  # fmt: skip
JS_MODULE_MOCK = re.compile(
    r"""\b(?:jest|vi|mock|t\.mock|td)\.(?:do)?(?:mock|module|replace"
    r"|unstable_mockModule)\(\s*(?:import\(\s*|new\s+URL\(\s*)?["'](?P<module>(?:[.@#~]"
    r"|src/)[^"']+)["']"""
)
JS_METHOD_MOCK = re.compile(
    r"""(?x)
    \b(?:jest\.spyOn|vi\.spyOn|mock\.method|t\.mock\.method|sinon\.stub|td\.replace|stub)\(\s*
    (?P<owner>[\w.$]+?)(?:\.prototype)?\s*(?:as\s+\w+\s*)?,\s*["'](?P<method>\w+)["'](?P<rest>[^;\n]*)"""
)
JS_ASSIGNED = re.compile(
    r"""(?xm) (?P<owner>\b[A-Za-z_$][\w$]*(?:\.prototype)?)\.(?P<method>\w+)\s*=\s*
    (?:async\s*)?(?:\(|function\b|jest\.fn|vi\.fn|mock\.fn|sinon|\w+\s*=>)"""
)


def _script_mocks(old: str | None, new: str, whole: str | None) -> Iterator[Harm]:
    context = whole or new
    imported, modules = _imported_names(context)
    before = old or ""
    for found in JS_MODULE_MOCK.finditer(new):
        names = modules.get(_stem(found["module"]))
        if found[0] not in before and names and any(_is_called(name, context) for name in names):
            yield _js_harm(found["module"], new, found.start())
    for found in (*JS_METHOD_MOCK.finditer(new), *JS_ASSIGNED.finditer(new)):
        if found[0] in before:
            continue
        owner, method = found["owner"].split(".")[0], found["method"]
        local = re.search(rf"\b{re.escape(owner)}\s*=\s*(?:await\s+)?(?:new\s+)?(\w+)", context)
        wrapped = re.search(
            rf"\b{re.escape(owner)}\s*=\s*\{{[^}}]*\b{re.escape(method)}\b", context
        )
        known = (
            owner in imported or wrapped is not None or (local is not None and local[1] in imported)
        )
        if known and re.search(rf"\b{re.escape(method)}\s*\(", _without(context, found[0])):
            yield _js_harm(f"{found['owner']}.{method}", new, found.start())


def _js_harm(name: str, text: str, at: int) -> Harm:
    line = text.count("\n", 0, at) + 1
    return Harm(
        "mock_target", f"{name}, which the tests are there to test, is replaced", line, 0.85
    )


def _without(text: str, piece: str) -> str:
    return text.replace(piece, "")


def _imported_names(text: str) -> tuple[set[str], dict[str, set[str]]]:
    names: set[str] = set()
    modules: dict[str, set[str]] = {}
    for found in JS_IMPORT.finditer(text):
        taken = {
            part.split(" as ")[-1].split(":")[-1].strip()
            for part in re.split(r"[,{}]", found["names"] or found["required"])
            if part.strip()
        }
        names |= taken
        modules.setdefault(_stem(found["module"] or found["from"]), set()).update(taken)
    return names, modules


def _stem(module: str) -> str:
    return re.sub(r"\.(?:[cm]?[jt]sx?)$", "", module)


def _is_called(name: str, text: str) -> bool:
    return re.search(rf"(?:\bnew\s+)?\b{re.escape(name)}\s*(?:<[^>]*>)?\(", text) is not None
