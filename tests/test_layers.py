"""The walls of the house, as far as the linters' configuration cannot say them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "reviewers"
PRIVATE = re.compile(r"inspect_ai(\.\w+)*\._\w+")


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_only_the_host_module_imports_inspects_private_names() -> None:
    offenders = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in PACKAGE.rglob("*.py")
        if path.name != "_host.py"
        for name in imported(path)
        if PRIVATE.match(name)
    ]

    assert offenders == []


def test_no_public_name_is_that_of_a_file_which_would_take_its_place_when_loaded() -> None:
    import reviewers

    files = {path.stem for path in PACKAGE.iterdir()}

    assert files & set(reviewers.__all__) == set()


def test_every_rule_file_holds_a_reviewer_named_like_it_with_examples_of_both_kinds() -> None:
    from importlib import import_module

    for path in (PACKAGE / "rules").glob("[!_]*.py"):
        module = import_module(f"reviewers.rules.{path.stem}")
        assert callable(getattr(module, path.stem))
        verdicts = {example.matches for example in module.EXAMPLES}
        assert verdicts == {True, False}, path.stem
        assert all(example.because for example in module.EXAMPLES)
