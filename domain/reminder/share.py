"""Share of one window in the reminders' file: bounds on size and on the rate of changes."""

from __future__ import annotations

from domain.edit.lines import EditRefusedError
from domain.reminder.document import Entry, scan
from domain.reminder.line import window_text
from messages.base import Window

MOST_REMINDERS = 100
"""Most reminders of one window in the file, failed reminders included."""
MOST_BYTES = 64 * 1024
"""Largest size of a window's lines together, so a few windows cannot fill the file with long lines."""
PARTS = 32
"""Number of parts of the file's free room, of which a window may take a single part; a user who fills the file from
many windows gets less in each, and a window with few reminders has room beside thousands of other windows."""
EDITS = 10
"""Most requests of one window to change the file in `EVERY_S` seconds, and the window's confirmations on the way."""
LISTS = 30
"""Most requests of one window to see the file in `EVERY_S` seconds."""
EVERY_S = 60.0


def check_share(data: bytes, window: Window | None, line: str, most_bytes: int, *, instead_of: bytes = b"") -> None:
    """Return if `window` may have `line` written into the file.

    Args:
        data: The file.
        window: Window of the line; people's own lines, without a window, are not counted.
        line: Without a line end.
        most_bytes: Largest size of the file; the caller that makes the edit refuses a larger file.
        instead_of: The window's line to replace; empty for a new line.

    Raises:
        EditRefusedError: the window has too many lines or bytes in the file already.
    """
    if window is None:
        return
    raws = [entry.raw for entry in entries_of(data, window)]
    added = len(line.encode("utf-8"))
    if not instead_of and len(raws) >= MOST_REMINDERS:
        raise EditRefusedError(
            f"this conversation has {len(raws)} reminders, at most {MOST_REMINDERS} are kept: delete one first"
        )
    total = sum(map(len, raws)) - len(instead_of) + added
    free = most_bytes - len(data)
    share = min(MOST_BYTES, free // PARTS) if free > added else MOST_BYTES
    if total > share and added > len(instead_of):
        full = "" if share == MOST_BYTES else " while the file is this full"
        raise EditRefusedError(
            f"the reminders of this conversation would have {total:,} bytes, at most {share:,} are kept{full}: delete "
            "some first, or say it in fewer words"
        )


def entries_of(data: bytes, window: Window) -> tuple[Entry, ...]:
    """Reminders in the file that were requested in `window`."""
    entries = scan(data, holding=f"in={window_text(window)}".encode("ascii")).entries
    return tuple(entry for entry in entries if entry.reminder.window == window)
