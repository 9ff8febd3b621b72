"""SQLite file of the index: opened, checked, replaced when it is no index of ours. Only this module opens it."""

from __future__ import annotations

import logging
import shutil
import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import apsw
import sqlite_vec  # type: ignore[import-untyped]

from actors.linux.private_folder import make_private
from actors.memory.index.seal import rest_sum, vector_sum
from actors.memory.index.sqlite_file import move_aside, remove_sides, require_sqlite, transaction
from domain.memory.keywords import TOKENIZER

log = logging.getLogger(__name__)

SCHEMA_VERSION = 4
"""`user_version` of the file; one of another version is moved aside and built anew from the logs."""
BUSY_MS = 2_000
"""Milliseconds that a statement waits for another program's lock."""
FOLDER = "memory"
FILE = "index.sqlite"
_TABLES = {"meta", "windows", "files", "turns", "pins", "tombstones", "spaces", "vectors", "words", "memories"}
_REST = "rest"
"""Key of the note in which the sum of what no seal covers is kept while the index is closed."""
UNVERIFIED = "unverified"
"""Key of the note that the last life did not end in good order, until all has been compared."""

# In turns, what is read of many rows stands before the content, which may reach into other pages; `vector` names a
# vector of the space in use, and `sitting` the turn's episode, by the name that files have it under. A CHECK with IN
# makes its list anew for each row: 4 of 16 us.
SCHEMA = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE windows(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, context_id TEXT NOT NULL);
CREATE TABLE files(
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, window INTEGER NOT NULL REFERENCES windows(id),
  size INTEGER NOT NULL DEFAULT -1, mtime_ns INTEGER NOT NULL DEFAULT -1, damage TEXT NOT NULL DEFAULT '');
CREATE INDEX files_of_window ON files(window);
CREATE TABLE turns(
  id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL REFERENCES files(id), line INTEGER NOT NULL,
  window INTEGER NOT NULL REFERENCES windows(id), timestamp INTEGER NOT NULL,
  vector INTEGER, sitting INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL DEFAULT 'pending' CHECK(status = 'pending' OR status = 'ok' OR status = 'failed'),
  attempts INTEGER NOT NULL DEFAULT 0, next_attempt_at INTEGER NOT NULL DEFAULT 0,
  pinned INTEGER NOT NULL DEFAULT 0 CHECK(pinned = 0 OR pinned = 1), hash BLOB NOT NULL, seal BLOB NOT NULL,
  role TEXT NOT NULL CHECK(role = 'user' OR role = 'agent'), event TEXT NOT NULL, turn TEXT NOT NULL,
  author TEXT NOT NULL, content TEXT NOT NULL, UNIQUE(file, line),
  CHECK((vector IS NULL) = (status <> 'ok')));
CREATE INDEX turns_in_order ON turns(window, timestamp, id);
CREATE INDEX turns_waiting ON turns(next_attempt_at, id) WHERE status <> 'ok';
CREATE INDEX turns_embedded ON turns(vector) WHERE vector IS NOT NULL;
CREATE INDEX turns_pinned ON turns(id) WHERE pinned = 1;
CREATE TABLE pins(
  path TEXT NOT NULL, line INTEGER NOT NULL, pinned INTEGER NOT NULL, at INTEGER NOT NULL,
  source_path TEXT NOT NULL, source_line INTEGER NOT NULL, PRIMARY KEY(source_path, source_line)) WITHOUT ROWID;
CREATE INDEX pins_by_target ON pins(path, line, at);
CREATE TABLE tombstones(
  event TEXT NOT NULL, path TEXT NOT NULL, is_quote INTEGER NOT NULL,
  source_path TEXT NOT NULL, source_line INTEGER NOT NULL, PRIMARY KEY(source_path, source_line)) WITHOUT ROWID;
CREATE INDEX tombstones_by_event ON tombstones(event);
CREATE INDEX tombstones_by_path ON tombstones(path);
CREATE TABLE spaces(id INTEGER PRIMARY KEY, name TEXT NOT NULL, dimensions INTEGER NOT NULL, UNIQUE(name, dimensions));
CREATE TABLE vectors(
  id INTEGER PRIMARY KEY, space INTEGER NOT NULL REFERENCES spaces(id), hash BLOB NOT NULL, sum INTEGER NOT NULL,
  embedding BLOB NOT NULL,
  UNIQUE(space, hash));
CREATE VIRTUAL TABLE words USING fts5(content, content='', contentless_delete=1, tokenize='{TOKENIZER}');
INSERT INTO words(words, rank) VALUES ('automerge', 8), ('hashsize', 8000000);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, 'row');
CREATE VIEW memories AS
  SELECT turns.id, vectors.embedding, files.path, turns.line, turns.timestamp, turns.role, windows.context_id,
         turns.pinned, turns.status, turns.author, turns.content
  FROM turns JOIN files ON files.id = turns.file JOIN windows ON windows.id = turns.window
  LEFT JOIN vectors ON vectors.id = turns.vector;
"""


class ForeignIndexError(Exception):
    """The file is not an index of ours, or not a sound one; the text says why."""


def disown(path: Path) -> None:
    """Have the file at `path` moved aside and made anew at the next opening.

    Raises:
        apsw.Error: the note cannot be written now.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.set_busy_timeout(BUSY_MS)
        list(connection.execute("PRAGMA user_version = 0"))
    except (apsw.NotADBError, apsw.CorruptError) as error:
        log.info("the next opening sees it without a note: %s", error)
    finally:
        connection.close()


def open_or_rebuild(path: Path, now: datetime, busy_ms: int = BUSY_MS) -> tuple[apsw.Connection, bool]:
    """(index at `path`, True if new); an unsound or foreign file there is moved aside.

    Vectors that can still be read from the old file are kept, since vectors cost money.

    Raises:
        apsw.BusyError: another program holds the lock.
        OSError: the folder cannot be made or written.
    """
    require_sqlite()
    make_private(path.parent)
    if not path.exists():
        remove_sides(path)
        return _create(path, busy_ms), True
    try:
        return open_existing(path, busy_ms), False
    except ForeignIndexError as error:
        aside = move_aside(path, now)
        log.warning("the memory index was not usable (%s): moved to %s, building it anew from the logs", error, aside)
        created = _create(path, busy_ms)
        log.warning("%d vectors could be saved from it", _save_vectors(aside, created))
        return created, True


def open_existing(path: Path, busy_ms: int = BUSY_MS) -> apsw.Connection:
    """The index at `path`, checked.

    Raises:
        ForeignIndexError: the file is no index, of another version, or damaged.
        apsw.BusyError: another program holds the lock.
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ForeignIndexError("no regular file")
    connection: apsw.Connection | None = None
    try:
        connection = _connect(path, apsw.SQLITE_OPEN_READWRITE, busy_ms)
        _require_ours(connection)
        return connection
    except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError, apsw.CantOpenError) as error:
        if connection is not None:
            connection.close()
        raise ForeignIndexError(str(error)) from error
    except (ForeignIndexError, apsw.BusyError):
        if connection is not None:
            connection.close()
        raise


def open_for_reading(path: Path, scratch: Path, *, is_live: bool) -> apsw.Connection:
    """The index at `path` as it is now, without a trace in its folder.

    Beside a running agent the file is read in place. After a crash, the WAL is read from a copy: reading it in place
    would write there, and an immutable database has no WAL.

    Args:
        path: The index.
        scratch: Private folder for the copy.
        is_live: True if an agent has the index open.

    Raises:
        ForeignIndexError: the index is missing or foreign.
    """
    if not path.exists():
        raise ForeignIndexError(f"there is no memory index at {path} yet")
    connection: apsw.Connection | None = None
    try:
        connection = _connection_for_reading(path, scratch, is_live=is_live)
        _load_distances(connection)
        _require_ours(connection, check=False)
        return connection
    except (apsw.Error, OSError, ForeignIndexError) as error:
        if connection is not None:
            connection.close()
        raise ForeignIndexError(f"{path}: {error}") from error


def _connection_for_reading(path: Path, scratch: Path, *, is_live: bool) -> apsw.Connection:
    wal = Path(f"{path}-wal")
    if is_live:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        connection.set_busy_timeout(BUSY_MS)
        return connection
    if wal.exists() and wal.stat().st_size:
        copy = scratch / FILE
        shutil.copyfile(path, copy)
        shutil.copyfile(wal, f"{copy}-wal")
        return _connect(copy, apsw.SQLITE_OPEN_READWRITE, BUSY_MS)
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(f"{path.resolve().as_uri()}?immutable=1", flags=flags)


def _connect(path: Path, flags: int, busy_ms: int) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(busy_ms)
    # A statement that returns rows ends an execute() until they are fetched, so each is fetched.
    for pragma in ("journal_mode = wal", "synchronous = normal", "foreign_keys = on", "temp_store = memory"):
        list(connection.execute(f"pragma {pragma}"))
    _load_distances(connection)
    return connection


def _load_distances(connection: apsw.Connection) -> None:
    """Give a connection sqlite-vec's distance functions."""
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    connection.enable_load_extension(False)


def _create(path: Path, busy_ms: int) -> apsw.Connection:
    connection = _connect(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE, busy_ms)
    path.chmod(0o600)
    with transaction(connection):
        list(connection.execute(SCHEMA))
        list(connection.execute(f"pragma user_version = {SCHEMA_VERSION}"))
    return connection


def _require_ours(connection: apsw.Connection, *, check: bool = True) -> None:
    ((version,),) = connection.execute("PRAGMA user_version")
    if version != SCHEMA_VERSION:
        raise ForeignIndexError(f"its version is {version}, {SCHEMA_VERSION} is expected")
    if check and (verdict := list(connection.execute("PRAGMA quick_check(1)"))) != [("ok",)]:
        raise ForeignIndexError(f"damaged: {verdict[0][0] if verdict else 'unreadable'}")
    if check:
        _check_rest(connection)
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")}
    missing = _TABLES - tables
    if missing:
        raise ForeignIndexError(f"it has no {', '.join(sorted(missing))}")


def seal_rest(connection: apsw.Connection) -> None:
    """Note the sum of what no seal covers, for the next opening; nothing may be written afterwards."""
    with transaction(connection):
        list(connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_REST, rest_sum(connection))))


def _check_rest(connection: apsw.Connection) -> None:
    """Return if the unsealed tables are as they were when the index was closed.

    After a crash that is unknown: a note is made, and everything is compared later.

    Raises:
        ForeignIndexError: the unsealed tables were changed.
    """
    notes = list(connection.execute("SELECT value FROM meta WHERE key = ?", (_REST,)))
    if notes and notes[0][0] != rest_sum(connection):
        raise ForeignIndexError("its words, its pins or what was taken back are not what they were")
    if notes:
        list(connection.execute("DELETE FROM meta WHERE key = ?", (_REST,)))
    else:
        list(connection.execute("INSERT OR REPLACE INTO meta VALUES (?, 1)", (UNVERIFIED,)))


def _save_vectors(damaged: Path, index: apsw.Connection) -> int:
    """Copy every vector that can be read from an unusable index; how many."""
    saved = 0
    with transaction(index):
        for name, dimensions, hash_, embedding, total in _readable_vectors(damaged):
            if not isinstance(embedding, bytes) or len(embedding) != 4 * dimensions:
                continue
            if total != vector_sum(embedding):
                continue
            list(index.execute("INSERT OR IGNORE INTO spaces(name, dimensions) VALUES (?, ?)", (name, dimensions)))
            list(
                index.execute(
                    "INSERT OR IGNORE INTO vectors(space, hash, sum, embedding) "
                    "VALUES ((SELECT id FROM spaces WHERE name = ? AND dimensions = ?), ?, ?, ?)",
                    (name, dimensions, hash_, vector_sum(embedding), embedding),
                )
            )
            saved += index.changes()
    return saved


def _readable_vectors(damaged: Path) -> Iterator[tuple[str, int, bytes, object, int]]:
    """Space, dimensions, hash, vector and its sum, up to where the file cannot be read on."""
    try:
        old = apsw.Connection(str(damaged), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            yield from old.execute(
                "SELECT name, dimensions, hash, embedding, sum FROM vectors JOIN spaces ON spaces.id = vectors.space"
            )
        finally:
            old.close()
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.IOError, apsw.CantOpenError, ValueError) as error:
        log.info("the unusable index cannot be read on: %s", error)
