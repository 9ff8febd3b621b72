"""Retraction of messages that people delete or edit: the log keeps the words, and nobody is shown them again."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from actors.context.host import WindowHost
from actors.context.log.journal import Journal, LogUnwritable
from actors.context.news import News
from domain.log.event import Event, Kind
from domain.log.kept import kept
from domain.log.metadata import MetaValue
from domain.log.redaction import DELETED, EDIT_DEFERRED, EDITED, Tombstone, tombstone_meta, tombstones_in
from domain.log.retraction import retracted, shown_for
from domain.policy.rate_limit import RateLimit
from messages.base import EventId, MessageId, Surface
from messages.context import MOST_KEPT, KeptMessagesTold, RestoreRedactions, ReviseMessage, TellKeptMessages
from messages.socket import Refused

log = logging.getLogger(__name__)

NOT_KEPT = ("overheard", "open", "quote", "attachments", "typed")
"""Metadata of an edited message that its new words do not take over as they are."""
REVISIONS = 30
"""Edits of one window whose new words are noted within `REVISIONS_S`, since each makes the log longer, and a look at
all of it costs the more; of what is edited beyond that the old words go, and the newest come when there is room."""
REVISIONS_S = 600.0
MOST_HELD = 200
"""Messages whose newest words wait for room; those of the message that waited longest are forgotten."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A message that was taken back and whose new words are not noted yet."""

    said: Event
    edit: ReviseMessage


class Retraction:
    """Writer of tombstones; as with pins, each look goes through the window's logs anew."""

    def __init__(self, host: WindowHost, journal: Journal, news: News) -> None:
        self._host = host
        self._journal = journal
        self._news = news
        self._deferred: dict[MessageId, ReviseMessage] = {}
        """The newest edit of each message that is being answered."""
        self._held: dict[MessageId, _Held] = {}
        self._revisions = RateLimit(REVISIONS, REVISIONS_S)

    def find(self, message_ids: Collection[str]) -> list[Tombstone]:
        """What is to be taken back of these messages, and of whatever quotes them or what came of them.

        Raises:
            LogUnwritable: as the journal.
        """
        for message_id in map(MessageId, message_ids):
            self._held.pop(message_id, None)
        with self._host.blocking():
            named = {*message_ids, *shown_for(self._journal.past(message_ids), message_ids)}
            found = retracted(self._journal.past(named), named)
        return [each for each in found if each.is_quote or each.message_id in message_ids]

    def take_back(self, tombstones: Iterable[Tombstone], why: str = DELETED) -> None:
        """Take words out of what commands are shown, then log that and tell it.

        Raises:
            LogUnwritable: as the journal.
        """
        tombstones = tuple(tombstones)
        try:
            with self._host.blocking():
                self._journal.redactions.take_back(tombstones)
        except OSError as error:
            # The next look at the log makes the copy; that memory and model forget is not to wait for it.
            log.warning("%s: what was taken back is still shown to commands: %s", self._host.address, error.strerror)
        for tombstone in tombstones:
            logged = self._host.record(Kind.TOMBSTONE, "", tombstone_meta(tombstone, why), sync=True)
            self._news.event_logged(logged, "")

    def handle(self, command: ReviseMessage | RestoreRedactions | TellKeptMessages) -> None:
        """Act on what is asked for besides deletions.

        Raises:
            LogUnwritable: as the journal.
        """
        match command:
            case ReviseMessage():
                self.revise(command)
            case RestoreRedactions():
                self.restore()
            case TellKeptMessages():
                self.tell_kept(command)

    def tell_kept(self, request: TellKeptMessages) -> None:
        """Say of which messages the logs hold words; no log is lost because it cannot be read for that."""
        window = self._host.window
        # What a thread's messages answer or pin from before it stands in its parent.
        after = int(window.id) if window.surface is Surface.DISCORD_THREAD and window.id.isdecimal() else 0
        try:
            with self._host.blocking():
                messages = kept(self._journal.newest_first(), MOST_KEPT, after)
        except LogUnwritable as error:
            self._host.tell(request.reply_to, Refused(request_id=request.request_id, reason=error.reason))
            return
        told = KeptMessagesTold(request_id=request.request_id, messages=tuple(messages))
        self._host.tell(request.reply_to, told)

    def restore(self) -> None:
        """Make the copies of logs that should be there and are not.

        Raises:
            LogUnwritable: as the journal.
        """
        with self._host.blocking():
            past = (logged.event for _, logged in self._journal.past((Kind.TOMBSTONE.value,)))
            self._journal.redactions.restore(tombstones_in(past))

    def revise(self, edit: ReviseMessage) -> None:
        """Let a message have its new words from now on; one that is being answered, when that has ended.

        Raises:
            LogUnwritable: as the journal.
        """
        if (held := self._held.get(edit.message_id)) is not None:
            self._held[edit.message_id] = _Held(held.said, edit)
        elif edit.message_id in self._deferred:
            self._deferred[edit.message_id] = edit
        else:
            self._revise(edit, was_deferred=False)

    def go_on(self) -> None:
        """Note what was edited while it was being answered, and what there was no room for.

        Raises:
            LogUnwritable: as the journal.
        """
        deferred, self._deferred = self._deferred, {}
        for edit in deferred.values():
            self._revise(edit, was_deferred=True)
        for message_id in tuple(self._host.conversation.pending_edits):  # of an earlier life, with the new words lost
            tombstones = self.find((message_id,))
            if not any(self._is_open(each.event_id) for each in tombstones):
                self.take_back(tombstones, EDITED)
        while self._held and not self._revisions.take("", self._host.monotonic()):
            self._note(self._held.pop(next(iter(self._held))))

    def _revise(self, edit: ReviseMessage, *, was_deferred: bool) -> None:
        tombstones = self.find((edit.message_id,))
        events = self._events_of(tombstones)
        said = next((event for (_, quoted), event in events.items() if event.kind is Kind.USER and not quoted), None)
        if said is None:
            # No log has it but in quotations and pins, such as a bot's message, which is never heard itself.
            self.take_back((each for each in tombstones if not _says(events, each, edit)), EDITED)
            return
        # A deferred one is in the log: it is gone through with, though it may say what it said at first.
        if not (was_deferred or _is_changed(said, edit)):
            return
        if self._is_open(said.id):
            # Without the new words: nothing takes them back if that message is deleted before.
            if not was_deferred:
                meta: dict[str, MetaValue] = {"what": EDIT_DEFERRED, "message_id": edit.message_id}
                self._host.record(Kind.SYSTEM, "edited while it is being answered", meta, sync=True)
            self._deferred[edit.message_id] = edit
            return
        self.take_back(tombstones, EDITED)
        if not self._revisions.take("", self._host.monotonic()):
            self._note(_Held(said, edit))
            return
        self._held[edit.message_id] = _Held(said, edit)
        if len(self._held) > MOST_HELD:
            del self._held[next(iter(self._held))]

    def _note(self, held: _Held) -> None:
        """Log the new words of a message that was taken back."""
        words, meta = _revised(held.said, held.edit)
        meta |= {"overheard": True, "open": self._host.conversation.open_count}
        logged = self._host.record(Kind.USER, words, meta, sync=True)
        self._news.event_logged(logged, str(meta.get("audience", "")))

    def _events_of(self, tombstones: Iterable[Tombstone]) -> dict[tuple[EventId, bool], Event]:
        """What is to be taken back, by its id and whether only its quotation is."""
        wanted = {(each.event_id, each.path): each.is_quote for each in tombstones}
        found: dict[tuple[EventId, bool], Event] = {}
        with self._host.blocking():
            for path, logged in self._journal.past({event_id for event_id, _ in wanted}) if wanted else ():
                if (logged.event.id, path) in wanted:
                    found[logged.event.id, wanted[logged.event.id, path]] = logged.event
        return found

    def _is_open(self, event_id: EventId) -> bool:
        """Whether a message is being answered, or waits for that."""
        return any(event_id in (turn.id, *turn.event_ids) for turn in self._host.conversation.open_turns())


def _typed(said: Event, meta: dict[str, MetaValue]) -> int:
    """How much of a message was typed; files' texts follow."""
    typed = meta.get("typed")
    return typed if isinstance(typed, int) else len(said.content)


def _files(meta: dict[str, MetaValue]) -> int:
    attachments = meta.get("attachments")
    return len(attachments) if isinstance(attachments, list) else 0


def _is_changed(said: Event, edit: ReviseMessage) -> bool:
    meta = said.meta_dict()
    return said.content[: _typed(said, meta)] != edit.text or _files(meta) > edit.files


def _says(events: Mapping[tuple[EventId, bool], Event], tombstone: Tombstone, edit: ReviseMessage) -> bool:
    """Whether a pin or a quotation, which may be cut short, has the words that its message has now."""
    event = events.get((tombstone.event_id, tombstone.is_quote))
    if event is None:
        return False
    quote = event.meta_dict().get("quote") if tombstone.is_quote else None
    words = str(quote.get("text", "")) if isinstance(quote, dict) else event.content
    return edit.text.startswith(words)


def _revised(said: Event, edit: ReviseMessage) -> tuple[str, dict[str, MetaValue]]:
    """New words and metadata of a message; where a file of several was taken out, none of their texts stays."""
    before = said.meta_dict()
    meta: dict[str, MetaValue] = {key: value for key, value in before.items() if key not in NOT_KEPT}
    meta["edited"] = True
    if not _files(before) or _files(before) > edit.files:
        return edit.text, meta
    meta |= {"attachments": before["attachments"], "typed": len(edit.text)}
    return edit.text + said.content[_typed(said, before) :], meta
