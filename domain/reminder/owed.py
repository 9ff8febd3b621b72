"""Confirmation that is owed: what is to be posted of an edit, and whether the file says that the edit took place."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from domain.reminder.document import holds
from messages.base import RequestId, Value, Window, make_ready

CLOCK_SKEW = timedelta(minutes=5)
"""The clock of who shows it may be behind ours."""
CLOCK_ERROR = timedelta(days=1)
"""Time to look back for notes by a clock that ran ahead and has been set back since."""


class OwedConfirmation(Value, frozen=True, kw_only=True, gc=False):
    """One confirmation, and how to tell whether there is anything to confirm."""

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
    """The line of the file that it confirms; empty for one that is posted whatever the file holds."""
    is_gone: bool = False
    """True if the confirmation is of a removed line."""

    def has_happened(self, data: bytes) -> bool | None:
        """True if the file `data` is as the confirmation says; None if undecidable.

        A file without a byte may be in the middle of being saved, so that a line which is missing says nothing.
        """
        if not self.line:
            return True
        if not (data or self.is_gone):
            return None
        return holds(data, self.line) is not self.is_gone

    def shown_since(self, now: datetime) -> datetime:
        """No message from before that shows it; a time of noting that lies ahead of `now` says nothing."""
        return self.at - CLOCK_SKEW if self.at <= now else now - CLOCK_ERROR

    def of_what_happened(self) -> OwedConfirmation:
        """The same, of an edit that is known to have taken place, so that it is posted whatever became of the line."""
        return msgspec.structs.replace(self, line="", is_gone=False)


make_ready(__name__)
