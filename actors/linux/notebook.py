"""Notebook: a file of lines that only grows, until compaction; and a folder of notes, each written whole.

A line ends in a line feed: an end without one was cut off, counts as no line, and goes with the next addition.
"""

from __future__ import annotations

import fnmatch
import logging
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from actors.linux.disk import (
    Disk,
    RealDisk,
    draft_path,
    give_back,
    make_durable,
    make_folders,
    put_whole,
    write_some,
)
from actors.linux.private_folder import make_private
from actors.linux.regular_file import open_regular, read_regular
from actors.linux.safe_open import read_beneath

log = logging.getLogger(__name__)

T = TypeVar("T")
LONG_BYTES = 4 * 1024 * 1024
"""Size from which compaction is worth its time."""
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
_BLOCK_BYTES = 65_536
_UNREADABLE = (ValueError, msgspec.MsgspecError, RecursionError, OverflowError)


class Notebook:
    """Writer and reader of a file; each call opens the file, so a removal by an operator is noticed at once.

    Added lines survive a kill, and a power loss after a sync. A failed addition leaves no line, nor a part of a line.
    The folder is made, for its owner alone, with the first line.
    """

    def __init__(
        self,
        path: Path,
        disk: Disk | None = None,
        content: Callable[[], Iterable[bytes]] | None = None,
        *,
        long_bytes: int = LONG_BYTES,
    ) -> None:
        """Begin without reading.

        Args:
            path: Path of the file.
            disk: Disk to write to; None for the real disk.
            content: Gives all live lines, for compaction and for a removed file; None for a file without compaction.
            long_bytes: Size from which the file is compacted, unless compaction saves less than half.
        """
        self.path = path
        self._disk = disk or RealDisk()
        self._content = content
        self._long_bytes = self._limit = long_bytes
        self._is_named = False
        """True if the file's name survives a power loss."""

    def lines(self) -> list[bytes]:
        """Lines in order, without line feeds and empty lines; no lines of a missing file.

        Raises:
            OSError: the file cannot be read, or is no regular file.
        """
        try:
            *lines, _ = read_regular(self.path).split(b"\n")
        except FileNotFoundError:
            return []
        return [line for line in lines if line]

    def records(self, parse: Callable[[bytes], T]) -> list[T]:
        """Parsed lines in order; unreadable lines are skipped, with a single warning for all.

        Args:
            parse: Reads a line; raises ValueError, or an error of msgspec, for an unreadable line.

        Raises:
            OSError: the file cannot be read.
        """
        records = []
        damage: list[str] = []
        for line in self.lines():
            try:
                records.append(parse(line))
            except _UNREADABLE as error:
                damage.append(f"{len(line)} bytes: {error}")
        if damage:
            log.warning("%s: unreadable lines are skipped: %d (%s)", self.path, len(damage), damage[0])
        return records

    def append(self, *lines: bytes, is_durable: bool) -> None:
        """Add lines; a long file is compacted before, a missing file is written anew.

        Args:
            lines: Each with its line feed.
            is_durable: Whether to return only when the lines survive a power loss; otherwise the next sync covers the
                lines.

        Raises:
            OSError: the lines are not added, or may not survive a power loss.
        """
        self._prepare()
        fd = open_regular(self.path, _FLAGS, opens=self._disk.open)
        try:
            size = _whole_lines(fd)
            try:
                write_some(self._disk, fd, b"".join(lines))
                if is_durable:
                    self._sync_file(fd)
            except OSError:
                with suppress(OSError):  # then the next addition takes the part of a line away
                    os.ftruncate(fd, size)
                raise
        finally:
            give_back(fd)

    def sync(self) -> None:
        """Return when all added lines survive a power loss.

        Raises:
            OSError: some may not.
        """
        with suppress(FileNotFoundError):
            fd = open_regular(self.path, os.O_RDONLY | os.O_NOFOLLOW, opens=self._disk.open)
            try:
                self._sync_file(fd)
            finally:
                give_back(fd)

    def rewrite(self) -> None:
        """Compact the file to its live lines, durably.

        Raises:
            OSError: the earlier file may be in place.
        """
        self._put(self._content() if self._content is not None else [line + b"\n" for line in self.lines()])

    def replace(self, lines: Iterable[bytes]) -> None:
        """Replace the content of the file by these lines, each with its line feed, durably.

        Raises:
            OSError: the earlier file may be in place.
        """
        self._put(lines)

    def _prepare(self) -> None:
        """Have a file to add to, and no long file."""
        try:
            size = self.path.lstat().st_size
        except FileNotFoundError:
            self._is_named = False
            make_folders(self._disk, self.path.parent)
            if self._content is not None and (lines := [*self._content()]):
                log.warning("%s no longer exists: it is written again", self.path)
                self._put(lines)
            return
        if self._content is not None and size > self._limit:
            try:
                self.rewrite()
            except OSError as error:
                self._limit = 2 * size
                log.warning("%s stays long: %s", self.path, error)

    def _put(self, lines: Iterable[bytes]) -> None:
        data = b"".join(lines)
        put_whole(self._disk, self.path, data)
        self._is_named = True
        self._limit = max(self._long_bytes, 2 * len(data))

    def _sync_file(self, fd: int) -> None:
        self._disk.sync(fd)
        if not self._is_named:
            self._disk.sync_folder(self.path.parent)
            self._is_named = True


class NoteFolder:
    """Private folder of small files, each written whole; made, for its owner alone, with the first file."""

    def __init__(self, folder: Path, disk: Disk | None = None, *, most_bytes: int, above: Path | None = None) -> None:
        """Begin without reading.

        Args:
            folder: Absolute path.
            disk: Disk to write to; None for the real disk.
            most_bytes: Larger files are not read.
            above: Folder that must survive a power loss with a durable note, as must all folders below; None for the
                folder above `folder`.
        """
        self.folder = folder
        self._disk = disk or RealDisk()
        self._most_bytes = most_bytes
        self._above = above or folder.parent
        self._is_named = False
        """True if the folder's name survives a power loss."""

    def put(self, name: str, data: bytes, *, is_durable: bool) -> None:
        """Keep data under a name, which may have folders before it.

        Args:
            name: POSIX path below the folder.
            data: New content.
            is_durable: Whether to return only when the data survives a power loss.

        Raises:
            OSError: the earlier data may be in place.
        """
        path = self.folder / name
        if not path.parent.is_dir():
            make_private(path.parent, self._disk.make_folder)
            self._is_named = False
        if is_durable and not self._is_named:
            make_durable(self._disk, self._above, path.parent.parent)
            self._is_named = True
        put_whole(self._disk, path, data, is_durable=is_durable)

    def read(self, name: str) -> bytes | None:
        """Data of a note; None if the note is missing, and with a warning if unreadable or not the agent's own."""
        try:
            return read_beneath(self.folder, name, self._most_bytes)
        except FileNotFoundError:
            return None
        except (ValueError, OSError) as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                log.warning("%s is not read, as if it were not there: %s", self.folder / name, error)
            return None

    def names(self) -> list[str]:
        """Names in the folder, sorted; no names of a missing folder.

        Raises:
            OSError: the folder cannot be read.
        """
        try:
            return sorted(os.listdir(self.folder))  # noqa: PTH208
        except FileNotFoundError:
            return []

    def remove(self, name: str) -> None:
        """Remove a note, if present.

        Raises:
            OSError: the note may still be there.
        """
        with suppress(FileNotFoundError):
            self._disk.unlink(self.folder / name)

    def remove_drafts(self) -> None:
        """Remove drafts left by a kill; no note may be on its way.

        Raises:
            OSError: a draft may still be there.
        """
        for name in fnmatch.filter(self.names(), draft_path(Path("*")).name):
            self.remove(name)


def _whole_lines(fd: int) -> int:
    """Size of a file in bytes, after removal of an unfinished last line."""
    size = keep = os.fstat(fd).st_size
    if not size or os.pread(fd, 1, size - 1) == b"\n":
        return size
    while keep:
        begin = max(0, keep - _BLOCK_BYTES)
        end = os.pread(fd, keep - begin, begin).rfind(b"\n")
        if end >= 0:
            keep = begin + end + 1
            break
        keep = begin
    if keep != size:
        os.ftruncate(fd, keep)
    return keep
