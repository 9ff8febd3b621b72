"""Rounds of the store: each kept whole or not at all, once, and in order."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from actors.memory.derived.database import Connection, transaction
from actors.memory.derived.owner import RefusalError
from actors.objects.store import bounds, texts
from actors.objects.store.bounds import StoreLimits
from actors.objects.store.values import FILE, OUTPUT, microseconds, number_of, require_name
from messages.base import Address, RequestId, Window
from messages.objects import LoadObjects, NewVersion, ObjectsLoaded, OutputRow, StoreRound

_WITH_TEXT = ("text", "large")
_UNREAD = "unread"
_NO_VERSION = (0, -(2**63), None, None, "", "")


def window_of(connection: Connection, window: Window) -> int | None:
    """A window's number in the tables; None for a window without rows."""
    rows = connection.execute("SELECT id FROM windows WHERE key = ?", (window.address.key,))
    return next((int(id_) for (id_,) in rows), None)


def load(connection: Connection, message: LoadObjects) -> ObjectsLoaded:
    """Number of a window's newest round, its snapshot, and the rounds since."""
    window = window_of(connection, message.window)
    if window is None:
        return ObjectsLoaded(request_id=message.request_id, last_round=0, snapshot=b"", rounds=())
    ((last,),) = connection.execute("SELECT last_round FROM windows WHERE id = ?", (window,))
    states = connection.execute("SELECT state FROM snapshots WHERE window = ?", (window,))
    snapshot = next((state for (state,) in states), b"")
    rows = connection.execute("SELECT entries FROM rounds WHERE window = ? ORDER BY round", (window,))
    rounds = tuple(entries for (entries,) in rows)
    highest = (
        "SELECT coalesce((SELECT max(object) FROM versions WHERE window = ?1), 0), "
        "coalesce((SELECT max(no) FROM outputs WHERE window = ?1), 0)"
    )
    ((file, output),) = connection.execute(highest, (window,))
    return ObjectsLoaded(
        request_id=message.request_id,
        last_round=last,
        snapshot=snapshot,
        rounds=rounds,
        last_file=file,
        last_output=output,
    )


def keep(connection: Connection, limits: StoreLimits, message: StoreRound) -> None:
    """Keep a round, if it is not kept yet.

    Raises:
        RefusalError: the round is not the next, or a row cannot be kept.
        UnicodeEncodeError: a text is not valid Unicode.
        apsw.Error: the write fails; then no change is made.
    """
    digest = _digest(message)
    with transaction(connection):
        window = window_of(connection, message.window) or new_window(connection, message.window)
        if _is_kept(connection, window, message, digest):
            return
        fresh = [text for new in message.versions for text in _keep_version(connection, window, limits, new)]
        for output in message.outputs:
            _keep_output(connection, window, output)
        for showing in message.showings:
            require_name(showing.object)
            values = window, showing.object, showing.no, showing.place, microseconds(showing.at)
            _run(connection, "INSERT OR IGNORE INTO showings VALUES (?, ?, ?, ?, ?)", values)
        if message.snapshot:
            state = window, message.round, message.snapshot
            _run(connection, "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", state)
            _run(connection, "DELETE FROM rounds WHERE window = ?", (window,))
        else:
            row = window, message.round, message.entries, digest
            _run(connection, "INSERT INTO rounds VALUES (?, ?, ?, ?)", row)
        last = message.round, digest, window
        _run(connection, "UPDATE windows SET last_round = ?, digest = ? WHERE id = ?", last)
        if fresh:
            bounds.enforce(connection, window, limits, fresh)


def _is_kept(connection: Connection, window: int, message: StoreRound, digest: bytes) -> bool:
    """True if a round is kept already.

    Raises:
        RefusalError: the round is neither kept nor the next.
    """
    number = message.round
    ((last, known),) = connection.execute("SELECT last_round, digest FROM windows WHERE id = ?", (window,))
    if number == last + 1:
        return False
    if number < last:
        rows = connection.execute("SELECT digest FROM rounds WHERE window = ? AND round = ?", (window, number))
        known = next((each for (each,) in rows), None)
    if number <= last and known == digest:
        return True
    why = ""
    if number <= last:
        why = ", and a snapshot stands for that one" if known is None else ", and that one is kept with another content"
    raise RefusalError(f"round {number}: {last + 1} is the next of {message.window.address.key}{why}")


def _keep_version(connection: Connection, window: int, limits: StoreLimits, new: NewVersion) -> list[int]:
    """Keep a version; the id of its text, if new."""
    version = new.version
    number, valid_from = number_of(version.object, FILE), microseconds(version.valid_from)
    rows = connection.execute(
        "SELECT no, valid_from, text, (SELECT older.text FROM versions AS older WHERE older.window = versions.window "
        "AND older.object = versions.object AND older.text IS NOT NULL ORDER BY older.no DESC LIMIT 1), "
        "status, content_hash FROM versions WHERE window = ? AND object = ? ORDER BY no DESC LIMIT 1",
        (window, number),
    )
    last_no, last_from, before, base, status, content_hash = next(iter(list(rows)), _NO_VERSION)
    if version.no == last_no and status == _UNREAD:  # Now it is read, and that is its content.
        own = window, number, last_no
        _run(connection, "DELETE FROM versions WHERE window = ? AND object = ? AND no = ?", own)
    elif version.no != last_no + 1:
        raise RefusalError(f"version {version.no} of {version.object}: {last_no + 1} is the next one")
    if valid_from <= last_from:
        raise RefusalError(f"version {version.no} of {version.object}: must be later than the one before it")
    text, is_fresh = None, False
    if new.text is not None:
        text, is_fresh = texts.keep(connection, window, _encode_text(new, new.text, limits), base)
    elif version.content_hash and status in _WITH_TEXT:
        is_same = (version.status, version.content_hash) == (status, content_hash)
        text = before if is_same else None
    row = (
        *(window, number, version.no, valid_from, version.size, version.status, version.path),
        *(version.content_hash, version.metadata_hash, version.object_hash, text),
    )
    _run(connection, "INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    texts.replace(connection, before, text, valid_from)
    return [text] if is_fresh and text is not None else []


def _encode_text(new: NewVersion, text: str, limits: StoreLimits) -> bytes:
    """A text in UTF-8.

    Raises:
        RefusalError: the text is too long, or the version's status has no text.
    """
    data, name = text.encode(), f"version {new.version.no} of {new.version.object}"
    if new.version.status not in _WITH_TEXT:
        raise RefusalError(f"{name}: what is {new.version.status} has no text, {' and '.join(_WITH_TEXT)} have")
    if len(data) > limits.version_bytes:
        raise RefusalError(f"{name}: its text has {len(data)} bytes, at most {limits.version_bytes} are kept")
    return data


def _keep_output(connection: Connection, window: int, output: OutputRow) -> None:
    if output.alias:
        number_of(output.alias, FILE)
    row = (
        *(window, number_of(output.object, OUTPUT), output.event, output.log, output.turn_id, output.call_id),
        *(microseconds(output.at), output.size, output.outcome, output.exit_code, output.alias, output.alias_no),
    )
    _run(connection, "INSERT OR IGNORE INTO outputs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    if not connection.changes():
        raise RefusalError(f"output {output.object}: it is kept already, and each is kept once")


def new_window(connection: Connection, window: Window) -> int:
    """Give a window a number; the number."""
    _run(connection, "INSERT INTO windows(key) VALUES (?)", (window.address.key,))
    return int(connection.last_insert_rowid())


def _digest(message: StoreRound) -> bytes:
    """Digest of a round, to tell a repeated request from another round with the same number."""
    whole = msgspec.structs.replace(message, request_id=RequestId(""), reply_to=Address(""))
    return hashlib.sha256(msgspec.msgpack.encode(whole)).digest()


def _run(connection: Connection, statement: str, values: tuple[Any, ...]) -> None:
    list(connection.execute(statement, values))
