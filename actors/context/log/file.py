"""The only module that writes log files.

A file only ever grows. Each event is one `write`; `sync` makes all writes survive a power loss. After any failure
the object is of no more use: the kernel may have dropped the pages that it could not write, so a second `fdatasync` on
the same descriptor may succeed without a write to the disk. Opening the file anew parses the file, seals a torn record
and continues.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from actors.context.log import reserve
from actors.context.log.descriptor import Descriptor, FileReplacedError, OpenLogs
from actors.context.log.reserve import ReservedDisk
from actors.context.log.scan import newest_name
from actors.linux.disk import Disk, make_durable
from actors.linux.private_folder import make_private
from actors.linux.regular_file import open_regular, read_regular
from domain.log.event import Event, Header, Kind
from domain.log.format import encode_event, encode_header, encode_seal
from domain.log.parser import ParsedLog, parse
from domain.log.view import Finding, findings, list_taken_out
from domain.log.window import LogName, log_folder, log_path, next_log_name, parse_log_name, parse_log_path
from messages.base import Value, Window, make_ready

_OPEN_MODE = 0o600
_CLOSED_MODE = 0o444
_UNNAMED = ".new"
"""Name of an incomplete log in its folder."""


class LogUnwritable(OSError):  # noqa: N818 - says what is so, as every name of ours does
    """The log can store no more; `reason` gives the cause in words for people."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.reason = reason


class LogChanged(LogUnwritable):
    """Another process wrote to, replaced or removed the file; open the log anew."""


class Position(Value, frozen=True, kw_only=True, gc=False):
    """Place of a record in its file."""

    line: int
    """Line of the heading, from 1."""
    offset: int


class _Opening(NamedTuple):
    """Initial content of a new log."""

    window: Window
    started_at: datetime
    opened_by: str
    after: int | None
    carried: Collection[Event]


class WindowLog:
    """The log file of a window, open for appending."""

    def __init__(self, path: Path, fd: int, disk: Disk) -> None:
        self.path = path
        self._descriptor, self._disk = Descriptor(path, fd, disk), disk
        self._size, self._line, self._head = 0, 1, ""
        self._broken: LogUnwritable | None = None

    @classmethod
    def create(
        cls,
        root: Path,
        window: Window,
        started_at: datetime,
        opened_by: str,
        disk: Disk | None = None,
        carried: Collection[Event] = (),
        *,
        after: int | None = None,
    ) -> WindowLog:
        """New file, the newest of `window`'s, with its header and first events, safely on the disk.

        The file gets its name only when whole, so a crash leaves all of the log or no log.

        Args:
            root: The data root.
            window: Window of the log.
            started_at: Aware. If the newest file is not older (a clock that went back), the new file gets its start
                and the next seq.
            opened_by: Requester of the log; goes into the header.
            disk: Writes the file; the real disk if None.
            carried: Events to begin with.
            after: Greatest message id of the window's earlier logs; None if unknown or without earlier logs.

        Raises:
            LogUnwritable: no file was created, or the reason names an uncertain outcome.
            ValueError: as `domain.log.window.log_path`.
        """
        disk = disk or ReservedDisk(root)
        reserve.renew(root)
        opening = _Opening(window, started_at, opened_by, after, carried)
        try:
            return cls._create(root, opening, disk)
        except LogUnwritable as error:
            if not reserve.is_full(error.__cause__) or not reserve.spend(root):
                raise
            return cls._create(root, opening, disk)

    @classmethod
    def _create(cls, root: Path, opening: _Opening, disk: Disk) -> WindowLog:
        window, carried = opening.window, opening.carried
        folder = root / log_folder(window)
        _make_folders(disk, folder)
        name, path = _next_place(root, window, opening.started_at)
        unnamed = folder / _UNNAMED
        fresh = cls(path, _open(disk, unnamed, os.O_CREAT | os.O_TRUNC), disk)
        header = Header(
            window=window,
            started_at=name.started_at,
            seq=name.seq,
            opened_by=opening.opened_by,
            after=opening.after,
        )
        try:
            fresh._write(*encode_header(header))
            for event in carried:
                fresh._write(*encode_event(event, fresh._head))
            fresh.sync()
            fresh._take_name(unnamed)
            _sync_folders(disk, root, folder)
        except LogUnwritable as error:
            fresh.close()
            fresh._remove(unnamed, error)
            raise
        return fresh

    def _take_name(self, unnamed: Path) -> None:
        try:
            self._disk.replace(unnamed, self.path)
        except OSError as error:
            raise LogUnwritable(self.path, f"cannot be named: {_words(error)}") from error

    def _remove(self, unnamed: Path, error: LogUnwritable) -> None:
        """Remove an incomplete file; no caller has heard of its existence."""
        with suppress(OSError):
            self._disk.unlink(unnamed)
        try:
            self._disk.unlink(self.path)
        except FileNotFoundError:
            return
        except OSError:
            error.reason += "; the unfinished log cannot be removed, so it may later count as a new window"

    @classmethod
    def open(cls, root: Path, path: PurePosixPath, disk: Disk | None = None) -> tuple[WindowLog, ParsedLog]:
        """Log at `path`, relative to the data root, with its parsed content; a torn record is sealed.

        Raises:
            LogUnwritable: the log can't be read, sealed or synced.
            ValueError: as `domain.log.window.parse_log_path`.
        """
        window, name = parse_log_path(path)
        place = root / path
        disk = disk or ReservedDisk(root)
        opened = cls(place, _open(disk, place, 0), disk)
        header = Header(window=window, started_at=name.started_at, seq=name.seq or 1, opened_by="recovery")
        parsed = opened._recover(header)
        is_new = all(logged.event.kind is Kind.SYSTEM for logged in parsed.events)
        if is_new or any(each.at is None for each in list_taken_out([parsed])):
            _sync_folders(disk, root, place.parent)  # A crash may have come between the file's naming and this.
        return opened, parsed

    @classmethod
    def open_newest(cls, root: Path, window: Window, disk: Disk | None = None) -> tuple[WindowLog, ParsedLog] | None:
        """Newest log of `window` with its parsed content; None if the window has no log.

        Raises:
            LogUnwritable: the log can't be read, sealed or synced.
            ValueError: as `domain.log.window.log_folder`.
        """
        folder = log_folder(window)
        name = _newest(root / folder)
        return None if name is None else cls.open(root, folder / name, disk)

    def share(self, open_logs: OpenLogs) -> None:
        """Allow `open_logs` to close the file between two uses."""
        self._descriptor.share(open_logs)

    @property
    def head(self) -> str:
        """The hash of the last record."""
        return self._head

    def append(self, *events: Event, is_looked_at: bool = True) -> tuple[Position, ...]:
        """Write each event with a single call; return the positions. Only `sync` makes the events safe.

        Args:
            events: In their order.
            is_looked_at: True to check first that the file is unchanged by other processes.

        Raises:
            LogUnwritable: some events may have been written, the last of them in part. No further use.
            LogChanged: no event was written. No further use.
            ValueError: as `domain.log.event.require_valid`; the invalid event and all later events were not written.
        """
        self._require_usable()
        if is_looked_at:
            self._require_unchanged()
        positions = []
        for event in events:
            positions.append(Position(line=self._line, offset=self._size))
            self._write(*encode_event(event, self._head))
        return tuple(positions)

    def sync(self) -> None:
        """Return when all appended events survive a power loss.

        Raises:
            LogUnwritable: events may be lost. No further use.
        """
        self._require_usable()
        if self._descriptor.is_synced:
            return
        try:
            with self._descriptor as fd:
                self._disk.sync(fd)
                self._descriptor.is_synced = True
        except OSError as error:
            raise self._give_up(LogUnwritable(self.path, f"cannot be synced: {_words(error)}")) from error

    def close(self) -> None:
        """Give the file back; twice is as good as once."""
        self._descriptor.close()
        self._broken = self._broken or LogUnwritable(self.path, "closed")

    def end_window(self) -> None:
        """Sync, make the file read-only, close: nothing more will be said in this window.

        Raises:
            LogUnwritable: as `sync`, or the mode can't be changed.
        """
        self.sync()
        try:
            with self._descriptor as fd:
                self._disk.change_mode(fd, _CLOSED_MODE)
        except OSError as error:
            raise self._give_up(LogUnwritable(self.path, f"cannot be made read-only: {_words(error)}")) from error
        self.close()

    def _recover(self, header: Header) -> ParsedLog:
        try:
            with self._descriptor as fd:
                data = _read(fd)
        except OSError as error:
            raise self._give_up(LogUnwritable(self.path, f"cannot be read: {_words(error)}")) from error
        parsed = parse(data)
        self._descriptor.holds(data)
        self._size, self._line, self._head = parsed.state.offset, parsed.state.line, parsed.state.head
        if parsed.torn is not None:
            torn = data[parsed.torn.offset :]
            self._size += len(torn)
            self._line += torn.count(b"\n")
            self._write(*encode_seal(torn, self._head))
        if parsed.state.empty and not parsed.damage:
            self._write(*encode_header(header, self._head))
        # Events that a killed process wrote but did not sync are about to be acted upon.
        self.sync()
        return parsed

    def _write(self, record: bytes, digest: str) -> None:
        try:
            with self._descriptor as fd:
                self._descriptor.is_synced = False
                written = self._disk.write(fd, record)
                if written == len(record):
                    self._descriptor.wrote(record, self._size + written)
        except FileReplacedError as error:
            raise self._give_up(LogChanged(self.path, _words(error))) from error
        except OSError as error:
            raise self._give_up(LogUnwritable(self.path, f"cannot be written: {_words(error)}")) from error
        if written != len(record):
            reason = f"only {written} of {len(record)} bytes could be written: the disk or a quota is full"
            raise self._give_up(LogUnwritable(self.path, reason))
        self._size += written
        self._line += record.count(b"\n")
        self._head = digest

    def _require_usable(self) -> None:
        if self._broken is not None:
            raise LogUnwritable(self.path, f"given up earlier: {self._broken.reason}")

    def _require_unchanged(self) -> None:
        try:
            self._descriptor.require_unchanged(self._size)
        except FileReplacedError as error:
            raise self._give_up(LogChanged(self.path, _words(error))) from error

    def _give_up(self, error: LogUnwritable) -> LogUnwritable:
        self._broken = error
        self.close()
        return error


def check_file(path: Path) -> tuple[Finding, ...]:
    """Findings on the log at `path`; in a log folder, the header must agree with the path.

    Raises:
        OSError: the log can't be read.
    """
    return findings_at(path, parse(read_regular(path)))


def findings_at(path: Path, log: ParsedLog) -> tuple[Finding, ...]:
    """Findings on a log read from `path`."""
    try:
        window, name = parse_log_path(PurePosixPath(path.resolve().as_posix()))
    except ValueError:
        return findings(log)
    return findings(log, window, name)


def is_ended(path: Path) -> bool:
    """True if the log at `path` is closed to further events.

    Raises:
        OSError: the log can't be looked at.
    """
    mode = path.lstat().st_mode
    return stat.S_ISREG(mode) and not mode & stat.S_IWUSR


def _next_place(root: Path, window: Window, started_at: datetime) -> tuple[LogName, Path]:
    """Name and path of a new log, the future newest."""
    names = _names(root / log_folder(window))
    while True:
        name = next_log_name(names, started_at)
        path = root / log_path(window, name.started_at, name.seq)
        if not os.path.lexists(path):
            return name, path
        names.append(name)


def _names(folder: Path) -> list[LogName]:
    newest = _newest(folder)
    return [] if newest is None else [parse_log_name(newest)]


def _newest(folder: Path) -> str | None:
    try:
        return newest_name(folder)
    except OSError as error:
        raise LogUnwritable(folder, f"cannot be read: {_words(error)}") from error


def _open(disk: Disk, path: Path, flags: int) -> int:
    try:
        if not flags and is_ended(path):
            # Its window was ended but no newer one came to be, so it is still the one in use.
            path.chmod(_OPEN_MODE, follow_symlinks=False)
        return open_regular(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | flags, _OPEN_MODE, opens=disk.open)
    except OSError as error:
        raise LogUnwritable(path, f"cannot be opened: {_words(error)}") from error


def _read(fd: int) -> bytes:
    with os.fdopen(os.dup(fd), "rb") as file:
        return file.read()


def _make_folders(disk: Disk, folder: Path) -> None:
    try:
        make_private(folder, disk.make_folder)
    except OSError as error:
        raise LogUnwritable(folder, f"cannot be made: {_words(error)}") from error


def _sync_folders(disk: Disk, root: Path, folder: Path) -> None:
    """Make the names of a file and of its folders, up to the data root's, survive a power loss."""
    try:
        make_durable(disk, root, folder)
    except OSError as error:
        raise LogUnwritable(folder, f"its name cannot be synced: {_words(error)}") from error


def _words(error: OSError) -> str:
    return error.strerror or type(error).__name__


make_ready(__name__)
