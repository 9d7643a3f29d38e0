"""Which files are tests, test configuration, snapshots or graders, told by their paths."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

Role = Literal["grader", "snapshot", "config", "test", "source", "other"]

TESTS = (
    "test_*.*",
    "*_test.*",
    "*_tests.*",
    "tests.py",
    "test.py",
    "*.test.*",
    "*.spec.*",
    "*_spec.rb",
    "*Test.java",
    "*Tests.java",
    "*IT.java",
    "*Test.kt",
    "*Test.php",
    "*Tests.cs",
    "run_tests.*",
    "run-tests.*",
    "runtests.*",
    "tests/**",
    "test/**",
    "__tests__/**",
    "__mocks__/**",
    "spec/**",
    "src/test/**",
)
"""Where tests live, by the conventions of the common frameworks."""

GRADERS = (
    "grader/**",
    "graders/**",
    "grading/**",
    "grader.*",
    "grade.py",
    "grade.sh",
    "*_grader.*",
    "hidden_tests/**",
    "hidden-tests/**",
    "tests_hidden/**",
    "test_hidden*",
    "*.hidden.test.*",
    "*_hidden_test.*",
    "private_tests/**",
    "verifier/**",
    "verifier.*",
)
"""Where what judges the agent's work lives: it has no business there, not even to read."""

SNAPSHOTS = (
    "*.snap",
    "*.ambr",
    "*.golden",
    "*.approved.*",
    "__snapshots__/**",
    "snapshots/**",
    "golden/**",
    "goldens/**",
    "testdata/**/*.out",
    "tests/**/expected/**",
    "tests/**/expected_*",
    "tests/**/*_expected.*",
    "tests/**/*.expected",
    "test/**/expected/**",
    "test/**/expected_*",
    "test/**/*.expected",
)
"""Recorded expectations that tests compare with."""

CONFIG = (
    "conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "tox.ini",
    "noxfile.py",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "setup.cfg",
    "pyproject.toml",
    "package.json",
    "sitecustomize.py",
    "usercustomize.py",
    "Cargo.toml",
    "CMakeLists.txt",
    "phpunit.xml*",
    ".rspec",
    "Rakefile",
    "deno.json*",
    "bunfig.toml",
    "jasmine.json",
    "jest.config.*",
    "jest.setup.*",
    "vitest.config.*",
    "vitest.workspace.*",
    "vite.config.*",
    "playwright.config.*",
    "cypress.config.*",
    "karma.conf.*",
    "ava.config.*",
    ".mocharc*",
    ".nycrc*",
    ".coveragerc",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    ".github/workflows/**",
    ".gitlab-ci.yml",
    ".travis.yml",
    ".circleci/**",
    "azure-pipelines.yml",
    "Jenkinsfile",
)
"""Files that decide which tests run and how their failures count."""

CODE = frozenset(
    [
        "py",
        "pyi",
        "js",
        "jsx",
        "ts",
        "tsx",
        "mjs",
        "cjs",
        "mts",
        "cts",
        "go",
        "java",
        "kt",
        "kts",
        "scala",
        "rs",
        "rb",
        "php",
        "c",
        "cc",
        "cpp",
        "cxx",
        "h",
        "hpp",
        "cs",
        "swift",
        "m",
        "sh",
        "bash",
        "lua",
        "pl",
        "r",
        "jl",
        "ex",
        "exs",
        "erl",
        "hs",
        "ml",
        "clj",
        "dart",
        "vue",
        "svelte",
    ]
)
"""Suffixes of program text."""

PROSE = frozenset(
    [
        "md",
        "rst",
        "txt",
        "adoc",
        "log",
        "csv",
        "tsv",
        "json",
        "yaml",
        "yml",
        "toml",
        "xml",
        "html",
        "css",
        "lock",
    ]
)
"""Suffixes of files in a tests folder that hold no checks themselves."""


MAX_PATH = 4096
"""Characters of a path; no system has a file of a longer one."""


def matches(path: str, globs: Sequence[str]) -> bool:
    """Whether a path fits one of some globs.

    A glob without a slash is tried on the file's name; one with a slash on every tail of the path;
    `*` stays within a folder, `**` does not.
    """
    return _compiled(tuple(globs)).search(normalised(path)) is not None


@lru_cache(maxsize=64)
def _compiled(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"(?:^|/)(?:" + "|".join(map(_pattern, globs)) + r")$" if globs else "(?!)")


def _pattern(glob: str) -> str:
    parts = []
    for piece in re.split(r"(\*\*/|/\*\*|\*|\?)", glob):
        parts.append(
            {"**/": "(?:[^/]+/)*", "/**": "/.+", "*": "[^/]*", "?": "[^/]"}.get(
                piece, re.escape(piece)
            )
        )
    return "".join(parts).lstrip("/")


@lru_cache(maxsize=1024)
def normalised(path: str) -> str:
    """A path with forward slashes and without `.` steps or quotes around it."""
    path = path.strip().strip("'\"").replace("\\", "/")
    return re.sub(r"(?:^|(?<=/))\./|/(?=/)", "", path)


def suffix(path: str) -> str:
    """The name's suffix in lower case, without the dot."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


@dataclass(frozen=True)
class Roles:
    """Which part a file plays, by globs.

    Attributes:
        tests: Where tests live.
        graders: What judges the agent's work.
        frozen: What must not change at all.
    """

    tests: tuple[str, ...] = TESTS
    graders: tuple[str, ...] = GRADERS
    frozen: tuple[str, ...] = ()
    _known: dict[str, Role] = field(default_factory=dict, repr=False, compare=False)

    def of(self, path: str) -> Role:
        """The part that a file plays."""
        role = self._known.get(path)
        if role is None:
            role = self._of(normalised(path))
            if len(self._known) < 10_000:
                self._known[path] = role
        return role

    def _of(self, path: str) -> Role:
        if matches(path, self.graders):
            return "grader"
        if matches(path, SNAPSHOTS):
            return "snapshot"
        if matches(path, CONFIG) or path.endswith(".pth"):
            return "config"
        if suffix(path) not in PROSE and matches(path, self.tests):
            return "test"
        return "source" if suffix(path) in CODE else "other"

    def is_frozen(self, path: str) -> bool:
        """Whether the file must not change at all."""
        return matches(path, self.frozen)
