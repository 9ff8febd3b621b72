"""Private folders: made with all missing parents, each with mode 0700, whatever the umask.

Temporary folders are locked by their process, and the kernel releases the lock however the process ends: an unlocked
folder was left by a kill, and is removed when the next folder of its kind is made.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

PRIVATE = 0o700


def make_private_one(folder: Path) -> None:
    """Make `folder`, unless present; its parent must exist.

    Raises:
        OSError: `folder` cannot be made, or is no folder.
    """
    folder.mkdir(mode=PRIVATE, exist_ok=True)


def make_private(folder: Path, make: Callable[[Path], None] = make_private_one) -> None:
    """Make `folder` and its missing parents; an existing folder stays unchanged.

    `Path.mkdir` gives its mode to the last folder only, and the umask's to the parents.

    Args:
        folder: Any.
        make: Maker of a folder, e.g. `actors.linux.disk.Disk.make_folder`.

    Raises:
        OSError: a folder cannot be made, or a parent is no folder.
    """
    missing = [folder]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for each in reversed(missing):
        make(each)


_TRIES = 3
"""Attempts to lock a new folder; a file system without locks refuses, and takes no folder for abandoned."""


class TemporaryFolder(tempfile.TemporaryDirectory[str]):
    """Temporary folder of this process, made at once; abandoned folders of its kind are removed."""

    def __init__(self, prefix: str) -> None:
        """Make the folder.

        Args:
            prefix: Beginning of the name, by which kinds differ.

        Raises:
            OSError: the folder cannot be made.
        """
        remove_abandoned(prefix)
        for _ in range(_TRIES):
            super().__init__(prefix=prefix, ignore_cleanup_errors=True)
            self._lock = _hold(Path(self.name))
            if self._lock >= 0:
                return
            super().cleanup()  # another process took it for abandoned before it was held
        super().__init__(prefix=prefix, ignore_cleanup_errors=True)

    def cleanup(self) -> None:
        """Remove the folder. Idempotent."""
        super().cleanup()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def remove_abandoned(prefix: str) -> None:
    """Remove this user's unlocked temporary folders of a kind.

    Args:
        prefix: Beginning of their names.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        lock = _hold(folder)
        if lock >= 0:
            if os.fstat(lock).st_uid == os.geteuid():
                shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _hold(folder: Path) -> int:
    """Descriptor that locks a folder until closed; -1 for a missing folder, a link, or a locked folder."""
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return -1
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(lock), folder.lstat()):
            return lock
    except OSError:  # held, removed, or of a file system without locks
        pass
    os.close(lock)
    return -1
