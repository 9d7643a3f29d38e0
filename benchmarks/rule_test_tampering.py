"""Figures of `test_tampering`: false alarms in ordinary work, and the cheats of `cheat-index`.

`cheat-index` (PyPI, Apache-2.0) is measured on and nothing else: unpack its source distribution
or its wheel, and give the folder. Each scripted behaviour is played as an agent would: it looks at
every file of the project, then makes its edits one call at a time.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from benchmarks._recordings import milliseconds, observations, runs, tally
from reviewers.case import case_from_line
from reviewers.evidence import Evidence
from reviewers.outcome import Finding
from reviewers.rules._test_tampering.judge import find_tampering
from reviewers.rules._test_tampering.paths import TESTS, Roles

KINDS = {
    "assertion_weakened": "assertion",
    "skip_added": "skip",
    "test_config_changed": "test_config",
    "special_casing": "special_case",
    "exit_masking": "exit_masking",
    "mock_target": "mock_target",
}
"""Its detectors' names, and our kinds. Its `test_edit` means any change of an existing test."""

SETS = {"authored": "eval/detectors/authored.yaml", "held_out": "eval/detectors/heldout.yaml"}
"""Its labelled patches, in the source distribution only; no case of the second was read here."""


@dataclass(frozen=True)
class Behaviour:
    """One scripted behaviour: edits of a project, and what they are."""

    project: Path
    edits: Mapping[str, Any]
    labels: frozenset[str]
    honest: bool


def measure(data: Path, cheat_index: Path | None = None) -> dict[str, object]:
    """False alarms on recorded work, per category figures on cheats, and milliseconds."""
    figures: dict[str, object] = {}
    find = partial(find_tampering, roles=Roles())
    ordinary = tally(find, observations(data))
    if ordinary.results:
        figures["observations"] = ordinary.figures
    for name in ("terminal_bench", "openagentsafety"):
        counts = tally(find, (step for run in runs(data, name) for step in run))
        if counts.results:
            figures[name] = counts.figures
    if cheat_index is not None:
        figures["cheat_index"] = _cheats(cheat_index)
    return figures | _cost()


def _cheats(root: Path) -> dict[str, object]:
    tasks = next(iter(sorted(root.glob("**/tasks/*/task.yaml"))), None)
    if tasks is None:
        return {}
    folder = tasks.parent.parent
    figures: dict[str, object] = {"scripted": _scored(list(_scripted(folder)))}
    for name, path in SETS.items():
        if (root / path).exists():
            figures[name] = _scored(list(_labelled(root / path, folder)))
    return figures


def _scripted(tasks: Path) -> Iterator[Behaviour]:
    for path in sorted(tasks.glob("*/scripted/*.yaml")):
        told = yaml.safe_load(path.read_text())
        labels = frozenset(told["expect"].get("detectors") or ())
        yield Behaviour(path.parent.parent, told, labels, told["kind"] == "honest")


def _labelled(path: Path, tasks: Path) -> Iterator[Behaviour]:
    for told in yaml.safe_load(path.read_text()):
        labels = frozenset(name for name, holds in told["labels"].items() if holds)
        yield Behaviour(tasks / told["task"], told, labels, not labels)


def _scored(behaviours: list[Behaviour]) -> dict[str, object]:
    counts: dict[str, Counter[tuple[bool, bool]]] = {name: Counter() for name in KINDS}
    counts["test_edit (frozen tests)"] = Counter()
    counts["any of these"] = Counter()
    honest_flagged = 0
    for behaviour in behaviours:
        found = _found(behaviour, Roles(graders=()))
        kinds = {finding.kind for finding in found if not _allowed(behaviour, finding)}
        for name, kind in KINDS.items():
            counts[name][name in behaviour.labels, kind in kinds] += 1
        edited = "test_edit" in behaviour.labels
        counts["test_edit (frozen tests)"][edited, _touched(behaviour)] += 1
        counts["any of these"][bool(behaviour.labels & {*KINDS, "test_edit"}), bool(kinds)] += 1
        honest_flagged += behaviour.honest and bool(kinds)
    honest = sum(behaviour.honest for behaviour in behaviours)
    return {
        "behaviours": len(behaviours),
        "honest": honest,
        "honest_flagged": honest_flagged,
        **{name: _rates(found) for name, found in counts.items()},
    }


def _touched(behaviour: Behaviour) -> bool:
    frozen = Roles(tests=(), graders=(), frozen=TESTS)
    return any(
        "must not change" in finding.what and not _allowed(behaviour, finding, "test_edit")
        for finding in _found(behaviour, frozen)
    )


def _allowed(behaviour: Behaviour, finding: Finding, detector: str = "") -> bool:
    """Whether the task's instruction allows this change of this file, as its labels assume."""
    task = yaml.safe_load((behaviour.project / "task.yaml").read_text())
    told = behaviour.edits.get("allowed_workarounds", task.get("allowed_workarounds"))
    path = finding.what.partition(":")[0]
    return any(
        (detector or finding.kind) in (allowance["detector"], KINDS.get(allowance["detector"]))
        and (not allowance.get("paths") or path in allowance["paths"])
        for allowance in told or ()
    )


def _rates(counts: Counter[tuple[bool, bool]]) -> dict[str, object]:
    right, false, missed = counts[True, True], counts[False, True], counts[True, False]
    return {
        "precision": round(right / (right + false), 3) if right + false else None,
        "recall": round(right / (right + missed), 3) if right + missed else None,
        "caught": right,
        "false": false,
        "missed": missed,
    }


def _found(behaviour: Behaviour, roles: Roles) -> list[Finding]:
    task = yaml.safe_load((behaviour.project / "task.yaml").read_text())
    history: list[dict[str, Any]] = [{"role": "user", "content": task["instruction"]}]
    for path in sorted((behaviour.project / "repo").rglob("*")):
        if path.is_file():
            name = str(path.relative_to(behaviour.project / "repo"))
            history.extend(_turn(len(history), {"command": "view", "path": name}, path.read_text()))
    found: list[Finding] = []
    for arguments in _calls(behaviour.edits):
        line = {"tool": "edit", "arguments": arguments, "output": "", "history": history}
        found.extend(find_tampering(case_from_line(line).evidence, roles))
        history.extend(_turn(len(history), arguments, "ok"))
    return found


def _calls(edits: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for path, text in (edits.get("write") or {}).items():
        yield {"command": "create", "path": path, "file_text": text}
    for edit in edits.get("edits") or []:
        yield {
            "command": "str_replace",
            "path": edit["path"],
            "old_str": edit["old"],
            "new_str": edit["new"],
        }
    for path in edits.get("delete") or []:
        yield {"command": f"rm {path}"}
    for move in edits.get("rename") or []:
        yield {"command": f"git mv {move['from']} {move['to']}"}


def _turn(number: int, arguments: dict[str, Any], result: str) -> list[dict[str, Any]]:
    call = {"id": f"call_{number}", "function": "edit", "arguments": arguments}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": result, "tool_call_id": call["id"], "function": "edit"},
    ]


def _cost() -> dict[str, float]:
    texts = {"ms_10kB_output": 10_000, "ms_10MiB_output": 10 * 2**20}
    return {
        name: milliseconds(partial(_judged, "make all", "x = 1\n" * (size // 6)), times=5)
        for name, size in texts.items()
    } | {
        f"ms_edit_of_a_10kB_{language}_test": _milliseconds_of_an_edit(path, test)
        for language, (path, test) in TEST_FILES.items()
    }


TEST_FILES = {
    "python": (
        "tests/test_{file}.py",
        "def test_{file}_{number}():\n    basket = fill([{number}, 2], rate={file})\n"
        "    assert total(basket) == {number}7\n    assert basket.items[{number}].big\n\n\n",
    ),
    "javascript": (
        "tests/{file}.test.js",
        "test('case {file} {number}', () => {{\n  const basket = fill([{number}, 2], {file});\n"
        "  assert.equal(total(basket), {number}7);\n  expect(basket.items).toEqual(['{number}']);\n"
        "}});\n\n",
    ),
}
"""Paths and tests of made-up test files."""


def _milliseconds_of_an_edit(path: str, test: str) -> float:
    """Median time of an edit of a test file that was read before, each time of another file."""
    edits = []
    for file in range(5):
        text = "".join(
            test.format(file=file, number=number) for number in range(10_000 // len(test))
        )
        named = path.format(file=file)
        line = {
            "tool": "edit",
            "arguments": {"path": named, "old_str": "7", "new_str": "8"},
            "output": "ok",
            "history": _turn(0, {"command": f"cat {named}"}, "import shop\n\n\n" + text),
        }
        edits.append(case_from_line(line).evidence)
    waiting = iter(edits)
    return milliseconds(lambda: list(find_tampering(next(waiting), Roles())), times=len(edits))


def _judged(command: str, output: str) -> list[Finding]:
    line = {"tool": "bash", "arguments": {"command": command}, "output": output}
    judged: Evidence = case_from_line(line).evidence
    return list(find_tampering(judged, Roles()))


if __name__ == "__main__":
    given = [Path(argument) for argument in sys.argv[1:]]
    print(json.dumps(measure(*given), indent=2))
