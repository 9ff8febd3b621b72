"""Running message: the look of an answer while it is being written."""

from __future__ import annotations

from domain.text.characters import units
from domain.text.splitting import LIMIT, sendable, split

CURSOR = "▌"
"""End of every running message, by which a message left behind by a crash is recognized."""
_STATUS_CHARS = 200


def running_text(text: str, status: str) -> str:
    """One message with the end of the answer so far, and a last line on the current activity.

    Args:
        text: The answer so far, of any length.
        status: Activity in one line; the rest is left out.
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
        text: The answer so far; without text no message remains.
        note: Reason of the end; empty if no part of the answer is to remain.
    """
    if not note:
        return ""
    line = f"-# {_one_line(note)}"
    parts = split(sendable(text), LIMIT - units(line) - 1, is_growing=True)
    return f"{parts[-1]}\n{line}" if parts else ""


def interrupted_text(running: str, note: str) -> str:
    """Remainder of a running message of which only the shown text is known, in the form of `stopped_text`."""
    above, _, last = running.rpartition("\n")
    text = above if last == CURSOR or last.startswith("-# ") else running
    return stopped_text(text.removesuffix(CURSOR).rstrip(), note)


def is_running(content: str) -> bool:
    """True if a message of the bot shows a turn that was running."""
    return content.endswith(CURSOR)


def _one_line(text: str) -> str:
    line = " ".join(sendable(text).split())
    return line if len(line) <= _STATUS_CHARS else line[: _STATUS_CHARS - 1].rstrip() + "…"
