"""Reserve of disk space for the logs: a file that is there to be given up when the disk is full.

Whatever filled the disk, what people say then is still stored for a while: at some hundred bytes a message, for tens of
thousands of them. The reserve comes back when there is room again, and goes when no agent runs.
"""

from __future__ import annotations

import errno
import logging
import os
import stat
from contextlib import suppress
from pathlib import Path

from actors.linux.disk import Disk, RealDisk
from actors.linux.regular_file import NotRegularError, open_regular

log = logging.getLogger(__name__)

NAME = "reserve"
RESERVE_BYTES = 16 * 1024**2
ROOMY = 16
"""Multiple of the reserve's size in free space, required before the reserve is made."""
_FULL = (errno.ENOSPC, errno.EDQUOT)


def is_whole(root: Path) -> bool:
    """True if the reserve of a data root is there."""
    try:
        return _size(root / NAME) >= RESERVE_BYTES
    except OSError:
        return False


def keep(root: Path, roomy: int = ROOMY) -> bool:
    """True if the reserve of a data root is whole; a missing reserve is made if there is room.

    Args:
        root: The data root.
        roomy: Free space needed for a new reserve, in multiples of its size.
    """
    place = root / NAME
    try:
        if is_whole(root):
            return True
        disk = os.statvfs(root)
        if disk.f_bavail * disk.f_frsize < roomy * RESERVE_BYTES:
            return False
        _remove_if_shared(place)
        file = open_regular(place, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW)
        try:
            os.posix_fallocate(file, 0, RESERVE_BYTES)
        finally:
            os.close(file)
    except OSError as error:
        log.warning("no disk space can be kept in reserve for the logs: %s", error)
        return False
    return True


def renew(root: Path) -> None:
    """Make the reserve whole again after its release, if there is room."""
    try:
        was_spent = _size(root / NAME) == 0
    except OSError:  # no reserve is kept here
        return
    if was_spent:
        keep(root)


def drop(root: Path) -> None:
    """Remove the reserve: no agent writes logs any more."""
    with suppress(OSError):
        (root / NAME).unlink()


def spend(root: Path) -> bool:
    """Give the reserve of a data root up; True if there was one. The freed space can then be written."""
    place = root / NAME
    try:
        if _size(place) == 0:
            return False
        file = open_regular(place, os.O_WRONLY | os.O_NOFOLLOW)
        try:
            os.ftruncate(file, 0)
        finally:
            os.close(file)
    except OSError:  # there is none
        return False
    log.warning("the disk is full: the space kept in reserve for the logs is given up (%s)", place)
    return True


def _size(place: Path) -> int:
    """Bytes of the reserve at `place`.

    Raises:
        OSError: there is no reserve, or a file with another name: the reserve's release would empty that file.
    """
    status = place.lstat()
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        raise NotRegularError(place)
    return status.st_size


def _remove_if_shared(place: Path) -> None:
    """Remove the name of a file with several names, as in a copy of a data root by hard links."""
    with suppress(FileNotFoundError):
        status = place.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
            place.unlink()


def is_full(error: BaseException | None) -> bool:
    """True if an error reports a full disk, or a full quota on the disk."""
    return isinstance(error, OSError) and error.errno in _FULL


class ReservedDisk(RealDisk):
    """Disk of the operating system, with space in reserve for a full disk."""

    def __init__(self, root: Path, below: Disk | None = None) -> None:
        """A disk with its reserve still whole.

        Args:
            root: The data root with the reserve.
            below: Disk that stores; the operating system's by default.
        """
        self._root = root
        self._below = below or RealDisk()

    def write(self, fd: int, data: bytes, /) -> int:
        """As `os.write`, and again for the rest after the reserve has been released."""
        try:
            written = self._below.write(fd, data)
        except OSError as error:
            if not is_full(error) or not spend(self._root):
                raise
            written = 0
        if written < len(data) and (written == 0 or spend(self._root)):
            written += self._below.write(fd, data[written:])
        return written
