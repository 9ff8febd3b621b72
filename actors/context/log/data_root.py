"""Data root, the folder of everything that must last, and the lock that one agent holds on it."""

from __future__ import annotations

import fcntl
import logging
import os
import threading
from pathlib import Path

from actors.context.log import reserve
from actors.linux.private_folder import make_private
from actors.part.place import command

log = logging.getLogger(__name__)

LOCK_NAME = "agent.lock"
UNFINISHED_RESTORE = ".restoring"
"""Folder that is there while a restore of a backup is under way, or when one was cut short."""
_HOLDER_BYTES = 20
"""Bytes for the holder's process number, padded: written over what was there, it needs no space on a full disk."""


HOSTS_LOCK_NAME = "hosts.lock"
"""Held together by the hosts of a cluster, which may outlive their head by the length of their lease."""
HOSTS_WAIT_S = 15.0
_HOSTS_LOOK_S = 0.1


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
        """Folder of the logs."""
        return self.path / "logs"

    @property
    def work(self) -> Path:
        """Folder of the windows' working directories."""
        return self.path / "work"

    def hold(self) -> None:
        """Make the folders if need be, and lock the root.

        Raises:
            DataRootError: it cannot be made or written, another agent holds it, a restore of it was cut short, or its
                path is no UTF-8, as SQLite wants it.
        """
        try:
            str(self.path).encode()
        except UnicodeEncodeError:
            raise DataRootError(f"data root {self.path}: its path must be UTF-8; use another folder") from None
        self.lock()
        try:
            if (self.path / UNFINISHED_RESTORE).exists():
                raise DataRootError(f"data root {self.path}: a restore was cut short; run `{command()} restore` again")
            make_private(self.logs)
            make_private(self.work)
        except OSError as error:
            self.release()
            raise self._unwritable(error) from error
        except DataRootError:
            self.release()
            raise
        reserve.keep(self.path)

    def lock(self) -> None:
        """Lock the root, which is made if need be, and nothing in it.

        Raises:
            DataRootError: it cannot be made or written, or another agent holds it.
        """
        try:
            make_private(self.path)
            lock = os.open(self.path / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(lock, _HOLDER_BYTES, 0).decode("ascii", "replace").strip()
            os.close(lock)
            raise DataRootError(
                f"data root {self.path}: another agent uses it (process {holder or 'unknown'})"
            ) from error
        try:
            os.pwrite(lock, f"{os.getpid()}\n".ljust(_HOLDER_BYTES).encode("ascii"), 0)
        except OSError as error:
            if not reserve.is_full(error):
                os.close(lock)
                raise self._unwritable(error) from error
            log.warning("the disk is full: %s does not say who holds it", self.path / LOCK_NAME)
        self._lock = lock
        self._wait_for_hosts()

    def _wait_for_hosts(self) -> None:
        """Return when no host of an earlier agent lives: a host without its head still writes until its lease is over.

        Raises:
            DataRootError: a host does not end.
        """
        pause = threading.Event()
        for _ in range(int(HOSTS_WAIT_S / _HOSTS_LOOK_S)):
            if not is_locked(self.path / HOSTS_LOCK_NAME):
                return
            pause.wait(_HOSTS_LOOK_S)
        self.release()
        raise DataRootError(
            f"data root {self.path}: a host of an earlier agent still uses it after {HOSTS_WAIT_S:g} s; "
            "see which process holds hosts.lock"
        )

    def _unwritable(self, error: OSError) -> DataRootError:
        return DataRootError(f"data root {self.path}: cannot be written: {error.strerror}")

    def is_held(self) -> bool:
        """True if an agent holds the data root now, this agent included; nothing is made or changed.

        Raises:
            DataRootError: the lock cannot be read.
        """
        try:
            return is_locked(self.path / LOCK_NAME, fcntl.LOCK_SH)
        except OSError as error:
            raise DataRootError(f"data root {self.path}: cannot be read: {error.strerror}") from error

    def release(self) -> None:
        """Give the lock back; again, nothing."""
        lock, self._lock = self._lock, None
        if lock is not None:
            reserve.drop(self.path)
            os.close(lock)


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
