"""Statements and transactions on the index's single connection."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import apsw

from actors.memory.derived.database import transaction
from messages.base import Window

MOST_NUMBERS = 4_096
"""Most windows, and files, with cached numbers: enough for active windows, not for all."""
_VECTORS = "SELECT hash, id FROM vectors WHERE space = ? AND hash IN (SELECT unhex(value) FROM json_each(?))"


class IndexSession:
    """Database session: the connection, with cached numbers of windows and files."""

    def __init__(self, connection: apsw.Connection, most_numbers: int = MOST_NUMBERS) -> None:
        """A session without numbers.

        Args:
            connection: Connection of the index.
            most_numbers: Most windows, and files, with cached numbers.
        """
        self.connection = connection
        self._most_numbers = most_numbers
        self.space = 0
        """Number of the vector space in use; 0 before any."""
        self._windows: dict[str, int] = {}
        self._files: dict[str, int] = {}

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Begin a transaction, all or nothing; a nested call joins the outer transaction."""
        try:
            with transaction(self.connection):
                yield
        except BaseException:
            # Numbers that the transaction gave are taken back with it.
            self.forget_numbers()
            raise

    def rows(self, statement: str, *values: apsw.SQLiteValue) -> list[Any]:
        """All rows of a statement: a statement that returns rows ends only when all are fetched."""
        return list(self.connection.execute(statement, values))

    def many(self, statement: str, values: Iterable[Sequence[apsw.SQLiteValue]]) -> list[Any]:
        """All rows of a statement run for each of `values`."""
        return list(self.connection.executemany(statement, values))

    def one(self, statement: str, *values: apsw.SQLiteValue) -> Any:
        """The first value of the first row; None without rows."""
        rows = self.rows(statement, *values)
        return rows[0][0] if rows else None

    def window(self, window: Window) -> int:
        """The window's number; a new window gets a number."""
        key = window.address.key
        if key not in self._windows:
            if len(self._windows) >= self._most_numbers:
                self._windows.clear()
            self.rows("INSERT OR IGNORE INTO windows(key, context_id) VALUES (?, ?)", key, window.id)
            self._windows[key] = self.one("SELECT id FROM windows WHERE key = ?", key)
        return self._windows[key]

    def file(self, path: str, window: int) -> int:
        """A log's number; a new log gets a number."""
        if path not in self._files:
            if len(self._files) >= self._most_numbers:
                self._files.clear()
            self.rows("INSERT OR IGNORE INTO files(path, window) VALUES (?, ?)", path, window)
            self._files[path] = self.one("SELECT id FROM files WHERE path = ?", path)
        return self._files[path]

    def vectors(self, hashes: Sequence[bytes]) -> dict[bytes, int]:
        """Numbers of the texts' vectors in the space in use, by the texts' hashes."""
        if not self.one("SELECT 1 FROM vectors WHERE space = ? LIMIT 1", self.space):
            return {}
        return dict(self.rows(_VECTORS, self.space, json.dumps([hash_.hex() for hash_ in hashes])))

    def forget_numbers(self) -> None:
        """Look up numbers of windows and files anew."""
        self._windows.clear()
        self._files.clear()


def moment(ms: int) -> datetime:
    """Time of milliseconds since the epoch, the index's form."""
    return datetime.fromtimestamp(ms / 1000, UTC)


def milliseconds(at: datetime) -> int:
    """Milliseconds since the epoch, as the index keeps moments."""
    return int(at.timestamp() * 1000)
