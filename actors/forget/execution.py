"""Execution of a forget request: the windows' logs first, then the rooms; repeats until every answer has come."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial

from msgspec.structs import replace

from actors.forget.config import ForgetConfig
from actors.forget.journal import Entry, ForgetJournal, Target
from actors.forget.round import Round, RoundQuestion
from actors.kernel import Host
from messages.base import Address, Message, RequestId, UserId, Window
from messages.forget import (
    DerivedForgotten,
    EventsForgotten,
    ForgetDerived,
    ForgetEvents,
    ForgetState,
    ForgottenEvent,
    RoomCount,
)

log = logging.getLogger(__name__)

LOGS = "logs"
Report = Callable[[Entry], None]


class Execution:
    """Work on an entry of the journal."""

    def __init__(self, host: Host, config: ForgetConfig, journal: ForgetJournal, entry: Entry, report: Report) -> None:
        """Do nothing yet.

        Args:
            host: Actor that asks.
            config: Of the actor.
            journal: Has the entry on the disk.
            entry: Request with work left.
            report: Called once, with the entry at its end or after the first round in which an answer was missing; and
                once more at the end in the second case.
        """
        self._host = host
        self._config = config
        self._journal = journal
        self.entry = entry
        self._report = report
        self._forgotten: dict[Window, tuple[ForgottenEvent, ...]] = {}
        self.asker = entry.asker
        self.texts: list[str] = []
        """People's words taken out in this life."""
        self.message_ids = _messages_of(entry.events)
        """Messages taken out."""
        self._derived: dict[tuple[str, Window], DerivedForgotten] = {}

    def begin(self) -> None:
        """Go on where the entry stands."""
        if self.entry.record.state is ForgetState.RESOLVED:
            self._ask_windows()
        else:
            self._ask_rooms()

    # windows

    def _ask_windows(self) -> None:
        left = [target for target in self.entry.targets if target.window not in self._forgotten]
        questions = [
            RoundQuestion(target.window, target.window.address, partial(self._forget_events, target)) for target in left
        ]
        Round(self._host, questions, self._config.answer_s, self._take_forgotten)

    def _forget_events(self, target: Target, request_id: RequestId, reply_to: Address) -> ForgetEvents:
        record = self.entry.record
        return ForgetEvents(
            request_id=request_id,
            reply_to=reply_to,
            window=target.window,
            forget_id=record.forget_id,
            event_ids=target.event_ids,
            by=record.by,
            why=record.why,
            whole_window=target.is_whole,
        )

    def note_texts(self, answer: EventsForgotten) -> None:
        """Note the words in a window's answer, which may come late: a later answer has no words that are gone."""
        self.texts += answer.texts

    def _take_forgotten(self, answers: dict[Window, Message | None]) -> None:
        missing = []
        for window, answer in answers.items():
            if isinstance(answer, EventsForgotten):
                self._forgotten[window] = answer.events
                self.note_texts(answer)
            else:
                missing.append(window.address.key)
        if missing:
            self._try_again(missing, self._ask_windows)
            return
        events = tuple(event for each in self._forgotten.values() for event in each)
        self.message_ids = _messages_of(events)
        done = replace(self.entry, events=events).with_record(
            state=ForgetState.LOGS_DONE, rooms=(RoomCount(room=LOGS, count=len(events)),), waiting_for=()
        )
        self._write(done, self._ask_rooms)

    # rooms

    def _ask_rooms(self) -> None:
        windows = [target.window for target in self.entry.targets]
        rooms = [
            (taker(window) if callable(taker) else taker, window) for taker in self._config.rooms for window in windows
        ]
        questions = [
            RoundQuestion((room.kind, window), room, partial(self._forget_derived, window))
            for room, window in rooms
            if (room.kind, window) not in self._derived
        ]
        Round(self._host, questions, self._config.answer_s, self._take_derived)

    def _forget_derived(self, window: Window, request_id: RequestId, reply_to: Address) -> ForgetDerived:
        return ForgetDerived(
            request_id=request_id,
            reply_to=reply_to,
            forget_id=self.entry.forget_id,
            window=window,
            events=tuple(event for event in self.entry.events if event.window == window),
            whole_window=window in self.entry.whole_windows(),
            person_id=self.entry.person_id,
        )

    def _take_derived(self, answers: dict[tuple[str, Window], Message | None]) -> None:
        missing: dict[str, None] = {}
        for (room, window), answer in answers.items():
            if isinstance(answer, DerivedForgotten):
                self._derived[room, window] = answer
            else:
                missing[room] = None
        if missing:
            self._try_again([*missing], self._ask_rooms)
            return
        logs = next((each for each in self.entry.record.rooms if each.room == LOGS), RoomCount(room=LOGS, count=0))
        done = replace(self.entry, person_id=UserId(""), targets=(), events=(), asker=None).with_record(
            state=ForgetState.DONE, done_at=self._host.now(), rooms=(logs, *self._counts()), waiting_for=()
        )
        self._write(done, lambda: self._report(done))

    def _counts(self) -> list[RoomCount]:
        counts: dict[str, RoomCount] = {}
        for (room, _), answer in self._derived.items():
            earlier = counts.get(room, RoomCount(room=room, count=0))
            notes = dict.fromkeys(note for note in (earlier.note, answer.note) if note)
            counts[room] = RoomCount(room=room, count=earlier.count + answer.count, note="; ".join(notes))
        return list(counts.values())

    # both

    def _write(self, entry: Entry, then: Callable[[], None]) -> None:
        """Put a step on the disk and go on; try again later if the disk refuses."""
        try:
            with self._host.blocking():
                self._journal.write(entry)
        except OSError as error:
            log.error("forget request %s: its record cannot be written: %s", entry.forget_id, error.strerror)
            self._try_again(["journal"], partial(self._write, entry, then))
            return
        self.entry = entry
        then()

    def _try_again(self, missing: list[str], step: Callable[[], None]) -> None:
        """Name the missing answers, and repeat a step later."""
        log.warning("forget request %s waits for %s", self.entry.forget_id, ", ".join(missing))
        self.entry = self.entry.with_record(waiting_for=tuple(missing))
        self._report(self.entry)
        self._host.wait(self._config.retry_s, step)


def _messages_of(events: Iterable[ForgottenEvent]) -> dict[Window, list[str]]:
    """Messages of forgotten events, by window."""
    message_ids = defaultdict[Window, list[str]](list)
    for event in events:
        if event.message_id:
            message_ids[event.window].append(event.message_id)
    return message_ids
