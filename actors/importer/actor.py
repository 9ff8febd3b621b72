"""Importer: takes in messages from before the agent's first start, newest first, and resumes after any end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import assert_never

from actors.importer.exports import ExportImport
from actors.importer.journal import ImportJournal, State
from actors.importer.keeping import BATCH, PATIENCE_S, Keeper
from actors.importer.off_record import off_record_of
from actors.importer.progress import NEWEST, Reading, begin, estimate_left, newest_first
from actors.kernel import Actor, Timer, not_understood
from actors.linux.disk import Disk
from domain.policy.channel_rules import ChannelRules
from messages.base import Address, RequestId, Surface, Window
from messages.memory import LogIndexed
from messages.past import (
    CategoriesFound,
    DescribeImport,
    ImportDescribed,
    ImportExport,
    ImportGoesOn,
    ImportMessage,
    ListPast,
    NotePast,
    PastDelayed,
    PastKept,
    PastListed,
    PastMessage,
    PastRead,
    ReadPast,
    SettlePast,
    StartImport,
    StopImport,
)
from messages.socket import Refused

log = logging.getLogger(__name__)

AT_ONCE = 4
"""Places read at a time; Discord limits the calls for each channel."""
PAGES_APART_S = 0.08
"""Between two pages of a hundred messages: a million in 14 minutes, and answers go first."""
AGAIN_S = 30.0
"""Pause after a missing answer, or a failed write to a log."""


@dataclass(slots=True)
class _Batch:
    """Messages of a place on their way into a log."""

    reading: Reading
    """Progress on the disk."""
    messages: list[PastMessage] = field(default_factory=list)
    before: int = NEWEST
    read: int = 0
    is_last: bool = False
    audience: str = ""
    stored: int | None = None
    """New messages among the messages; None until all are in a log."""


class ImporterActor(Actor):
    """Reads Discord's history page by page, has windows keep the messages, and has the memory index them.

    Owns: the journal of imports.
    Asks: the surface for places and pages, windows to keep messages, the memory to index the logs.
    Crashes on: an unreadable journal. After a failed write only the note is repeated; the next life goes on after the
    last noted step. A log written after that step is known to its window, so no message is taken twice.
    """

    def __init__(
        self,
        root: Path,
        surface: Address,
        *,
        has_memory: bool,
        rules: ChannelRules | None = None,
        disk: Disk | None = None,
    ) -> None:
        """An importer at rest.

        Args:
            root: The data root.
            surface: Gives history.
            has_memory: True if there is a memory to tell of new logs.
            rules: Settings of channels; None for no settings.
            disk: Writes the journal; the real disk if None.
        """
        super().__init__()
        self._surface = surface
        self._keeper = Keeper(self, has_memory=has_memory)
        self._journal = ImportJournal(root, disk)
        off_record = partial(off_record_of, root=root, rules=rules or ChannelRules())
        self._exports = ExportImport(self, self._keeper, self._note_exported, off_record, surface)
        self._is_listed = False
        self._unnoted: PastListed | None = None
        """Places listed by Discord whose note was refused by the disk."""
        self._places: set[Window] = set()
        """Readable places listed by Discord in this life."""
        self._busy: dict[Window, _Batch] = {}
        self._delayed: set[Window] = set()
        self._timer: Timer | None = None
        self._began_s = 0.0
        self._next_page_s = 0.0
        self._read = 0
        self._notes: dict[str, None] = {}
        """Why places are not read, each reason once."""
        self._waits: dict[str, None] = {}
        """Why the import waits for the timer, each reason once."""

    def on_start(self) -> None:
        """Read the journal, and resume an interrupted import."""
        with self.blocking():
            self._journal.load()
        if past := self._journal.past:
            self.tell(self._surface, NotePast(windows=past))
        if self._journal.state == "reading":
            self._list()

    def handle(self, message: ImportMessage) -> None:
        """Act on `message`."""
        match message:
            case StartImport():
                self._begin_import(message)
            case StopImport():
                self._end_import(message)
            case DescribeImport():
                self.tell(message.reply_to, self._describe(message.request_id))
            case ImportExport():
                self._exports.begin(message)
            case ImportGoesOn() if message.window is not None:
                self._ask_for_page(message.window)
            case ImportGoesOn():
                self._resume()
            case PastListed() | CategoriesFound() | PastRead() | PastDelayed() | PastKept() | LogIndexed() | Refused():
                pass  # An answer behind its deadline, or one to an earlier life.
            case _:
                not_understood(message)

    # what people ask

    def _begin_import(self, request: StartImport) -> None:
        if request.window.surface is not Surface.CLI and not request.manages_server:
            reason = "only people who may manage the server can import the past"
            self.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))
            return
        if self._journal.state != "reading":
            if reason := self._note_state("reading"):
                self.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))
                return
            self._read, self._is_listed, self._unnoted = 0, False, None
            self._notes.clear()
            self._list()
        self.tell(request.reply_to, self._describe(request.request_id))

    def _end_import(self, request: StopImport) -> None:
        reason = self._note_state("stopped") if self._journal.state == "reading" else ""
        refused = Refused(request_id=request.request_id, reason=reason)
        self.tell(request.reply_to, refused if reason else self._describe(request.request_id))

    def _note_exported(self, windows: set[Window]) -> str:
        """Have readers and deletions of windows with messages of exports followed, in later lives too."""
        reason = self._write(lambda: self._journal.note_exported(windows))
        if not reason:
            self.tell(self._surface, NotePast(windows=tuple(windows)))
        return reason

    def _note_state(self, state: State) -> str:
        return self._write(lambda: self._journal.note_state(state))

    def _write(self, note: Callable[[], None]) -> str:
        """Write into the journal; the reason if the disk refuses, else empty."""
        try:
            with self.blocking():
                note()
        except OSError as error:
            return f"the progress of the import cannot be stored: {error.strerror}"
        return ""

    def _describe(self, request_id: RequestId) -> ImportDescribed:
        readings = self._journal.readings.values()
        state = "listing" if self._is_reading and not self._is_listed else self._journal.state
        took_s = self.monotonic() - self._began_s
        rate = self._read / took_s if self._is_reading and took_s > 0 else 0.0
        left = estimate_left(readings)
        return ImportDescribed(
            request_id=request_id,
            state=state,
            places=len(readings),
            places_done=sum(reading.is_done for reading in readings),
            kept=sum(reading.stored for reading in readings),
            read=self._read,
            estimate=left,
            per_second=round(rate, 1),
            left_s=round(left / rate, 1) if rate else 0.0,
            note="; ".join({**self._notes, **self._waits}),
        )

    @property
    def _is_reading(self) -> bool:
        return self._journal.state == "reading"

    # places

    def _list(self) -> None:
        self._began_s = self.monotonic()
        self.ask(self._surface, ListPast, PATIENCE_S, self._take_list)

    def _take_list(self, reply: PastListed | PastDelayed | Refused | None) -> None:
        match reply:
            case PastListed():
                self._notes = dict.fromkeys(reply.left_out)
                known = self._journal.readings
                fresh = [begin(place, known.get(place.window)) for place in reply.places]
                changed = [each for each in fresh if each != known.get(each.window)]
                if reason := self._write(lambda: self._journal.note(changed)):
                    self._unnoted = reply
                    self._come_back(AGAIN_S, reason)
                    return
                self.tell(self._surface, NotePast(windows=tuple(each.window for each in fresh)))
                self._is_listed, self._unnoted = True, None
                self._began_s = self.monotonic()
                self._places = {place.window for place in reply.places}
                self._go_on()
            case PastDelayed():
                self._come_back(reply.again_s, reply.reason)
            case Refused() | None:
                self._come_back(AGAIN_S, "Discord does not list its channels" if reply is None else reply.reason)
            case _:
                assert_never(reply)

    def _come_back(self, after_s: float, reason: str) -> None:
        """Go on later, and say why until then."""
        self._waits[reason] = None
        if self._timer is None:
            self._timer = self.after(after_s, ImportGoesOn())

    def _resume(self) -> None:
        """Note the progress that the disk refused, and go on."""
        self._timer = None
        self._waits.clear()
        for window, batch in list(self._busy.items()):
            if batch.stored is not None:
                self._advance(window, batch, batch.stored)
        self._go_on()

    def _go_on(self) -> None:
        """Read the places with the newest unread messages; end the import after the last place."""
        if not self._is_reading:
            return
        if not self._is_listed:
            if self._unnoted is None:
                self._list()
            else:
                self._take_list(self._unnoted)
            return
        if self._timer is None:
            self._delayed.clear()
        left = [each for each in newest_first(self._journal.readings) if each in self._places]
        for window in left:
            if len(self._busy) >= AT_ONCE:
                return
            if window not in self._busy and window not in self._delayed:
                reading = self._journal.readings[window]
                self._busy[window] = _Batch(reading, before=reading.before)
                self._read_page(window)
        if not left and not self._busy:
            if reason := self._note_state("done"):
                self._come_back(AGAIN_S, reason)
                return
            log.info("the past is imported: %d messages", sum(each.stored for each in self._journal.readings.values()))

    # one place

    def _read_page(self, window: Window) -> None:
        """Read the next page of a place, in its turn."""
        now_s = self.monotonic()
        at_s = max(now_s, self._next_page_s)
        self._next_page_s = at_s + PAGES_APART_S
        if at_s > now_s:
            self.after(at_s - now_s, ImportGoesOn(window=window))
        else:
            self._ask_for_page(window)

    def _ask_for_page(self, window: Window) -> None:
        batch = self._busy[window]
        make = partial(ReadPast, window=window, before=batch.before, after=batch.reading.after)
        self.ask(self._surface, make, PATIENCE_S, lambda reply: self._take_page(window, reply))

    def _take_page(self, window: Window, reply: PastRead | PastDelayed | Refused | None) -> None:
        batch = self._busy[window]
        match reply:
            case PastRead() if reply.is_last or 0 < reply.oldest < batch.before:
                batch.messages += reply.messages
                batch.before = min(batch.before, reply.oldest or batch.before)
                batch.read += len(reply.messages)
                batch.is_last, batch.audience = reply.is_last, reply.audience
                self._read += len(reply.messages)
                if reply.is_last or len(batch.messages) >= BATCH or not self._is_reading:
                    self._keep(window, batch)
                else:
                    self._read_page(window)
            case PastRead():
                self._delay(window, AGAIN_S, "Discord gave messages that were not asked for")
            case PastDelayed():
                self._delay(window, reply.again_s, reply.reason)
            case Refused():
                # Nothing more can be read there now; the next import tries again.
                self._notes[f"{window.address.key}: {reply.reason}"] = None
                self._places.discard(window)
                del self._busy[window]
                self._go_on()
            case None:
                self._delay(window, AGAIN_S, "Discord does not answer")
            case _:
                assert_never(reply)

    def _delay(self, window: Window, after_s: float, reason: str) -> None:
        """Give up the pending step of a place, and read the place again later."""
        del self._busy[window]
        self._delayed.add(window)
        self._come_back(after_s, reason)
        self._go_on()

    def _keep(self, window: Window, batch: _Batch) -> None:
        if not batch.messages:
            batch.stored = 0
            self._advance(window, batch, 0)
            return

        def take(stored: int, reason: str) -> None:
            if reason:
                self._delay(window, AGAIN_S, reason)
                return
            batch.stored = stored
            ids = tuple(message.message_id for message in batch.messages)
            self.tell(self._surface, SettlePast(window=window, message_ids=ids))
            self._advance(window, batch, stored)

        self._keeper.keep(window, batch.messages, batch.audience, take)

    def _advance(self, window: Window, batch: _Batch, stored: int) -> None:
        """Note the messages as logged, and go on; if the disk refuses the note, only the note is repeated later."""
        newest = max((int(message.message_id) for message in batch.messages), default=0)
        fresh = batch.reading.take(batch.before, newest, len(batch.messages), stored, is_last=batch.is_last)
        if reason := self._write(lambda: self._journal.note([fresh])):
            self._come_back(AGAIN_S, reason)
            return
        del self._busy[window]
        self._go_on()
