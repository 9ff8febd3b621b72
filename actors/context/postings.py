"""Postings of the runtime on their way into a window's log; postings wait while the log cannot be written."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from actors.context.host import WindowHost
from actors.context.log.forgotten import is_forgotten
from actors.context.log.journal import Journal
from domain.log.event import Kind
from domain.turn.posting import posted_meta
from messages.base import TurnId
from messages.context import RuntimePosted

MOST = 200
"""Limit of waiting postings; beyond the limit the oldest are left out."""


class Postings:
    """Messages of other parts, shown in the window and logged once each.

    A waiting posting is not work in progress, so the end of the agent does not wait for it: only room on the disk
    helps.
    """

    def __init__(self, host: WindowHost, journal: Journal, running: Callable[[], TurnId | None]) -> None:
        """Begin without postings.

        Args:
            host: The actor of the window.
            journal: Log of the window.
            running: Gives the turn in hand, of which a question to a person or a command's file comes.
        """
        self._host = host
        self._running = running
        self._journal = journal
        self._waiting: list[RuntimePosted] = []

    def note(self, posted: RuntimePosted, *, is_writable: bool) -> None:
        """Log a posting in its turn, once the log can be written.

        Raises:
            LogUnwritable: as the journal; the posting waits.
        """
        self._waiting.append(posted)
        del self._waiting[:-MOST]
        if is_writable:
            self.write()

    def write(self) -> None:
        """Log the waiting postings; the count of open work stays unchanged.

        Raises:
            LogUnwritable: as the journal; the rest waits.
        """
        while self._waiting:
            self._log(self._waiting[0])
            self._waiting.pop(0)

    def _log(self, posted: RuntimePosted) -> None:
        if not self._journal.is_open:
            with self._host.blocking():
                self._journal.start(self._host.now(), opened_by=posted.by)
        if not self._journal.has_posted(posted.message_ids, is_late=posted.is_late):
            with self._host.blocking():
                if is_forgotten(self._journal.root, self._host.window, posted.answers_message_id):
                    posted = replace(posted, text="", file="")
            meta = posted_meta(posted, self._host.conversation.open_count, self._running())
            self._host.record(Kind.SYSTEM, posted.text, meta, sync=True)
