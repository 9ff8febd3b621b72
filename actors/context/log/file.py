"""The only module that writes log files.

A file only ever grows. Each event is one `write`; `sync` makes what was written survive a power loss. After any failure
the object is of no more use: the kernel may have dropped the pages that it could not write, so a second `fdatasync` on
the same descriptor may succeed without having stored them. Opening the file anew parses it, seals what was cut short
and goes on.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Protocol

from actors.context.log import reserve
from actors.context.log.scan import newest_name
from actors.linux.private_folder import make_private
from domain.log.event import Event, Header
from domain.log.format import encode_event, encode_header, encode_seal
from domain.log.parser import ParsedLog, parse
from domain.log.view import Finding, findings
from domain.log.window import LOG_ROOT, LogName, log_folder, log_path, next_log_name, parse_log_name, parse_log_path
from messages.base import Value, Window

_OPEN_MODE = 0o600
_CLOSED_MODE = 0o444


class LogUnwritable(OSError):  # noqa: N818 - says what is so, as every name of ours does
    """Nothing more can be stored through this object; `reason` says why in words for people."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.reason = reason


class LogChanged(LogUnwritable):
    """Somebody else wrote to, replaced or removed the file; open it anew."""


class Position(Value, frozen=True, kw_only=True, gc=False):
    """Place of a record in its file."""

    line: int
    """Of its heading, from 1."""
    offset: int


class Disk(Protocol):
    """The two calls on whose outcome a promise hangs."""

    def write(self, fd: int, data: bytes, /) -> int:
        """How many of the bytes were written."""
        ...

    def sync(self, fd: int, /) -> None:
        """Return when everything written is on the disk."""
        ...


class RealDisk:
    """The operating system's."""

    def write(self, fd: int, data: bytes, /) -> int:
        """As `os.write`."""
        return os.write(fd, data)

    def sync(self, fd: int, /) -> None:
        """As `os.fdatasync`."""
        os.fdatasync(fd)


class ReservedDisk(RealDisk):
    """The operating system's, with space in reserve for when it is full."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def write(self, fd: int, data: bytes, /) -> int:
        """As `os.write`, and again with what is left when the reserve has been given up."""
        try:
            written = os.write(fd, data)
        except OSError as error:
            if not reserve.is_full(error) or not reserve.spend(self._root):
                raise
            written = 0
        if written < len(data) and (written == 0 or reserve.spend(self._root)):
            written += os.write(fd, data[written:])
        return written


class WindowLog:
    """The log file of one window, open for appending."""

    def __init__(self, path: Path, fd: int, disk: Disk) -> None:
        self.path = path
        self._fd, self._disk = fd, disk
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
        *,
        after: int | None = None,
    ) -> WindowLog:
        """A new file that is the newest of `window`'s, with its header, safely on the disk.

        Args:
            root: The data root.
            window: Whose.
            started_at: Aware. If the newest file is not older (a clock that went back), the new one gets its start
                and the next seq.
            opened_by: Who asked for it; goes into the header.
            after: Greatest message id of the window's earlier logs, 0 for none; None if nobody knows.
            disk: How to write; the real one if None.

        Raises:
            LogUnwritable: nothing was created.
            ValueError: as `domain.log.window.log_path`.
        """
        disk = disk or ReservedDisk(root)
        reserve.renew(root)
        try:
            return cls._create(root, window, started_at, opened_by, disk, after)
        except LogUnwritable as error:
            if not reserve.is_full(error.__cause__) or not reserve.spend(root):
                raise
            return cls._create(root, window, started_at, opened_by, disk, after)

    @classmethod
    def _create(
        cls, root: Path, window: Window, started_at: datetime, opened_by: str, disk: Disk, after: int | None
    ) -> WindowLog:
        folder = root / log_folder(window)
        _make_folders(folder)
        name, path, fd = _new_file(root, window, started_at)
        fresh = cls(path, fd, disk)
        header = Header(window=window, started_at=name.started_at, seq=name.seq, opened_by=opened_by, after=after)
        try:
            fresh._write(*encode_header(header))
            fresh.sync()
            _sync_folders(root, folder)
        except LogUnwritable:
            fresh.close()
            with suppress(OSError):  # If it stays, opening it gives it its header.
                path.unlink()  # Holds no event, and was never said to exist.
            raise
        return fresh

    @classmethod
    def open(cls, root: Path, path: PurePosixPath, disk: Disk | None = None) -> tuple[WindowLog, ParsedLog]:
        """The log at `path`, relative to the data root, and all it says; what a crash cut short is sealed.

        Raises:
            LogUnwritable: it can't be read, sealed or synced.
            ValueError: as `domain.log.window.parse_log_path`.
        """
        window, name = parse_log_path(path)
        place = root / path
        opened = cls(place, _open(place, 0), disk or ReservedDisk(root))
        header = Header(window=window, started_at=name.started_at, seq=name.seq or 1, opened_by="recovery")
        parsed = opened._recover(header)
        if not parsed.events:
            _sync_folders(root, place.parent)  # A crash may have come between the file's creation and this.
        return opened, parsed

    @classmethod
    def open_newest(cls, root: Path, window: Window, disk: Disk | None = None) -> tuple[WindowLog, ParsedLog] | None:
        """The newest log of `window` and all it says; None if it has none.

        Raises:
            LogUnwritable: it can't be read, sealed or synced.
            ValueError: as `domain.log.window.log_folder`.
        """
        folder = log_folder(window)
        name = _newest(root / folder)
        return None if name is None else cls.open(root, folder / name, disk)

    @property
    def head(self) -> str:
        """The hash of the last record."""
        return self._head

    def append(self, *events: Event) -> tuple[Position, ...]:
        """Write each event with one call; where each stands. Only `sync` makes them safe.

        Raises:
            LogUnwritable: some of them may have been written, the last of those in part. No further use.
            LogChanged: nothing was written. No further use.
            ValueError: as `domain.log.event.require_valid`; that event and those behind it were not written.
        """
        self._require_usable()
        self._require_unchanged()
        positions = []
        for event in events:
            positions.append(Position(line=self._line, offset=self._size))
            self._write(*encode_event(event, self._head))
        return tuple(positions)

    def sync(self) -> None:
        """Return when all that was appended survives a power loss.

        Raises:
            LogUnwritable: it may not. No further use.
        """
        self._require_usable()
        try:
            self._disk.sync(self._fd)
        except OSError as error:
            raise self._give_up(LogUnwritable(self.path, f"cannot be synced: {_words(error)}")) from error

    def close(self) -> None:
        """Give the file back; twice is as good as once."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
            self._broken = self._broken or LogUnwritable(self.path, "closed")

    def end_window(self) -> None:
        """Sync, make the file read-only, close: nothing more will be said in this window.

        Raises:
            LogUnwritable: as `sync`, or the mode can't be changed.
        """
        self.sync()
        try:
            os.fchmod(self._fd, _CLOSED_MODE)
        except OSError as error:
            raise self._give_up(LogUnwritable(self.path, f"cannot be made read-only: {_words(error)}")) from error
        self.close()

    def _recover(self, header: Header) -> ParsedLog:
        try:
            data = _read(self._fd)
        except OSError as error:
            raise self._give_up(LogUnwritable(self.path, f"cannot be read: {_words(error)}")) from error
        parsed = parse(data)
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
            written = self._disk.write(self._fd, record)
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
        ours = os.fstat(self._fd)
        try:
            there = self.path.lstat()
        except OSError as error:
            raise self._give_up(LogChanged(self.path, f"no longer there: {_words(error)}")) from error
        if (ours.st_dev, ours.st_ino) != (there.st_dev, there.st_ino):
            raise self._give_up(LogChanged(self.path, "replaced by another file"))
        if ours.st_size != self._size:
            raise self._give_up(LogChanged(self.path, f"{ours.st_size} bytes long where {self._size} were written"))

    def _give_up(self, error: LogUnwritable) -> LogUnwritable:
        self._broken = error
        self.close()
        return error


def check_file(path: Path) -> tuple[Finding, ...]:
    """What is wrong with the log at `path`; if it lies where logs lie, its header must say the same.

    Raises:
        OSError: it can't be read.
    """
    log = parse(path.read_bytes())
    try:
        window, name = parse_log_path(PurePosixPath(path.resolve().as_posix()))
    except ValueError:
        return findings(log)
    return findings(log, window, name)


def _new_file(root: Path, window: Window, started_at: datetime) -> tuple[LogName, Path, int]:
    folder = root / log_folder(window)
    names = _names(folder)
    while True:
        name = next_log_name(names, started_at)
        path = root / log_path(window, name.started_at, name.seq)
        try:
            return name, path, _open(path, os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            names.append(name)


def _names(folder: Path) -> list[LogName]:
    newest = _newest(folder)
    return [] if newest is None else [parse_log_name(newest)]


def _newest(folder: Path) -> str | None:
    try:
        return newest_name(folder)
    except OSError as error:
        raise LogUnwritable(folder, f"cannot be read: {_words(error)}") from error


def _open(path: Path, flags: int) -> int:
    try:
        if not flags and not stat.S_IMODE(path.lstat().st_mode) & stat.S_IWUSR:
            # Its window was ended but no newer one came to be, so it is still the one in use.
            path.chmod(_OPEN_MODE, follow_symlinks=False)
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | flags, _OPEN_MODE)
    except FileExistsError:
        raise
    except OSError as error:
        raise LogUnwritable(path, f"cannot be opened: {_words(error)}") from error


def _read(fd: int) -> bytes:
    with os.fdopen(os.dup(fd), "rb") as file:
        return file.read()


def _make_folders(folder: Path) -> None:
    try:
        make_private(folder)
    except OSError as error:
        raise LogUnwritable(folder, f"cannot be made: {_words(error)}") from error


def _sync_folders(root: Path, folder: Path) -> None:
    """Make the names of a file and of its folders, up to the log root's, survive a power loss."""
    top = root / LOG_ROOT
    for place in (folder, folder.parent, top, root):
        try:
            fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
        except OSError as error:
            raise LogUnwritable(place, f"cannot be synced: {_words(error)}") from error


def _words(error: OSError) -> str:
    return error.strerror or type(error).__name__
