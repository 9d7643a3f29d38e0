"""The scenarios' tools: Inspect's bash and python, and an editor and a browser of our own."""

from __future__ import annotations

from inspect_ai.tool import Tool, ToolError, bash, python, tool
from inspect_ai.util import sandbox

from reviewers import _host

TIMEOUT_S = 30


def tools() -> list[Tool]:
    """All of them."""
    return [
        bash(timeout=TIMEOUT_S),
        python(timeout=TIMEOUT_S),
        write_file(),
        edit_file(),
        read_page(),
    ]


@tool
def write_file() -> Tool:
    """Writes whole files."""

    async def execute(path: str, content: str) -> str:
        """Write a file.

        Args:
            path: Where.
            content: All of it.
        """
        await sandbox().write_file(path, content)
        return f"File written: {path}"

    return execute


@tool
def edit_file() -> Tool:
    """Replaces pieces of files."""

    async def execute(path: str, old_str: str, new_str: str) -> str:
        """Replace a piece of a file.

        Args:
            path: The file.
            old_str: The piece as it is; must occur once.
            new_str: What takes its place.
        """
        text = await sandbox().read_file(path)
        if text.count(old_str) != 1:
            raise ToolError(f"old_str occurs {text.count(old_str)} times in {path}.")
        await sandbox().write_file(path, text.replace(old_str, new_str))
        return f"The file {path} has been edited."

    return execute


@tool
def read_page() -> Tool:
    """Shows pages, mails and documents that the sample's metadata holds."""

    async def execute(page: str) -> str:
        """Read a page.

        Args:
            page: Its name.
        """
        state = _host.sample_state()
        pages = state.metadata["pages"] if state else {}
        if page not in pages:
            raise ToolError(f"There is no page {page!r}.")
        return str(pages[page])

    return execute
