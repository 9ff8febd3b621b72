"""Retraction of messages that people delete or edit: the log keeps the words, but they are never shown again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from actors.context.host import LookTimer, WindowHost
from actors.context.log.journal import Journal, LogUnwritable
from actors.context.news import News
from actors.context.user_event import news_of
from domain.log.event import Event, Kind, event
from domain.log.imported import is_imported
from domain.log.metadata import MetaValue
from domain.log.off_record import MESSAGE_KEY
from domain.log.redaction import (
    DELETED,
    DELETION_DEFERRED,
    EDIT_DEFERRED,
    EDITED,
    LOOKED_THROUGH,
    Tombstone,
    tombstone_meta,
    tombstones_in,
)
from domain.log.retraction import Unsaid, list_tombstones, shown_for, unsaid
from domain.log.revision import (
    HeldEdit,
    is_changed,
    later_edit,
    makes_question,
    person_event,
    revise,
    shows_present_words,
)
from domain.log.window import is_imported_log
from domain.policy.rate_limit import RateLimit
from messages.base import EventId, MessageId, TurnId
from messages.context import LookDue, RestoreRedactions, RetractMessages, ReviseMessage

log = logging.getLogger(__name__)

REVISIONS = 30
"""Edits of a window whose new words are noted within `REVISIONS_S`: each edit makes the log longer, and each look at
the log slower. Beyond the limit old words are retracted at once, and the newest words noted when there is room."""
REVISIONS_S = 600.0
MOST_HELD = 200
"""Messages whose newest words wait for room; beyond the limit the longest waiting are forgotten, but for questions."""

LOOKS_APART = 10
"""Pause between two looks at all of a window's logs, in multiples of a look's duration: deletions and edits in
between wait for the next look, hidden from all requests, and are handled together."""
MOST_APART_S = 30.0
READ_AGAIN_S = 600.0
"""Pause behind a look at a log that cannot be read: each failing look ends the turn in hand."""

RetractionCommand = RetractMessages | ReviseMessage | RestoreRedactions | LookDue


class Retraction:
    """Writer of tombstones; each look goes through the window's logs anew, as with pins, and not too often."""

    def __init__(
        self, host: WindowHost, journal: Journal, news: News, running: Callable[[], TurnId | None] = lambda: None
    ) -> None:
        """Nothing is to be taken back.

        Args:
            host: The actor of the window.
            journal: The window's logs.
            news: Tells subscribers.
            running: Gives the turn in hand, if any.
        """
        self._host = host
        self._journal = journal
        self._news = news
        self._running = running
        self._deferred: dict[MessageId, ReviseMessage] = {}
        """Newest edit of each message that waits for a look, or for the end of its answer."""
        self._next_look_s = 0.0
        self._timer = LookTimer(host)
        self._pending_edits: dict[MessageId, HeldEdit] = {}
        self._moved_turns: dict[TurnId, TurnId] = {}
        """Turn of a question's old words -> turn of its new words."""
        self._revisions = RateLimit(REVISIONS, REVISIONS_S)

    @property
    def is_waiting(self) -> bool:
        """True if retractions or new words wait for a later look, or for room."""
        return bool(self._pending_edits or self._deferred or self._host.conversation.pending)

    def take_back(self, tombstones: Iterable[Tombstone], why: str = DELETED) -> None:
        """Remove words from the copies for commands, then log and report the retraction.

        Raises:
            LogUnwritable: as the journal.
        """
        tombstones = tuple(tombstones)
        try:
            with self._host.blocking():
                self._journal.redactions.take_back(tombstones)
        except OSError as error:
            # The next look at the log makes the copy; that memory and model forget is not to wait for it.
            log.warning("%s: commands can still read retracted words: %s", self._host.address, error.strerror)
        past = [each for each in tombstones if is_imported_log(each.path)]
        metas = [tombstone_meta(tombstone, why) for tombstone in tombstones if tombstone not in past]
        logged = [self._host.record(Kind.TOMBSTONE, "", meta, sync=meta is metas[-1]) for meta in metas]
        if logged:
            self._news.events_logged(tuple(logged), "")
        self._change_past([(Kind.TOMBSTONE, "", tombstone_meta(each, why)) for each in past])

    def _change_past(self, changes: Iterable[tuple[Kind, str, dict[str, MetaValue]]]) -> None:
        """Write changes of past messages into an imported log, and report the changes.

        Raises:
            LogUnwritable: as `ImportedLogs.write`.
        """
        events = [event(self._host.new_id(), self._host.now(), *change) for change in changes]
        if not events or self._journal.imported is None:
            return
        with self._host.blocking():
            path, lines = self._journal.imported.change(events)
        self._news.events_logged(tuple(map(news_of, events, [path] * len(events), lines)), "")

    def handle(self, command: RetractionCommand) -> None:
        """Carry out the command, or keep it for the next look.

        Raises:
            LogUnwritable: as the journal.
        """
        match command:
            case RetractMessages():
                self._delete(command.message_ids)
            case ReviseMessage():
                self.revise(command)
            case RestoreRedactions():
                self.restore()
            case LookDue():
                self.go_on()

    def restore(self) -> None:
        """Make missing copies of logs.

        Raises:
            LogUnwritable: as the journal.
        """
        with self._host.blocking():
            past = (logged.event for _, logged in self._journal.past((Kind.TOMBSTONE.value,)))
            self._journal.redactions.restore(tombstones_in(past))

    def revise(self, edit: ReviseMessage) -> None:
        """Give a message the new words at once, or, if the message is being answered, after the answer.

        Raises:
            LogUnwritable: as the journal.
        """
        if edit.message_id in self._pending_edits or edit.message_id in self._deferred:
            self.keep(edit)
        elif not self._holds((edit.message_id,)) or self._host.conversation.pending.get(edit.message_id) == DELETED:
            return
        elif self._must_wait():
            self._defer(edit, "edited")
        else:
            self._look(edit=edit)

    def keep(self, edit: ReviseMessage) -> None:
        """Keep an edit for the next look, in the place of an earlier edit of the message."""
        if (pending := self._pending_edits.get(edit.message_id)) is not None:
            self._pending_edits[edit.message_id] = replace(pending, edit=later_edit(pending.edit, edit))
        else:
            self._deferred[edit.message_id] = later_edit(self._deferred.get(edit.message_id, edit), edit)

    def go_on(self) -> None:
        """Carry out waiting retractions, if a look may begin, and note edits that had to wait for room.

        Raises:
            LogUnwritable: as the journal.
        """
        if (self._host.conversation.pending or self._deferred) and not self._must_wait():
            self._look()
        while self._pending_edits:
            if wait_s := self._revisions.take("", self._host.monotonic()):
                self._timer.set(wait_s)
                return
            self._note_oldest()

    def forget(self, message_ids: Iterable[str]) -> None:
        """Drop the new words of forgotten or deleted messages."""
        for message_id in map(MessageId, message_ids):
            self._pending_edits.pop(message_id, None)
            self._deferred.pop(message_id, None)

    def requeue(self, waiting: Iterable[TurnId]) -> list[TurnId]:
        """Waiting turns, with edited questions in their new words."""
        moved, self._moved_turns = self._moved_turns, {}
        turns = [moved.pop(turn_id, turn_id) for turn_id in waiting]
        open_turns = {turn.id for turn in self._host.conversation.open_turns()}
        return [turn_id for turn_id in dict.fromkeys((*turns, *moved.values())) if turn_id in open_turns]

    def first_ready(self, waiting: Iterable[TurnId]) -> TurnId | None:
        """First waiting turn ready to be answered."""
        return next((turn_id for turn_id in waiting if not self.has_new_words(turn_id)), None)

    def has_new_words(self, turn_id: TurnId) -> bool:
        """True if a waiting question was edited and the new words wait for a look; a begun turn keeps the old words."""
        return self._waits(EventId(turn_id)) and self._host.conversation.turn(turn_id).message_id in self._deferred

    def end(self) -> None:
        """Note all edits that wait for room, since only this life knows of them.

        Raises:
            LogUnwritable: as the journal; the rest is lost, as with a kill.
        """
        while self._pending_edits and self._journal.is_open:
            self._note_oldest()

    def _delete(self, message_ids: Collection[MessageId]) -> None:
        self.forget(message_ids)
        if self._journal.imported is not None:
            self._journal.imported.leave_out(message_ids)
        if not self._holds(message_ids):
            return
        if self._must_wait():
            pending = self._host.conversation.pending
            self._defer_deletions([each for each in message_ids if pending.get(each) != DELETED])
        else:
            self._look(message_ids)

    def _holds(self, message_ids: Collection[str]) -> bool:
        """True if a log of the window may hold any of the messages."""
        with self._host.blocking():
            return self._journal.may_hold(message_ids)

    def _must_wait(self) -> bool:
        """True if the next look would be too soon; a timer is then set for the look.

        Without a log of its own for notes, the window has only imported logs to look at, at once.
        """
        wait_s = self._next_look_s - self._host.monotonic() if self._journal.is_open else 0.0
        if wait_s > 0:
            self._timer.set(wait_s)
        return wait_s > 0

    def _defer_deletions(self, message_ids: list[str] | list[MessageId]) -> None:
        if message_ids:
            meta: dict[str, MetaValue] = {"what": DELETION_DEFERRED, "message_ids": list(message_ids)}
            self._host.record(Kind.SYSTEM, "deleted", meta, sync=True)

    def _defer(self, edit: ReviseMessage, words: str) -> None:
        """Keep an edit for later."""
        if edit.message_id not in self._host.conversation.pending:
            # Without the new words: nothing takes them back if that message is deleted before.
            meta: dict[str, MetaValue] = {"what": EDIT_DEFERRED, "message_id": edit.message_id}
            self._host.record(Kind.SYSTEM, words, meta, sync=True)
        self._deferred[edit.message_id] = edit
        if len(self._deferred) > MOST_HELD:
            del self._deferred[next(iter(self._deferred))]

    def _look(self, deleted: Collection[str] = (), edit: ReviseMessage | None = None) -> None:
        """Go through the logs once, for the given messages and all waiting retractions; after a failure once more."""
        began_s = self._host.monotonic()
        edits, self._deferred = self._deferred, {}
        if edit is not None:
            edits[edit.message_id] = edit
        try:
            self._take_back_and_revise(deleted, edits)
        except LogUnwritable:
            self._deferred = edits | self._deferred
            raise
        now_s = self._host.monotonic()
        self._next_look_s = now_s + min(LOOKS_APART * (now_s - began_s), MOST_APART_S)

    def _take_back_and_revise(self, deleted: Collection[str], edits: Mapping[MessageId, ReviseMessage]) -> None:
        pending = dict(self._host.conversation.pending) | dict.fromkeys(deleted, DELETED)
        edits = {each: edit for each, edit in edits.items() if pending.get(each) != DELETED}
        self._next_look_s = self._host.monotonic() + READ_AGAIN_S  # unless the logs can be read
        marks = self._find({*pending, *edits})
        self._next_look_s = 0.0
        being_answered = {each for each in marks if any(self._is_open(one.event_id) for one in marks[each])}
        gone = {each for each in pending if pending[each] == DELETED}
        self.take_back(tombstone for each in gone for tombstone in marks[each])
        # An edit without its new words is of an earlier life, or was one of too many.
        bare = pending.keys() - gone - edits.keys() - being_answered
        self.take_back((tombstone for each in bare for tombstone in marks[each]), EDITED)
        self._revise(edits, marks)
        being_answered -= edits.keys() - self._deferred.keys()
        left = self._host.conversation.pending.keys() - (being_answered - gone)
        if left:
            meta: dict[str, MetaValue] = {"what": LOOKED_THROUGH, "message_ids": sorted(left)}
            self._host.record(Kind.SYSTEM, "looked through", meta, sync=False)

    def _find(self, message_ids: Collection[str]) -> dict[str, list[Tombstone]]:
        """Tombstones for each given message: the message, all quotations and the messages derived from it."""
        tombstones: dict[str, list[Tombstone]] = {message_id: [] for message_id in message_ids}
        with self._host.blocking():
            question_of = shown_for(self._journal.past(message_ids), message_ids)
            named = {*message_ids, *question_of}
            for each in list_tombstones(self._journal.past(named), named):
                if each.message_id in tombstones:
                    tombstones[each.message_id].append(each)
                elif each.is_quote:
                    tombstones[question_of[each.message_id]].append(each)
        return tombstones

    def _revise(self, edits: Mapping[MessageId, ReviseMessage], marks: Mapping[str, list[Tombstone]]) -> None:
        """Give edited messages their new words, in the order of the edits."""
        events = self._events_of([tombstone for each in edits for tombstone in marks[each]])
        people = {each: next(filter(None, (person_event(events, one) for one in marks[each])), None) for each in edits}
        unsaid_before = self._unsaid([each for each, event in people.items() if event is None])
        gone, fresh = list[Tombstone](), list[HeldEdit]()
        for message_id, edit in edits.items():
            event = people[message_id]
            if message_id in unsaid_before:
                # Its old words were taken back, and the new ones lost with the process before they were noted.
                gone += marks[message_id]
                before, waits = unsaid_before[message_id]
                asks = waits or makes_question(before, edit)
                fresh += [HeldEdit(before, edit, asks)] if waits or not edit.is_off_record else []
            elif event is None:
                # No log has it but in quotations and pins, such as a bot's message, which is never heard itself.
                gone += [
                    each for each in marks[message_id] if not shows_present_words(events, each, edit.whole or edit.text)
                ]
            elif self._is_open(event.id) and not self._waits(event.id):
                self._defer(edit, "edited while it is being answered")
            elif is_changed(event, edit.text, edit.files):
                gone += marks[message_id]
                fresh += [self._hold(event, edit)] if self._waits(event.id) or not edit.is_off_record else []
        self.take_back(gone, EDITED)
        for revision in fresh:
            wait_s = self._revisions.take("", self._host.monotonic())
            if not wait_s:
                self._note(revision)
                continue
            self._timer.set(wait_s)
            self._pending_edits[revision.edit.message_id] = revision
            for surplus in [each for each, pending in self._pending_edits.items() if not pending.asks][:-MOST_HELD]:
                del self._pending_edits[surplus]

    def _note_oldest(self) -> None:
        message_id = next(iter(self._pending_edits))
        self._note(self._pending_edits[message_id])
        del self._pending_edits[message_id]

    def _note(self, revision: HeldEdit) -> None:
        """Log the new words of a retracted message; the new words of a waiting question are asked.

        Off the record only a waiting question has new words, and no log gets them.
        """
        words, meta = revise(revision.event, revision.edit.text, revision.edit.told, revision.edit.files)
        if is_imported(revision.event.meta_json):
            self._change_past([(Kind.USER, words, meta)])
            return
        old = TurnId(revision.event.id)
        if revision.asks:
            self._news.take_question(old)
        if revision.edit.is_off_record:
            meta |= {MESSAGE_KEY: True, "viewer": True}
        if revision.asks and words.strip():
            logged = self._host.record(Kind.USER, words, meta | revision.quotation, sync=True)
            self._moved_turns[old] = TurnId(logged.id)
            self._news.hold_question(TurnId(logged.id), logged)
            return
        meta |= {"overheard": True, "open": self._host.conversation.open_count}
        logged = self._host.record(Kind.USER, words, meta, sync=True)
        self._news.event_logged(logged, str(meta.get("audience", "")))

    def _unsaid(self, message_ids: Collection[str]) -> dict[str, Unsaid]:
        """Edited messages without new words so far."""
        with self._host.blocking():
            return unsaid(self._journal.past(message_ids), message_ids) if message_ids else {}

    def _events_of(self, tombstones: Collection[Tombstone]) -> dict[tuple[EventId, bool], Event]:
        """Events to be taken back, by id and whether only a quotation is."""
        wanted = {(each.event_id, each.path): each.is_quote for each in tombstones}
        events: dict[tuple[EventId, bool], Event] = {}
        with self._host.blocking():
            for path, logged in self._journal.past({event_id for event_id, _ in wanted}) if wanted else ():
                if (logged.event.id, path) in wanted:
                    events[logged.event.id, wanted[logged.event.id, path]] = logged.event
        return events

    def _hold(self, event: Event, edit: ReviseMessage) -> HeldEdit:
        """Edit of a message whose old words are being retracted; it may make an overheard message a question."""
        if not self._waits(event.id):
            return HeldEdit(event, edit, asks=makes_question(event, edit))
        is_shown = event.id in self._host.conversation.turn(TurnId(event.id)).unquoted
        meta = event.meta_dict()
        return HeldEdit(event, edit, asks=True, quotation={"quote": meta["quote"]} if is_shown else {})

    def _waits(self, event_id: EventId) -> bool:
        """True if a question waits for its answer, and no life has begun the answer."""
        turns = (turn for turn in self._host.conversation.open_turns() if turn.id == TurnId(event_id))
        return any(turn.id != self._running() and not turn.steps and not turn.was_resumed for turn in turns)

    def _is_open(self, event_id: EventId) -> bool:
        """True if a message is being answered, or waits for an answer."""
        return any(event_id in (turn.id, *turn.event_ids) for turn in self._host.conversation.open_turns())
