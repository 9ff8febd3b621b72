"""Open store: versions found by number, time and hash, outputs by number."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from actors.memory.derived.database import DerivedDatabase, transaction
from actors.memory.derived.owner import RefusalError
from actors.objects.store import bounds, forgetting, rounds, texts
from actors.objects.store.bounds import StoreLimits
from actors.objects.store.database import SCHEMA
from actors.objects.store.rounds import window_of
from actors.objects.store.values import FILE, microseconds, moment, number_of
from messages.base import EventId, TurnId, Window
from messages.forget import ForgetDerived
from messages.objects import (
    CollectObjects,
    FetchText,
    FileVersion,
    ListOutputs,
    ListVersions,
    LoadObjects,
    ObjectsCollected,
    ObjectsLoaded,
    OutputRow,
    OutputsListed,
    StoreRound,
    TextFetched,
    VersionsListed,
)

MOST = 200
"""Rows of an answer."""
_COLLECTED = 1_000
"""Texts removed in a transaction."""
_MOST_FORGOTTEN = 1_000
"""Newest forget requests whose turns later rounds must not bring back; a round waits for seconds."""
_PREFIX = re.compile(r"[0-9a-f]{8,64}")
_COLUMNS = "no, valid_from, path, status, size, content_hash, metadata_hash, object_hash"


class ForgottenTurns:
    """Windows and ids of the newest forget requests, whatever becomes of the file."""

    def __init__(self) -> None:
        """Begin without requests."""
        self._requests: deque[tuple[Window, frozenset[str]]] = deque(maxlen=_MOST_FORGOTTEN)

    def note(self, message: ForgetDerived) -> None:
        """Note a request."""
        self._requests.append((message.window, forgetting.names_of(message)))

    def names_in(self, window: Window) -> frozenset[str]:
        """Ids of the forgotten events and turns of a window."""
        return frozenset[str]().union(*(names for place, names in self._requests if place == window))


@dataclass(frozen=True, slots=True)
class StoredText:
    """A version, and the place of its text."""

    version: FileVersion
    text: int | None


class ObjectStore:
    """Owner of an open database."""

    def __init__(
        self,
        path: Path | None,
        limits: StoreLimits,
        now: datetime,
        *,
        is_doubtful: bool = False,
        forgotten: ForgottenTurns | None = None,
    ) -> None:
        """Open the store.

        Args:
            path: Path of the file; None to keep all data in memory.
            limits: Limits of the stored data.
            now: The time.
            is_doubtful: True if damage was found.
            forgotten: Turns that no round may bring back; None for no turns so far.

        Raises:
            apsw.Error: the file is locked, or the disk refuses the file.
            OSError: its folder cannot be made or written.
        """
        self._limits = limits
        self.file = DerivedDatabase(SCHEMA, path, now, is_doubtful=is_doubtful)
        self._connection = self.file.connection
        self._forgotten = forgotten or ForgottenTurns()
        self.damaged_texts = 0
        """Number of texts found altered."""

    # rounds

    def load(self, message: LoadObjects) -> ObjectsLoaded:
        """State of a window."""
        return rounds.load(self._connection, message)

    def keep(self, message: StoreRound) -> None:
        """Keep a round, without data of turns forgotten lately.

        Raises:
            RefusalError: the round is not the next, or a row cannot be kept.
            UnicodeEncodeError: a text is not valid Unicode.
            apsw.Error: the write fails; then no change is made.
        """
        if names := self._forgotten.names_in(message.window):
            message = forgetting.redact_round(message, names)
        rounds.keep(self._connection, self._limits, message)

    # versions

    def fetch(self, message: FetchText) -> TextFetched:
        """A version with its text.

        Raises:
            RefusalError: the version does not exist.
        """
        window = window_of(self._connection, message.window)
        stored = None if window is None else self._find(window, message)
        if stored is None:
            raise RefusalError(f"{_describe_request(message)}: there is no such version in this window")
        text: str | None = None
        if stored.text is not None:
            try:
                text = texts.read(self._connection, stored.text)
            except texts.DamagedTextError:
                self.damaged_texts += 1
        return TextFetched(request_id=message.request_id, version=stored.version, text=text)

    def _find(self, window: int, message: FetchText) -> StoredText | None:
        where, values = ["window = ?"], list[Any]([window])
        by_hash = message.content_hash and not message.no
        if message.object or not by_hash:
            where.append("object = ?")
            values.append(number_of(message.object, FILE))
        if message.no:
            where.append("no = ?")
            values.append(message.no)
        elif by_hash:
            if _PREFIX.fullmatch(message.content_hash) is None:
                raise RefusalError(f"hash {message.content_hash!r}: 8 to 64 characters of 0-9 and a-f are needed")
            where.append("content_hash >= ? AND content_hash <= ?")
            values += [message.content_hash, message.content_hash + "g"]
        elif message.at is not None:
            where.append("valid_from <= ?")
            values.append(microseconds(message.at))
        source = f"FROM versions WHERE {' AND '.join(where)}"
        if by_hash:
            contents = self._connection.execute(f"SELECT DISTINCT content_hash {source} LIMIT 2", tuple(values))
            if len(list(contents)) > 1:
                raise RefusalError(f"hash {message.content_hash!r}: several contents have it, more of it is needed")
        order = "valid_from DESC, no DESC" if by_hash else "no DESC"
        rows = self._connection.execute(
            f"SELECT object, text, {_COLUMNS} {source} ORDER BY {order} LIMIT 1", tuple(values)
        )
        return next((StoredText(_version(row[0], row[2:]), row[1]) for row in list(rows)), None)

    def versions(self, message: ListVersions) -> VersionsListed:
        """Versions of an object.

        Raises:
            RefusalError: the window has no such object.
        """
        window, number = window_of(self._connection, message.window), number_of(message.object, FILE)
        rows = list(
            self._connection.execute(
                f"SELECT text, {_COLUMNS} FROM versions WHERE window = ? AND object = ? AND no > ? ORDER BY no LIMIT ?",
                (window, number, message.after, MOST + 1),
            )
        )
        if not rows and not message.after:
            raise RefusalError(f"{message.object}: there is no such object in this window")
        newest = rows[:MOST][-1][1] if rows else 0
        showings = self._connection.execute(
            "SELECT no, count(*) FROM showings WHERE window = ? AND object = ? AND no > ? AND no <= ? "
            "GROUP BY no ORDER BY no",
            (window, message.object, message.after, newest),
        )
        return VersionsListed(
            request_id=message.request_id,
            versions=tuple(_version(number, row[1:]) for row in rows[:MOST]),
            kept=tuple(row[1] for row in rows[:MOST] if row[0] is not None),
            shown=tuple(showings),
            is_all=len(rows) <= MOST,
        )

    def outputs(self, message: ListOutputs) -> OutputsListed:
        """Outputs of a window."""
        window = window_of(self._connection, message.window)
        condition, number = ("no = ?", message.only) if message.only else ("no > ?", message.after)
        rows = list(
            self._connection.execute(
                "SELECT no, event, log, turn, call, at, size, outcome, exit_code, alias, alias_no FROM outputs "
                f"WHERE window = ? AND {condition} ORDER BY no LIMIT ?",
                (window, number, MOST + 1),
            )
        )
        listed = tuple(_output(row) for row in rows[:MOST])
        return OutputsListed(request_id=message.request_id, outputs=listed, is_all=len(rows) <= MOST)

    def forget(self, message: ForgetDerived) -> int:
        """Remove stored data of forgotten turns, and every byte of the data; the number of outputs and texts gone.

        Raises:
            apsw.Error: the write fails, or another program reads the file; another call does the rest.
            OSError: an unusable file that was moved aside cannot be removed.
        """
        self._forgotten.note(message)
        count = forgetting.forget(self._connection, message)
        self.file.scrub()
        return count

    # growth

    def collect(self, message: CollectObjects, now: datetime) -> ObjectsCollected:
        """Remove texts replaced long ago, and free their space."""
        before = microseconds(now - timedelta(days=message.keep_days))
        count, size = 0, bounds.kept_bytes(self._connection, 0)
        while text_ids := bounds.list_outlived(self._connection, before, _COLLECTED):
            with transaction(self._connection):
                texts.forget(self._connection, text_ids)
            count += len(text_ids)
        freed = size - bounds.kept_bytes(self._connection, 0)
        list(self._connection.execute("PRAGMA incremental_vacuum"))
        self.file.tidy()
        return ObjectsCollected(
            request_id=message.request_id, texts=count, bytes_freed=freed, file_bytes=self.file.size_bytes
        )

    def figures(self) -> tuple[tuple[str, int], ...]:
        """Counts and sizes of the store."""
        names = ("windows", "versions", "texts", "outputs")
        counts = [(name, int(next(self._connection.execute(f"SELECT count(*) FROM {name}"))[0])) for name in names]
        return (*counts, ("kept_bytes", bounds.kept_bytes(self._connection, 0)))


def _version(number: int, row: Sequence[Any]) -> FileVersion:
    """A version from `_COLUMNS`."""
    no, valid_from, path, status, size, content_hash, metadata_hash, object_hash = row
    return FileVersion(
        object=f"f{number}",
        no=no,
        valid_from=moment(valid_from),
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
        at=moment(at),
        size=size,
        outcome=outcome,
        exit_code=exit_code,
        alias=alias,
        alias_no=alias_no,
    )


def _describe_request(message: FetchText) -> str:
    """Description of a request, in words."""
    parts = [message.object or "any file"]
    if message.no:
        parts.append(f"version {message.no}")
    elif message.content_hash:
        parts.append(f"hash {message.content_hash}")
    elif message.at is not None:
        parts.append(f"at {message.at:%Y-%m-%d %H:%M:%S %Z}")
    return ", ".join(parts)
