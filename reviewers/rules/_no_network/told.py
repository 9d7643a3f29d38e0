"""What a result itself tells of how its commands ran: `echo $?`, `&& echo up`, a shell's trace."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from reviewers.rules._no_network.runs import Run
from reviewers.rules._no_network.wrappers import read_script
from reviewers.rules._shell.wrappers import SHELLS, base_name

LOOKED_AT = 60_000
"""Characters of a result that are read."""

MAX_TOLD = 20
"""Different texts around a `$?` that are looked for."""

_CODE = re.compile(r"\$\?|\$\{\?\}")
_TRACE = re.compile(r"^\++ (\S.{0,2000})$", re.MULTILINE)
_TRACES = re.compile(r"-[a-z]*x[a-z]*")


def said_by(echoed: Sequence[Run]) -> Callable[[str], bool]:
    """Tells the lines that `echo` and `printf` put into the output."""
    whole = {_said(run) for run in echoed}
    texts = whole | {word.strip() for run in echoed for word in run.argv[1:]}
    patterns = [_line_of(text) for text in sorted(filter(_tells, texts))[:MAX_TOLD]]
    return lambda line: line in texts or any(pattern.fullmatch(line) for pattern in patterns)


def _line_of(text: str) -> re.Pattern[str]:
    """The line that `echo` makes of a text; `$?` in it stands for an exit code."""
    return re.compile(r"(\d{1,3})".join(re.escape(part) for part in _CODE.split(text)))


def with_told_codes(runs: Sequence[Run], text: str) -> list[Run]:
    """Runs with the exit codes that an `echo` right after them shows.

    `echo $?` shows any; an `echo` that runs only after a success, as in `nc -z … && echo open`,
    shows 0.

    Args:
        runs: A line's commands in order.
        text: The result's text.
    """
    echoed = [run for run in runs if run.argv[0] == "echo" and run.shown]
    if not any(run.proves or _tells(_said(run)) for run in echoed):
        return list(runs)
    lines = [line.strip() for line in text[:LOOKED_AT].splitlines()]
    told = {**_proven_successes(echoed, lines), **_printed_codes(echoed, lines)}
    return [
        run._replace(exit_code=told[id(after)])
        if id(after) in told and _takes_code(run, after)
        else run
        for run, after in zip(runs, [*runs[1:], None], strict=True)
    ]


def _takes_code(run: Run, after: Run | None) -> bool:
    if run.exit_code is not None or run.piped or after is None:
        return False
    return run.certain or after.proves


def _proven_successes(echoed: Sequence[Run], lines: Sequence[str]) -> dict[int, int]:
    """0 for each `echo` that ran as the output shows, and ran only after a success."""
    shown = Counter(lines)
    meant = Counter(map(_said, echoed))
    return {
        id(run): 0
        for run in echoed
        if run.proves and (said := _said(run)) and meant[said] == shown[said]
    }


def _printed_codes(echoed: Sequence[Run], lines: Sequence[str]) -> dict[int, int]:
    """The exit code that each `echo $?` printed."""
    tellers = [run for run in echoed if _tells(_said(run))]
    told: dict[int, int] = {}
    for said in list({_said(run): None for run in tellers})[:MAX_TOLD]:
        alike = [run for run in tellers if _said(run) == said]
        pattern = _line_of(said)
        codes = [int(match[1]) for line in lines if (match := pattern.fullmatch(line))]
        if len(codes) == len(alike):
            told.update((id(run), code) for run, code in zip(alike, codes, strict=True))
    return told


def _tells(text: str) -> bool:
    """Whether there is one `$?` in a text; more could be matched in too many ways."""
    return len(_CODE.findall(text)) == 1


def _said(run: Run) -> str:
    return " ".join(run.argv[1:]).strip()


def traced_runs(runs: Sequence[Run], text: str) -> tuple[list[Run], bool]:
    """The commands of scripts that shells ran with `-x`, as the result's trace shows them.

    Also whether all of the trace was read.

    Args:
        runs: A line's commands in order.
        text: The result's text.
    """
    tracing = next((run for run in runs if _traces(run)), None)
    if tracing is None:
        return [], True
    lines = [match[1] for match in _TRACE.finditer(text[:LOOKED_AT])]
    script = read_script("\n".join(lines), tracing.exit_code)
    # The trace itself stands between what they print.
    traced = [run._replace(shown=False, pipe=tracing.pipe) for run in script.runs]
    return traced, script.complete and not _TRACE.search(text, LOOKED_AT)


def _traces(run: Run) -> bool:
    return base_name(run.argv[0]) in SHELLS and any(map(_TRACES.fullmatch, run.argv[1:3]))
