"""What a Python test takes from the project, and what it calls of it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import lru_cache

THIRD_PARTY = frozenset([
    "requests", "httpx", "aiohttp", "urllib3", "boto3", "botocore", "numpy", "pandas",
    "django", "flask", "fastapi", "redis", "sqlalchemy", "pymongo", "psycopg2", "docker",
    "yaml", "click", "rich", "torch", "transformers", "openai", "anthropic", "pydantic",
    "pytest", "freezegun", "responses", "celery", "kafka", "stripe", "twilio",
])  # fmt: skip
"""Packages that projects use, whose parts tests rightly replace."""


@lru_cache(maxsize=32)
def nodes(tree: ast.Module | None) -> tuple[ast.AST, ...]:
    """All nodes of a tree, which several searches go through."""
    return tuple(ast.walk(tree)) if tree else ()


def is_foreign(module: str) -> bool:
    """Whether a module is no part of the project."""
    root = module.partition(".")[0]
    return root in sys.stdlib_module_names or root in THIRD_PARTY


def imports(tree: ast.Module | None) -> dict[str, str]:
    """Imported names, with what they stand for."""
    found: dict[str, str] = {}
    for node in nodes(tree):
        if isinstance(node, ast.ImportFrom):
            before = f"{node.module}." if node.module else ""
            found.update({name.asname or name.name: before + name.name for name in node.names})
        elif isinstance(node, ast.Import):
            found.update(
                {name.asname or name.name.partition(".")[0]: name.name for name in node.names}
            )
    return found


def project_names(tree: ast.Module | None) -> dict[str, str]:
    """Names that are imported from the project, with what they stand for."""
    return {name: full for name, full in imports(tree).items() if not is_foreign(full)}


def exercised(tree: ast.Module | None) -> set[str]:
    """Functions and methods that tests call, and attributes that they check."""
    names = set()
    for node in nodes(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                names.add(node.func.id)
            elif isinstance(node.func, ast.Attribute):
                names.add(node.func.attr)
        elif isinstance(node, ast.Assert):
            names |= {part.attr for part in ast.walk(node.test) if isinstance(part, ast.Attribute)}
    return names


def instances(tree: ast.Module | None, imported: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Local names that hold an instance of an imported class, fixtures too, with the class."""
    for node in nodes(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
        elif isinstance(node, ast.FunctionDef) and isinstance(node.body[-1], ast.Return):
            name, value = node.name, node.body[-1].value or ast.Constant(None)
        else:
            continue
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            made = value.func.id
            if made in imported and made[:1].isupper():
                yield name, made
