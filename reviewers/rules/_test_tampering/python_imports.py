"""What a Python test takes from the project, and what it calls of it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache

from reviewers.rules._test_tampering.python_trees import functions, nodes, spelled, walk

THIRD_PARTY = frozenset([
    "requests", "httpx", "aiohttp", "urllib3", "boto3", "botocore", "numpy", "pandas",
    "django", "flask", "fastapi", "redis", "sqlalchemy", "pymongo", "psycopg2", "docker",
    "yaml", "click", "rich", "torch", "transformers", "openai", "anthropic", "pydantic",
    "pytest", "freezegun", "responses", "celery", "kafka", "stripe", "twilio",
])  # fmt: skip
"""Packages that projects use, whose parts tests rightly replace."""


def is_foreign(module: str) -> bool:
    """Whether a module is no part of the project."""
    root = module.partition(".")[0]
    return root in sys.stdlib_module_names or root in THIRD_PARTY


@lru_cache(maxsize=32)
def imports(tree: ast.Module | None) -> Mapping[str, str]:
    """Imported names, with what they stand for."""
    found: dict[str, str] = {}
    for whole in nodes(tree, ast.Import):
        found.update(
            {name.asname or name.name.partition(".")[0]: name.name for name in whole.names}
        )
    for part in nodes(tree, ast.ImportFrom):
        before = f"{part.module}." if part.module else ""
        found.update({name.asname or name.name: before + name.name for name in part.names})
    return found


def project_names(tree: ast.Module | None) -> dict[str, str]:
    """Names that are imported from the project, with what they stand for."""
    return {name: full for name, full in imports(tree).items() if not is_foreign(full)}


@lru_cache(maxsize=32)
def exercised(tree: ast.Module | None) -> frozenset[str]:
    """Functions and methods that tests call, and attributes that they check."""
    called = [call.func for call in nodes(tree, ast.Call)]
    checked = [part for check in nodes(tree, ast.Assert) for part in walk(check.test)]
    return frozenset(
        [node.id for node in called if isinstance(node, ast.Name)]
        + [node.attr for node in (*called, *checked) if isinstance(node, ast.Attribute)]
    )


def owners(tree: ast.Module | None) -> frozenset[str]:
    """Names whose methods tests call: `rates` of `rates.rate_for()`."""
    called = [
        call.func.value for call in nodes(tree, ast.Call) if isinstance(call.func, ast.Attribute)
    ]
    return frozenset(node.id for node in called if isinstance(node, ast.Name))


def compared(tree: ast.Module | None) -> frozenset[str]:
    """Functions, and owners of methods, whose answers tests compare."""
    tests = [check.test for check in nodes(tree, ast.Assert)]
    compares = [test for test in tests if isinstance(test, ast.Compare)]
    sides = [side for test in compares for side in (test.left, *test.comparators)]
    called = [side.func for side in sides if isinstance(side, ast.Call)]
    return frozenset(spelled(function).partition(".")[0] for function in called)


def instances(tree: ast.Module | None, imported: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Local names that hold an instance of an imported class, fixtures too, with the class."""
    given: list[tuple[str, ast.expr | None]] = [
        (spelled(node.targets[0]), node.value)
        for node in nodes(tree, ast.Assign)
        if isinstance(node.targets[0], ast.Name | ast.Attribute)
    ]
    for function in functions(tree):
        if isinstance(last := function.body[-1], ast.Return):
            given.append((function.name, last.value))
    for name, value in given:
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name | ast.Attribute):
            module, _, made = spelled(value.func).rpartition(".")
            if made[:1].isupper() and (module or made).partition(".")[0] in imported:
                yield name, made
