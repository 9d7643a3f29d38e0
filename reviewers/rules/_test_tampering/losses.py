"""What tests lost from one version to the next. The comparison knows no language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from reviewers.rules._test_tampering.suite import (
    FAILS,
    LITERAL,
    LOOSE,
    PRESENCE,
    TAUTOLOGY,
    Assertion,
    Case,
    Harm,
    Suite,
)


def harms(old: Suite, new: Suite) -> Iterator[Harm]:
    """What the tests lost from one version to the next."""
    renamed = dict(_renamed(old, new))
    fresh = _fresh(old, new)
    for name, case in old.cases.items():
        later = new.cases.get(renamed.get(name, name))
        if later is None:
            if name != LOOSE or case.assertions:
                yield from _gone(case, fresh)
            continue
        yield from _switched_off(case, later)
        yield from _weakened(case, later, fresh)
    yield from _idle_additions(old, new)
    yield from _changed_tables(old, new)


def additions(new: Suite) -> Iterator[Harm]:
    """Harm in a text put into an existing file whose other text is not known."""
    loose = new.cases.get(LOOSE)
    if loose is None:
        return
    for skip in loose.skips:
        yield Harm("skip", f"{skip} put onto an existing test", loose.line)


def _renamed(old: Suite, new: Suite) -> Iterator[tuple[str, str]]:
    fresh = [case for name, case in new.cases.items() if name not in old.cases and name != LOOSE]
    for name, case in old.cases.items():
        if name in new.cases:
            continue
        wanted = Counter(check.shape for check in case.assertions)
        for other in fresh:
            has = Counter(check.shape for check in other.assertions)
            if wanted and not wanted - has:
                fresh.remove(other)
                yield name, other.name
                break
        else:
            if len(fresh) == 1 and _alike(name, fresh[0].name):
                yield name, fresh.pop().name


def _alike(one: str, other: str) -> bool:
    return bool(one) and (one in other or other in one)


def _gone(case: Case, fresh: _Fresh) -> Iterator[Harm]:
    lost = [check for check in case.assertions if not fresh.holds(check)]
    if case.assertions and not lost:
        return
    if case.name == LOOSE:
        for check in lost:
            yield Harm("assertion", f"the check `{_short(check.text)}` is gone", check.line)
        return
    if not case.assertions and not case.runs:
        return
    yield Harm("test_edit", f"the test {case.name} is gone", case.line)
    if lost:
        yield Harm(
            "assertion", f"the check `{_short(lost[0].text)}` went with {case.name}", lost[0].line
        )


@dataclass(frozen=True, slots=True)
class _Fresh:
    """What a newer version has that the older one had not: there lost checks may live on.

    Attributes:
        texts: Its new checks, and those that have only moved.
        shapes: The new ones without their names.
        cells: Constants of its new rows of tables.
        literals: Constants of its new checks.
        helpers: New checks outside of tests: those of helpers.
        vanished: The constants that it holds less often than the older one did.
    """

    texts: frozenset[str]
    shapes: frozenset[str]
    cells: frozenset[str]
    literals: frozenset[str]
    helpers: list[Assertion]
    vanished: Counter[str]

    def holds(self, check: Assertion) -> bool:
        """Whether a check lives on: as it is, renamed, or as a row of a table of cases."""
        if check.text in self.texts or check.shape in self.shapes:
            return True
        rest = self.cells | self.literals
        return not self.cells.isdisjoint(check.literals) and rest.issuperset(check.literals)


def _fresh(old: Suite, new: Suite) -> _Fresh:
    checks = [check for check in _minus(new.assertions(), old.assertions()) if not check.idle]
    before = Counter(check.text for check in old.assertions())
    running = [case for case in _named(new).values() if case.runs and not case.skips]
    now = Counter(check.text for case in running for check in case.assertions if not check.idle)
    moved = {text for text, count in before.items() if 0 < count <= now[text]}
    had = Counter(row for rows in old.rows.values() for row in rows)
    rows = Counter(row for rows in new.rows.values() for row in rows) - had
    return _Fresh(
        frozenset({check.text for check in checks} | moved),
        frozenset(check.shape for check in checks),
        frozenset(cell for row in rows for part in row for cell in LITERAL.findall(part)),
        frozenset(literal for check in checks for literal in check.literals),
        _minus(_loose(new), _loose(old)),
        old.literals - new.literals,
    )


def _loose(suite: Suite) -> list[Assertion]:
    """The checks outside of tests: those of helpers, methods too."""
    outside = [case for name, case in suite.cases.items() if name == LOOSE or name.endswith("::")]
    return [check for case in outside for check in case.assertions]


def _switched_off(old: Case, new: Case) -> Iterator[Harm]:
    where = f"the test {new.name}" if new.name else "an existing test"
    gained = Counter(new.skips) - Counter(old.skips)
    for skip in gained:
        yield Harm("skip", f"{skip} on {where}", new.line)
    if old.runs and not new.runs:
        yield Harm("skip", f"{where} is renamed so that it is not collected", new.line)


def _weakened(old: Case, new: Case, fresh: _Fresh) -> Iterator[Harm]:
    idle_before = {check.text for check in old.assertions if check.idle}
    for check in new.assertions:
        if check.idle and check.text not in idle_before:
            before = any(other.text == check.text for other in old.assertions)
            if before or new.name == old.name:
                yield Harm(
                    "assertion",
                    f"the check `{_short(check.text)}` cannot fail: {check.idle}",
                    check.line,
                )
    yield from _guarded(old, new)
    yield from _prescribed(old, new)
    lost = _minus(old.assertions, new.assertions)
    gained = _minus(new.assertions, old.assertions)
    # What stands outside of tests is no helper of itself.
    helpers = [] if new.name == LOOSE else fresh.helpers
    left = list(gained)
    for check in lost:
        heir = _heir(check, left)
        if heir is not None:
            left.remove(heir)
            yield from _compared(check, heir, fresh.vanished)
        elif not fresh.holds(check) and not _folded(check, lost, gained, helpers, fresh.vanished):
            yield Harm("assertion", f"the check `{_short(check.text)}` is gone", new.line)
    if not lost and old.inputs and new.inputs:
        yield from _other_inputs(old, new)


def _guarded(old: Case, new: Case) -> Iterator[Harm]:
    """Checks that always ran, and now run under a condition only."""
    always = {check.text for check in new.assertions if not check.guard}
    before = {check.text for check in old.assertions if not check.guard}
    rewritten = len(before - {check.text for check in new.assertions})
    for check in new.assertions:
        if not check.guard or check.text in always:
            continue
        moved = check.text in before
        inherits = rewritten and not any(check.shape == other.shape for other in old.assertions)
        if moved or (inherits and always <= before):
            yield Harm(
                "assertion",
                f"the check `{_short(check.text)}` runs only if `{_short(check.guard)}`",
                check.line,
                0.8,
            )
            return


def _prescribed(old: Case, new: Case) -> Iterator[Harm]:
    """Checks of a name that was just given the very constant which is expected of it."""
    for name, constant in sorted(new.given - old.given):
        for check in new.assertions:
            if check.subject == name and constant in check.literals:
                what = f"the check `{_short(check.text)}` cannot fail: {name} is set to {constant}"
                yield Harm("assertion", what, check.line)
                return


def _folded(
    check: Assertion,
    lost: list[Assertion],
    gained: list[Assertion],
    helpers: list[Assertion],
    vanished: Counter[str],
) -> bool:
    """Whether stronger new checks, here or in helpers, demand all that the lost one did."""
    wanted = Counter(check.literals)
    strict = [
        other
        for other in (*gained, *helpers)
        if other.strength >= max(check.strength, PRESENCE) and not other.idle
    ]
    if not wanted or not strict:
        return False
    if any(not wanted - Counter(other.literals) for other in strict):
        return True
    enough = len(lost) <= len(gained) or any(other in strict for other in helpers)
    return enough and not wanted & vanished


def _minus(some: Iterable[Assertion], others: Iterable[Assertion]) -> list[Assertion]:
    left = Counter(check.text for check in others)
    rest = []
    for check in some:
        if left[check.text]:
            left[check.text] -= 1
        else:
            rest.append(check)
    return rest


def _heir(check: Assertion, gained: list[Assertion]) -> Assertion | None:
    same_shape = [other for other in gained if other.shape == check.shape]
    if same_shape:
        return same_shape[0]
    same_subject = [other for other in gained if other.subject == check.subject]
    if same_subject:
        # The heir is what stands in the lost check's place: the strictest of what is said of it.
        return max(same_subject, key=lambda other: other.strength)
    about_it = [other for other in gained if check.subject in other.subject]
    if about_it:
        return about_it[0]
    stricter = [other for other in gained if other.subject in check.subject
                and other.strength > check.strength]  # fmt: skip
    if stricter:
        return stricter[0]
    if len(gained) == 1 and gained[0].strength < check.strength:
        return gained[0]
    return None


def _compared(old: Assertion, new: Assertion, vanished: Counter[str]) -> Iterator[Harm]:
    """What became of a check; `vanished` are the constants that the file holds less often now."""
    if old.shape == new.shape or _stricter_bound(old, new):
        return
    pair = f"`{_short(old.text)}` became `{_short(new.text)}`"
    if new.strength == TAUTOLOGY and old.strength > TAUTOLOGY:
        yield Harm("assertion", f"{pair}, which always holds", new.line, 0.97)
    elif new.strength < old.strength:
        yield Harm("assertion", f"{pair}, which demands less", new.line)
    elif new.strength == old.strength and (part := _partial(old.text, new.text)):
        yield Harm("assertion", f"{pair}, which compares less (`{part}`)", new.line, 0.7)
    elif new.strength == old.strength and _expects_else(old, new, vanished):
        yield Harm("assertion", f"the expected value changed: {pair}", new.line, 0.8)


LOSSY = re.compile(
    r"""(?x)
    (?<![\w.])(?:set|frozenset|sorted|len|bool|type|int|round|abs|str|parseInt|Number|String|Boolean
    |Set|HashSet|Counter)\s*\((?=.)
    | \.(?:lower|upper|casefold|strip|lstrip|rstrip|toLowerCase|toUpperCase|trim|sort|toSorted|slice
    |substring|toFixed|startsWith|startswith|endsWith|endswith|keys|downcase|to_s|to_i)\b
    | \bfor\s+\w+\s+in\b[^\[\]]{1,80}\bif\b
    | \b(?:Math|strings|Object|sort)\.\w+\( | \|\| | \?\? | \bor\b | \[\s*-?\d*\s*:\s*-?\d*\s*\]
    """
)
"""What leaves only a part of a value to be compared."""


def _partial(old: str, new: str) -> str:
    """What newly leaves out a part of the compared value; empty if nothing does."""
    gained = Counter(LOSSY.findall(new)) - Counter(LOSSY.findall(old))
    if new.startswith(FAILS):
        # There another alternative makes the check stricter, and another condition laxer.
        del gained["||"]
        gained["&&"] += max(new.count("&&") - old.count("&&"), 0)
    gained = +gained
    return next(iter(gained), "").strip("( ")


def _stricter_bound(old: Assertion, new: Assertion) -> bool:
    """Whether only a bound changed, to one that demands as much or more."""
    if old.bound is None or new.bound is None or old.strength != new.strength:
        return False
    one, other = list(old.literals), list(new.literals)
    changed = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    return len(one) == len(other) and len(changed) == 1 and new.bound >= old.bound


def _expects_else(old: Assertion, new: Assertion, vanished: Counter[str]) -> bool:
    """Whether constants were exchanged: lost, or the same ones in another order."""
    if Counter(old.literals) == Counter(new.literals):
        return old.literals != new.literals
    lost = Counter(old.literals) - Counter(new.literals)
    # What the file still holds as often as before has only got a name.
    return any(literal in vanished or not literal[:1].isdigit() for literal in lost)


def _other_inputs(old: Case, new: Case) -> Iterator[Harm]:
    lost = old.inputs - new.inputs
    gained = new.inputs - old.inputs
    if lost and gained and new.assertions:
        yield Harm(
            "test_edit",
            f"the test {new.name or 'here'} is given another input "
            f"({_short(next(iter(lost)))} became {_short(next(iter(gained)))})",
            new.line,
            0.6,
        )


def _idle_additions(old: Suite, new: Suite) -> Iterator[Harm]:
    before = {check.text for check in old.assertions()}
    for name, case in new.cases.items():
        if name not in old.cases or old.cases[name].assertions:
            continue
        for check in case.assertions:
            if check.strength == TAUTOLOGY and check.text not in before:
                yield Harm(
                    "assertion", f"`{_short(check.text)}` is added, which always holds", check.line
                )


def _changed_tables(old: Suite, new: Suite) -> Iterator[Harm]:
    for table, rows in old.rows.items():
        later = new.rows.get(table)
        if later is None:
            continue
        lost = list((Counter(rows) - Counter(later)).elements())
        if not lost:
            continue
        if all(_contained(row, later) for row in lost):
            continue
        row = ", ".join(lost[0])
        if len(later) < len(rows):
            yield Harm("assertion", f"the case ({_short(row)}) is gone from the table {table}")
        else:
            yield Harm("assertion", f"the case ({_short(row)}) was changed in the table {table}")
    for name, value in old.constants.items():
        if name in new.constants and new.constants[name] != value:
            yield Harm(
                "assertion",
                f"the constant {name} that the tests use changed from {_short(value)} to "
                f"{_short(new.constants[name])}",
                confidence=0.7,
            )


def _contained(row: tuple[str, ...], rows: list[tuple[str, ...]]) -> bool:
    return any(set(row) <= set(other) for other in rows)


def _short(text: str, size: int = 70) -> str:
    text = " ".join(text.split())
    return text if len(text) <= size else text[: size - 1] + "…"


def _named(suite: Suite) -> Mapping[str, Case]:
    """The named tests of a suite."""
    return {name: case for name, case in suite.cases.items() if name != LOOSE}
