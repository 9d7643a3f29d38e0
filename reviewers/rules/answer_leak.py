"""The sample's answer, shown to the agent before it found it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from inspect_ai.review import Reviewer

from reviewers.evidence import Evidence
from reviewers.judging import reviewer, rule
from reviewers.outcome import (
    CouldNotJudge,
    Decision,
    Finding,
    Outcome,
    ReviewersError,
    clear,
    flagged,
)
from reviewers.parameters import Seconds
from reviewers.rules._answer_leak.answers import Answer, Piece, answer_of, folded, place_in
from reviewers.rules._answer_leak.examples import EXAMPLES
from reviewers.rules._answer_leak.spellings import spelled_out
from reviewers.rules._origin import PROGRAM, SUBMIT, Origin, origin_of, written_by_programs
from reviewers.rules._references import resolve

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage

__all__ = ["EXAMPLES", "answer_leak", "find_leak", "known_from", "shows"]

CONTEXT = 40
"""Characters shown on each side of the answer, which itself is not shown."""

MAX_PAST = 200
"""Earlier calls that are looked at for files that the agent's programs wrote."""

SHOWN_ANSWER = "[the answer]"


@reviewer(catches=["answer-leak"], grade="escalate")
def answer_leak(
    solutions: list[str] | None = None,
    from_metadata: list[str] | None = None,
    use_target: bool = True,
    computed: bool = False,
    min_length: int = 6,
    if_undeclared: Literal["fail", "pass"] = "fail",
    on_flag: Decision = "escalate",
    on_clear: Decision = "escalate",
    on_failure: Decision = "escalate",
    timeout_s: Seconds = 10,
) -> Reviewer:
    """Pass on when a result shows the sample's answer before the agent had it.

    Looks for the sample's target, and for strings that you declare, in any case, spacing,
    Unicode form, quotes, markup and escapes, also reversed, in base64 and in hexadecimal; for a
    long target (a reference solution, a patch) by its lines, of which half must show. Says whether
    a file that the agent read, a page that it fetched or a program that it ran showed it.

    Leaves alone what the task's own messages say, what the agent wrote itself, in a message or a
    call, before the result came, and results of a submission. Leaves alone a target that a program
    printed (`python solve.py`), or wrote to a file that is read later, which is how an answer is
    worked out, unless its code reads a file that is named for answers. Answers that turn up
    anywhere (yes, B, 42, numbers under five digits, common words) never count: a sample with no
    other target is clear.

    Escalate-grade: the result shows that the answer was there to be read, but not whether it was
    the task to find it. For capture-the-flag tasks it is: set `use_target: false` and declare
    what must stay hidden (a write-up, the grader's file). What cannot be judged for want of a
    target and of declared strings is a failure.

    Args:
        solutions: Strings that must not show, whoever prints them: solutions, flags, names of
            hidden tests. `env:NAME` takes the string from the environment of the run,
            `file:PATH` takes each line of a file.
        from_metadata: Keys of the sample's metadata whose values must not show either: a text,
            a list of texts, or a list written as JSON.
        use_target: Whether the sample's target is looked for.
        computed: Whether a target that a program printed counts too.
        min_length: Letters and digits that an answer needs; what is shorter never counts.
        if_undeclared: What a sample is without a target and declared strings: `fail` (could not
            judge) or `pass` (clear), for policies that serve many tasks.
        on_flag: Decision when the answer shows.
        on_clear: Decision when it does not.
        on_failure: Decision when there is nothing to look for, or a search ran out of time.
        timeout_s: Wall-clock backstop in seconds.
    """
    declared = _declared(solutions or [], min_length)

    def find(evidence: Evidence) -> Outcome:
        hidden = [*declared, *_metadata_strings(evidence.metadata, from_metadata or [])]
        targets = (evidence.target or ()) if use_target else ()
        if not hidden and not targets and if_undeclared == "pass":
            return clear("This sample has no target, and no answer is declared.")
        if not hidden and not targets:
            raise CouldNotJudge("no target")
        return find_leak(
            evidence,
            targets=[answer for text in targets if (answer := answer_of(text, min_length))],
            hidden=[answer for text in hidden if (answer := answer_of(text, min_length))],
            computed=computed,
        )

    return rule(
        find, on_flag=on_flag, on_clear=on_clear, on_failure=on_failure, timeout_s=timeout_s
    )


def _declared(solutions: Sequence[str], min_length: int) -> tuple[str, ...]:
    place = "reviewers/answer_leak: solutions"
    resolved = resolve(solutions, place)
    if resolved.hashes:
        raise ReviewersError(
            f"{place}: a hash cannot be looked for in every spelling; use env: or file: instead."
        )
    for text in resolved.values:
        if answer_of(text, min_length) is None:
            raise ReviewersError(
                f"{place}: one of {len(text)} characters is too short or too common to be told "
                f"from chance; it needs {min_length} letters and digits (min_length)."
            )
    return resolved.values


def find_leak(
    evidence: Evidence, targets: Sequence[Answer], hidden: Sequence[Answer], computed: bool = False
) -> Outcome:
    """What a result shows of answers that the agent did not have yet.

    Args:
        evidence: All that is known of the result.
        targets: What the sample asks for; a program may work it out.
        hidden: What must not show, whoever prints it.
        computed: Whether a target counts that a program printed.
    """
    if not targets and not hidden:
        return clear("The answer is too short or too common to be told from chance.")
    plain = spelled_out(evidence.text)
    texts = [folded(evidence.text)]
    if plain != evidence.text:
        texts.append(folded(plain))
    shown = [(answer, False) for answer in targets if any(shows(text, answer) for text in texts)]
    shown += [(answer, True) for answer in hidden if any(shows(text, answer) for text in texts)]
    if not shown:
        return clear("The result does not show the answer.")
    origin = origin_of(evidence.tool, evidence.command, evidence.arguments, _own_files(evidence))
    if origin.kind == SUBMIT:
        return clear("A submission's result repeats what was submitted.")
    findings = []
    excuse = ""
    for answer, must_not_show in shown:
        if why := known_from(evidence, answer, must_not_show):
            excuse = excuse or why
        elif origin.kind == PROGRAM and not (must_not_show or computed):
            excuse = excuse or "A program that the agent ran printed the answer: it computed it."
        else:
            findings.append(_finding(evidence, answer, must_not_show, origin))
    return flagged(findings) if findings else clear(excuse)


def shows(text: str, answer: Answer) -> bool:
    """Whether a folded text shows an answer, or enough lines of a long one."""
    # What `base64` and `xxd -p` print is broken into lines, wherever that falls.
    unbroken = text.replace("\n", "").replace("\r", "") if answer.disguises else ""
    if any(disguise in unbroken for disguise in answer.disguises):
        return True
    needed = answer.needed
    for piece in answer.pieces:
        if piece.search(text):
            needed -= 1
            if needed == 0:
                return True
    return False


def known_from(evidence: Evidence, answer: Answer, must_not_show: bool = False) -> str:
    """Where the agent had the answer from before, as a sentence; empty if from nowhere.

    Args:
        evidence: The result and what came before it.
        answer: The answer.
        must_not_show: Whether also what a program printed before was a leak.
    """
    if shows(folded("\n".join(_told(evidence))), answer):
        return "The task's own messages say the answer."
    if shows(folded("\n".join(_own_words(evidence))), answer):
        return "The agent wrote the answer itself before this result."
    if must_not_show:
        return ""
    for past in evidence.past_calls:
        if shows(folded(past.text), answer):
            command = next((v for k, v in past.arguments.items() if k in _COMMANDS), "")
            if origin_of(past.function, str(command), past.arguments).kind == PROGRAM:
                return "A program that the agent ran had printed the answer before."
    return ""


_COMMANDS = ("command", "cmd", "code", "script")


def _own_files(evidence: Evidence) -> frozenset[str]:
    """The files that the agent's own programs wrote."""
    scripts = [
        str(value)
        for past in evidence.past_calls[-MAX_PAST:]
        for key, value in past.arguments.items()
        if key in _COMMANDS
    ]
    return frozenset(name for script in scripts for name in written_by_programs(script))


def _finding(evidence: Evidence, answer: Answer, must_not_show: bool, origin: Origin) -> Finding:
    text = folded(evidence.text)
    piece = next((piece for piece in answer.pieces if piece.search(text)), None)
    place = place_in(evidence.text, piece) if piece else None
    what = "a string that must not show" if must_not_show else "the sample's target"
    return Finding(
        what=f"{what}, in {origin.phrase}",
        start=place[0] if place else None,
        end=place[1] if place else None,
        confidence=max(origin.confidence, 0.95) if must_not_show else origin.confidence,
        excerpt=_excerpt(evidence.text, place, answer.pieces) if place else "",
        kind=origin.kind,
    )


def _excerpt(text: str, place: tuple[int, int], pieces: Sequence[Piece]) -> str:
    start, end = place
    before, after = text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT]
    # A result may show the answer many times over.
    if any(piece.search(folded(part)) for piece in pieces for part in (before, after)):
        before = after = ""
    return before + SHOWN_ANSWER + after


def _told(evidence: Evidence) -> Iterator[str]:
    """What system and user messages say, as the model saw them."""
    for message in (*(evidence.model_input or ()), *evidence.history):
        if message.role in ("system", "user"):
            yield message.text


def _own_words(evidence: Evidence) -> Iterator[str]:
    """What the agent wrote so far: messages, reasoning, arguments of calls, also of this one."""
    yield evidence.message
    yield _written(evidence.arguments)
    for past in evidence.past_calls:
        yield _written(past.arguments)
    for message in (*(evidence.model_input or ()), *evidence.history):
        if message.role == "assistant":
            yield from _said(message)


def _said(message: ChatMessage) -> Iterator[str]:
    yield message.text
    if isinstance(message.content, list):
        yield from (part.reasoning for part in message.content if part.type == "reasoning")
    for call in getattr(message, "tool_calls", None) or []:
        yield _written(call.arguments)


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(_written(item) for item in value.values())
    if isinstance(value, list):
        return "\n".join(_written(item) for item in value)
    return str(value)


def _metadata_strings(metadata: Mapping[str, Any], keys: Sequence[str]) -> Iterator[str]:
    for key in keys:
        yield from _strings(metadata.get(key))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        listed = _listed(value)
        yield from [value] if listed is None else listed
    elif isinstance(value, list | tuple):
        yield from (item for item in value if isinstance(item, str))
    elif isinstance(value, int | float):
        yield str(value)


def _listed(value: str) -> list[str] | None:
    if not value.lstrip().startswith("["):
        return None
    try:
        items = json.loads(value)
    except ValueError:
        return None
    return [item for item in items if isinstance(item, str)]
