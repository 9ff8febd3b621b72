"""Running message: how an answer looks while it is being written."""

from __future__ import annotations

from domain.text.characters import units
from domain.text.splitting import LIMIT, sendable, split

CURSOR = "▌"
"""Stands at the end of every running message, so that one that a crash left behind can be told."""
_STATUS_CHARS = 200


def running_text(text: str, status: str) -> str:
    """One message that shows the end of the answer so far, and in a last line what is being done.

    Args:
        text: The answer so far, of any length.
        status: In one line; more of it is left out.
    """
    line = _one_line(status)
    below = f"-# {line} {CURSOR}" if line else CURSOR
    parts = split(sendable(text), LIMIT - units(below) - 1, is_growing=True)
    if not parts:
        return below
    above = parts[-1]
    return f"{above}\n{below}" if line or above.endswith("```") else f"{above} {below}"


def stopped_text(text: str, note: str) -> str:
    """Remainder of a message whose turn ended without an answer; empty for a message to take away.

    Args:
        text: The answer so far; without any nothing remains.
        note: Reason of the end; empty if nothing of the answer is to remain.
    """
    if not note:
        return ""
    line = f"-# {_one_line(note)}"
    parts = split(sendable(text), LIMIT - units(line) - 1, is_growing=True)
    return f"{parts[-1]}\n{line}" if parts else ""


def interrupted_text(running: str, note: str) -> str:
    """Remainder of a running message of which only the shown text is known, as `stopped_text` gives it."""
    above, _, last = running.rpartition("\n")
    text = above if last == CURSOR or last.startswith("-# ") else running
    return stopped_text(text.removesuffix(CURSOR).rstrip(), note)


def is_running(content: str) -> bool:
    """True if a message of the bot's shows a turn that was running."""
    return content.endswith(CURSOR)


def _one_line(text: str) -> str:
    line = " ".join(sendable(text).split())
    return line if len(line) <= _STATUS_CHARS else line[: _STATUS_CHARS - 1].rstrip() + "…"
