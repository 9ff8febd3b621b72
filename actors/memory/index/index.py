"""Repository of the index: turns, windows, logs, and notes about the index itself."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import apsw

from actors.memory.derived.database import DerivedDatabase
from actors.memory.index import database
from actors.memory.index.pending import Pending
from actors.memory.index.seal import key_of_log
from actors.memory.index.session import IndexSession, milliseconds
from actors.memory.index.turns import Turns
from domain.memory.remembered import Entry
from messages.base import Window
from messages.forget import ForgottenEvent

log = logging.getLogger(__name__)

MERGED_PAGES = 100
"""Pages of the keyword index merged at a time; words of dropped rows may stand there until then."""
ORPHANS_AT_ONCE = 4_096
"""Vectors examined at a time."""
_DROP_ORPHANS = (
    "DELETE FROM vectors WHERE id BETWEEN ? AND ? AND space = ? "
    "AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.vector = vectors.id)"
)
_ROW_OF_EVENT = (
    "SELECT turns.id FROM turns JOIN files ON files.id = turns.file WHERE files.path = ? AND line = ? AND event = ?"
)


@dataclass(frozen=True, slots=True)
class Counts:
    """Row counts."""

    rows: int
    ok: int
    pending: int
    failed: int
    set_aside: int
    """Failed turns for which no vector can be made."""
    pins: int
    windows: int
    vectors: int
    damaged_logs: int


class Index:
    """The open index; each changing method is a transaction. A row's number never comes back."""

    def __init__(self, connection: apsw.Connection, file: DerivedDatabase | None = None) -> None:
        self._file = file
        """File to close at the end; None if the index is only read."""
        self._session = IndexSession(connection)
        self._turns = Turns(self._session)
        self.pending = Pending(self._session)
        self._version = self._data_version()

    @classmethod
    def open(cls, path: Path, now: datetime, busy_ms: int = database.SCHEMA.busy_ms) -> tuple[Index, bool]:
        """(index at `path`, True if new). Raises as `database.open_or_rebuild`."""
        file = database.open_or_rebuild(path, now, busy_ms)
        index = cls(file.connection, file)
        if index.note_of("generation") is None:
            index.note("generation", milliseconds(now))
        return index, file.is_new

    @property
    def connection(self) -> apsw.Connection:
        """For reading."""
        return self._session.connection

    @property
    def space(self) -> int:
        """Number of the vector space in use; 0 for a space without vectors."""
        return self._session.space

    def close(self) -> None:
        """Close the file, with a note of its state. Idempotent."""
        try:
            # What another program wrote is not to count as ours at the next start.
            if not self.connection.readonly("main") and not self.is_written_by_others():
                database.seal_rest(self.connection)
        except apsw.Error as error:
            log.info("the memory index is closed without a sum: %s", error)
        if self._file is not None:
            self._file.close()
        self.connection.close()

    @property
    def is_in_place(self) -> bool:
        """True if the path still names the opened file."""
        return self._file is None or self._file.is_in_place

    def is_written_by_others(self) -> bool:
        """True if another program has written into the file since the opening. The check takes a few microseconds."""
        return self._data_version() != self._version

    def _data_version(self) -> int:
        """Number that changes with each commit of other connections only."""
        return int(self._session.one("PRAGMA data_version"))

    # what it notes about itself

    def is_verified(self) -> bool:
        """True if everything was compared since the last crash."""
        return self.note_of(database.UNVERIFIED) is None

    def note_verified(self) -> None:
        """Note the index as verified against the logs."""
        self._session.rows("DELETE FROM meta WHERE key = ?", database.UNVERIFIED)

    def note_of(self, key: str) -> int | str | None:
        """Value of a note; None if the note was never made."""
        value = self._session.one("SELECT value FROM meta WHERE key = ?", key)
        return value if isinstance(value, int | str) else None

    def note(self, key: str, value: int | str) -> None:
        """Keep a note."""
        self._session.rows(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value", key, value
        )

    def use_space(self, name: str, dimensions: int) -> bool:
        """Give all turns vectors of the given space; True if the space has changed."""
        with self._session.changing():
            self._session.rows("INSERT OR IGNORE INTO spaces(name, dimensions) VALUES (?, ?)", name, dimensions)
            self.find_space(name, dimensions)
            before = self.note_of("space")
            if before != self.space:
                self.note("space", self.space)
                self.pending.start_over()
        return before not in (None, self.space)

    def find_space(self, name: str, dimensions: int) -> None:
        """Use the given space's vectors, if any, without a change."""
        statement = "SELECT id FROM spaces WHERE name = ? AND dimensions = ?"
        self._session.space = self._session.one(statement, name, dimensions) or 0

    # what was said

    def remember(self, window: Window, entries: Iterable[Entry]) -> tuple[list[int], list[int]]:
        """Store entries; numbers of the new rows, and of the rows removed.

        Known entries have no effect. A turn with an already embedded text has its vector at once.
        """
        with self._session.changing():
            return self._turns.add(window, entries)

    def forget(self, rows: Sequence[int]) -> None:
        """Drop rows; their vectors stay for a text that comes back."""
        if rows:
            with self._session.changing():
                for row in rows:
                    self._turns.drop(row)

    def forget_sources(self, path: str, first_line: int, last_line: int, retained: frozenset[int]) -> None:
        """Drop what pins and tombstones between two lines of a log once said, but for those on the lines `retained`."""
        for table in ("pins", "tombstones"):
            records = self._session.rows(
                f"SELECT source_line FROM {table} WHERE source_path = ? AND source_line BETWEEN ? AND ?",
                *(path, first_line, last_line),
            )
            self._turns.drop_sources(path, (line for (line,) in records if line not in retained))

    def take_out(self, events: Iterable[ForgottenEvent]) -> list[int]:
        """Drop the rows of forgotten events, and their pins; the rows gone."""
        gone: list[int] = []
        with self._session.changing():
            for event in events:
                rows = self._session.rows(_ROW_OF_EVENT, event.path, event.line, event.event_id)
                gone.extend(row for (row,) in rows)
                self._turns.drop_sources(event.path, (event.line,))
            for row in gone:
                self._turns.drop(row)
        return gone

    def scrub(self) -> Iterator[None]:
        """Leave no word and no vector of dropped rows in the file, in steps of some hundredths of a second.

        Raises:
            apsw.BusyError: another program reads the file.
            OSError: an unusable index that was moved aside cannot be removed.
        """
        yield from self._drop_orphans()
        before = -1
        while self.connection.total_changes() - before > 1:  # FTS5's own sign that there is no more to merge
            before = self.connection.total_changes()
            self._session.rows("INSERT INTO words(words, rank) VALUES ('merge', ?)", -MERGED_PAGES)
            yield
        if self._file is not None:
            self._file.scrub()

    def _drop_orphans(self) -> Iterator[None]:
        """Delete vectors of texts without a turn."""
        space = self._session.space
        self._session.rows("DELETE FROM vectors WHERE space <> ? AND hash NOT IN (SELECT hash FROM turns)", space)
        last = int(self._session.one("SELECT max(id) FROM vectors") or 0)
        for first in range(0, last + 1, ORPHANS_AT_ONCE):
            self._session.rows(_DROP_ORPHANS, first, first + ORPHANS_AT_ONCE - 1, space)
            yield

    def between(self, path: str, first_line: int, last_line: int) -> dict[int, tuple[int, str, bytes]]:
        """Line -> (row, event id, hash) of the turns of a log between two lines, both included."""
        return self._turns.between(path, first_line, last_line)

    def latest(self, window: Window, count: int) -> list[tuple[int, str, str, int]]:
        """Row, event id, turn id and a flag for pinned, of the window's newest turns, newest first."""
        return self._session.rows(
            "SELECT id, event, turn, pinned FROM turns WHERE window = (SELECT id FROM windows WHERE key = ?) "
            "ORDER BY timestamp DESC, id DESC LIMIT ?",
            *(window.address.key, count),
        )

    def said_at(self, path: str, line: int) -> str | None:
        """Key of the window of the turn at the given place; None without a turn there."""
        there = self._session.one(
            "SELECT 1 FROM turns JOIN files ON files.id = turns.file WHERE files.path = ? AND line = ?", path, line
        )
        return key_of_log(path) if there else None

    # windows and their logs

    def number(self, window: Window) -> int:
        """The window's number; 0 for an unknown window."""
        return int(self._session.one("SELECT id FROM windows WHERE key = ?", window.address.key) or 0)

    def redacted_logs(self) -> list[str]:
        """Logs with retracted words."""
        return [path for (path,) in self._session.rows("SELECT DISTINCT path FROM tombstones")]

    def file_state(self, path: str) -> tuple[int, int, str] | None:
        """Size, change time in ns and damage of a log at its last comparison; None for never."""
        records = self._session.rows("SELECT size, mtime_ns, damage FROM files WHERE path = ?", path)
        return records[0] if records and records[0][0] != -1 else None

    def note_file(self, window: Window, path: str, size: int, mtime_ns: int, damage: str) -> None:
        """Note the whole comparison of a log."""
        with self._session.changing():
            file = self._session.file(path, self._session.window(window))
            self._session.rows(
                "UPDATE files SET size = ?, mtime_ns = ?, damage = ? WHERE id = ?", size, mtime_ns, damage, file
            )

    def known_files(self) -> list[str]:
        """Paths of all logs with rows."""
        return [path for (path,) in self._session.rows("SELECT path FROM files ORDER BY path")]

    def forget_file(self, path: str) -> list[int]:
        """Drop all rows from a log; the rows gone."""
        with self._session.changing():
            statement = "SELECT turns.id FROM turns JOIN files ON files.id = turns.file WHERE files.path = ?"
            rows = [row for (row,) in self._session.rows(statement, path)]
            for row in rows:
                self._turns.drop(row)
            for table in ("pins", "tombstones"):
                self._session.rows(f"DELETE FROM {table} WHERE source_path = ?", path)
            self._session.rows("DELETE FROM files WHERE path = ?", path)
        self._session.forget_numbers()
        return rows

    def empty(self) -> None:
        """Forget all but the vectors, to be filled from the logs again; row numbers start anew."""
        with self._session.changing():
            for table in ("turns", "pins", "tombstones", "files", "windows", "sqlite_sequence"):
                self._session.rows(f"DELETE FROM {table}")
            self._session.rows("INSERT INTO words(words) VALUES ('delete-all')")
            self._session.rows("DELETE FROM meta WHERE key = 'reconciled_at'")
            self.note("generation", int(self.note_of("generation") or 0) + 1)
        self._session.forget_numbers()

    def is_coherent(self) -> bool:
        """True if the keyword index has as many rows as there are turns; otherwise another program changed the file."""
        return bool(self._session.one("SELECT (SELECT count(*) FROM turns) = (SELECT count(*) FROM words_docsize)"))

    def counts(self) -> Counts:
        """Counts of rows by kind and state."""
        with_vector = self._session.one("SELECT count(*) FROM turns WHERE vector IS NOT NULL")
        without, failed = self.pending.count(), self.pending.count_failed()
        return Counts(
            rows=with_vector + without,
            ok=with_vector,
            pending=without - failed,
            failed=failed,
            set_aside=self.pending.count_set_aside(),
            pins=self._session.one("SELECT count(*) FROM turns WHERE pinned = 1"),
            windows=self._session.one("SELECT count(*) FROM windows"),
            vectors=self._session.one("SELECT count(*) FROM vectors"),
            damaged_logs=self._session.one("SELECT count(*) FROM files WHERE damage <> ''"),
        )
