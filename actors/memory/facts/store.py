"""Open index of the facts: rows put, dropped and found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import apsw
import numpy as np

from actors.memory.facts.database import open_in_memory, open_or_begin
from actors.memory.facts.matrices import Key, Matrices, VectorRow
from actors.memory.index.sqlite_file import inode, is_in_place, transaction
from messages.facts import ChangeRows, EntryRole, FetchRows, FindRows, FoundRow, IndexRow, KnownRow

_PUT = (
    "INSERT INTO entries(id, path, digest, conversation, role, created_at, summary_kind, replaced_by, content, model, "
    "vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_UNIT = 0.02
"""How far a vector's length may be from 1."""


class RowError(ValueError):
    """A row or a vector that cannot be kept; the text names the value and the rule."""


class FactStore:
    """Owner of an open database, and of the vectors in memory."""

    def __init__(self, path: Path | None, now: datetime, *, is_doubtful: bool = False) -> None:
        """Open it.

        Args:
            path: Of the file; None to keep everything in memory.
            now: The time.
            is_doubtful: Whether damage was met with.

        Raises:
            apsw.Error: it is locked, or the disk does not take it.
            OSError: the folder cannot be made or written.
        """
        self._path = path
        self._connection = open_in_memory() if path is None else open_or_begin(path, now, is_doubtful=is_doubtful)
        self._inode = inode(path) if path is not None else (0, 0)
        self._matrices = Matrices(self._vectors)

    @property
    def is_in_place(self) -> bool:
        """Whether the file is still the one that is open."""
        return self._path is None or is_in_place(self._path, self._inode)

    def close(self) -> None:
        """Let go of it."""
        self._matrices.clear()
        self._connection.close()

    def rows(self) -> tuple[KnownRow, ...]:
        """All rows, without contents."""
        every = "SELECT id, path, digest, conversation, role, created_at, summary_kind, model FROM entries"
        return tuple(
            KnownRow(
                id=each,
                path=path,
                digest=digest,
                conversation=conversation,
                role=EntryRole(role),
                created_at=datetime.fromisoformat(at),
                summary_kind=kind,
                model=model,
            )
            for each, path, digest, conversation, role, at, kind, model in self._connection.execute(every)
        )

    def fetch(self, message: FetchRows) -> tuple[IndexRow, ...]:
        """Rows by their ids, without vectors."""
        found = (self._fetched(entry_id) for entry_id in message.ids)
        return tuple(row for row in found if row is not None)

    def change(self, message: ChangeRows) -> None:
        """Drop and put rows.

        Raises:
            RowError: one cannot be kept; then none is.
        """
        for row in message.put:
            _check(row, message.model)
        try:
            with transaction(self._connection):
                for entry_id in message.drop:
                    self._drop("id", entry_id)
                puts = [self._put(row, message.model) for row in message.put]
        except (apsw.Error, UnicodeEncodeError):
            self._matrices.clear()  # which may know of changes that are taken back
            raise
        for key, vector_row in puts:
            if vector_row.vector:
                self._matrices.put(key, vector_row)

    def find(self, message: FindRows) -> tuple[FoundRow, ...]:
        """The nearest rows of each scope.

        Raises:
            RowError: the question's vector is none.
        """
        _check_vector(message.vector, "the question's vector")
        roles, without = [role.value for role in message.roles], frozenset(message.without)
        found: list[FoundRow] = []
        for scope in message.scopes:
            matrix = self._matrices.of((scope, message.model, len(message.vector)))
            near = matrix.nearest(message.vector, message.per_scope, roles, without)
            found += [row for each, cosine in near if (row := self._found(each.number, cosine)) is not None]
        return tuple(found)

    def figures(self) -> tuple[tuple[str, int], ...]:
        """How much there is."""
        ((rows,),) = self._connection.execute("SELECT count(*) FROM entries")
        ((bare,),) = self._connection.execute("SELECT count(*) FROM entries WHERE vector = x'' AND role <> 'summary'")
        return ("rows", rows), ("without_vector", bare), ("vectors_in_memory_bytes", self._matrices.size_bytes)

    def _put(self, row: IndexRow, model: str) -> tuple[Key, VectorRow]:
        vector, space = row.vector, model if row.vector else ""
        if not vector:
            same = "SELECT vector, model FROM entries WHERE id = ? AND content = ?"
            for kept, kept_model in self._connection.execute(same, (row.id, row.content)):
                if kept_model == model or not model:
                    vector, space = kept, kept_model
        self._drop("id", row.id)
        self._drop("path", row.path)
        at = row.created_at.isoformat()
        list(
            self._connection.execute(
                _PUT,
                (
                    *(row.id, row.path, row.digest, row.conversation, row.role.value, at),
                    *(row.summary_kind, row.replaced_by, row.content, space, vector),
                ),
            )
        )
        number = self._connection.last_insert_rowid()
        key = row.conversation, space, len(vector)
        return key, VectorRow(number, row.id, row.role.value, row.created_at.timestamp(), vector)

    def _drop(self, column: str, value: str) -> None:
        gone = f"DELETE FROM entries WHERE {column} = ? RETURNING conversation, id"
        for conversation, entry_id in list(self._connection.execute(gone, (value,))):
            self._matrices.drop(conversation, entry_id)

    def _vectors(self, key: Key) -> Iterator[VectorRow]:
        of_scope = (
            "SELECT number, id, role, created_at, vector FROM entries "
            "WHERE conversation = ? AND model = ? AND length(vector) = ?"
        )
        for number, entry_id, role, at, vector in self._connection.execute(of_scope, key):
            yield VectorRow(number, entry_id, role, datetime.fromisoformat(at).timestamp(), vector)

    def _found(self, number: int, cosine: float) -> FoundRow | None:
        one = "SELECT id, conversation, role, created_at, content, vector FROM entries WHERE number = ?"
        for entry_id, conversation, role, at, content, vector in self._connection.execute(one, (number,)):
            return FoundRow(
                id=entry_id,
                conversation=conversation,
                role=EntryRole(role),
                created_at=datetime.fromisoformat(at),
                content=content,
                cosine=cosine,
                vector=vector,
            )
        return None

    def _fetched(self, entry_id: str) -> IndexRow | None:
        one = (
            "SELECT path, digest, conversation, role, created_at, summary_kind, replaced_by, content FROM entries "
            "WHERE id = ?"
        )
        for path, digest, conversation, role, at, kind, replaced_by, content in self._connection.execute(
            one, (entry_id,)
        ):
            return IndexRow(
                id=entry_id,
                path=path,
                digest=digest,
                conversation=conversation,
                role=EntryRole(role),
                created_at=datetime.fromisoformat(at),
                summary_kind=kind,
                replaced_by=replaced_by,
                content=content,
            )
        return None


def _check(row: IndexRow, model: str) -> None:
    if not row.vector:
        return
    if not model:
        raise RowError(f"row {row.id!r}: it has a vector, so the vector's space must be named")
    _check_vector(row.vector, f"row {row.id!r}: its vector")


def _check_vector(vector: bytes, what: str) -> None:
    if not vector or len(vector) % 4:
        raise RowError(f"{what} has {len(vector)} bytes: a multiple of 4 is required, and not 0")
    length = float(np.linalg.norm(np.frombuffer(vector, dtype="<f4")))
    if not math.isfinite(length) or abs(length - 1.0) > _UNIT:
        raise RowError(f"{what} has the length {length:g}: 1 is required")
