"""Write-ahead journal: a window's log together with its conversation, so the two cannot drift apart."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TypeVar

from actors.context.log.descriptor import OpenLogs
from actors.context.log.file import LogUnwritable, WindowLog, is_ended
from actors.context.log.forgetting import remove_drafts, renew_copies, take_out
from actors.context.log.imported import ImportedLogs, records_of
from actors.context.log.redactions import Redactions
from actors.context.log.scan import log_names
from actors.context.log.turn_events import TurnEvents
from actors.linux.disk import Disk, RealDisk
from actors.linux.regular_file import read_regular
from domain.log.event import Event, Kind
from domain.log.forgotten import Forgotten
from domain.log.off_record import OffRecord
from domain.log.parser import ParsedEvent, ParsedLog, parse
from domain.log.redaction import tombstones_in
from domain.log.tail import message_numbers
from domain.log.window import log_folder
from domain.turn.conversation import Conversation, fold_events
from domain.turn.forgetting.fold import fold_log
from domain.turn.forgetting.scope import Chosen
from domain.turn.posting import is_posting
from domain.turn.spoken import all_turns, spoken_turns
from messages.base import TurnId, Value, Window, make_ready
from messages.turn import SpokenTurn

__all__ = ["Journal", "LogPosition", "LogUnwritable"]

log = logging.getLogger(__name__)
T = TypeVar("T")


class LogPosition(Value, frozen=True, kw_only=True, gc=False):
    """Position of a written event."""

    path: str
    """POSIX path below the data root; empty without a log."""
    line: int
    """Line of the event's heading, from 1; 0 where no log is kept."""


class Journal:
    """Writer of every event into the log first, then into the conversation.

    Without a root no event is kept, as in the command line's single turn.
    """

    def __init__(
        self,
        root: Path | None,
        window: Window,
        max_history_tokens: int,
        disk: Disk | None = None,
        *,
        counted_result_chars: int | None = None,
        awaits_cuts: bool = False,
    ) -> None:
        """Begin without an open log.

        Args:
            root: The data root; None to keep no log.
            window: Window of the log.
            max_history_tokens: As of `Conversation`.
            disk: Writes the files; the real disk if None.
            counted_result_chars: As of `Conversation`.
            awaits_cuts: As of `Conversation`.
        """
        self.root = root
        self._disk = disk
        self._window = window
        self.turn_events = TurnEvents()
        self.off_record = OffRecord()
        self._log: WindowLog | None = None
        self.open_logs = OpenLogs(1)
        """Open logs of all windows, once shared; until then only this window's log."""
        self.redactions = Redactions(root, disk)
        self.imported = None if root is None else ImportedLogs(root, window, disk)
        """Messages of the window's past; None without a log."""
        self.conversation = Conversation(max_history_tokens, counted_result_chars, awaits_cuts=awaits_cuts)

    @property
    def is_open(self) -> bool:
        """True if there is a log to write to."""
        return self.root is None or self._log is not None

    def may_hold(self, message_ids: Collection[str]) -> bool:
        """True if there is a log to write to, or an imported log that may hold a message. Raises as `past`."""
        return self.is_open or (self.imported is not None and self.imported.may_hold(message_ids))

    @property
    def path(self) -> str:
        """The log's path below the data root; empty without a log."""
        if self._log is None or self.root is None:
            return ""
        return self._log.path.relative_to(self.root).as_posix()

    def open(self) -> None:
        """Read the window's newest log, if there is a log.

        Raises:
            LogUnwritable: the log cannot be read, or not be made ready for writing.
        """
        self.close()
        self.turn_events, self.off_record = TurnEvents(), OffRecord()
        self.conversation = self.conversation.make_empty()
        if self.root is None:
            return
        try:
            newest = self._with_room(partial(WindowLog.open_newest, self.root, self._window, self._disk))
        except LogUnwritable:
            raise
        except OSError as error:
            raise LogUnwritable(self.root, f"its folders cannot be read: {error.strerror}") from error
        if newest is None:
            return
        self._log, parsed = newest
        self._log.share(self.open_logs)
        for gap in parsed.damage:
            log.warning("%s:%d: %d bytes skipped: %s", self.path, gap.line, gap.length, gap.reason)
        fold_log(self.conversation, parsed)
        after = parsed.header.after if parsed.header is not None else None
        self.conversation.seen.raise_floor(self._newest_of_earlier() if after is None else after)
        self.redactions.restore(tombstones_in(logged.event for logged in parsed.events))
        self.redactions.follow(self.path)
        self.off_record.recall([logged.event for logged in parsed.events])
        self.turn_events.read(self.conversation, parsed.events, self.path)

    def has_logged(self, message_id: str) -> bool:
        """True if a log of the window has this message; always False for an id that is no number.

        Raises:
            LogUnwritable: a log that must be searched cannot be read.
        """
        if not message_id.isdecimal():
            return False
        seen = self.conversation.seen
        return message_id in seen or (seen.is_in_doubt(message_id) and message_id in self._message_ids((message_id,)))

    def has_posted(self, message_ids: Collection[str], *, is_late: bool) -> bool:
        """True if a readable log of the window records any of these messages as posted by the runtime.

        Args:
            message_ids: Ids of a posting.
            is_late: True if an earlier log may hold the record.
        """
        is_known = self.conversation.has_shown(message_ids)
        if is_known or not is_late:
            return is_known
        try:
            logs = (parsed for _, parsed in self.past_logs(message_ids))
            return any(is_posting(each, message_ids) for parsed in logs for each in records_of(parsed))
        except LogUnwritable as error:  # rather twice in the logs than never, and than no log at all
            log.warning("whether a posting is logged already is not known: %s", error)
            return False

    def _newest_of_earlier(self) -> int:
        """Greatest message id of the window's logs, 0 without older logs: the newest log's greatest id is known."""
        if self.root is None or self._log is None:
            return 0
        folder = self.root / log_folder(self._window)
        try:
            is_only_one = len(log_names(folder)) < 2
        except OSError as error:
            raise LogUnwritable(folder, f"cannot be read: {error.strerror}") from error
        return 0 if is_only_one else max(map(int, self._message_ids()), default=0)

    def _message_ids(self, naming: Collection[str] = ()) -> set[str]:
        """Numbers of messages in the window's logs, imported ones excepted, or only in logs with any of the words."""
        return {number for _, parsed in self._lived_logs(naming) for number in message_numbers(parsed)}

    def past(self, naming: Collection[str] = ()) -> Iterator[tuple[str, ParsedEvent]]:
        """Every event of the window's logs with its file's path below the data root, oldest first.

        Args:
            naming: Words: a log must hold at least 1; imported logs are searched for given words only, and first.

        Raises:
            LogUnwritable: a log cannot be read.
        """
        for path, parsed in self.past_logs(naming) if naming else self._lived_logs(naming):
            for logged in parsed.events:
                yield path, logged

    def past_logs(self, naming: Collection[str] = ()) -> Iterator[tuple[str, ParsedLog]]:
        """Every log of the window with its path below the data root, imported logs first. Arguments as of `past`."""
        if self.imported is not None:
            yield from self.imported.past_logs(naming)
        yield from self._lived_logs(naming)

    def _lived_logs(self, naming: Collection[str]) -> Iterator[tuple[str, ParsedLog]]:
        if self.root is None:
            return
        folder = log_folder(self._window)
        try:
            for name in log_names(self.root / folder):
                data = read_regular(self.root / folder / name)
                if not naming or any(each.encode() in data for each in naming):
                    yield (folder / name).as_posix(), parse(data)
        except OSError as error:
            raise LogUnwritable(self.root / folder, f"cannot be read: {error.strerror}") from error

    def forget(self, chosen: Chosen, forget_id: str) -> None:
        """Take words out of the window's logs, and read the newest log again.

        Raises:
            LogUnwritable: some of the words may still be there; open again before the next write.
        """
        if self.root is None:
            return
        disk = self._disk or RealDisk()
        try:
            remove_drafts(self.root, self._window, disk)
            if not chosen:
                renew_copies(self.root, self._window, disk)
                return
            self.close()
            take_out(self.root, self._window, chosen, forget_id, disk)
        except OSError as error:
            folder = self.root / log_folder(self._window)
            raise LogUnwritable(folder, f"words cannot be taken out: {error.strerror}") from error
        off_record = self.off_record
        self.open()
        self.off_record = off_record
        fold_events(self.conversation, off_record.in_hand())  # which no log has

    def read_spoken(self, path: str, first: TurnId, last: TurnId) -> tuple[SpokenTurn, ...]:
        """Words of a section of a log of the window, as by `domain.turn.spoken`.

        Args:
            path: Of the log, below the data root.
            first: First turn of the section; empty for the log's first.
            last: Last turn of the section; empty for the last finished turn.

        Raises:
            ValueError: the path is no log of this window's.
            LogUnwritable: the log cannot be read.
        """
        if self.root is None:
            return spoken_turns(self.conversation, path, {}, first, last)
        folder = log_folder(self._window)
        name = PurePosixPath(path).name
        if (folder / name).as_posix() != path:
            raise ValueError(f"log {path[:200]!r}: must be one of {folder}")
        try:
            events = parse(read_regular(self.root / path)).events
        except OSError as error:
            raise LogUnwritable(self.root / path, f"cannot be read: {error.strerror}") from error
        lines = {TurnId(logged.event.id): logged.line for logged in events if logged.event.kind is Kind.USER}
        return spoken_turns(all_turns(logged.event for logged in events), path, lines, first, last)

    def newest_first(self) -> Iterator[Iterator[Event | Forgotten]]:
        """Events and forgotten records of each of the window's logs, the newest log first; imported logs come last.

        Raises:
            LogUnwritable: a log cannot be read.
        """
        if self.root is None:
            return
        folder = self.root / log_folder(self._window)
        try:
            for name in reversed(log_names(folder)):
                yield records_of(parse(read_regular(folder / name)))
        except OSError as error:
            raise LogUnwritable(folder, f"cannot be read: {error.strerror}") from error
        if self.imported is not None:
            yield from self.imported.events()

    def start(
        self,
        at: datetime,
        opened_by: str,
        carried: Collection[Event] = (),
        last_words: Callable[[], None] = lambda: None,
    ) -> str:
        """Begin a new log with a new conversation, ending the previous log; return the path.

        Args:
            at: Aware.
            opened_by: Requester of the log.
            carried: First events of the new log. Once they are on the disk, the window has begun anew.
            last_words: Called then, to record the end of the previous log in it.

        Raises:
            LogUnwritable: there is no new log, and the state is unchanged.
        """
        if self.root is None:
            last_words()
            self._begin_conversation(carried)
            return ""
        try:
            after = self.conversation.seen.newest or None
            fresh = self._with_room(
                partial(WindowLog.create, self.root, self._window, at, opened_by, self._disk, carried, after=after)
            )
        except LogUnwritable:
            raise
        except OSError as error:
            raise LogUnwritable(self.root, f"its folders cannot be used: {error.strerror}") from error
        try:
            last_words()
            if self._log is not None:
                self._log.end_window()
        except LogUnwritable as error:
            log.warning("%s is not ended as it should be: %s", self.path, error.reason)
            self.close()
        self._log = fresh
        self._log.share(self.open_logs)
        self._begin_conversation(carried)
        return self.path

    def _begin_conversation(self, carried: Collection[Event]) -> None:
        self.off_record.begin_anew()
        self.conversation, before = self.conversation.make_empty(), self.conversation
        self.conversation.seen = before.seen  # a replayed message of the old window is no news in the new one
        for event in carried:
            self.conversation.add(event)

    def end_before(self, last_words: Callable[[Conversation], Iterable[Event]]) -> None:
        """End the log before the newest, if a life ended between the two: its turns end there, and no event follows.

        A failure is logged for the operator and delays no turn.

        Args:
            last_words: Gives the events to add, from the conversation of that log.
        """
        if self.root is None or self._log is None:
            return
        folder = log_folder(self._window)
        try:
            names = log_names(self.root / folder)
            if len(names) < 2 or is_ended(self.root / folder / names[-2]):
                return
            before, parsed = WindowLog.open(self.root, folder / names[-2], self._disk)
            try:
                before.append(*last_words(fold_log(self.conversation.make_empty(), parsed)))
                before.end_window()
            finally:
                before.close()
        except OSError as error:
            log.warning("the log before %s is not ended as it should be: %s", self.path, error)

    def write(self, event: Event, *, sync: bool) -> LogPosition:
        """Append `event`, wait for the disk if `sync`, and return its position.

        Before each synced event, which has effects outside, the log is checked for changes by other processes: an
        answer or a command recorded only in a replaced file would be given or run again. Other events lost
        with a replaced file are found to be missing.

        Args:
            event: Event to append.
            sync: True to wait.

        Raises:
            LogUnwritable: the event is not stored and has no effect here; open the log again before the next write.
        """
        if self.root is None:
            self.conversation.add(event)
            return LogPosition(path="", line=0)
        if self._log is None:
            raise LogUnwritable(self.root, f"window {self._window.id} has no open log")
        line = 0
        if (reduced := self.off_record.reduce(event)) is not None:
            line = self._log.append(reduced, is_looked_at=sync)[0].line
        if sync:
            self._log.sync()
        self.conversation.add(event)
        self.redactions.follow(self.path)
        return LogPosition(path=self.path, line=line)

    def _with_room(self, opens: Callable[[], T]) -> T:
        """Result of `opens`, tried a second time if descriptors had run out and some could be closed."""
        try:
            return opens()
        except LogUnwritable as error:
            if not self.open_logs.make_room(error.__cause__):
                raise
            return opens()

    def close(self) -> None:
        """Release the file; a second call does nothing."""
        ended, self._log = self._log, None
        if ended is not None:
            ended.close()


make_ready(__name__)
