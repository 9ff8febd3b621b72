"""SQLite file of the facts' index: opened, checked, and replaced when foreign. Only this module opens it."""

from __future__ import annotations

import logging
import stat
from datetime import datetime
from pathlib import Path

import apsw

from actors.linux.private_folder import make_private
from actors.memory.index.sqlite_file import created, move_aside, remove_sides, require_sqlite, transaction

log = logging.getLogger(__name__)

FOLDER = "facts"
FILE = "index.sqlite"
SCHEMA_VERSION = 1
"""`user_version` of the file; one of another version is moved aside and begun anew."""
APPLICATION_ID = 0x52656D46
BUSY_MS = 200
"""Milliseconds that a statement waits for another program's lock."""

# What is long stands last, so that the rest is read without it. The time is in microseconds since 1970.
SCHEMA = """
CREATE TABLE entries(
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, path TEXT NOT NULL UNIQUE, digest TEXT NOT NULL,
  conversation TEXT NOT NULL, role TEXT NOT NULL, created_at INTEGER NOT NULL, summary_kind TEXT NOT NULL,
  replaced_by TEXT NOT NULL, model TEXT NOT NULL, content TEXT NOT NULL, vector BLOB NOT NULL) STRICT;
CREATE INDEX entries_by_conversation ON entries(conversation, model);
"""
_SHAPE = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name"


class ForeignIndexError(Exception):
    """The file is no index of ours, or not a sound one; the text says why."""


def open_in_memory() -> apsw.Connection:
    """Index in memory, which ends with its connection."""
    require_sqlite()
    return _made(apsw.Connection(":memory:"))


def open_or_begin(path: Path, now: datetime, *, is_damaged: bool = False) -> tuple[apsw.Connection, bool]:
    """The index at `path`, and whether it is a new one; what stands there and is no sound index is moved aside.

    Args:
        path: Of the file.
        now: The time.
        is_damaged: True if damage was found earlier, regardless of a check now.

    Raises:
        apsw.Error: it is locked, or the disk does not take it.
        OSError: the folder cannot be made or written.
    """
    require_sqlite()
    make_private(path.parent)
    try:
        status = path.lstat()
    except FileNotFoundError:
        remove_sides(path)
        return created(path, _made), True
    try:
        if is_damaged or not stat.S_ISREG(status.st_mode):
            raise ForeignIndexError("damaged" if is_damaged else "no regular file")
        return _opened(path), False
    except ForeignIndexError as error:
        aside = move_aside(path, now)
        log.warning("the facts' index was not usable (%s): moved to %s, it is made anew from the files", error, aside)
        return created(path, _made), True


def open_to_read(path: Path) -> apsw.Connection:
    """The index at `path` for a look at it, whether or not an agent has it open; nothing of it is changed.

    Raises:
        apsw.Error: it is locked, or cannot be read.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(10 * BUSY_MS)
    return connection


def require_sound(connection: apsw.Connection) -> None:
    """Return if the file is an index of this version in which everything is as SQLite wrote it.

    Raises:
        ForeignIndexError: it is not.
        apsw.Error: it cannot be read.
    """
    ((application,),) = connection.execute("PRAGMA application_id")
    ((version,),) = connection.execute("PRAGMA user_version")
    if (application, version) != (APPLICATION_ID, SCHEMA_VERSION):
        raise ForeignIndexError(f"its kind and version are {application:#x} and {version}")
    if list(connection.execute(_SHAPE)) != _shape():
        raise ForeignIndexError("its tables are others")
    if (verdict := list(connection.execute("PRAGMA quick_check(1)"))) != [("ok",)]:
        raise ForeignIndexError(f"damaged: {verdict[0][0] if verdict else 'unreadable'}")


def _shape() -> list[tuple[str, str]]:
    connection = open_in_memory()
    try:
        return list(connection.execute(_SHAPE))
    finally:
        connection.close()


def _opened(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        _prepare(connection)
        require_sound(connection)
    except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError, UnicodeDecodeError) as error:
        connection.close()
        raise ForeignIndexError(str(error)) from error
    except (ForeignIndexError, apsw.Error):
        connection.close()
        raise
    return connection


def _made(connection: apsw.Connection) -> apsw.Connection:
    _prepare(connection)
    with transaction(connection):
        list(connection.execute(SCHEMA))
        list(connection.execute(f"PRAGMA application_id = {APPLICATION_ID}"))
        list(connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}"))
    return connection


def _prepare(connection: apsw.Connection) -> None:
    """Set up a connection; what is deleted is overwritten, for an entry may be forgotten for good."""
    connection.set_busy_timeout(BUSY_MS)
    for pragma in ("journal_mode = wal", "synchronous = normal", "temp_store = memory", "secure_delete = on"):
        list(connection.execute(f"PRAGMA {pragma}"))
