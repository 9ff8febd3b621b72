"""Lock file of one process: the kernel releases the lock however the process ends, and the file names the holder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from actors.linux.regular_file import open_regular

_HOLDER_BYTES = 20
"""Bytes for the holder's process number, padded: written over the former number, it needs no space on a full disk."""


class HeldError(OSError):
    """Another process holds the lock."""

    def __init__(self, path: Path, holder: str) -> None:
        """Name the process, as written in the file."""
        self.holder = holder or "unknown"
        super().__init__(f"{path}: process {self.holder} holds it")


class HeldFile:
    """Exclusive lock on a file; the file is made if need be and never removed."""

    def __init__(self, path: Path) -> None:
        """Begin without the lock."""
        self._path = path
        self._fd: int | None = None

    def hold(self) -> None:
        """Take the lock, unless this object already holds the lock.

        Raises:
            HeldError: another process, or another object of this process, holds the lock.
            OSError: the file cannot be made, or its file system has no locks.
        """
        if self._fd is not None:
            return
        fd = open_regular(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(fd, _HOLDER_BYTES, 0).decode("ascii", "replace").strip()
            os.close(fd)
            raise HeldError(self._path, holder) from None
        except OSError:
            os.close(fd)
            raise
        self._fd = fd

    def name_holder(self) -> None:
        """Write the number of this process into the file, unless the file has other names, as in a copy by hard links.

        Raises:
            OSError: the file does not name this process; the lock is held all the same.
        """
        if self._fd is not None and os.fstat(self._fd).st_nlink == 1:
            os.pwrite(self._fd, f"{os.getpid()}\n".ljust(_HOLDER_BYTES).encode("ascii"), 0)

    def release(self) -> None:
        """Give the lock back. Idempotent."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)


def is_locked(path: Path, kind: int = fcntl.LOCK_EX) -> bool:
    """True if another holder's lock on a file, which need not exist, rules out a lock of `kind`.

    Raises:
        OSError: the lock cannot be read.
    """
    try:
        way = os.O_RDWR if kind == fcntl.LOCK_EX else os.O_RDONLY  # NFS wants it so
        lock = os.open(path, way | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(lock)
