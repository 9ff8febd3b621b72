"""Fence around a host's writes: no write without a lease, and a single writer for each log even so.

The lease is checked before each call that changes a log; a host with an expired lease ends at once, and a
watchdog ends an idle host. A process stopped between the check and the call, and resumed later, has checked too early;
the file's advisory lock, still held by a stopped process, keeps it apart from the window's next owner.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from actors.cluster.lease import Lease
from actors.linux.disk import Disk
from actors.linux.regular_file import open_regular

EXIT_LAPSED = 75
"""Exit code of a host with an expired lease (sysexits' EX_TEMPFAIL)."""
LOOK_S = 0.2
LOCK_WAIT_S = 5.0
"""Seconds to wait for a log whose last writer is about to end."""
LOCK_LOOK_S = 0.05
HOSTS_LOCK = "hosts.lock"
"""Lock file shared by all hosts on a data root; a starting agent takes the lock alone."""


def end_at_once() -> NoReturn:
    """End the process without any clean-up: no buffer is flushed and no file is closed."""
    os._exit(EXIT_LAPSED)


class FencedDisk:
    """A disk that changes no file without a lease, and locks open files."""

    def __init__(
        self,
        disk: Disk,
        lease: Lease,
        on_lapse: Callable[[], NoReturn] = end_at_once,
        lock_wait_s: float = LOCK_WAIT_S,
    ) -> None:
        """A fence around `disk`.

        Args:
            disk: Disk to write by.
            lease: Required for each write.
            on_lapse: Called instead of a change after the lease has expired; does not return.
            lock_wait_s: Longest wait for a log opened by another host.
        """
        self._disk, self._lease, self._on_lapse, self._lock_wait_s = disk, lease, on_lapse, lock_wait_s

    def _check(self) -> None:
        if not self._lease.is_valid:
            self._on_lapse()

    def open(self, path: Path, flags: int, mode: int = 0o600, /) -> int:
        """As the disk's, with a lock on the file until close.

        Raises:
            OSError: as the disk's; or another host has the file open and does not close it for a while.
        """
        self._check()
        fd = self._disk.open(path, flags & ~os.O_TRUNC, mode)
        try:
            _lock(fd, path, self._lock_wait_s)
            if flags & os.O_TRUNC:  # not before it is ours: an earlier owner may be writing it
                self._check()
                os.ftruncate(fd, 0)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def write(self, fd: int, data: bytes, /) -> int:
        """As the disk's."""
        self._check()
        return self._disk.write(fd, data)

    def sync(self, fd: int, /) -> None:
        """As the disk's; a sync may take long and the caller acts on the result, so the lease is checked afterwards."""
        self._disk.sync(fd)
        self._check()

    def sync_folder(self, folder: Path, /) -> None:
        """As the disk's."""
        self._disk.sync_folder(folder)

    def sync_all(self) -> None:
        """As the disk's."""
        self._check()
        self._disk.sync_all()

    def make_folder(self, folder: Path, /) -> None:
        """As the disk's."""
        self._check()
        self._disk.make_folder(folder)

    def link(self, path: Path, other: Path, /) -> None:
        """As the disk's."""
        self._check()
        self._disk.link(path, other)

    def replace(self, path: Path, other: Path, /) -> None:
        """As the disk's."""
        self._check()
        self._disk.replace(path, other)

    def exchange(self, path: Path, other: Path, /) -> bool:
        """As the disk's."""
        self._check()
        return self._disk.exchange(path, other)

    def unlink(self, path: Path, /) -> None:
        """As the disk's."""
        self._check()
        self._disk.unlink(path)

    def change_mode(self, fd: int, mode: int, /) -> None:
        """As the disk's."""
        self._check()
        self._disk.change_mode(fd, mode)


def _lock(fd: int, path: Path, wait_s: float) -> None:
    pause = threading.Event()
    for _ in range(int(wait_s / LOCK_LOOK_S)):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pause.wait(LOCK_LOOK_S)
        else:
            return
    raise OSError(errno.EAGAIN, "another host has it open", str(path))


def hold_hosts_lock(data_root: Path) -> int:
    """Descriptor that marks a living host on a data root until the process ends.

    Raises:
        OSError: the file cannot be made, or an agent is about to start there.
    """
    fd = open_regular(data_root / HOSTS_LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        raise
    return fd


class LeaseWatchdog:
    """Thread that ends the process once the lease has expired."""

    def __init__(self, lease: Lease, on_lapse: Callable[[], object] = end_at_once, look_s: float = LOOK_S) -> None:
        """Create the thread without starting it.

        Args:
            lease: Lease to watch, from the lease's beginning on.
            on_lapse: Called once when the lease has expired.
            look_s: Seconds between two looks.
        """
        self._lease, self._on_lapse, self._look_s = lease, on_lapse, look_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="lease", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching: the host has done its last write."""
        self._over.set()

    def _watch(self) -> None:
        while not self._over.wait(self._look_s):
            if self._lease.has_begun and not self._lease.is_valid:
                self._on_lapse()
                return
