"""Audit of the facts' index, open or not: every row that cannot be right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw

from actors.memory.facts.database import ForeignIndexError, open_to_read, require_sound
from actors.memory.facts.matrices import VectorError, vector_of
from messages.facts import EntryRole

_ROLE_WORDS = frozenset(role.value for role in EntryRole)


def audit(path: Path) -> list[str]:
    """Faults of the index at `path`, one sentence each; nothing of it is changed.

    Raises:
        apsw.Error: it is locked, or cannot be opened.
    """
    connection = open_to_read(path)
    try:
        return list(_all_faults(connection))
    finally:
        connection.close()


def count_bare(path: Path) -> int:
    """Entries of the index at `path` that should have a vector and have none; 0 where it is no sound index.

    Raises:
        apsw.Error: it is locked, or cannot be opened.
    """
    connection = open_to_read(path)
    try:
        require_sound(connection)
        statement = "SELECT count(*) FROM entries WHERE vector = x'' AND role <> ?"
        ((count,),) = connection.execute(statement, (EntryRole.SUMMARY.value,))
    except (ForeignIndexError, apsw.CorruptError, apsw.NotADBError, apsw.SQLError):
        return 0
    finally:
        connection.close()
    return int(count)


def _all_faults(connection: apsw.Connection) -> Iterator[str]:
    try:
        require_sound(connection)
        for (verdict,) in connection.execute("PRAGMA integrity_check"):
            if verdict != "ok":
                yield f"database: {verdict}"
        yield from _faults_of_rows(connection)
    except (ForeignIndexError, apsw.CorruptError, apsw.NotADBError, apsw.SQLError, UnicodeDecodeError) as error:
        yield str(error)


def _faults_of_rows(connection: apsw.Connection) -> Iterator[str]:
    rows = connection.execute("SELECT id, path, role, model, vector FROM entries ORDER BY number")
    for entry_id, path, role, model, vector in rows:
        if not entry_id or not path:
            yield f"row {entry_id!r}: it has no id, or no path"
        if role not in _ROLE_WORDS:
            yield f"row {entry_id!r}: there is no role {role!r}"
        if bool(model) != bool(vector):
            yield f"row {entry_id!r}: of vector and space it has one only"
        if vector:
            try:
                vector_of(vector)
            except VectorError as error:
                yield f"row {entry_id!r}: {error}"
