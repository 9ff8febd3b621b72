"""Database of the facts' index: its tables."""

from __future__ import annotations

from actors.memory.derived.database import Schema

# What is long stands last, so that the rest is read without it. The time is in microseconds since 1970.
SCHEMA = Schema(
    name="the facts' index",
    place="facts/index.sqlite",
    tables="""
CREATE TABLE entries(
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, path TEXT NOT NULL UNIQUE, digest TEXT NOT NULL,
  conversation TEXT NOT NULL, role TEXT NOT NULL, created_at INTEGER NOT NULL, summary_kind TEXT NOT NULL,
  replaced_by TEXT NOT NULL, model TEXT NOT NULL, content TEXT NOT NULL, vector BLOB NOT NULL) STRICT;
CREATE INDEX entries_by_conversation ON entries(conversation, model);
""",
    version=1,
    application_id=0x52656D46,
    remedy="it is rebuilt from the files",
    pragmas=("secure_delete = on",),  # An entry may be forgotten for good.
)
