"""SQLite file of the store: opened, checked, and replaced when foreign. Only this module opens it."""

from __future__ import annotations

import logging
import stat
from datetime import datetime
from pathlib import Path

import apsw

from actors.linux.private_folder import make_private
from actors.memory.index.sqlite_file import created, move_aside, remove_sides, require_sqlite, transaction

log = logging.getLogger(__name__)

FOLDER = "objects"
FILE = "objects.sqlite"
SCHEMA_VERSION = 3
"""`user_version` of the file; one of another version is moved aside and begun anew."""
APPLICATION_ID = 0x52656D4F
BUSY_MS = 200
"""Milliseconds that a statement waits for another program's lock."""
WAL_PAGES = 200
"""After so many pages the WAL goes into the database: seldom, and with few pages, for a round waits for it."""
_TABLES = {"windows", "rounds", "snapshots", "texts", "versions", "outputs", "showings", "total"}

# A text is the newest of so many files; when it is of none any more, `replaced` says since when.
SCHEMA = """
CREATE TABLE windows(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, last_round INTEGER NOT NULL DEFAULT 0, digest BLOB,
  bytes INTEGER NOT NULL DEFAULT 0);
CREATE TABLE total(one INTEGER PRIMARY KEY CHECK(one = 1), bytes INTEGER NOT NULL);
INSERT INTO total VALUES (1, 0);
CREATE TABLE rounds(
  window INTEGER NOT NULL REFERENCES windows(id), round INTEGER NOT NULL, entries BLOB NOT NULL,
  digest BLOB NOT NULL, PRIMARY KEY(window, round)) WITHOUT ROWID;
CREATE TABLE snapshots(
  window INTEGER PRIMARY KEY REFERENCES windows(id), round INTEGER NOT NULL, state BLOB NOT NULL);
CREATE TABLE texts(
  id INTEGER PRIMARY KEY AUTOINCREMENT, window INTEGER NOT NULL REFERENCES windows(id), hash BLOB NOT NULL,
  base INTEGER REFERENCES texts(id), depth INTEGER NOT NULL, size INTEGER NOT NULL,
  newest INTEGER NOT NULL DEFAULT 0 CHECK(newest >= 0), replaced INTEGER, data BLOB NOT NULL,
  UNIQUE(window, hash));
CREATE INDEX texts_outlived ON texts(replaced) WHERE newest = 0;
CREATE INDEX texts_outlived_of ON texts(window, replaced) WHERE newest = 0;
CREATE TRIGGER texts_more AFTER INSERT ON texts BEGIN
  UPDATE windows SET bytes = bytes + length(new.data) WHERE id = new.window;
  UPDATE total SET bytes = bytes + length(new.data);
END;
CREATE TRIGGER texts_other AFTER UPDATE OF data ON texts BEGIN
  UPDATE windows SET bytes = bytes + length(new.data) - length(old.data) WHERE id = new.window;
  UPDATE total SET bytes = bytes + length(new.data) - length(old.data);
END;
CREATE TRIGGER texts_less AFTER DELETE ON texts BEGIN
  UPDATE windows SET bytes = bytes - length(old.data) WHERE id = old.window;
  UPDATE total SET bytes = bytes - length(old.data);
END;
CREATE INDEX texts_by_base ON texts(base) WHERE base IS NOT NULL;
CREATE TABLE versions(
  window INTEGER NOT NULL REFERENCES windows(id), object INTEGER NOT NULL, no INTEGER NOT NULL,
  valid_from INTEGER NOT NULL, size INTEGER NOT NULL, status TEXT NOT NULL, path TEXT NOT NULL,
  content_hash TEXT NOT NULL, metadata_hash TEXT NOT NULL, object_hash TEXT NOT NULL,
  text INTEGER REFERENCES texts(id),
  PRIMARY KEY(window, object, no)) WITHOUT ROWID;
CREATE INDEX versions_by_text ON versions(text) WHERE text IS NOT NULL;
CREATE INDEX versions_by_hash ON versions(window, content_hash) WHERE content_hash <> '';
CREATE TABLE outputs(
  window INTEGER NOT NULL REFERENCES windows(id), no INTEGER NOT NULL, event TEXT NOT NULL, log TEXT NOT NULL,
  turn TEXT NOT NULL, call TEXT NOT NULL, at INTEGER NOT NULL, size INTEGER NOT NULL, outcome TEXT NOT NULL,
  exit_code INTEGER, alias TEXT NOT NULL, alias_no INTEGER NOT NULL,
  PRIMARY KEY(window, no)) WITHOUT ROWID;
CREATE TABLE showings(
  window INTEGER NOT NULL REFERENCES windows(id), object TEXT NOT NULL, no INTEGER NOT NULL, place TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY(window, object, no, place)) WITHOUT ROWID;
"""


class ForeignStoreError(Exception):
    """The file is no store of ours, or not a sound one; the text says why."""


def open_in_memory() -> apsw.Connection:
    """Store in memory, which ends with its connection."""
    require_sqlite()
    return _made(apsw.Connection(":memory:"))


def open_or_begin(path: Path, now: datetime, *, is_doubtful: bool = False) -> apsw.Connection:
    """The store at `path`; what stands there and is no sound store is moved aside.

    Args:
        path: Of the file.
        now: The time.
        is_doubtful: True if damage was found, so that everything is compared.

    Raises:
        apsw.Error: it is locked, or the disk does not take it.
        OSError: the folder cannot be made or written.
    """
    require_sqlite()
    make_private(path.parent)
    if not path.exists():
        remove_sides(path)
        return created(path, _made)
    try:
        return open_existing(path, is_doubtful=is_doubtful)
    except ForeignStoreError as error:
        aside = move_aside(path, now)
        log.warning("the object store was not usable (%s): moved to %s, versions begin anew", error, aside)
        return created(path, _made)


def open_existing(path: Path, *, is_doubtful: bool = False) -> apsw.Connection:
    """The store at `path`, checked; more thoroughly, indexes too, when it is doubtful.

    Raises:
        ForeignStoreError: the file is no store, of another version, or damaged.
        apsw.Error: it is locked, or cannot be read.
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ForeignStoreError("no regular file")
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        _prepare(connection)
        _require_ours(connection, "integrity_check" if is_doubtful else "quick_check")
    except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError) as error:
        connection.close()
        raise ForeignStoreError(str(error)) from error
    except (ForeignStoreError, apsw.Error):
        connection.close()
        raise
    return connection


def _made(connection: apsw.Connection) -> apsw.Connection:
    list(connection.execute("PRAGMA auto_vacuum = incremental"))
    _prepare(connection)
    with transaction(connection):
        list(connection.execute(SCHEMA))
        list(connection.execute(f"PRAGMA application_id = {APPLICATION_ID}"))
        list(connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}"))
    return connection


def _prepare(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(BUSY_MS)
    pragmas = ("journal_mode = wal", "synchronous = normal", "foreign_keys = on", "temp_store = memory")
    for pragma in (*pragmas, f"wal_autocheckpoint = {WAL_PAGES}"):
        list(connection.execute(f"PRAGMA {pragma}"))


def _require_ours(connection: apsw.Connection, check: str) -> None:
    ((application,),) = connection.execute("PRAGMA application_id")
    ((version,),) = connection.execute("PRAGMA user_version")
    if (application, version) != (APPLICATION_ID, SCHEMA_VERSION):
        raise ForeignStoreError(f"its kind and version are {application:#x} and {version}")
    if (verdict := list(connection.execute(f"PRAGMA {check}(1)"))) != [("ok",)]:
        raise ForeignStoreError(f"damaged: {verdict[0][0] if verdict else 'unreadable'}")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if missing := _TABLES - tables:
        raise ForeignStoreError(f"it has no {', '.join(sorted(missing))}")
