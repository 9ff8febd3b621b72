"""Lock of a folder, shared between programs that edit the folder's files; advisory only.

A displaced version lies beside the file until it is accounted for. A recovery must not mistake such a version for a
crash's leftover, so writers share the lock and a recovery takes the exclusive lock. The lock is on the folder itself,
so no file is made, and the lock ends with the process in every case. A command that sees the folder can take the lock
too; then a recovery waits, and a write proceeds without the lock.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from actors.edited_file.access import FileRefusedError

log = logging.getLogger(__name__)

_TRIES, _WAIT_S = 10, 0.01
"""Attempts to take the lock, and the wait between them; a recovery holds the lock for a moment only."""


class FolderLock:
    """Lock of one folder, held by this object or not."""

    def __init__(self, folder: Path) -> None:
        """Open the folder; the lock is not held yet.

        Raises:
            OSError: the folder cannot be opened.
        """
        self._fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def share(self) -> bool:
        """Try to take the lock shared; True if taken, False while another program has the exclusive lock."""
        return self._take(fcntl.LOCK_SH)

    def own(self) -> bool:
        """Try to take the exclusive lock; True if taken."""
        return self._take(fcntl.LOCK_EX)

    def close(self) -> None:
        """Release the lock and close the folder."""
        os.close(self._fd)

    def _take(self, how: int) -> bool:
        try:
            fcntl.flock(self._fd, how | fcntl.LOCK_NB)
        except OSError:  # somebody else has it, or this file system knows no locks
            return False
        return True


class FolderLocks:
    """Locks of all folders whose files an actor writes."""

    def __init__(self) -> None:
        self._locks: dict[Path, FolderLock] = {}

    def announce(self, folder: Path) -> None:
        """Announce to other programs that files of a folder are written, unless a program denies the lock.

        Raises:
            OSError: the folder cannot be opened.
        """
        if folder in self._locks:
            return
        self._locks[folder] = lock = FolderLock(folder)
        _share(folder, lock)

    @contextmanager
    def alone(self, folder: Path) -> Iterator[None]:
        """Look for leftovers of a crash while no other program writes there.

        Raises:
            FileRefusedError: another program writes there.
            OSError: the folder cannot be opened.
        """
        is_held = folder in self._locks
        lock = self._locks[folder] if is_held else FolderLock(folder)
        try:
            if not lock.own():
                raise FileRefusedError(f"{folder}: another program of the agent's writes there at this moment")
            yield
        finally:
            if is_held:
                _share(folder, lock)  # also where it could not be had alone: to ask for that lets go of it
            else:
                lock.close()

    def keep(self, folders: Collection[Path]) -> None:
        """Release the locks of all other folders."""
        for folder in self._locks.keys() - set(folders):
            self._locks.pop(folder).close()


def _share(folder: Path, lock: FolderLock) -> None:
    """Share a lock with other programs, unless a program denies the lock."""
    if not any(lock.share() or Event().wait(_WAIT_S) for _ in range(_TRIES)):
        log.warning("%s: another program has it for itself; it is written all the same", folder)
