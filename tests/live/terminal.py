"""Runs an eval in a terminal of its own, and answers what Inspect asks there."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import textwrap
import time
from pathlib import Path


def drive(folder: Path, script: str, policy: str, answers: list[str]) -> str:
    """Run a script in a terminal and answer its questions in turn; all that the terminal showed.

    Args:
        folder: Where it runs.
        script: Python code that takes the policy file as its argument.
        policy: The policy file's text.
        answers: What to type at each question of Inspect's.
    """
    (folder / "run.py").write_text(textwrap.dedent(script))
    (folder / "policy.yaml").write_text(textwrap.dedent(policy))
    terminal, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "run.py", "policy.yaml"],
        cwd=folder,
        stdin=inner,
        stdout=inner,
        stderr=inner,
        start_new_session=True,
    )
    os.close(inner)
    screen, answered = "", 0
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            screen += os.read(terminal, 65536).decode("utf-8", "replace")
        except OSError:
            break
        if screen.count("[a/t]") > answered and answered < len(answers):
            os.write(terminal, answers[answered].encode() + b"\n")
            answered += 1
    process.wait(30)
    os.close(terminal)
    return screen
