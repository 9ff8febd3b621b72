"""Audit of the store: every row that cannot be right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.memory.derived.audit import audit as database_audit
from actors.memory.derived.database import Connection
from actors.objects.store import texts
from actors.objects.store.database import SCHEMA

_NEWEST = (
    "SELECT count(*) FROM versions WHERE text = texts.id AND NOT EXISTS (SELECT 1 FROM versions AS later "
    "WHERE later.window = versions.window AND later.object = versions.object AND later.no = versions.no + 1)"
)
_STRANGE_TEXTS = {
    "no version has it": "SELECT id FROM texts WHERE NOT EXISTS (SELECT 1 FROM versions WHERE text = texts.id)",
    "a version of another window has it": (
        "SELECT texts.id FROM texts JOIN versions ON versions.text = texts.id WHERE versions.window <> texts.window"
    ),
    "it is kept against a text of another window": (
        "SELECT texts.id FROM texts JOIN texts AS base ON base.id = texts.base WHERE base.window <> texts.window"
    ),
    "it is not the newest of so many files as it says": f"SELECT id FROM texts WHERE newest <> ({_NEWEST})",
    "it was replaced and does not say when": "SELECT id FROM texts WHERE newest = 0 AND replaced IS NULL",
}


def audit(path: Path) -> list[str]:
    """Faults of the store at `path`, a sentence each."""
    return database_audit(path, SCHEMA, _faults)


def _faults(connection: Connection) -> Iterator[str]:
    yield from _faults_of_versions(connection)
    yield from _faults_of_rounds(connection)
    yield from _faults_of_texts(connection)


def _faults_of_texts(connection: Connection) -> Iterator[str]:
    for (text,) in list(connection.execute("SELECT id FROM texts")):
        try:
            texts.read(connection, text)
        except (texts.DamagedTextError, UnicodeDecodeError) as error:
            yield f"text {text}: {error}"
    for what, statement in _STRANGE_TEXTS.items():
        for (text,) in connection.execute(statement):
            yield f"text {text}: {what}"
    for window, counted in list(
        connection.execute("SELECT id, bytes FROM windows UNION ALL SELECT 0, bytes FROM total")
    ):
        condition = f"WHERE window = {window}" if window else ""
        ((size,),) = connection.execute(f"SELECT coalesce(sum(length(data)), 0) FROM texts {condition}")
        if size != counted:
            yield f"window {window or 'all'}: {size} bytes of texts are kept and {counted} are counted"


def _faults_of_versions(connection: Connection) -> Iterator[str]:
    before: tuple[int, int, int, int] | None = None
    rows = connection.execute("SELECT window, object, no, valid_from FROM versions ORDER BY window, object, no")
    for window, number, no, valid_from in rows:
        is_first = before is None or before[:2] != (window, number)
        if no != (1 if is_first or before is None else before[2] + 1):
            yield f"window {window}, f{number}: version {no} does not follow the one before"
        if not is_first and before is not None and valid_from <= before[3]:
            yield f"window {window}, f{number}: version {no} is not later than the one before"
        before = window, number, no, valid_from
    missing = (
        "SELECT window, object, no FROM showings WHERE object LIKE 'f%' AND NOT EXISTS (SELECT 1 FROM versions WHERE "
        "versions.window = showings.window AND object = cast(substr(showings.object, 2) AS INTEGER) "
        "AND versions.no = showings.no) OR object LIKE 't%' AND NOT EXISTS (SELECT 1 FROM outputs WHERE "
        "outputs.window = showings.window AND outputs.no = cast(substr(showings.object, 2) AS INTEGER))"
    )
    for window, name, no in connection.execute(missing):
        yield f"window {window}: {name} version {no} was shown and is not kept"


def _faults_of_rounds(connection: Connection) -> Iterator[str]:
    for window, last in list(connection.execute("SELECT id, last_round FROM windows")):
        snapshots = list(connection.execute("SELECT round FROM snapshots WHERE window = ?", (window,)))
        first = snapshots[0][0] + 1 if snapshots else 1
        if first > last + 1:
            yield f"window {window}: its snapshot is of round {first - 1}, its last round is {last}"
        rounds = [
            number
            for (number,) in connection.execute("SELECT round FROM rounds WHERE window = ? ORDER BY round", (window,))
        ]
        if rounds != list(range(first, last + 1)):
            yield f"window {window}: rounds {rounds} are kept, {first} to {last} should be"
