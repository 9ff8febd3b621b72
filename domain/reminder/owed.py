"""Owed confirmation: text to post about an edit, and a test of the file for the edit."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from domain.reminder.document import holds, holds_without_id, scan
from domain.reminder.line import InvalidReminderError, parse
from messages.base import RequestId, Value, Window, make_ready

CLOCK_SKEW = timedelta(minutes=5)
"""Tolerance for a surface's clock behind the local clock."""
CLOCK_ERROR = timedelta(days=1)
"""Time to look back for notes by a clock that ran ahead and has been set back since."""


class OwedConfirmation(Value, frozen=True, kw_only=True, gc=False):
    """One confirmation, and the test for an edit to confirm."""

    request_id: RequestId
    """Of the posting."""
    window: Window
    text: str
    exact: str = ""
    """As in `PostMessage`."""
    nonce: str
    at: datetime
    """Time of preparation, by the clock of then; the confirmation was posted no earlier."""
    line: str = ""
    """Line of the file to confirm; empty for a confirmation independent of the file."""
    is_gone: bool = False
    """True if the confirmation is of a removed line."""

    def has_happened(self, data: bytes) -> bool | None:
        """True if the file `data` agrees with the confirmation; None if undecidable.

        An empty file may be in the middle of a save, so a missing line proves nothing.
        """
        if not self.line:
            return True
        if not (data or self.is_gone):
            return None
        if not self.is_gone:
            return holds(data, self.line)
        return not (holds(data, self.line) or _is_changed(data, self.line))

    def shown_since(self, now: datetime) -> datetime:
        """Earliest time of a message with the confirmation; a time of noting ahead of `now` does not count."""
        return self.at - CLOCK_SKEW if self.at <= now else now - CLOCK_ERROR

    def of_what_happened(self) -> OwedConfirmation:
        """Copy for an edit known to have taken place, posted whatever became of the line."""
        return msgspec.structs.replace(self, line="", is_gone=False)


def _is_changed(data: bytes, line: str) -> bool:
    """True if the reminder of `line` stands in another line, as a person or an old copy of the file left the line."""
    try:
        reminder = parse(line)
    except InvalidReminderError:
        return False
    entries = scan(data, holding=f"id={reminder.id}".encode("ascii")).entries
    return any(entry.reminder.id == reminder.id for entry in entries) or holds_without_id(data, reminder)


make_ready(__name__)
