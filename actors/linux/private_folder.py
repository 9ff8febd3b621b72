"""Private folders: made with all that is missing above them, each for its owner alone, whatever the umask.

Temporary ones hold a lock on themselves, which the kernel gives back however their process ends: a folder that no
process holds was left by a kill, and is removed when the next one of its kind is made.
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
    """Make `folder`, unless it is there; those above it must be.

    Raises:
        OSError: it cannot be made, or is no folder.
    """
    folder.mkdir(mode=PRIVATE, exist_ok=True)


def make_private(folder: Path, make: Callable[[Path], None] = make_private_one) -> None:
    """Make `folder` and those above it that are missing; one that is there already stays as it is.

    `Path.mkdir` gives its mode to the last folder only, and to those above it what the umask leaves.

    Args:
        folder: Any.
        make: Makes one of them; as `actors.linux.disk.Disk.make_folder`.

    Raises:
        OSError: one of them cannot be made, or is no folder.
    """
    missing = [folder]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for each in reversed(missing):
        make(each)


_TRIES = 3
"""To hold a folder that was just made; a file system without locks lets none be held, nor be taken for abandoned."""


class TemporaryFolder(tempfile.TemporaryDirectory[str]):
    """Temporary folder of this process, made at once; those of its kind that no process holds are removed."""

    def __init__(self, prefix: str) -> None:
        """Make it.

        Args:
            prefix: Of its name, which names its kind.

        Raises:
            OSError: it cannot be made.
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
        """Remove it. Idempotent."""
        super().cleanup()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def remove_abandoned(prefix: str) -> None:
    """Remove this user's temporary folders of a kind that no process holds.

    Args:
        prefix: Of their names.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        lock = _hold(folder)
        if lock >= 0:
            if os.fstat(lock).st_uid == os.geteuid():
                shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _hold(folder: Path) -> int:
    """Descriptor that holds a folder until it is closed; -1 for one that is not there, is a link, or is held."""
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
