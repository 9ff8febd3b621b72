"""Database of the store: its tables."""

from __future__ import annotations

from actors.memory.derived.database import Schema

# A text is the newest of so many files; when it is of none any more, `replaced` says since when.
SCHEMA = Schema(
    name="the object store",
    place="objects/objects.sqlite",
    tables="""
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
""",
    version=3,
    application_id=0x52656D4F,
    remedy="versions begin anew",
    # Seldom and with few pages the WAL goes into the database, for a round waits for it.
    pragmas=("wal_autocheckpoint = 200",),
    pragmas_of_new=("auto_vacuum = incremental",),
    keeps_in_doubt=True,
)
