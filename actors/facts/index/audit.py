"""Audit of the facts' index, open or not: every row that cannot be right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.facts.index.database import SCHEMA
from actors.facts.index.matrices import VectorError, vector_of
from actors.memory.derived.audit import audit as database_audit
from actors.memory.derived.database import Connection, open_to_read
from messages.facts import EntryRole

_ROLE_WORDS = frozenset(role.value for role in EntryRole)


def audit(path: Path) -> list[str]:
    """Faults of the index at `path`, one sentence each; the index stays unchanged.

    Raises:
        apsw.Error: the index is locked, or cannot be opened.
    """
    return database_audit(path, SCHEMA, _faults_of_rows)


def count_bare(path: Path) -> int:
    """Number of entries of the sound index at `path` with a missing vector.

    Raises:
        apsw.Error: the index is locked, or cannot be opened.
    """
    connection = open_to_read(path, SCHEMA)
    try:
        statement = "SELECT count(*) FROM entries WHERE vector = x'' AND role <> ?"
        ((count,),) = connection.execute(statement, (EntryRole.SUMMARY.value,))
    finally:
        connection.close()
    return int(str(count))


def _faults_of_rows(connection: Connection) -> Iterator[str]:
    rows = connection.execute("SELECT id, path, role, model, vector FROM entries ORDER BY number")
    for entry_id, path, role, model, vector in rows:
        if not entry_id or not path:
            yield f"row {entry_id!r}: it has no id, or no path"
        if role not in _ROLE_WORDS:
            yield f"row {entry_id!r}: there is no role {role!r}"
        if bool(model) != bool(vector):
            yield f"row {entry_id!r}: must have both vector and space, or neither"
        if vector:
            try:
                vector_of(vector)
            except VectorError as error:
                yield f"row {entry_id!r}: {error}"
