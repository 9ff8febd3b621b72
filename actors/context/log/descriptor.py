"""Descriptors of logs: a descriptor for each recently used log, within the limit of the process."""

from __future__ import annotations

import errno
import os
import threading
from collections import OrderedDict
from hashlib import blake2b
from pathlib import Path
from types import TracebackType

from actors.linux.descriptors import share
from actors.linux.disk import Disk, give_back
from actors.linux.regular_file import read_regular

MOST = 512
"""Logs kept open if there is room; to open a log again costs two calls of the disk."""
_SHARE = 4
"""Share of logs in the process's descriptors: 1 in so many; the rest are for sockets, pipes and files."""
_FEWEST = 8
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def most_open(soft: int | None = None) -> int:
    """Most logs to keep open in a process with that limit of descriptors; the default is the process's own limit."""
    return min(MOST, share(_SHARE, _FEWEST, soft))


_TAIL = 64
"""Bytes at a log's end, including the hash of the last record, for recognition of the log."""


class FileReplacedError(OSError):
    """Another file has the log's name now, or the log was changed."""


def is_stale(error: OSError) -> bool:
    """True if the cause of an error is a file server that knows a descriptor no more; the name may be opened again."""
    cause = error.__cause__
    return isinstance(cause, OSError) and cause.errno == errno.ESTALE and not isinstance(cause, FileReplacedError)


class OpenLogs:
    """Least recently used order of open but idle descriptors; any thread.

    A closed descriptor opens again at its next use. A written log is synced before its descriptor closes, so no
    data depends on pages that the system keeps for a closed file.
    """

    def __init__(self, most: int) -> None:
        """Begin without open logs.

        Args:
            most: Descriptors that stay open, >= 1.
        """
        if most < 1:
            raise ValueError(f"most {most} must be >= 1")
        self._most = most
        self._order: OrderedDict[Descriptor, None] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Number of descriptors kept open now."""
        return len(self._order)

    def note_use(self, descriptor: Descriptor) -> None:
        """Move the descriptor to the end of the order, and close descriptors beyond the limit."""
        with self._lock:
            self._order[descriptor] = None
            self._order.move_to_end(descriptor)
            gone = [self._order.popitem(last=False)[0] for _ in range(len(self._order) - self._most)]
        for each in gone:
            each.let_go()  # one that is in use comes back when that is over

    def forget(self, descriptor: Descriptor) -> None:
        """Remove a descriptor closed for good."""
        with self._lock:
            self._order.pop(descriptor, None)

    def make_room(self, error: BaseException | None) -> bool:
        """Close half of the descriptors if `error` reports too many open files; True if any was closed."""
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
            return False
        with self._lock:
            gone = [self._order.popitem(last=False)[0] for _ in range((len(self._order) + 1) // 2)]
        return sum(each.let_go() for each in gone) > 0


class Descriptor:
    """Descriptor of a log's file, a context manager around each use; it may be closed between two uses.

    Entering returns the number. Entering raises a failed sync from an earlier closing: the file is of no more use.
    """

    def __init__(self, path: Path, fd: int, disk: Disk) -> None:
        """Take over `fd`, opened for appending to the present or future file at `path`."""
        state = os.fstat(fd)
        self.identity = state.st_dev, state.st_ino
        self.is_synced = False
        """True if all writes are safe on the disk; set by each writer."""
        self.size = state.st_size
        """Size of the file after the last write."""
        self._changed_at = state.st_mtime_ns
        """Time of the last write, as the system says."""
        self._sum = blake2b(digest_size=16)
        """Hash of the whole file."""
        self._tail = b""
        self._path, self._fd, self._disk = path, fd, disk
        self._in_use = threading.RLock()
        self._open_logs: OpenLogs | None = None
        self._is_closed = False
        self._fault: OSError | None = None

    def share(self, open_logs: OpenLogs) -> None:
        """Allow `open_logs` to close the descriptor when needed; call once the file has its name."""
        self._open_logs = open_logs
        open_logs.note_use(self)

    def holds(self, data: bytes) -> None:
        """Note the whole content of the file at its opening."""
        self._sum.update(data)

    def wrote(self, record: bytes, size: int) -> None:
        """Note the last record and the size of the file; call while the number is in use."""
        self._tail, self.size = record[-_TAIL:], size
        self._sum.update(record)
        self._changed_at = os.fstat(self._fd).st_mtime_ns

    def require_unchanged(self, size: int) -> None:
        """Check that the path still leads to the opened, unchanged file.

        A file of the same length but with another time than the last write's is read: only the bytes show the change.

        Args:
            size: Expected size of the file.

        Raises:
            FileReplacedError: another process replaced, changed or removed the file; the text names the change.
        """
        try:
            there = self._path.lstat()
            if (there.st_dev, there.st_ino) != self.identity:
                raise FileReplacedError(errno.ESTALE, "replaced by another file")
            if there.st_size != size:
                raise FileReplacedError(errno.ESTALE, f"{there.st_size} bytes long where {size} were written")
            if there.st_mtime_ns != self._changed_at:
                if blake2b(read_regular(self._path), digest_size=16).digest() != self._sum.digest():
                    raise FileReplacedError(errno.ESTALE, "altered in its midst")
                self._changed_at = there.st_mtime_ns
        except FileReplacedError:
            raise
        except OSError as error:
            words = error.strerror or type(error).__name__
            raise FileReplacedError(errno.ESTALE, f"no longer there: {words}") from error

    def __enter__(self) -> int:
        """Number of the open file.

        Raises:
            OSError: the file cannot be opened again, or earlier writes may be lost.
            FileReplacedError: there is another file, or the file was changed meanwhile.
        """
        self._in_use.acquire()
        try:
            if self._fault is not None:
                raise self._fault
            if self._fd < 0 and not self._is_closed:
                self._fd = self._open_again()
        except BaseException:
            self._in_use.release()
            raise
        return self._fd

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the descriptor; it may then be closed."""
        self._in_use.release()
        if self._open_logs is not None and not self._is_closed:
            self._open_logs.note_use(self)

    def close(self) -> None:
        """Close the file for good; a second call does nothing."""
        with self._in_use:
            self._is_closed = True
            fd, self._fd = self._fd, -1
        if fd >= 0:
            give_back(fd)
        if self._open_logs is not None:
            self._open_logs.forget(self)

    def let_go(self) -> bool:
        """Close the descriptor until its next use; True if closed, False if in use or already closed."""
        if not self._in_use.acquire(blocking=False):
            return False
        try:
            if self._fd < 0:
                return False
            try:
                if not self.is_synced:
                    self._disk.sync(self._fd)
                    self.is_synced = True
            except OSError as error:
                self._fault = error
            fd, self._fd = self._fd, -1
            give_back(fd)
            return True
        finally:
            self._in_use.release()

    def _open_again(self) -> int:
        try:
            fd = self._disk.open(self._path, _FLAGS)
        except OSError as error:
            if self._open_logs is None or not self._open_logs.make_room(error):
                raise
            fd = self._disk.open(self._path, _FLAGS)
        if not self._is_ours(fd):
            os.close(fd)
            raise FileReplacedError(errno.ESTALE, "replaced by another file, or changed")
        return fd

    def _is_ours(self, fd: int) -> bool:
        """True if `fd` is the log closed before: a reused inode hardly has the same last bytes."""
        state = os.fstat(fd)
        if (state.st_dev, state.st_ino, state.st_size) != (*self.identity, self.size):
            return False
        return os.pread(fd, len(self._tail), self.size - len(self._tail)) == self._tail if self._tail else True
