"""Check of the index against a log: each turn's seal, each pin and each tombstone must be as computed anew.

Missing rows are no fault: the index may be behind the logs, and is filled up from the logs.
"""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from actors.memory.index.seal import AlteredIndexError, row_seal
from actors.memory.index.session import milliseconds
from actors.memory.index.turns import storable
from domain.memory.remembered import Entry, PinChange, Remembered, TakenBack

_SEALS = (
    "SELECT line, event, turns.hash, seal FROM turns JOIN files ON files.id = turns.file "
    "WHERE files.path = ? AND line BETWEEN ? AND ?"
)
_SOURCES = (
    "SELECT * FROM pins WHERE source_path = ?1 AND source_line BETWEEN ?2 AND ?3",
    "SELECT * FROM tombstones WHERE source_path = ?1 AND source_line BETWEEN ?2 AND ?3",
)
_UNKNOWN = (
    "SELECT source_path FROM (SELECT source_path FROM pins UNION SELECT source_path FROM tombstones) "
    "WHERE source_path NOT IN (SELECT path FROM files) LIMIT 1"
)


def check_entries(
    connection: apsw.Connection, path: str, first_line: int, last_line: int, entries: Iterable[Entry]
) -> None:
    """Return if the index's rows of a log between two lines, inclusive, are among `entries` and agree.

    Turns missing from the log, or different there, are left to the comparison, and removed then.

    Raises:
        AlteredIndexError: a row is not as expected.
    """
    entries = tuple(entries)
    turns = {entry.line: entry for entry in entries if isinstance(entry, Remembered)}
    for line, event, hash_, seal in connection.execute(_SEALS, (path, first_line, last_line)):
        entry = turns.get(int(str(line)))
        if entry is not None and (entry.event_id, entry.hash) == (event, hash_) and seal != _seal_of(entry):
            raise AlteredIndexError(f"the turn of {path}, line {line}, is not what the log says")
    stated = {_record_of(entry) for entry in entries if isinstance(entry, PinChange | TakenBack)}
    for statement in _SOURCES:
        for record in connection.execute(statement, (path, first_line, last_line)):
            if record not in stated:
                raise AlteredIndexError(f"a pin or a retraction differs from {path}, line {record[-1]}")


def check_sources(connection: apsw.Connection) -> None:
    """Return if each pin and each tombstone comes from an existing log.

    Raises:
        AlteredIndexError: a log is missing.
    """
    for (path,) in connection.execute(_UNKNOWN):
        raise AlteredIndexError(f"a pin or a retraction names {path}, which is not a log")


def _seal_of(turn: Remembered) -> bytes:
    author, text = storable((turn.author, turn.text))
    values = (turn.path, turn.line, turn.event_id, turn.turn_id, turn.role, author, milliseconds(turn.at), text)
    return row_seal(*values, turn.hash)


def _record_of(entry: PinChange | TakenBack) -> tuple[apsw.SQLiteValue, ...]:
    """An entry in the index's form."""
    if isinstance(entry, PinChange):
        at = milliseconds(entry.at)
        return entry.path, entry.line, int(entry.is_pinned), at, entry.source_path, entry.source_line
    tombstone = entry.tombstone
    return tombstone.event_id, tombstone.path, int(tombstone.is_quote), entry.source_path, entry.source_line
