"""SQLite file of the facts' index: opened, checked, begun anew when it is none of ours. Only this module opens it."""

from __future__ import annotations

import logging
from datetime import datetime
from pathlib import Path

import apsw

from actors.linux.private_folder import make_private
from actors.memory.index.sqlite_file import move_aside, remove_sides, require_sqlite, transaction

log = logging.getLogger(__name__)

FOLDER = "facts"
FILE = "index.sqlite"
SCHEMA_VERSION = 1
APPLICATION_ID = 0x52656D46
BUSY_MS = 200
SCHEMA = """
CREATE TABLE entries(
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, path TEXT NOT NULL UNIQUE, digest TEXT NOT NULL,
  conversation TEXT NOT NULL, role TEXT NOT NULL, created_at TEXT NOT NULL, summary_kind TEXT NOT NULL,
  replaced_by TEXT NOT NULL, content TEXT NOT NULL, model TEXT NOT NULL, vector BLOB NOT NULL);
CREATE INDEX entries_by_conversation ON entries(conversation, model);
"""


def open_in_memory() -> apsw.Connection:
    """An index that ends with its connection."""
    require_sqlite()
    return _made(apsw.Connection(":memory:"))


def open_or_begin(path: Path, now: datetime, *, is_doubtful: bool = False) -> apsw.Connection:
    """The index at `path`; what stands there and is no sound index is moved aside.

    Args:
        path: Of the file.
        now: The time.
        is_doubtful: Whether damage was met with in it, so that all of it is looked at.

    Raises:
        apsw.Error: it is locked, or the disk does not take it.
        OSError: the folder cannot be made or written.
    """
    require_sqlite()
    make_private(path.parent)
    if not path.exists():
        remove_sides(path)
        return _created(path)
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        fault = _fault(connection, is_doubtful=is_doubtful)
    except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError) as error:
        fault = str(error)
    except apsw.Error:
        connection.close()
        raise
    if not fault:
        return connection
    connection.close()
    aside = move_aside(path, now)
    log.warning("the facts' index was not usable (%s): moved to %s, it is made anew from the files", fault, aside)
    return _created(path)


def _fault(connection: apsw.Connection, *, is_doubtful: bool) -> str:
    """What is wrong with a file; empty for nothing."""
    _prepare(connection)
    ((application,),) = connection.execute("PRAGMA application_id")
    ((version,),) = connection.execute("PRAGMA user_version")
    if (application, version) != (APPLICATION_ID, SCHEMA_VERSION):
        return f"its kind and version are {application:#x} and {version}"
    list(connection.execute("SELECT count(*) FROM entries WHERE length(vector) < 0"))
    if is_doubtful and (verdict := list(connection.execute("PRAGMA integrity_check(1)"))) != [("ok",)]:
        return f"damaged: {verdict}"
    return ""


def _created(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        path.chmod(0o600)
        return _made(connection)
    except (apsw.Error, OSError):
        connection.close()
        path.unlink(missing_ok=True)
        remove_sides(path)
        raise


def _made(connection: apsw.Connection) -> apsw.Connection:
    _prepare(connection)
    with transaction(connection):
        list(connection.execute(SCHEMA))
        list(connection.execute(f"PRAGMA application_id = {APPLICATION_ID}"))
        list(connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}"))
    return connection


def _prepare(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(BUSY_MS)
    for pragma in ("journal_mode = wal", "synchronous = normal", "temp_store = memory"):
        list(connection.execute(f"PRAGMA {pragma}"))
