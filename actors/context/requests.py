"""Requests of other parts to a window: cut the history, give words, count usage, keep its past, list its messages."""

from __future__ import annotations

import logging
from collections import deque

from actors.context.host import WindowHost
from actors.context.log.journal import Journal, LogUnwritable
from actors.context.turn_driver import TurnDriver
from domain.log.kept import list_kept
from domain.turn.spoken import spoken_turns
from messages.base import MessageId, RequestId, Surface, TurnId, UserId
from messages.context import (
    MOST_KEPT,
    ChooseModel,
    KeptMessagesTold,
    PinMemory,
    RestoreRedactions,
    RetractMessages,
    ReviseMessage,
    StartNewWindow,
    StopTurn,
    TellKeptMessages,
    UnpinMemory,
)
from messages.forget import ForgetEvents, ListForgettable
from messages.past import KeepPast, PastKept
from messages.socket import Refused
from messages.turn import (
    AskerTold,
    CompactWindow,
    CountUsage,
    SpokenTold,
    SpokenTurn,
    TellAsker,
    TellSpoken,
    WindowRequest,
)

log = logging.getLogger(__name__)

BUSY = "a turn is being worked on: ask again when it has ended"


class PartRequests:
    """Server of requests by parts that take part in the window's turns."""

    def __init__(self, host: WindowHost, journal: Journal, driver: TurnDriver) -> None:
        self._host = host
        self._journal = journal
        self._driver = driver
        self._unlogged: deque[MessageId] = deque(maxlen=MOST_KEPT)
        """Messages that could not be logged: a log may have such a message, and a power loss take the message away."""

    def note_unlogged(self, message_id: MessageId) -> None:
        """List a message no more until the log is opened again."""
        self._unlogged.append(message_id)

    def note_opened(self) -> None:
        """List all messages of the logs: opening the log synced the log."""
        self._unlogged.clear()

    def handle(self, request: WindowRequest | KeepPast | TellKeptMessages, *, is_idle: bool) -> None:
        """Serve one request.

        Args:
            request: Any request of a part.
            is_idle: True if no turn runs or waits.
        """
        match request:
            case CompactWindow() if is_idle:
                self._driver.compaction.compact(request)
            case CompactWindow():
                self._host.tell(request.reply_to, Refused(request_id=request.request_id, reason=BUSY))
            case TellSpoken():
                self._host.tell(request.reply_to, self._read_stretch(request))
            case CountUsage():
                self._driver.count(request.usage)
            case TellAsker():
                self._host.tell(request.reply_to, self._asker(request.request_id))
            case KeepPast():
                self._host.tell(request.reply_to, self._keep(request))
            case TellKeptMessages():
                self._host.tell(request.reply_to, self._list_kept(request.request_id))

    def _list_kept(self, request_id: RequestId) -> KeptMessagesTold | Refused:
        """Messages with words in the logs; a failed read here does not count as the loss of a log."""
        window = self._host.window
        # What a thread's messages answer or pin from before it stands in its parent.
        after = int(window.id) if window.surface is Surface.DISCORD_THREAD and window.id.isdecimal() else 0
        try:
            with self._host.blocking():
                messages = list_kept(self._journal.newest_first(), MOST_KEPT, after)
        except LogUnwritable as error:
            return Refused(request_id=request_id, reason=error.reason)
        unsafe = set(self._unlogged)
        unfinished = self._host.conversation.unfinished_turns()
        return KeptMessagesTold(
            request_id=request_id,
            messages=tuple(each for each in messages if each.message_id not in unsafe),
            unfinished_turns=unfinished,
        )

    def _keep(self, request: KeepPast) -> PastKept | Refused:
        """Keep past messages that the window does not have."""
        if self._journal.imported is None:
            return Refused(request_id=request.request_id, reason="nothing is kept here")
        seen = self._host.conversation.seen
        fresh = [each for each in request.messages if each.message_id not in seen]
        try:
            with self._host.blocking():
                path, count = self._journal.imported.keep(fresh, request.audience)
        except (ValueError, LogUnwritable) as error:
            return Refused(request_id=request.request_id, reason=str(error))
        return PastKept(request_id=request.request_id, path=path, kept=count)

    def read_spoken(self, path: str, first: TurnId, last: TurnId) -> tuple[SpokenTurn, ...]:
        """Words of a section of a log; of an unreadable log, as far as remembered."""
        try:
            return self._journal.read_spoken(path, first, last)
        except LogUnwritable as error:
            log.warning("%s: the log cannot be read, its words come from memory: %s", self._host.address, error.reason)
            return spoken_turns(self._journal.conversation, path, {}, first, last)

    def _asker(self, request_id: RequestId) -> AskerTold:
        """The turn in hand and its opener."""
        turn_id = self._driver.running()
        if turn_id is None:
            return AskerTold(request_id=request_id)
        turn = self._host.conversation.turn(turn_id)
        return AskerTold(
            request_id=request_id,
            turn_id=turn.id,
            asked_by=UserId(turn.author_id),
            message_id=MessageId(turn.message_id),
            tables=turn.tables,
        )

    def _read_stretch(self, request: TellSpoken) -> SpokenTold | Refused:
        """The requested words: from memory if it has the section, else from the log."""
        conversation = self._host.conversation
        known = {turn.id for turn in conversation.turns}
        try:
            if request.log == self._host.log_path and request.first in known and request.last in (*known, ""):
                turns = spoken_turns(conversation, request.log, {}, request.first, request.last)
            else:
                turns = self._journal.read_spoken(request.log, request.first, request.last)
        except (ValueError, LogUnwritable) as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                return Refused(request_id=request.request_id, reason=str(error))
            log.warning("%s: log %s no longer exists, so it counts as empty", self._host.address, request.log)
            turns = ()
        return SpokenTold(request_id=request.request_id, turns=turns)


CHANGES = (
    StartNewWindow
    | ChooseModel
    | PinMemory
    | UnpinMemory
    | RetractMessages
    | ReviseMessage
    | RestoreRedactions
    | ForgetEvents
)
"""Commands that write to the log; an unwritable log is first opened again."""
REFUSABLE = StartNewWindow | PinMemory | UnpinMemory | StopTurn | ChooseModel | ListForgettable | ForgetEvents
"""Commands to refuse while the log cannot be used."""
