"""Data root, the folder of everything that must last, and the lock that one agent holds on it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from actors.context.log import reserve
from actors.linux.private_folder import make_private

LOCK_NAME = "agent.lock"


class DataRootError(Exception):
    """The data root cannot be used; the text says why and what to do."""


class DataRoot:
    """An existing, writable data root that no other agent uses while this one holds it.

    The lock is the operating system's, so it goes with the process however that ends.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None

    @property
    def logs(self) -> Path:
        """Where the logs are."""
        return self.path / "logs"

    @property
    def work(self) -> Path:
        """Where windows have their working directories."""
        return self.path / "work"

    def hold(self) -> None:
        """Make the folder if need be, and lock it.

        Raises:
            DataRootError: it cannot be made or written, or another agent holds it.
        """
        try:
            make_private(self.path)
            make_private(self.logs)
            make_private(self.work)
            lock = os.open(self.path / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise DataRootError(f"data root {self.path}: cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(lock, 20, 0).decode("ascii", "replace").strip()
            os.close(lock)
            raise DataRootError(
                f"data root {self.path}: another agent uses it (process {holder or 'unknown'})"
            ) from error
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode("ascii"), 0)
        self._lock = lock
        reserve.keep(self.path)

    def is_held(self) -> bool:
        """Whether an agent holds it now, this one included; nothing is made or changed.

        Raises:
            DataRootError: that cannot be told.
        """
        try:
            lock = os.open(self.path / LOCK_NAME, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise DataRootError(f"data root {self.path}: cannot be read: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        else:
            return False
        finally:
            os.close(lock)

    def release(self) -> None:
        """Give the lock back; again, nothing."""
        lock, self._lock = self._lock, None
        if lock is not None:
            reserve.drop(self.path)
            os.close(lock)
