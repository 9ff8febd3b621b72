"""Audit of a store that nobody has open: everything in it that cannot be right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw

from actors.memory.objects import texts
from actors.memory.objects.bounds import kept_bytes


def audit(path: Path) -> list[str]:
    """Faults of the store at `path`, one sentence each."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        return list(_faults(connection))
    finally:
        connection.close()


def _faults(connection: apsw.Connection) -> Iterator[str]:
    for (verdict,) in connection.execute("PRAGMA integrity_check"):
        if verdict != "ok":
            yield f"database: {verdict}"
    for table, parent, *_ in connection.execute("PRAGMA foreign_key_check"):
        yield f"a row of {table} names a row that is not there ({parent})"
    yield from _faults_of_versions(connection)
    yield from _faults_of_rounds(connection)
    for (text,) in list(connection.execute("SELECT id FROM texts")):
        try:
            texts.read(connection, text)
        except (texts.DamagedTextError, UnicodeDecodeError) as error:
            yield f"text {text}: {error}"
    ((size,),) = connection.execute("SELECT coalesce(sum(length(data)), 0) FROM texts")
    if size != kept_bytes(connection, 0):
        yield f"{size} bytes of texts are kept and {kept_bytes(connection, 0)} are counted"


def _faults_of_versions(connection: apsw.Connection) -> Iterator[str]:
    before: tuple[int, int, int, int] | None = None
    rows = connection.execute("SELECT window, object, no, valid_from FROM versions ORDER BY window, object, no")
    for window, number, no, valid_from in rows:
        is_first = before is None or before[:2] != (window, number)
        if no != (1 if is_first or before is None else before[2] + 1):
            yield f"window {window}, f{number}: version {no} does not follow the one before"
        if not is_first and before is not None and valid_from <= before[3]:
            yield f"window {window}, f{number}: version {no} is not later than the one before"
        before = window, number, no, valid_from
    unused = "SELECT id FROM texts WHERE NOT EXISTS (SELECT 1 FROM versions WHERE text = texts.id)"
    for (text,) in connection.execute(unused):
        yield f"text {text}: no version has it"
    shown = (
        "SELECT window, object, no FROM showings WHERE object LIKE 'f%' AND NOT EXISTS (SELECT 1 FROM versions WHERE "
        "versions.window = showings.window AND object = cast(substr(showings.object, 2) AS INTEGER) "
        "AND versions.no = showings.no)"
    )
    for window, name, no in connection.execute(shown):
        yield f"window {window}: {name} version {no} was shown and is not kept"


def _faults_of_rounds(connection: apsw.Connection) -> Iterator[str]:
    for window, last in list(connection.execute("SELECT id, last_round FROM windows")):
        snapshots = list(connection.execute("SELECT round FROM snapshots WHERE window = ?", (window,)))
        first = snapshots[0][0] + 1 if snapshots else 1
        rounds = [
            number
            for (number,) in connection.execute("SELECT round FROM rounds WHERE window = ? ORDER BY round", (window,))
        ]
        if rounds != list(range(first, last + 1)):
            yield f"window {window}: rounds {rounds} are kept, {first} to {last} should be"
