"""Index of the memory as a database: its tables, its sum, and the rescue of vectors from an unusable file."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import apsw
import sqlite_vec  # type: ignore[import-untyped]

from actors.memory.derived import database
from actors.memory.derived.database import DerivedDatabase, ForeignDatabaseError, Schema, transaction
from actors.memory.index.seal import rest_sum, vector_sum
from domain.memory.keywords import TOKENIZER

log = logging.getLogger(__name__)

PLACE = "memory/index.sqlite"
"""Path below the data root."""
_REST = "unsealed"
"""Key of the note with the sum of the unsealed tables, kept while the index is closed."""
UNVERIFIED = "unverified"
"""Key of a note set when the last life did not end in good order, until all rows have been compared."""

# In turns, what is read of many rows stands before the content, which may reach into other pages; `vector` names a
# vector of the space in use, and `sitting` the turn's episode, by the name that files have it under. A CHECK with IN
# makes its list anew for each row: 4 of 16 us.
TABLES = f"""
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


def _load_distances(connection: apsw.Connection) -> None:
    """Give a connection sqlite-vec's distance functions."""
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    connection.enable_load_extension(False)


def seal_rest(connection: apsw.Connection) -> None:
    """Note the sum of the unsealed tables, for the next opening; no write may follow."""
    with transaction(connection):
        list(connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_REST, rest_sum(connection))))


def _check_rest(connection: apsw.Connection) -> None:
    """Return if the unsealed tables are as they were when the index was closed.

    After a crash the state is unknown: a note is made, and all rows are compared later.

    Raises:
        ForeignDatabaseError: the unsealed tables were changed.
    """
    notes = list(connection.execute("SELECT value FROM meta WHERE key = ?", (_REST,)))
    if notes and notes[0][0] != rest_sum(connection):
        raise ForeignDatabaseError("its words, pins or retractions were altered")
    if notes:
        list(connection.execute("DELETE FROM meta WHERE key = ?", (_REST,)))
    else:
        list(connection.execute("INSERT OR REPLACE INTO meta VALUES (?, 1)", (UNVERIFIED,)))


SCHEMA = Schema(
    name="the memory index",
    place=PLACE,
    tables=TABLES,
    version=7,
    remedy="rebuilding it from the logs",
    busy_ms=2_000,
    prepare=_load_distances,
    check=_check_rest,
)


def open_or_rebuild(path: Path, now: datetime, busy_ms: int = SCHEMA.busy_ms) -> DerivedDatabase:
    """The index at `path`; an unsound or foreign file there is moved aside.

    Vectors that can still be read from the old file are kept, since vectors cost money.

    Raises:
        apsw.BusyError: another program holds the lock.
        OSError: the folder cannot be made or written.
    """
    schema = dataclasses.replace(SCHEMA, busy_ms=busy_ms)
    try:
        index = DerivedDatabase(schema, path, now)
    except apsw.CantOpenError:
        if not path.exists():
            raise
        index = DerivedDatabase(schema, path, now, is_doubtful=True)
    if index.aside is not None:
        log.warning("%d vectors could be saved from it", _save_vectors(index.aside, index.connection))
    return index


def open_for_reading(path: Path, scratch: Path, *, is_live: bool) -> apsw.Connection:
    """The index at `path` as it is now, without a trace in its folder.

    Args:
        path: The index.
        scratch: Private folder for a copy.
        is_live: True if an agent has the index open.

    Raises:
        ForeignDatabaseError: the index is missing or foreign.
    """
    if not path.exists():
        raise ForeignDatabaseError(f"there is no memory index at {path} yet")
    connection: apsw.Connection | None = None
    try:
        connection = (
            database.open_to_read(path, SCHEMA) if is_live else database.open_closed_to_read(path, SCHEMA, scratch)
        )
        database.require_sound(connection, SCHEMA, check="")
    except (apsw.Error, OSError, ForeignDatabaseError) as error:
        if connection is not None:
            connection.close()
        raise ForeignDatabaseError(f"{path}: {error}") from error
    return connection


def _save_vectors(damaged: Path, index: apsw.Connection) -> int:
    """Copy every readable vector from an unusable index; the number of vectors copied."""
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
    """Space, dimensions, hash, vector and its sum, up to the first unreadable place of the file."""
    try:
        old = database.open_raw(damaged, SCHEMA)
        try:
            yield from old.execute(
                "SELECT name, dimensions, hash, embedding, sum FROM vectors JOIN spaces ON spaces.id = vectors.space"
            )
        finally:
            old.close()
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.IOError, apsw.CantOpenError, ValueError) as error:
        log.info("the unusable index cannot be read on: %s", error)
