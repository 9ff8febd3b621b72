"""Open store: rounds kept whole or not at all, versions found by number, time and hash, outputs by number."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from actors.memory.index.database import inode, is_in_place, transaction
from actors.memory.objects import bounds, texts
from actors.memory.objects.bounds import StoreLimits
from actors.memory.objects.database import open_in_memory, open_or_begin
from messages.base import EventId, RequestId, TurnId, Window
from messages.object_store import (
    CollectObjects,
    FetchText,
    FileVersion,
    ListOutputs,
    ListVersions,
    LoadObjects,
    NewVersion,
    ObjectsCollected,
    ObjectsLoaded,
    OutputRow,
    OutputsListed,
    StoreRound,
    TextFetched,
    VersionsListed,
)

MOST = 200
"""Rows of one answer."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
_NAME = re.compile(r"[ft]([1-9][0-9]{0,9})")
_PREFIX = re.compile(r"[0-9a-f]{8,64}")
_COLUMNS = "no, valid_from, path, status, size, content_hash, metadata_hash, object_hash"


class RefusalError(ValueError):
    """Nothing is done; the text names the value and the rule."""


@dataclass(frozen=True, slots=True)
class Found:
    """A version that was found, and where its text is."""

    version: FileVersion
    text: int | None


class ObjectStore:
    """Owner of an open database."""

    def __init__(self, path: Path | None, limits: StoreLimits, now: datetime) -> None:
        """Open it.

        Args:
            path: Of the file; None to keep everything in memory.
            limits: Of what is kept.
            now: The time.

        Raises:
            apsw.Error: it is locked, or the disk does not take it.
            OSError: its folder cannot be made or written.
        """
        self._path = path
        self._limits = limits
        self._connection = open_in_memory() if path is None else open_or_begin(path, now)
        self._inode = inode(path) if path is not None else (0, 0)
        self.damaged_texts = 0
        """Texts that were not what they were kept as."""

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @property
    def is_in_place(self) -> bool:
        """Whether the file is still the one that was opened."""
        return self._path is None or is_in_place(self._path, self._inode)

    # rounds

    def load(self, message: LoadObjects) -> ObjectsLoaded:
        """Number of a window's newest round, its snapshot, and the rounds since."""
        window = self._window(message.window)
        last, snapshot, rounds = 0, b"", tuple[bytes, ...]()
        if window is not None:
            ((last,),) = self._connection.execute("SELECT last_round FROM windows WHERE id = ?", (window,))
            states = self._connection.execute("SELECT state FROM snapshots WHERE window = ?", (window,))
            snapshot = next((state for (state,) in states), b"")
            found = self._connection.execute("SELECT entries FROM rounds WHERE window = ? ORDER BY round", (window,))
            rounds = tuple(entries for (entries,) in found)
        return ObjectsLoaded(request_id=message.request_id, last_round=last, snapshot=snapshot, rounds=rounds)

    def keep(self, message: StoreRound) -> None:
        """Keep a round.

        Raises:
            RefusalError: it is not the next one, or one of its rows cannot be.
            apsw.Error: the disk does not take it; nothing is changed.
        """
        digest = _digest(message)
        with transaction(self._connection):
            window = self._window(message.window) or self._new_window(message.window)
            ((last, known),) = self._connection.execute(
                "SELECT last_round, digest FROM windows WHERE id = ?", (window,)
            )
            if message.round == last and known == digest:
                return
            if message.round != last + 1:
                raise RefusalError(f"round {message.round}: {last + 1} is the next of {message.window.address.key}")
            for new in message.versions:
                self._keep_version(window, new)
            self._keep_rows(window, message)
            if message.snapshot:
                self._keep_snapshot(window, message)
            else:
                row = window, message.round, message.entries
                self._run("INSERT INTO rounds VALUES (?, ?, ?)", row)
            self._run("UPDATE windows SET last_round = ?, digest = ? WHERE id = ?", (message.round, digest, window))
            if message.versions:
                bounds.enforce(self._connection, window, self._limits)

    def _keep_version(self, window: int, new: NewVersion) -> None:
        version = new.version
        number = _object_number(version.object)
        last = list(
            self._connection.execute(
                "SELECT no, valid_from, text, status FROM versions WHERE window = ? AND object = ? "
                "ORDER BY no DESC LIMIT 1",
                (window, number),
            )
        )
        last_no, last_from, before, status = last[0] if last else (0, -1, None, "")
        valid_from = _microseconds(version.valid_from)
        if version.no == last_no and status == "unread":  # Now it is read, and that is its content.
            self._run("DELETE FROM versions WHERE window = ? AND object = ? AND no = ?", (window, number, last_no))
        elif version.no != last_no + 1:
            raise RefusalError(f"version {version.no} of {version.object}: {last_no + 1} is the next one")
        if valid_from <= last_from:
            raise RefusalError(f"version {version.no} of {version.object}: must be later than the one before it")
        row = (
            *(window, number, version.no, valid_from, version.size, version.status, version.path),
            *(version.content_hash, version.metadata_hash, version.object_hash),
            self._keep_text(window, new, before or self._newest_text(window, number)),
        )
        self._run("INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def _keep_text(self, window: int, new: NewVersion, before: int | None) -> int | None:
        """Id of a version's text; None for none, or where there is no room for it."""
        if new.text is None:
            return None
        size = len(new.text.encode())
        if size > self._limits.version_bytes:
            name = f"version {new.version.no} of {new.version.object}"
            raise RefusalError(f"{name}: its text has {size} bytes, at most {self._limits.version_bytes} are kept")
        if not bounds.has_room(self._connection, window, self._limits):
            bounds.enforce(self._connection, window, self._limits)
            if not bounds.has_room(self._connection, window, self._limits):
                return None
            before = None  # It may have gone.
        return texts.keep(self._connection, window, new.text, before)

    def _newest_text(self, window: int, number: int) -> int | None:
        found = self._connection.execute(
            "SELECT text FROM versions WHERE window = ? AND object = ? AND text IS NOT NULL ORDER BY no DESC LIMIT 1",
            (window, number),
        )
        return next((text for (text,) in found), None)

    def _keep_rows(self, window: int, message: StoreRound) -> None:
        for output in message.outputs:
            row = (
                *(window, _object_number(output.object), output.event, output.log, output.turn_id, output.call_id),
                *(_microseconds(output.at), output.size, output.outcome, output.exit_code),
                *(output.alias, output.alias_no),
            )
            self._run("INSERT INTO outputs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        for shown in message.showings:
            showing = window, shown.object, shown.no, shown.place, _microseconds(shown.at)
            self._run("INSERT OR IGNORE INTO showings VALUES (?, ?, ?, ?, ?)", showing)

    def _keep_snapshot(self, window: int, message: StoreRound) -> None:
        self._run("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", (window, message.round, message.snapshot))
        self._run("DELETE FROM rounds WHERE window = ?", (window,))

    # versions

    def fetch(self, message: FetchText) -> TextFetched:
        """A version with its text.

        Raises:
            RefusalError: there is none such.
        """
        window = self._window(message.window)
        found = None if window is None else self._find(window, message)
        if found is None:
            raise RefusalError(f"{_wanted(message)}: there is no such version in this window")
        text: str | None = None
        if found.text is not None:
            try:
                text = texts.read(self._connection, found.text)
            except texts.DamagedTextError:
                self.damaged_texts += 1
        return TextFetched(request_id=message.request_id, version=found.version, text=text)

    def _find(self, window: int, message: FetchText) -> Found | None:
        where, values = ["window = ?"], list[Any]([window])
        if message.object:
            where.append("object = ?")
            values.append(_object_number(message.object))
        if message.no:
            where.append("no = ?")
            values.append(message.no)
        elif message.content_hash:
            if _PREFIX.fullmatch(message.content_hash) is None:
                raise RefusalError(f"hash {message.content_hash!r}: 8 to 64 characters of 0-9 and a-f are needed")
            where.append("content_hash >= ? AND content_hash <= ?")
            values += [message.content_hash, message.content_hash + "g"]
        elif message.at is not None:
            where.append("valid_from <= ?")
            values.append(_microseconds(message.at))
        rows = list(
            self._connection.execute(
                f"SELECT object, text, {_COLUMNS} FROM versions WHERE {' AND '.join(where)} "
                "ORDER BY valid_from DESC, no DESC LIMIT 50",
                tuple(values),
            )
        )
        if message.content_hash and not message.no and len({row[7] for row in rows}) > 1:
            raise RefusalError(f"hash {message.content_hash!r}: several contents have it, more of it is needed")
        return Found(_version(rows[0][0], rows[0][2:]), rows[0][1]) if rows else None

    def versions(self, message: ListVersions) -> VersionsListed:
        """Versions of an object.

        Raises:
            RefusalError: there is no such object in the window.
        """
        window, number = self._window(message.window), _object_number(message.object)
        rows = list(
            self._connection.execute(
                f"SELECT text, {_COLUMNS} FROM versions WHERE window = ? AND object = ? AND no > ? ORDER BY no LIMIT ?",
                (window, number, message.after, MOST + 1),
            )
        )
        if not rows and not message.after:
            raise RefusalError(f"{message.object}: there is no such object in this window")
        shown = self._connection.execute(
            "SELECT no, count(*) FROM showings WHERE window = ? AND object = ? AND no > ? "
            "GROUP BY no ORDER BY no LIMIT ?",
            (window, message.object, message.after, MOST),
        )
        return VersionsListed(
            request_id=message.request_id,
            versions=tuple(_version(number, row[1:]) for row in rows[:MOST]),
            kept=tuple(row[1] for row in rows[:MOST] if row[0] is not None),
            shown=tuple(shown),
            is_all=len(rows) <= MOST,
        )

    def outputs(self, message: ListOutputs) -> OutputsListed:
        """Outputs of a window."""
        window = self._window(message.window)
        condition, number = ("no = ?", message.only) if message.only else ("no > ?", message.after)
        rows = list(
            self._connection.execute(
                "SELECT no, event, log, turn, call, at, size, outcome, exit_code, alias, alias_no FROM outputs "
                f"WHERE window = ? AND {condition} ORDER BY no LIMIT ?",
                (window, number, MOST + 1),
            )
        )
        found = tuple(_output(row) for row in rows[:MOST])
        return OutputsListed(request_id=message.request_id, outputs=found, is_all=len(rows) <= MOST)

    # growth

    def collect(self, message: CollectObjects, now: datetime) -> ObjectsCollected:
        """Throw away texts that were replaced long ago, and give their space back."""
        before = _microseconds(now - timedelta(days=message.keep_days))
        count = freed = 0
        with transaction(self._connection):
            while found := bounds.replaced(self._connection, 0, before=before, most=1_000):
                freed += sum(bounds.throw_away(self._connection, text) for text in found)
                count += len(found)
        for pragma in ("incremental_vacuum", "wal_checkpoint(truncate)"):
            list(self._connection.execute(f"PRAGMA {pragma}"))
        size = self._path.stat().st_size if self._path is not None else 0
        return ObjectsCollected(request_id=message.request_id, texts=count, bytes_freed=freed, file_bytes=size)

    def figures(self) -> tuple[tuple[str, int], ...]:
        """How much there is."""
        names = ("windows", "versions", "texts", "outputs")
        counts = [(name, int(next(self._connection.execute(f"SELECT count(*) FROM {name}"))[0])) for name in names]
        return (*counts, ("kept_bytes", bounds.kept_bytes(self._connection, 0)))

    # windows

    def _window(self, window: Window) -> int | None:
        found = self._connection.execute("SELECT id FROM windows WHERE key = ?", (window.address.key,))
        return next((int(id_) for (id_,) in found), None)

    def _new_window(self, window: Window) -> int:
        self._run("INSERT INTO windows(key) VALUES (?)", (window.address.key,))
        return int(self._connection.last_insert_rowid())

    def _run(self, statement: str, values: tuple[Any, ...]) -> None:
        list(self._connection.execute(statement, values))


def _digest(message: StoreRound) -> bytes:
    """What tells a round that is asked for again from another of its number."""
    whole = msgspec.structs.replace(message, request_id=RequestId(""))
    return hashlib.sha256(msgspec.msgpack.encode(whole)).digest()


def _version(number: int, row: Sequence[Any]) -> FileVersion:
    """A version from `_COLUMNS`."""
    no, valid_from, path, status, size, content_hash, metadata_hash, object_hash = row
    return FileVersion(
        object=f"f{number}",
        no=no,
        valid_from=_moment(valid_from),
        path=path,
        status=status,
        size=size,
        content_hash=content_hash,
        metadata_hash=metadata_hash,
        object_hash=object_hash,
    )


def _output(row: Sequence[Any]) -> OutputRow:
    no, event, log, turn, call, at, size, outcome, exit_code, alias, alias_no = row
    return OutputRow(
        object=f"t{no}",
        event=EventId(event),
        log=log,
        turn_id=TurnId(turn),
        call_id=call,
        at=_moment(at),
        size=size,
        outcome=outcome,
        exit_code=exit_code,
        alias=alias,
        alias_no=alias_no,
    )


def _object_number(name: str) -> int:
    """Number of an object's name.

    Raises:
        RefusalError: it is none.
    """
    found = _NAME.fullmatch(name)
    if found is None:
        raise RefusalError(f"object {name!r}: f or t and a number are needed")
    return int(found[1])


def _wanted(message: FetchText) -> str:
    """What was asked for, in words."""
    parts = [message.object or "any file"]
    if message.no:
        parts.append(f"version {message.no}")
    elif message.content_hash:
        parts.append(f"hash {message.content_hash}")
    elif message.at is not None:
        parts.append(f"at {message.at:%Y-%m-%d %H:%M:%S %Z}")
    return ", ".join(parts)


def _microseconds(at: datetime) -> int:
    return (at - _EPOCH) // _TICK


def _moment(microseconds: int) -> datetime:
    return _EPOCH + microseconds * _TICK
