"""Removal of stored data of forgotten turns: outputs, texts shown there, and words of commands."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterable

import msgspec

from actors.memory.derived.database import Connection, transaction
from actors.objects.store import texts
from actors.objects.store.rounds import new_window, window_of
from domain.objects import entries, state
from domain.objects.entries import AnyEntry, OutputSeen, VersionSeen
from domain.objects.state import WindowObjects
from messages.forget import ForgetDerived
from messages.objects import StoreRound

log = logging.getLogger(__name__)

_OUTPUTS = (
    "SELECT DISTINCT no FROM outputs JOIN json_each(?2) ON value = outputs.event OR value = outputs.turn "
    "WHERE window = ?1"
)
_TEXTS = """
SELECT DISTINCT versions.text FROM showings JOIN versions ON versions.window = showings.window
  AND 'f' || versions.object = showings.object AND versions.no = showings.no
WHERE showings.window = ?1 AND versions.text IS NOT NULL AND showings.place IN (SELECT value FROM json_each(?2))
"""
_TABLES = ("rounds", "snapshots", "showings", "outputs", "versions")


def forget(connection: Connection, message: ForgetDerived) -> int:
    """Remove stored data of forgotten turns; the number of outputs and texts gone.

    The window's actor meets an unknown round, and takes over the state as stored here.

    Raises:
        apsw.Error: the write fails; then no change is made.
    """
    with transaction(connection):
        window = window_of(connection, message.window)
        if window is None:
            # The window's actor may have a first round that the disk has refused.
            _put(connection, new_window(connection, message.window), None, ())
            return 0
        if message.whole_window:
            return _forget_all(connection, window)
        names = names_of(message)
        known = window, json.dumps(sorted(names))
        outputs = [int(no) for (no,) in connection.execute(_OUTPUTS, known)]
        text_ids = [int(text) for (text,) in connection.execute(_TEXTS, known)]
        texts.forget(connection, text_ids)
        _run(connection, "DELETE FROM showings WHERE window = ? AND place IN (SELECT value FROM json_each(?))", *known)
        for no in outputs:
            _run(connection, "DELETE FROM outputs WHERE window = ? AND no = ?", window, no)
            _run(connection, "DELETE FROM showings WHERE window = ? AND object = ?", window, f"t{no}")
        _redact(connection, window, names)
        return len(outputs) + len(text_ids)


def names_of(message: ForgetDerived) -> frozenset[str]:
    """Ids of forgotten events and turns."""
    return frozenset(str(name) for event in message.events for name in (event.event_id, event.turn_id) if name)


def redact_round(message: StoreRound, names: Collection[str]) -> StoreRound:
    """A round without data of forgotten turns: its request may have waited while the turns were forgotten."""
    group = entries.decode(message.entries)
    seen = (each for each in group if isinstance(each, VersionSeen) and each.place in names)
    gone = {(each.version.object, each.version.no) for each in seen}
    outputs = {each.object for each in message.outputs if each.event in names or each.turn_id in names}
    objects = state.decode(message.snapshot) if message.snapshot else None
    if objects is not None:
        _redact_state(objects, names)
    return msgspec.structs.replace(
        message,
        entries=entries.encode(tuple(_redact_entry(each, names) for each in group)),
        versions=tuple(
            msgspec.structs.replace(each, text=None) if (each.version.object, each.version.no) in gone else each
            for each in message.versions
        ),
        outputs=tuple(each for each in message.outputs if each.object not in outputs),
        showings=tuple(each for each in message.showings if each.place not in names and each.object not in outputs),
        snapshot=state.encode(objects) if objects is not None else b"",
    )


def _forget_all(connection: Connection, window: int) -> int:
    text_ids = [int(text) for (text,) in connection.execute("SELECT id FROM texts WHERE window = ?", (window,))]
    ((outputs,),) = connection.execute("SELECT count(*) FROM outputs WHERE window = ?", (window,))
    fresh = _fresh(connection, window)
    texts.forget(connection, text_ids)
    for table in _TABLES:
        _run(connection, f"DELETE FROM {table} WHERE window = ?", window)
    _put(connection, window, fresh, ())
    return len(text_ids) + int(outputs)


def _redact(connection: Connection, window: int, names: Collection[str]) -> None:
    """Keep the window's state without the commands of forgotten turns; an unreadable state begins anew."""
    rounds = list(connection.execute("SELECT entries FROM rounds WHERE window = ? ORDER BY round", (window,)))
    states = list(connection.execute("SELECT state FROM snapshots WHERE window = ?", (window,)))
    try:
        objects = state.decode(states[0][0]) if states else None
        since = [entries.decode(data) for (data,) in rounds]
    except msgspec.MsgspecError as error:
        log.warning("the saved objects of window %d cannot be read and start empty: %s", window, error)
        objects, since = _fresh(connection, window), []
    if objects is not None:
        _redact_state(objects, names)
    _put(connection, window, objects, [tuple(_redact_entry(each, names) for each in group) for group in since])


def _redact_state(objects: WindowObjects, names: Collection[str]) -> None:
    for output in objects.outputs.values():
        if output.event in names or output.turn in names:
            output.command = ""


def _redact_entry(entry: AnyEntry, names: Collection[str]) -> AnyEntry:
    if isinstance(entry, OutputSeen) and (entry.event in names or entry.turn in names):
        return msgspec.structs.replace(entry, command="")
    return entry


def _fresh(connection: Connection, window: int) -> WindowObjects:
    """A state without objects, in which no number is given away twice."""
    highest = (
        "SELECT coalesce((SELECT max(object) FROM versions WHERE window = ?1), 0), "
        "coalesce((SELECT max(no) FROM outputs WHERE window = ?1), 0)"
    )
    ((file, output),) = connection.execute(highest, (window,))
    return WindowObjects(last_file=file, last_output=output)


def _put(
    connection: Connection, window: int, objects: WindowObjects | None, since: Iterable[tuple[AnyEntry, ...]]
) -> None:
    """Keep a state and the rounds since, with a further round not made by any actor."""
    ((last,),) = connection.execute("SELECT last_round FROM windows WHERE id = ?", (window,))
    rounds = [*since, ()]
    for table in ("rounds", "snapshots"):
        _run(connection, f"DELETE FROM {table} WHERE window = ?", window)
    if objects is not None:
        _run(
            connection, "INSERT INTO snapshots VALUES (?, ?, ?)", window, last + 1 - len(rounds), state.encode(objects)
        )
    for number, group in enumerate(rounds, last + 2 - len(rounds)):
        _run(connection, "INSERT INTO rounds VALUES (?, ?, ?, ?)", window, number, entries.encode(group), b"forgotten")
    _run(connection, "UPDATE windows SET last_round = ?, digest = ? WHERE id = ?", last + 1, b"forgotten", window)


def _run(connection: Connection, statement: str, *values: str | int | bytes) -> None:
    list(connection.execute(statement, values))
