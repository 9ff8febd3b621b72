"""Audit of a database: all faults of the file and of its rows, and doctor's finding on the faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from actors.memory.derived.database import (
    UNREADABLE,
    Connection,
    DatabaseError,
    ForeignDatabaseError,
    Schema,
    open_to_read,
    require_sound,
)
from actors.part import Finding, Level

LISTED = 3
"""Largest number of faults listed in a finding."""


def audit(path: Path, schema: Schema, faults_of: Callable[[Connection], Iterator[str]]) -> list[str]:
    """Faults of the database at `path`, open or not, a sentence each; the file is not changed.

    Args:
        path: The file.
        schema: Kind of the database.
        faults_of: Gives the faults of rows.

    Raises:
        apsw.Error: the file is locked, or cannot be opened.
    """
    faults: list[str] = []
    connection = open_to_read(path, schema)
    try:
        list(connection.execute("BEGIN"))  # All statements see the file as of one moment.
        require_sound(connection, schema)
        verdicts = [str(verdict) for (verdict,) in connection.execute("PRAGMA integrity_check")]
        faults += [f"database: {verdict}" for verdict in verdicts if verdict != "ok"]
        for table, parent, *_ in connection.execute("PRAGMA foreign_key_check"):
            faults.append(f"a row of {table} names a row that is not there ({parent})")
        for fault in faults_of(connection):
            faults.append(fault)
    except (ForeignDatabaseError, *UNREADABLE) as error:
        faults.append(f"it cannot be read on: {error}")
    finally:
        connection.close()
    return faults


def finding(name: str, path: Path, faults_of: Callable[[Path], list[str]], *, none_yet: str, remedy: str) -> Finding:
    """Finding on the soundness of a database.

    Args:
        name: Name of the finding.
        path: The file.
        faults_of: Audit of the file.
        none_yet: Remark on a file that does not exist.
        remedy: Remark on a file with faults.
    """
    if not path.exists():
        return Finding(name, Level.OK, none_yet)
    try:
        faults = faults_of(path)
    except DatabaseError as error:
        return Finding(name, Level.WARN, f"{path} cannot be looked at: {error}")
    if faults:
        return Finding(name, Level.WARN, f"{path} has {len(faults)} faults: {'; '.join(faults[:LISTED])}; {remedy}")
    return Finding(name, Level.OK, f"sound, {path.stat().st_size // 1024} KiB")
