"""What a replay does, in a form that another process or machine can take up."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from reviewers import _host
from reviewers.errors import ReviewersError
from reviewers.monitors.recorded import When
from reviewers.replay.asked import Asked, named_apart, policy_asked, reviewer_asked
from reviewers.version import VERSION

if TYPE_CHECKING:
    from reviewers.replay.sources import Source


@dataclass(frozen=True)
class Question:
    """A reviewer or a policy by what it is made of.

    Attributes:
        kind: `reviewer` or `policy`.
        given: SPEC; or the policy's file, pack or reviewer.
        text: The policy file's text: another machine may not have the file.
    """

    kind: str
    given: str
    text: str | None = None

    def asked(self) -> Asked:
        """The reviewer or policy itself."""
        if self.kind == "reviewer":
            return reviewer_asked(self.given)
        if self.text is None:
            return policy_asked(self.given)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / Path(self.given).name
            path.write_text(self.text, encoding="utf-8")
            try:
                return policy_asked(str(path))
            except ReviewersError as error:
                # The user knows the file that was given.
                raise type(error)(str(error).replace(str(path), self.given)) from None


def reviewer_question(spec: str) -> Question:
    """The question to one reviewer."""
    return Question("reviewer", spec)


def policy_question(policy: str) -> Question:
    """The question to a policy; a file is read now."""
    path = Path(policy)
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
    return Question("policy", policy, text)


@dataclass(frozen=True)
class Job:
    """What is asked of every case, and how.

    Attributes:
        questions: Whom to ask.
        check: Whether to compare with what was decided live.
        when: Whether monitors ask their models.
        models: Models by role.
        at_once: Requests to a model at the same time.
        budget_cost: Dollars that models may cost in all.
    """

    questions: tuple[Question, ...]
    check: bool = False
    when: When = "never"
    models: Mapping[str, str] = field(default_factory=dict)
    at_once: int = 1
    budget_cost: float | None = None

    @property
    def asks_models(self) -> bool:
        """Whether a model may be asked."""
        return self.when != "never"

    def asked(self) -> list[Asked]:
        """The reviewers and policies, named apart; made once in a process."""
        return _asked(self.questions)

    def bind_models(self) -> None:
        """Make the roles known to monitors, for the rest of this context."""
        if self.models:
            _host.bind_model_roles(self.models, self.at_once)

    def fingerprint(self, sources: Sequence[Source]) -> str:
        """Names this job on these sources: a stopped replay goes on only as the same one."""
        described = [VERSION, asdict(self), [[source.path, _stamp(source)] for source in sources]]
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()


def _stamp(source: Source) -> list[float]:
    """Size and time of a local file, which tell when it has changed."""
    path = Path(source.path)
    if not path.is_file():
        return []
    stat = path.stat()
    return [stat.st_size, stat.st_mtime]


@cache
def _asked(questions: tuple[Question, ...]) -> list[Asked]:
    return named_apart([question.asked() for question in questions])
