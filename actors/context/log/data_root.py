"""Data root, the folder of all lasting data, and the lock of the single agent on the folder."""

from __future__ import annotations

import fcntl
import logging
import threading
from pathlib import Path

from actors.context.log import reserve
from actors.context.log.root_folders import folder_faults
from actors.linux.held_file import HeldError, HeldFile, is_locked
from actors.linux.private_folder import make_private
from actors.part.place import command

log = logging.getLogger(__name__)

LOCK_NAME = "agent.lock"
UNFINISHED_RESTORE = ".restoring"
"""Folder present while a backup is being restored, or after an interrupted restore."""
HOSTS_LOCK_NAME = "hosts.lock"
"""Held together by the hosts of a cluster; hosts may outlive their head by the length of the lease."""
HOSTS_WAIT_S = 15.0
_HOSTS_LOOK_S = 0.1


class DataRootError(Exception):
    """The data root cannot be used; the text gives the reason and the remedy."""


class DataRoot:
    """An existing, writable data root, used by no other agent while held.

    The lock is the operating system's, so any end of the process releases the lock.
    """

    def __init__(self, path: Path, hosts_wait_s: float = HOSTS_WAIT_S) -> None:
        """A root that is not held yet.

        Args:
            path: Folder of the root.
            hosts_wait_s: Seconds to wait for the last host of an earlier agent.
        """
        self.path = path
        self._hosts_wait_s = hosts_wait_s
        self._lock: HeldFile | None = None

    @property
    def logs(self) -> Path:
        """Folder of the logs."""
        return self.path / "logs"

    @property
    def work(self) -> Path:
        """Folder of the windows' working directories."""
        return self.path / "work"

    def hold(self) -> None:
        """Make missing folders, and lock the root.

        Raises:
            DataRootError: the root cannot be made or written, another agent holds it, a restore of it was cut short, a
                file is in the place of a folder, or the path is no UTF-8, as required by SQLite.
        """
        try:
            str(self.path).encode()
        except UnicodeEncodeError:
            raise DataRootError(f"data root {self.path}: its path must be UTF-8; use another folder") from None
        self.lock()
        try:
            if (self.path / UNFINISHED_RESTORE).exists():
                raise DataRootError(f"data root {self.path}: a restore was cut short; run `{command()} restore` again")
            if fault := next(folder_faults(self.path), ""):
                raise DataRootError(fault)
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
        """Lock the root; a missing root is made, but no content.

        Raises:
            DataRootError: the root cannot be made or written, or another agent holds it.
        """
        lock = HeldFile(self.path / LOCK_NAME)
        try:
            make_private(self.path)
            lock.hold()
        except HeldError as error:
            reason = f"data root {self.path}: another agent uses it (process {error.holder})"
            raise DataRootError(reason) from error
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            lock.name_holder()
        except OSError as error:
            if not reserve.is_full(error):
                lock.release()
                raise self._unwritable(error) from error
            log.warning("the disk is full: %s does not name the process that holds the lock", self.path / LOCK_NAME)
        self._lock = lock
        try:
            self._wait_for_hosts()
        except DataRootError:
            raise
        except OSError as error:
            self.release()
            raise self._unwritable(error) from error

    def _wait_for_hosts(self) -> None:
        """Return when no host of an earlier agent lives: a host without its head still writes until its lease is over.

        Raises:
            DataRootError: a host does not end.
        """
        pause = threading.Event()
        for _ in range(int(self._hosts_wait_s / _HOSTS_LOOK_S)):
            if not is_locked(self.path / HOSTS_LOCK_NAME):
                return
            pause.wait(_HOSTS_LOOK_S)
        self.release()
        raise DataRootError(
            f"data root {self.path}: a host of an earlier agent still uses it after {self._hosts_wait_s:g} s; "
            "see which process holds hosts.lock"
        )

    def _unwritable(self, error: OSError) -> DataRootError:
        file = Path(error.filename or self.path)
        name = f"{file.name} " if file.parent == self.path else ""
        return DataRootError(f"data root {self.path}: {name}cannot be written: {error.strerror}")

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
        """Release the lock; a second call does nothing."""
        lock, self._lock = self._lock, None
        if lock is not None:
            reserve.drop(self.path)
            lock.release()
