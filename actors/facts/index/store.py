"""Open index of the facts: rows put, dropped and found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from actors.facts.index.database import SCHEMA
from actors.facts.index.matrices import MOST_BYTES, Key, Matrices, VectorError, VectorRow, vector_of
from actors.memory.derived.database import DerivedDatabase, transaction
from actors.memory.derived.owner import DamageError, RefusalError
from messages.facts import ChangeRows, EntryRole, FetchRows, FindRows, FoundRow, IndexRow, KnownRow

_KNOWN = ("id", "path", "digest", "conversation", "role", "created_at", "summary_kind", "model")
_FETCHED = ("id", "path", "digest", "conversation", "role", "created_at", "summary_kind", "replaced_by", "content")
_COLUMNS = ("id", "conversation", "role", "created_at", "content", "vector")
_VECTOR = "number, id, role, created_at, vector"
_PUT = (
    "INSERT INTO entries(id, path, digest, conversation, role, created_at, summary_kind, replaced_by, model, content, "
    "vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_FIND = f"SELECT number, {', '.join(_COLUMNS)} FROM entries WHERE number IN (SELECT value FROM json_each(?))"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
R = TypeVar("R", KnownRow, IndexRow, FoundRow)


class FactStore:
    """Owner of an open database, and of the vectors in memory."""

    def __init__(
        self, path: Path | None, now: datetime, *, is_damaged: bool = False, most_bytes: int = MOST_BYTES
    ) -> None:
        """Open the store.

        Args:
            path: Of the file; None to keep everything in memory.
            now: The time.
            is_damaged: True if damage was found, so the file is begun anew.
            most_bytes: Of vectors in memory.

        Raises:
            apsw.Error: the file is locked, or the disk does not take it.
            OSError: the folder cannot be made or written.
        """
        self.file = DerivedDatabase(SCHEMA, path, now, is_doubtful=is_damaged)
        self._connection = self.file.connection
        self._matrices = Matrices(self._vectors, most_bytes)

    # rows

    def rows(self) -> tuple[KnownRow, ...]:
        """All rows, without contents.

        Raises:
            DamageError: a row cannot be read.
        """
        every = self._connection.execute(f"SELECT {', '.join(_KNOWN)} FROM entries")
        return tuple(_row(KnownRow, _KNOWN, each) for each in every)

    def fetch(self, message: FetchRows) -> tuple[IndexRow, ...]:
        """Rows by their ids, without vectors.

        Raises:
            DamageError: a row cannot be read.
        """
        one = f"SELECT {', '.join(_FETCHED)} FROM entries WHERE id = ?"
        every = (row for entry_id in message.ids for row in self._connection.execute(one, (entry_id,)))
        return tuple(_row(IndexRow, _FETCHED, each) for each in every)

    def change(self, message: ChangeRows) -> None:
        """Drop and put rows.

        Raises:
            RefusalError: a row cannot be kept; then no change is made.
            UnicodeEncodeError: a text is not valid Unicode; then no change is made.
            apsw.Error: the write fails; then no change is made.
        """
        for row in message.put:
            _check(row, message.model)
        notes: list[tuple[Key, str | VectorRow]] = []
        with transaction(self._connection):
            for entry_id in message.drop:
                notes += self._drop("id", entry_id)
            for row in message.put:
                notes += self._put(row, message.model)
        for key, note in notes:
            if isinstance(note, VectorRow):
                self._matrices.put(key, note)
            else:
                self._matrices.drop(key, note)

    def find(self, message: FindRows) -> tuple[FoundRow, ...]:
        """The nearest rows of each scope.

        Raises:
            RefusalError: the question's vector is invalid.
            DamageError: a row cannot be read.
        """
        try:
            question = vector_of(message.vector)
        except VectorError as error:
            raise RefusalError(f"the question's vector: {error}") from error
        near = list[tuple[int, float]]()
        for scope in message.scopes:
            try:
                matrix = self._matrices.of((scope, message.model, len(message.vector)))
            except VectorError as error:
                raise DamageError(f"a vector of {scope!r}: {error}") from error
            near += matrix.nearest(question, message.per_scope, message.roles, message.without)
        return self._fetch_found(near)

    def figures(self) -> tuple[tuple[str, int], ...]:
        """Counts and sizes of the index."""
        ((rows,),) = self._connection.execute("SELECT count(*) FROM entries")
        ((bare,),) = self._connection.execute("SELECT count(*) FROM entries WHERE model = '' AND role <> 'summary'")
        return ("rows", rows), ("without_vector", bare), ("vectors_in_memory_bytes", self._matrices.size_bytes)

    # one row

    def _put(self, row: IndexRow, model: str) -> Iterator[tuple[Key, str | VectorRow]]:
        vector, space = row.vector, model if row.vector else ""
        if not vector:
            same = "SELECT vector, model FROM entries WHERE id = ? AND content = ?"
            for stored, kept_model in self._connection.execute(same, (row.id, row.content)):
                if kept_model == model or not model:
                    vector, space = stored, kept_model
        yield from self._drop("id", row.id)
        yield from self._drop("path", row.path)
        at = (row.created_at - _EPOCH) // _TICK
        values = (
            *(row.id, row.path, row.digest, row.conversation, row.role.value, at),
            *(row.summary_kind, row.replaced_by, space, row.content, vector),
        )
        list(self._connection.execute(_PUT, values))
        if vector:
            number = self._connection.last_insert_rowid()
            yield (row.conversation, space, len(vector)), VectorRow(number, row.id, row.role, at, vector)

    def _drop(self, column: str, value: str) -> Iterator[tuple[Key, str]]:
        gone = f"DELETE FROM entries WHERE {column} = ? RETURNING conversation, model, length(vector), id"
        for conversation, model, size, entry_id in list(self._connection.execute(gone, (value,))):
            yield (conversation, model, size), entry_id

    def _vectors(self, key: Key) -> Iterable[VectorRow]:
        of_scope = f"SELECT {_VECTOR} FROM entries WHERE conversation = ? AND model = ? AND length(vector) = ?"
        for number, entry_id, role, at, vector in self._connection.execute(of_scope, key):
            try:
                yield VectorRow(number, entry_id, EntryRole(role), at, vector)
            except ValueError as error:
                raise DamageError(f"row {entry_id!r}: {error}") from error

    def _fetch_found(self, near: list[tuple[int, float]]) -> tuple[FoundRow, ...]:
        """Rows by number and cosine, in their order."""
        numbers = msgspec.json.encode([number for number, _ in near]).decode()
        rows = {number: row for number, *row in self._connection.execute(_FIND, (numbers,))}
        if lost := [number for number, _ in near if number not in rows]:
            raise DamageError(f"row {lost[0]} is not there any more")
        return tuple(_row(FoundRow, (*_COLUMNS, "cosine"), (*rows[number], cosine)) for number, cosine in near)


def _row(kind: type[R], names: Sequence[str], values: Sequence[Any]) -> R:
    """A row of the file as a message.

    Raises:
        DamageError: the row's content was altered.
    """
    fields = dict(zip(names, values, strict=True))
    try:
        fields["created_at"] = _EPOCH + fields["created_at"] * _TICK
        return msgspec.convert(fields, kind, builtin_types=(bytes, datetime))
    except (ValueError, TypeError, OverflowError) as error:  # msgspec's own are ValueErrors
        raise DamageError(f"row {fields['id']!r}: {error}") from error


def _check(row: IndexRow, model: str) -> None:
    """Return if a row can be kept.

    Raises:
        RefusalError: the row cannot be kept.
    """
    if row.created_at.utcoffset() != timedelta(0):
        raise RefusalError(f"row {row.id!r}: created_at is {row.created_at}: UTC is required")
    if not row.vector:
        return
    if not model:
        raise RefusalError(f"row {row.id!r}: it has a vector, so the vector's space must be named")
    try:
        vector_of(row.vector)
    except VectorError as error:
        raise RefusalError(f"row {row.id!r}: {error}") from error
