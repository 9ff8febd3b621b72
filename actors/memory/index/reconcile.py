"""Reconciliation with the logs: adds missing entries, drops entries of no log, names damaged logs once."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from actors.linux.regular_file import open_regular
from actors.memory.index.index import Index
from actors.memory.index.log_check import check_entries, check_sources
from domain.log.parser import Gap, LogState, ParsedLog, Record, read
from domain.log.window import LOG_ROOT, LOGGED_SURFACES, LogName, is_imported_log, keeps_logs, parse_log_name
from domain.memory.remembered import PinChange, Remembered, TakenBack, entry_of_record
from messages.base import Surface, Window

log = logging.getLogger(__name__)

PIECE_BYTES = 1024 * 1024
"""Bytes of a log that are compared in one piece: about 2,000 turns.

Each piece is a transaction and leaves a segment of the keyword index to be merged: an index was made anew
in 13.3 s of processor time with pieces of 64 KiB, in 10.3 with 256, in 8.6 with 1,024, in 8.9 with 2,048.
"""
_NO_LINE = 2**62
_TOMBSTONE = b"Z tombstone "
"""In the heading of each tombstone."""
SETTLED_S = 60.0
"""Seconds after which a cut-off end of a log counts as damage; before, the end counts as an unfinished write."""
_HEADING = re.compile(rb"\n## [0-9]{4}-[0-9]{2}-[0-9]{2}T")


@dataclass(slots=True)
class Tally:
    """Counts of a comparison so far."""

    logs: int = 0
    added: int = 0
    dropped: int = 0
    damaged: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """Result of a step of the comparison."""

    added: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    window: Window | None = None
    """Window of the added rows."""
    path: str = ""
    """A log compared whole with this piece."""


@dataclass(frozen=True, slots=True)
class _Section:
    """Section of a log, read at once."""

    records: list[Record]
    parsed: ParsedLog
    first_line: int
    is_last: bool


class Reconciliation:
    """Incremental comparison of all logs with the index, in pieces of a tenth of a second at most."""

    def __init__(self, root: Path, index: Index, now: datetime, piece_bytes: int = PIECE_BYTES) -> None:
        self._piece_bytes = piece_bytes
        self._root = root
        self._index = index
        self._now = now
        self._is_thorough = not index.is_verified()
        """True to read unchanged logs as well, and compare the index's rows with the logs."""
        self.tally = Tally()

    def pieces(self) -> Iterator[Piece]:
        """Do the work; between two pieces any other code may change the index, even the rows being compared.

        Raises:
            AlteredIndexError: after an end in disorder: the index has content that is not from the logs.
        """
        seen: set[str] = set()
        for window, logs in groupby(self._logs(), itemgetter(0)):
            paths = [path for _, path in logs]
            unread = list(paths)
            for path in paths:
                seen.add(path)
                self.tally.logs += 1
                yield from self.compare(window, path, unread)
                yield Piece(window=window, path=path)
        for path in self._index.known_files():
            if path not in seen and not (self._root / path).exists():
                yield self._note(None, [], self._index.forget_file(path))
        if self._is_thorough:
            check_sources(self._index.connection)
        self._index.note("reconciled_at", int(self._now.timestamp() * 1000))

    def _logs(self) -> Iterator[tuple[Window, str]]:
        """Every log of every window; a window's oldest first, after its imported logs."""
        for surface in LOGGED_SURFACES:
            for name in _list_names(self._root / LOG_ROOT / surface.value):
                if keeps_logs(surface, name):
                    yield from self._logs_of(surface, name)

    def _logs_of(self, surface: Surface, context_id: str) -> Iterator[tuple[Window, str]]:
        names: list[tuple[LogName, str]] = []
        imported: list[str] = []
        for name in _list_names(self._root / LOG_ROOT / surface.value / context_id):
            try:
                names.append((parse_log_name(name), name))
            except ValueError:  # Other files may lie there.
                imported += [name] if is_imported_log(name) else []
        window = Window(surface=surface, id=context_id)
        for name in (*imported, *(name for _, name in sorted(names))):
            yield window, f"{LOG_ROOT}/{surface.value}/{context_id}/{name}"

    def _take_back(self, window: Window, path: str) -> Iterator[Piece]:
        """Note the withdrawals in a log to be compared: withdrawn words of earlier sections must not come up again."""
        try:
            fd = open_regular(self._root / path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return  # The comparison names it.
        try:
            status = os.fstat(fd)
            if self._is_unchanged(path, status) or not (yield from _has_tombstone(fd, status.st_size)):
                return
            for section in self._read(fd, status.st_size):
                entries = [entry for record in section.records if (entry := entry_of_record(path, record)) is not None]
                if self._is_thorough:
                    end_line = section.parsed.state.line
                    check_entries(self._index.connection, path, section.first_line, end_line - 1, entries)
                withdrawals = [entry for entry in entries if isinstance(entry, TakenBack)]
                yield self._note(window, *self._index.remember(window, withdrawals)) if withdrawals else Piece()
        finally:
            os.close(fd)

    def _is_unchanged(self, path: str, status: os.stat_result) -> bool:
        """True if a log was compared before and need not be compared again."""
        state = self._index.file_state(path)
        is_known = state is not None and state[:2] == (status.st_size, status.st_mtime_ns)
        return is_known and not self._is_thorough

    def compare(self, window: Window, path: str, unread: list[str] | None = None) -> Iterator[Piece]:
        """Compare a log of a window.

        Args:
            window: Window of the log.
            path: Path of the log below the data root.
            unread: Logs of the window with withdrawals perhaps not known yet: read before any changed log, and emptied.
        """
        try:
            fd = open_regular(self._root / path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError as error:
            log.warning("%s cannot be compared with the index: %s", path, error.strerror)
            return
        try:
            status = os.fstat(fd)
            state = self._index.file_state(path)
            if state is not None and self._is_unchanged(path, status):
                self.tally.damaged += bool(state[2])
                return
            if unread == [path] and status.st_size <= self._piece_bytes:
                unread = []  # A single section is taken in at once, with its withdrawals.
            while unread:
                yield from self._take_back(window, unread.pop())
                yield Piece()
            damage = yield from self._compare_open(window, path, fd, status)
            self.tally.damaged += bool(damage)
            if damage and (state is None or state[2] != damage):
                log.warning("%s: %s", path, damage)
            self._index.note_file(window, path, status.st_size, status.st_mtime_ns, damage)
        finally:
            os.close(fd)

    def _compare_open(self, window: Window, path: str, fd: int, status: os.stat_result) -> Generator[Piece, None, str]:
        """Compare the first `st_size` bytes, the size at the beginning; gives the damage."""
        damage: list[Gap] = []
        torn: Gap | None = None
        for section in self._read(fd, status.st_size):
            damage.extend(section.parsed.damage)
            torn = section.parsed.torn
            # Rows behind the end came with turns that ended since, unless nothing was written since.
            is_all = section.is_last and os.fstat(fd).st_size == status.st_size
            end_line = _NO_LINE if is_all else section.parsed.state.line
            yield self._apply(window, path, section.records, section.first_line, end_line)
        return _describe_gaps(damage, torn if self._has_settled(status) else None)

    def _read(self, fd: int, most: int) -> Iterator[_Section]:
        """The first `most` bytes of a log, section by section."""
        state, length = LogState(), self._piece_bytes
        while True:
            size = min(length, most - state.offset)
            data = os.pread(fd, size, state.offset)
            is_last = len(data) < size or state.offset + size == most
            if not is_last:
                # A record is whole only if no seal follows it, so the piece ends where something else begins.
                cut = _last_heading(data)
                if cut <= 0:
                    length *= 2
                    continue
                data = data[:cut]
            records, parsed = read(data, state)
            if not is_last and parsed.state.offset == state.offset:
                length *= 2
                continue
            length = self._piece_bytes
            yield _Section(records, parsed, state.line, is_last)
            if is_last:
                return
            state = parsed.state

    def _has_settled(self, status: os.stat_result) -> bool:
        return self._now.timestamp() - status.st_mtime > SETTLED_S

    def _apply(self, window: Window, path: str, records: list[Record], first_line: int, end_line: int) -> Piece:
        """Make the rows from `first_line` to before `end_line` of a log agree with the log."""
        entries = [entry for record in records if (entry := entry_of_record(path, record)) is not None]
        if self._is_thorough:
            check_entries(self._index.connection, path, first_line, end_line - 1, entries)
        turns = {entry.line: entry for entry in entries if isinstance(entry, Remembered)}
        there = self._index.between(path, first_line, end_line - 1)
        stale = [
            row
            for line, (row, event, hash_) in there.items()
            if line not in turns or (turns[line].event_id, turns[line].hash) != (event, hash_)
        ]
        self._index.forget(stale)
        sources = frozenset(entry.source_line for entry in entries if isinstance(entry, PinChange | TakenBack))
        self._index.forget_sources(path, first_line, end_line - 1, sources)
        added, gone = self._index.remember(window, entries)
        return self._note(window, added, [*stale, *gone])

    def _note(self, window: Window | None, added: list[int], dropped: list[int]) -> Piece:
        self.tally.added += len(added)
        self.tally.dropped += len(dropped)
        return Piece(added=tuple(added), dropped=tuple(dropped), window=window)


def _has_tombstone(fd: int, size: int) -> Generator[Piece, None, bool]:
    """True if the first bytes of a log may have a tombstone; looked for in pieces."""
    for offset in range(0, size, PIECE_BYTES):
        if _TOMBSTONE in os.pread(fd, PIECE_BYTES + len(_TOMBSTONE), offset):
            return True
        yield Piece()
    return False


def _last_heading(data: bytes) -> int:
    """Offset of the last event in `data`; 0 if no event begins behind its start."""
    at = len(data)
    while (at := data.rfind(b"\n## ", 0, at)) >= 0:
        if _HEADING.match(data, at):
            return at + 1
    return 0


def _describe_gaps(damage: list[Gap], torn: Gap | None) -> str:
    gaps = [*damage, *([torn] if torn is not None else [])]
    return "; ".join(f"line {gap.line}: {gap.length} bytes: {gap.reason}" for gap in gaps[:5])


def _list_names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - a path for each of 100,000 windows takes 0.3 s
    except FileNotFoundError:
        return []
