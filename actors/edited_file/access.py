"""Access to a file and its neighbours: opened entries are judged, and links to elsewhere are never followed.

In a folder writable by hostile programs, a name may change its meaning between any two calls. There a name proves
nothing: a descriptor is opened without following or waiting, and only the opened entry counts.
"""

from __future__ import annotations

import errno
import logging
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.linux.disk import Disk
from domain.edit.lines import line_count

log = logging.getLogger(__name__)

EDITED_BYTES = 16 * 1024 * 1024
"""A larger file is not edited: to leave everything else byte for byte, all of it has to be read."""
MOST_LINES = 10_000
"""A file in a folder to which hostile programs write is not edited with more: versions are compared line by line."""
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_PERMISSIONS = 0o666
"""Permissions of another owner's file, in a folder writable by hostile programs."""
_OPENINGS = 50
"""Attempts to open a file whose name goes to another file each time."""
_GONE = " (deleted)"
"""Suffix added by Linux to the path of an open file whose name was removed."""


class FileRefusedError(OSError):
    """The file cannot be used as it is; the text gives the reason, for a person."""


@dataclass(frozen=True, slots=True)
class Access:
    """Rules for opening files."""

    disk: Disk
    follows_links: bool = True
    """False where hostile programs write to the folder; the folder's own path is trusted."""
    most_bytes: int = EDITED_BYTES
    """A larger file is not read as a whole."""

    def place(self, path: Path) -> Path:
        """Path of the file itself, existing or not: the end of all links, or the name itself.

        Raises:
            OSError: the path cannot be resolved; a link is never taken for the file.
        """
        if not self.follows_links:
            return path
        try:
            return Path(os.path.realpath(path, strict=True))
        except FileNotFoundError:
            return Path(os.path.realpath(path))

    def open(self, path: Path, flags: int = 0, *, through_disk: bool = False) -> int:
        """A descriptor of the regular file at `path`, for reading.

        Where links are not followed, the file has no other name, so it is a file of this folder.

        Args:
            path: Of the file.
            flags: Further flags of `os.open`.
            through_disk: True if the call goes through the disk, because a promise depends on it.

        Raises:
            FileRefusedError: the path is no file, or the file may not be opened.
            OSError: it cannot be opened.
        """
        # A pipe of that name must not stop the agent.
        flags |= os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
        if not self.follows_links:
            flags |= os.O_NOFOLLOW
        for _ in range(_OPENINGS):
            try:
                fd = self.disk.open(path, flags) if through_disk else os.open(path, flags)
            except OSError as error:
                raise _refusal_of(path, flags, error) from error
            try:
                if self._is_judged(fd, path):
                    return fd
            except OSError:
                os.close(fd)
                raise
            os.close(fd)
        raise FileRefusedError(f"{path}: is being changed too quickly to be opened")

    def _is_judged(self, fd: int, path: Path) -> bool:
        """True if the open file may be used; False if the name has passed to another file meanwhile.

        Raises:
            FileRefusedError: it may not be used.
        """
        status = os.fstat(fd)
        kind = stat.S_IFMT(status.st_mode)
        if kind != stat.S_IFREG:
            raise FileRefusedError(f"{path}: is {_KINDS.get(kind, 'something strange')}, not a regular file")
        if self.follows_links:
            return True
        if status.st_nlink > 1:
            raise FileRefusedError(
                f"{path}: has {status.st_nlink} names, hard links to one file; only a file with one name is used here"
            )
        # It had one name when they were counted. Was it this one? A file from elsewhere may have been linked here,
        # opened by us, and unlinked before we counted. A name once taken away does not come back for an open file.
        return not os.readlink(f"/proc/self/fd/{fd}").endswith(_GONE)  # noqa: PTH115 - a path that is none

    def content(self, path: Path) -> bytes:
        """Content of the file at `path`, never through a link.

        Raises:
            FileRefusedError: `path` is no file, or too large.
            OSError: the file cannot be read.
        """
        fd = self.open(path, os.O_NOFOLLOW)
        try:
            return self.read_whole(fd, path)
        finally:
            os.close(fd)

    def content_if_any(self, path: Path) -> bytes | None:
        """Content as of `content`; None for a missing file.

        Raises:
            FileRefusedError, OSError: as of `content`.
        """
        try:
            return self.content(path)
        except FileNotFoundError:
            return None

    def read_whole(self, fd: int, path: Path) -> bytes:
        """Content of the open file from the beginning; `path` is the file's name for people.

        Raises:
            FileRefusedError: the file is too large for edits; a part would look as if people had deleted the rest.
            OSError: the file cannot be read.
        """
        data = read_first(fd, self.most_bytes + 1) if os.fstat(fd).st_size <= self.most_bytes else None
        if data is None or len(data) > self.most_bytes:
            raise FileRefusedError(
                f"{path}: has more than {shown_size(self.most_bytes)}, so it is not edited; take something out of it "
                "by hand"
            )
        if not self.follows_links and line_count(data) > MOST_LINES:
            raise FileRefusedError(
                f"{path}: has more than {MOST_LINES:,} lines, so it is not edited; shorten it by hand"
            )
        return data

    def check_size(self, path: Path, data: bytes, seen: bytes) -> None:
        """Return if the file at `path` may hold `data` instead of `seen`.

        Raises:
            FileRefusedError: `data` could not be edited again.
        """
        if not self.follows_links and line_count(data) > max(MOST_LINES, line_count(seen)):
            raise FileRefusedError(
                f"{path}: would have more than {MOST_LINES:,} lines; take something out of it by hand"
            )
        if len(data) > self.most_bytes and len(data) > len(seen):
            raise FileRefusedError(
                f"{path}: would have {len(data):,} bytes, at most {self.most_bytes:,} can be edited; take something "
                "out of it by hand"
            )

    def status(self, place: Path) -> os.stat_result:
        """Status of the file to be replaced.

        Raises:
            FileRefusedError: the file may not be used.
            OSError: the status cannot be read.
        """
        if self.follows_links:
            return place.stat()
        fd = self.open(place)
        try:
            return os.fstat(fd)
        finally:
            os.close(fd)

    def is_same(self, fd: int, path: Path) -> bool:
        """True if the file at `path` is the open file.

        Raises:
            OSError: the status cannot be read.
        """
        return os.path.samestat(os.fstat(fd), path.stat(follow_symlinks=self.follows_links))

    def take_over(self, fd: int, status: os.stat_result, old: Path) -> None:
        """Give the open file, a new version, the old version's owner, permissions and attributes as far as allowed."""
        if self.follows_links:
            with suppress(PermissionError):
                os.fchown(fd, status.st_uid, status.st_gid)
            self.disk.change_mode(fd, stat.S_IMODE(status.st_mode))
            _copy_attributes(old, fd)
        else:
            self.disk.change_mode(fd, stat.S_IMODE(status.st_mode) & _PERMISSIONS)

    def is_strange(self, path: Path) -> bool:
        """True if the entry at `path` may not be used: a link, not a regular file, or a file with other names.

        Raises:
            OSError: the status cannot be read.
        """
        if self.follows_links:
            return False
        try:
            status = path.lstat()
        except FileNotFoundError:
            return False
        return not stat.S_ISREG(status.st_mode) or status.st_nlink > 1

    def clear(self, path: Path) -> bool:
        """Remove a strange entry at a name of the agent's own: only a name is lost, never text of a person.

        Returns:
            True if no strange entry is left; a folder that is not empty stays.
        """
        try:
            if not self.is_strange(path):
                return True
            if stat.S_ISDIR(path.lstat().st_mode):
                path.rmdir()
            else:
                self.disk.unlink(path)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True


def read_first(fd: int, count: int) -> bytes:
    """The first `count` bytes, or all when there are fewer."""
    chunks, offset = [], 0
    while chunk := os.pread(fd, min(1 << 20, count - offset), offset):
        chunks.append(chunk)
        offset += len(chunk)
    return b"".join(chunks)


def take_away(disk: Disk, path: Path) -> None:
    """Remove a useless file; if the removal fails, the next start repeats it."""
    try:
        disk.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        log.warning("%s stays until the next start: %s", path, error.strerror)


def shown_size(size: int) -> str:
    """A number of bytes, for a person."""
    return f"{size // 2**20} MiB" if size >= 2**20 and not size % 2**20 else f"{size:,} bytes"


def _copy_attributes(old: Path, fd: int) -> None:
    """Copy another file's extended attributes, access lists included, to the open file, as far as allowed."""
    with suppress(OSError):  # some file systems have none
        for name in os.listxattr(old):
            with suppress(OSError):  # those of the system are root's alone
                os.setxattr(fd, name, os.getxattr(old, name))


def _refusal_of(path: Path, flags: int, error: OSError) -> OSError:
    """Error to raise for a failed open."""
    if error.errno == errno.ELOOP and flags & os.O_NOFOLLOW:
        return FileRefusedError(f"{path}: is a symbolic link, which is not followed here")
    if error.errno == errno.ENXIO:
        return FileRefusedError(f"{path}: is a socket or a device, not a regular file")
    return error
