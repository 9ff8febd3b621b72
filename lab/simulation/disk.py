"""Disk of a simulated machine: a real folder with unsynced data, faults, and deaths at any call.

Each call of `os` that changes the folder comes here first (see `seams.py`). Files are written in place, for programs in
C to read. The disk knows the losses of a power failure: bytes behind a file's last sync, and names made, changed or
removed since their folder's last sync. As POSIX allows, a file's sync says nothing about its name.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.simulation.chance import Chance, Killed

REAL_OPEN, REAL_CLOSE, REAL_WRITE = os.open, os.close, os.write
REAL_FSYNC, REAL_FDATASYNC = os.fsync, os.fdatasync
REAL_LINK, REAL_RENAME, REAL_REPLACE, REAL_UNLINK = os.link, os.rename, os.replace, os.unlink
REAL_MKDIR, REAL_RMDIR, REAL_TRUNCATE, REAL_FTRUNCATE = os.mkdir, os.rmdir, os.truncate, os.ftruncate

_RENAMEAT2 = ctypes.CDLL(None, use_errno=True).renameat2
_HERE = -100
_OPEN = "/proc/self/fd/"
FULL, QUOTA, BROKEN, READ_ONLY = errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_BY_NUMBER = "number "
_MADE, _REMOVED, _MOVED, _SWAPPED = "made", "removed", "moved", "swapped"


@dataclass(slots=True)
class _Change:
    """A change of names, until durable; undone at a power loss."""

    kind: str
    path: str
    other: str = ""
    """Source of a moved entry, or partner of a swapped entry."""
    backup: str = ""
    """Earlier content of `path`, under a name in the graveyard."""
    waits: set[str] = field(default_factory=set)
    """Folders whose sync makes the change durable."""


class SimulatedDisk:
    """One machine's disk; it outlives the agent's lives."""

    def __init__(self, root: Path, graveyard: Path, chance: Chance, note: Callable[[str], None]) -> None:
        """Begin as a healthy disk.

        Args:
            root: Root of the agent's data.
            graveyard: On the same file system; removed files stay here until the removal is durable.
            chance: Draws short writes, and survivors.
            note: Told of every call.
        """
        self.root = str(root)
        self.calls = 0
        """Number of calls that made a change or made a change durable."""
        self.dies_at: int | None = None
        """The call at which the process dies."""
        self.fault: int | None = None
        """Error for every change; None for no error."""
        self.is_late = False
        """True if a fault comes at a file's sync or close only, as of NFS, and takes the bytes that are not synced."""
        self.on_call: Callable[[], None] = lambda: None
        """Called before each call, for slow calls."""
        self._stale = set[int]()  # descriptors that the server knows no more
        self.is_dead = False
        self.process = ""
        """Name of the process that makes the calls; empty for the first."""
        self._owners: dict[int, str] = {}
        """Open descriptor -> its process, unless opened by the first."""
        self._graveyard = graveyard
        self._chance = chance
        self._note = note
        self._durable: dict[int, int] = {}
        """File -> number of durable bytes; every file is named by its inode."""
        self._pending: list[_Change] = []
        self._names: dict[int, str] = {}
        """Open descriptor -> its path."""
        self._numbers: dict[int, int] = {}
        """Open descriptor -> inode."""
        self._buried = 0

    def open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        """As `os.open`."""
        place = self._place(path, dir_fd)
        if place is None:
            return REAL_OPEN(path, flags, mode, dir_fd=dir_fd)
        if flags & _WRITES:
            self._enter("open", place)
        is_new = bool(flags & os.O_CREAT) and not os.path.lexists(place)
        fd = REAL_OPEN(path, flags, mode, dir_fd=dir_fd)
        self._names[fd] = place
        self._stale.discard(fd)
        if self.process:
            self._owners[fd] = self.process
        number = self._numbers[fd] = os.fstat(fd).st_ino
        if is_new:
            self._durable[number] = 0
            self._note_change(_Change(_MADE, place, waits={_parent(place)}))
        elif flags & os.O_TRUNC:
            self._durable[number] = 0
        return fd

    def close(self, fd: int) -> None:
        """As `os.close`."""
        is_lost = not self.is_dead and self._lose_unsynced(fd)
        place = self._names.pop(fd, "")
        self._stale.discard(fd)
        self._numbers.pop(fd, None)
        self._owners.pop(fd, None)
        REAL_CLOSE(fd)
        if is_lost:
            raise self._error(place)

    def write(self, fd: int, data: Any) -> int:
        """As `os.write`; sometimes a partial write, before the process dies or the disk is full."""
        place = self._names.get(fd)
        if place is None or place.endswith(".lock"):
            return REAL_WRITE(fd, data)
        self._require_known(fd, place)
        try:
            self._enter("write", place)
        except Killed:
            if not self.is_dead:
                self.is_dead = True
                self._tear(fd, data)
            raise
        except OSError as error:
            if error.errno in (FULL, QUOTA) and self._chance.happens(0.5):
                return self._tear(fd, data)
            raise
        return REAL_WRITE(fd, data)

    def sync(self, fd: int) -> None:
        """As `os.fsync`, for a file's bytes or a folder's names."""
        place = self._names.get(fd)
        if place is None:
            return
        self._require_known(fd, place)
        self._enter("sync", place)
        if stat.S_ISDIR((status := os.fstat(fd)).st_mode):
            self._settle(place)
        elif self._lose_unsynced(fd):
            raise self._error(place)
        else:
            self._durable[status.st_ino] = status.st_size

    def link(self, source: Any, target: Any, **how: Any) -> None:
        """As `os.link`."""
        place = self._place(target, how.get("dst_dir_fd"))
        if place is not None:
            self._enter("link", place)
        REAL_LINK(source, target, **how)
        if place is not None:
            self._note_change(_Change(_MADE, place, waits={_parent(place)}))

    def rename(self, source: Any, target: Any, **how: Any) -> None:
        """As `os.rename` and `os.replace`."""
        old, new = self._place(source, how.get("src_dir_fd")), self._place(target, how.get("dst_dir_fd"))
        if old is None or new is None:
            REAL_REPLACE(source, target, **how)
            return
        self._enter("rename", new)
        backup = self._bury(new) if os.path.lexists(new) else ""
        REAL_REPLACE(source, target, **how)
        self._note_change(_Change(_MOVED, new, other=old, backup=backup, waits={_parent(old), _parent(new)}))

    def unlink(self, path: Any, *, dir_fd: int | None = None) -> None:
        """As `os.unlink`."""
        place = self._place(path, dir_fd)
        if place is None:
            REAL_UNLINK(path, dir_fd=dir_fd)
            return
        self._enter("unlink", place)
        backup = self._bury(place) if os.path.lexists(place) and not Path(place).is_symlink() else ""
        REAL_UNLINK(path, dir_fd=dir_fd)
        self._note_change(_Change(_REMOVED, place, backup=backup, waits={_parent(place)}))

    def mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        """As `os.mkdir`."""
        place = self._place(path, dir_fd)
        if place is not None and not os.path.lexists(place):
            self._enter("mkdir", place)
        REAL_MKDIR(path, mode, dir_fd=dir_fd)
        if place is not None:
            self._note_change(_Change(_MADE, place, waits={_parent(place)}))

    def truncate(self, path: Any, length: int) -> None:
        """As `os.truncate` and `os.ftruncate`; the new length counts as durable."""
        place = self._names.get(path) if isinstance(path, int) else self._place(path, None)
        if place is not None and not place.endswith(".lock"):
            self._enter("truncate", place)
        REAL_TRUNCATE(path, length)
        if place is not None:
            number = os.fstat(path).st_ino if isinstance(path, int) else Path(place).stat().st_ino
            self._durable[number] = min(self._durable.get(number, 0), length)

    def swap(self, one: str, other: str, flags: int) -> int:
        """As `renameat2` of two files that change names; 0, as C has it."""
        left, right = self._place(one, None), self._place(other, None)
        if left is not None and right is not None:
            self._enter("swap", right)
        if _RENAMEAT2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), flags) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), other)
        if left is not None and right is not None:
            self._note_change(_Change(_SWAPPED, right, other=left, waits={_parent(left), _parent(right)}))
        return 0

    # what happens to the machine

    def grow_stale(self) -> None:
        """The server forgets all open descriptors, as after its restart; names can be opened anew."""
        self._stale = {fd for fd, place in self._names.items() if not place.endswith(".lock")}

    def die(self) -> None:
        """End the process: its files are closed, and it can change no file any more."""
        self.is_dead = True
        self._close_all(list(self._names))

    def end_process(self, name: str) -> None:
        """End a process other than the first: its files are closed."""
        self._close_all([fd for fd, owner in self._owners.items() if owner == name])

    def _close_all(self, fds: list[int]) -> None:
        for fd in fds:
            number = self._numbers.pop(fd)
            self._names.pop(fd)
            self._owners.pop(fd, None)
            with suppress(OSError):  # Python's own files close their descriptors themselves, whose numbers come again
                if os.fstat(fd).st_ino == number:
                    REAL_CLOSE(fd)

    def revive(self) -> None:
        """A new process may begin."""
        self.is_dead = False
        self.dies_at = None

    def lose_power(self) -> None:
        """Remove data not made durable by a sync, as far as chance decides; the rest is durable."""
        keeps = self._chance.below(len(self._pending) + 1)
        for change in reversed(self._pending[keeps:]):
            self._undo(change)
        self._pending.clear()
        for path in self._files():
            status = os.lstat(path)
            durable = self._durable.get(status.st_ino, 0)
            if not _is_derived(path) and status.st_size > durable:
                left = durable + self._chance.below(status.st_size - durable + 1)
                if left < status.st_size:
                    self._note(f"power loss takes {status.st_size - left} bytes of {self._short(path)}")
                    REAL_TRUNCATE(path, left)
        self.settle_all()

    def settle_all(self) -> None:
        """Make all data durable, as after a long quiet time."""
        self._pending.clear()
        shutil.rmtree(self._graveyard)  # where a file that is there again has a second name, distrusted by the agent
        self._graveyard.mkdir()
        self._durable |= {status.st_ino: status.st_size for status in map(os.lstat, self._files())}

    # inside

    def _enter(self, call: str, place: str) -> None:
        if self.is_dead:
            raise Killed("the process is dead")
        self.on_call()
        self.calls += 1
        self._note(f"{call} {self._short(place)}")
        if self.dies_at is not None and self.calls >= self.dies_at:
            if call != "write":
                self.is_dead = True
            raise Killed(f"killed at {call}")
        if self.fault is not None and not self.is_late:
            raise self._error(place)

    def _error(self, place: str | None) -> OSError:
        return OSError(number := self.fault or BROKEN, os.strerror(number), place)

    def _require_known(self, fd: int, place: str) -> None:
        if fd in self._stale and not self.is_dead:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), place)

    def _lose_unsynced(self, fd: int) -> bool:
        """Take the bytes of a file that a late fault loses; True if bytes were lost."""
        place, size = self._names.get(fd, ""), os.fstat(fd).st_size
        durable, is_writer = self._durable.get(self._numbers.get(fd, 0), size), fcntl.fcntl(fd, fcntl.F_GETFL) & _WRITES
        if not (self.fault and self.is_late and is_writer) or size <= durable or place.endswith(".lock"):
            return False
        REAL_TRUNCATE(f"{_OPEN}{fd}", durable)
        return True

    def _tear(self, fd: int, data: Any) -> int:
        """Write a part."""
        part = bytes(data)[: self._chance.below(len(data) + 1)]
        return REAL_WRITE(fd, part) if part else 0

    def _place(self, path: Any, dir_fd: int | None) -> str | None:
        """Target of a path, if below the root."""
        if isinstance(path, int):
            return self._names.get(path)
        text = os.fsdecode(path)
        if text.startswith(_OPEN):
            number, _, name = text.removeprefix(_OPEN).partition("/")
            dir_fd, text = int(number), name
        if dir_fd is not None and not text.startswith("/"):
            folder = self._names.get(dir_fd)
            self._require_known(dir_fd, text)
            return None if folder is None else f"{folder}/{text}"
        return text if text.startswith(self.root) else None

    def _note_change(self, change: _Change) -> None:
        if not _is_derived(change.path):
            self._pending.append(change)

    def _settle(self, folder: str) -> None:
        for change in self._pending:
            change.waits.discard(folder)
        self._pending = [change for change in self._pending if change.waits]

    def _bury(self, place: str) -> str:
        """Keep a file that is about to lose this name: a second name, or the inode where the file has other names."""
        status = os.lstat(place)
        if status.st_nlink > 1:
            return f"{_BY_NUMBER}{status.st_ino}"
        self._buried += 1
        backup = str(self._graveyard / str(self._buried))
        REAL_LINK(place, backup, follow_symlinks=False)
        return backup

    def _dig_up(self, change: _Change) -> None:
        """Give a file its former name again."""
        backup = change.backup
        if backup.startswith(_BY_NUMBER):
            number = int(backup.removeprefix(_BY_NUMBER))
            files = [*self._files(), *(str(path) for path in self._graveyard.iterdir() if path.is_file())]
            backup = next(path for path in files if os.lstat(path).st_ino == number)
        REAL_LINK(backup, change.path)

    def _undo(self, change: _Change) -> None:
        self._note(f"power loss: {self._short(change.path)} is not {change.kind}")
        match change.kind:
            case "made" if Path(change.path).is_dir() and not Path(change.path).is_symlink():
                self._buried += 1
                REAL_RENAME(change.path, self._graveyard / str(self._buried))
            case "made":
                if os.path.lexists(change.path):
                    REAL_UNLINK(change.path)
            case "removed":
                if change.backup and not os.path.lexists(change.path) and Path(_parent(change.path)).is_dir():
                    self._dig_up(change)
            case "moved":
                if os.path.lexists(change.path) and Path(_parent(change.other)).is_dir():  # folders that go are gone
                    REAL_RENAME(change.path, change.other)
                if change.backup and not os.path.lexists(change.path):
                    self._dig_up(change)
            case "swapped":
                if os.path.lexists(change.path) and os.path.lexists(change.other):
                    spare = str(self._graveyard / "spare")
                    REAL_RENAME(change.path, spare)
                    REAL_RENAME(change.other, change.path)
                    REAL_RENAME(spare, change.other)
            case _:
                raise ValueError(f"change {change.kind!r}: unknown kind")

    def _files(self) -> Iterator[str]:
        for folder, folders, names in os.walk(self.root):
            folders.sort()
            for name in sorted(names):
                path = f"{folder}/{name}"
                if not Path(path).is_symlink():
                    yield path

    def _short(self, place: str) -> str:
        return place.removeprefix(self.root).lstrip("/") or "."

    def clear(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.rmtree(self._graveyard, ignore_errors=True)


def _is_derived(path: str) -> bool:
    """True for files that SQLite writes itself, and for files beside the memory's index."""
    return "/memory/" in path or ".sqlite" in path


def _parent(place: str) -> str:
    return place.rpartition("/")[0]
