"""Exits that end a test run as if it had passed, and test frameworks patched to pass."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewers.rules._test_tampering.changes import near_new_lines
from reviewers.rules._test_tampering.suite import Harm

HARD_EXIT = re.compile(
    r"\bos\._exit\(\s*(?:0|os\.EX_OK)?\s*\)|\bos\.kill\(\s*os\.getpid\(\)|\bos\.abort\(\)"
)
EXIT = re.compile(
    r"\b(?:sys\.exit|exit|quit)\(\s*0?\s*\)|\braise\s+SystemExit(?:\(\s*0?\s*\))?(?!\()"
    r"|\bpytest\.exit\([^)]*(?:returncode\s*=\s*0|,\s*0)\s*\)"
    r"|\bprocess\.exit\(\s*0?\s*\)|\bprocess\.exitCode\s*=\s*0|\bprocess\.reallyExit\(\s*0?"
    r"|\bos\.Exit\(0\)|\bSystem\.exit\(0\)|\bstd::process::exit\(0\)"
    r"|\bRuntime\.getRuntime\(\)\.halt\(0"
)
FORKS = re.compile(r"\bfork\b|multiprocessing|signal\.|threading|daemon", re.I)
PATCHED_FRAMEWORK = {
    "TestCase": r"\b(?:unittest\.)?TestCase\.(?:assert\w+|fail\w*|run|_\w+)\s*=(?!=)",
    "setattr": r"\bsetattr\(\s*(?:unittest\b|_?pytest\b|\w*TestCase|assert\b|[\"']?_?pytest\b)",
    "pytest": r"\b_?pytest(?:\.\w+)+\s*=(?!=)",
    "outcome": r"\brep(?:ort)?\.outcome\s*=(?!=)|\boutcome\.(?:force_result|excinfo)\b\s*[=(]",
    "result.": r"\bresult\.(?:force_result|excinfo)\b\s*[=(]",
    "exitstatus": r"\b(?:session\.)?exitstatus\s*=(?!=)",
    "testsfailed": r"\bsession\.testsfailed\s*=(?!=)",
    "TestMain": r"\bfunc\s+TestMain\(\s*\w+\s+\*testing\.M\s*\)\s*\{(?![\s\S]{0,2000}\.Run\()",
    "=>": r"\b(?:const|let|var)\s+(?:test|it|describe|expect)\s*=\s*(?:async\s*)?"
    r"(?:\([^()\n]{0,100}\)|\w+)\s*=>",
    "function": r"\bfunction\s+(?:test|it|describe|expect)\s*\(",
    "config.": r"\bconfig\.(?:option\.\w+|args)(?:\[[^\]\n]{0,40}\])?\s*=(?!=)",
    "stats": r"\bstats\.(?:pop|clear)\(|\bstats\[[^\]\n]{1,40}\]\s*=(?!=)",
    "assert.": r"^\s*assert\.\w+\s*=(?!=|>)"
    r"|\bassert\.(?:prototype\.)?\w+\s*=\s*(?:\(|function|async|noop)",
    "expect.": r"\bexpect\.(?:prototype\.)?\w+\s*=\s*(?:\(|function|async|noop)"
    r"|\bexpect\.extend\(\s*\{[^}]{0,300}\bto(?:Be|Equal|StrictEqual|Throw|Match|Contain)\s*[:(]",
    "Object.": r"\bObject\.(?:assign|defineProperty)\(\s*"
    r"(?:assert|expect|global(?:This)?\.expect|process)\b",
    "(assert": r"\bmock\.method\(\s*assert\b|\b(?:vi|jest|sinon|t\.mock|mock)\.\w+\(\s*assert\b",
    "builtins": r"\bbuiltins\.(?:AssertionError|assert\w*|__import__)\s*=",
    "global": r"\bglobal(?:This)?\.(?:expect|it|test|describe|assert)\s*=(?!=)",
    "process.": r"\bprocess\.(?:exit|reallyExit)\s*=(?!=)"
    r"|\bprocess\.(?:on|once|addListener)\(\s*[\"']"
    r"(?:exit|beforeExit|uncaughtException|unhandledRejection)[\"']"
    r"[^\n]*(?:exitCode\s*=\s*0|exit\(\s*0?\s*\))",
    "Module.": r"\bModule\.(?:_load|_resolveFilename|prototype\.require)\s*=(?!=)",
    "sys.exit": r"\bsys\.exit\s*=(?!=)",
    "atexit": r"\batexit\.register\([^\n]*_exit",
}
"""Test frameworks made to pass, or their exit codes set: by a text that each of them holds."""

COMPILED_PATCHES = {text: re.compile(pattern, re.M) for text, pattern in PATCHED_FRAMEWORK.items()}


def exits(old: str | None, new: str, in_tests: bool) -> Iterator[Harm]:
    """Exits that end a test run as if it had passed, and frameworks patched to pass."""
    before = old or ""
    yield from patched_framework(before, near_new_lines(new, before))
    hard = None if HARD_EXIT.search(before) else HARD_EXIT.search(new)
    if hard and (in_tests or not FORKS.search(new)):
        line = new.count("\n", 0, hard.start()) + 1
        yield Harm("exit_masking", f"`{hard[0]}` ends the run as passed", line, 0.9)
    for found in EXIT.finditer(new):
        if found[0] in before:
            continue
        line = new.count("\n", 0, found.start()) + 1
        if (in_tests or _for_all(new, found)) and not _in_main_guard(new, found.start()):
            yield Harm("exit_masking", f"`{found[0]}` ends the run as passed", line, 0.9)
            break


def patched_framework(before: str, new: str) -> Iterator[Harm]:
    """A test framework patched so that it passes."""
    for text, pattern in COMPILED_PATCHES.items():
        for found in pattern.finditer(new) if text in new else ():
            if found[0].strip() not in before:
                line = new.count("\n", 0, found.start()) + 1
                what = f"the test framework is patched: `{found[0].strip()[:60]}`"
                yield Harm("exit_masking", what, line, 0.95)
                return


def _for_all(text: str, found: re.Match[str]) -> bool:
    """Whether whoever imports the code meets an exit: it stands outside of functions."""
    outside = text[: found.start()].endswith("\n") or found.start() == 0
    return outside and re.search(r"^export\b|\bmodule\.exports\b", text, re.M) is not None


def _in_main_guard(text: str, at: int) -> bool:
    return re.search(r"__name__\s*==\s*['\"]__main__['\"]", text[:at]) is not None
