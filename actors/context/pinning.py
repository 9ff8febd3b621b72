"""Pin commands, `/remember` and `/unremember`: their effect on a window's log."""

from __future__ import annotations

from actors.context.host import WindowHost
from actors.context.log.forgotten import is_forgotten
from actors.context.log.journal import Journal
from actors.context.news import News
from domain.log.event import Kind
from domain.log.metadata import MetaValue
from domain.memory.pins import UNPIN, PinBoard, Utterance, pin_meta
from messages.context import MemoryPinned, MemoryUnpinned, PinMemory, PinUnknown, UnpinMemory
from messages.socket import Refused
from messages.turn import LoggedEvent

FORGOTTEN = "that message was forgotten; its words can be remembered only as your own"
"""Reason why the words of a message do not come back."""


class Pinning:
    """Handler of a window's pin commands; pins are rare, so each looks through the window's logs anew."""

    def __init__(self, host: WindowHost, journal: Journal, news: News) -> None:
        self._host = host
        self._journal = journal
        self._news = news

    def pin(self, command: PinMemory) -> None:
        """Log the pin and report the position of the pinned words.

        Raises:
            LogUnwritable: as the journal.
        """
        board = self._board()
        utterance = board.answered.get(command.request_id) or self._find_target(board, command)
        text = command.text if command.text.strip() else ""
        if utterance is None and command.message_id and self._is_forgotten(command.message_id):
            self._host.tell(command.reply_to, Refused(request_id=command.request_id, reason=FORGOTTEN))
            return
        if utterance is None and not text:
            self._host.tell(command.reply_to, _unknown(command))
            return
        if utterance is None:
            utterance = self._pin_words(command, text)
        elif command.request_id not in board.answered and utterance.event_id not in board.pins:
            self._log(
                "", pin_meta(command.request_id, command.asked_by, command.asked_by_name, utterance), command.audience
            )
        pinned = MemoryPinned(
            request_id=command.request_id, path=utterance.path, line=utterance.line, text=utterance.text
        )
        self._host.tell(command.reply_to, pinned)

    def unpin(self, command: UnpinMemory) -> None:
        """Log the end of a pin; only for the user who made the pin.

        Raises:
            LogUnwritable: as the journal.
        """
        board = self._board()
        utterance = board.answered.get(command.request_id)
        if utterance is None:
            target = board.find(command.message_id) if command.message_id else None
            pin = board.pins.get(target.event_id) if target else None
            if not command.message_id:
                pin = board.last_of(command.asked_by)
            if pin is None or pin.by != command.asked_by:
                reason = "another person pinned it" if pin else "you have no such pin in this window"
                self._host.tell(command.reply_to, Refused(request_id=command.request_id, reason=reason))
                return
            utterance = pin.utterance
            self._log("", pin_meta(command.request_id, command.asked_by, "", utterance, UNPIN), "")
        unpinned = MemoryUnpinned(
            request_id=command.request_id, path=utterance.path, line=utterance.line, text=utterance.text
        )
        self._host.tell(command.reply_to, unpinned)

    def _board(self) -> PinBoard:
        board = PinBoard()
        with self._host.blocking():
            for path, logged in self._journal.past():
                board.add(path, logged.line, logged.event)
        return board

    def _is_forgotten(self, message_id: str) -> bool:
        with self._host.blocking():
            return is_forgotten(self._journal.root, self._host.window, message_id)

    def _find_target(self, board: PinBoard, command: PinMemory) -> Utterance | None:
        if command.message_id:
            return board.find(command.message_id)
        return None if command.text.strip() else board.last_utterance

    def _pin_words(self, command: PinMemory, text: str) -> Utterance:
        """Log the pinned words themselves."""
        meta = pin_meta(command.request_id, command.asked_by, command.asked_by_name, None)
        meta |= {
            "author": command.author_name or command.asked_by_name,
            "author_id": command.author_id or command.asked_by,
        }
        if command.message_id:
            meta["source"] = command.message_id
        logged = self._log(text, meta, command.audience)
        return Utterance(logged.id, logged.path, logged.line, text)

    def _log(self, content: str, meta: dict[str, MetaValue], audience: str) -> LoggedEvent:
        if audience:
            meta["audience"] = audience
        logged = self._host.record(Kind.PIN, content, meta, sync=True)
        self._news.event_logged(logged, audience)
        return logged


def _unknown(command: PinMemory) -> PinUnknown | Refused:
    if command.message_id:
        return PinUnknown(request_id=command.request_id, message_id=command.message_id)
    return Refused(request_id=command.request_id, reason="nothing has been said in this window yet")
