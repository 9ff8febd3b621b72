"""The only module that opens the reminders' file: reads it, and puts a new version in its place.

People and their programs write the file at the same time. A new version therefore changes places with the old one, and
the old one is kept until it is known that nobody had changed it meanwhile.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.linux.exchange import exchange
from actors.linux.private_folder import make_private

LIMIT_BYTES = 8 * 1024 * 1024
"""Only so much of the file's beginning is looked at."""
REQUESTED_BYTES = LIMIT_BYTES // 2
"""No request makes the file larger, so that people have room for their own lines."""
EDITED_BYTES = 2 * LIMIT_BYTES
"""A larger file is not edited: to leave everything else byte for byte, all of it has to be read."""
BEFORE_NAME = "reminders.before.md"
"""The version before the agent's last edit, in the spare folder."""
_CONFLICT = re.compile(r"sync-conflict|conflicted copy|\.orig$|\(conflict", re.IGNORECASE)
_NEW_FILE_MODE = 0o600


class FileRefusedError(Exception):
    """The file cannot be used as it is; the text says why, for a person."""


@dataclass(frozen=True, slots=True)
class Look:
    """Snapshot of the file."""

    data: bytes
    """All of it, or as many whole lines of its beginning as `LIMIT_BYTES` hold."""
    modified_at: float
    """Seconds since 1970."""
    left_out_bytes: int = 0
    """So much of the file is not in `data`."""


class Displaced:
    """The version that another one took the place of; whoever has it open may still be writing to it."""

    def __init__(self, fd: int, path: Path | None, base: Path, expected: bytes) -> None:
        self._fd = fd
        self._path = path
        self._base = base
        self.accounted = expected
        """What of it is known already."""

    def read(self) -> bytes:
        """What it holds now.

        Raises:
            FileRefusedError: it has become too large to be compared.
        """
        return _read_all(self._fd, self._path or self._base)

    def discard(self) -> None:
        """Take it off the disk; it can be read until it is closed. What was expected of it is kept as a backup."""
        if self._base.exists():
            self._base.replace(self._base.with_name(BEFORE_NAME))
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Nobody looks at it any more; if it was not discarded, the next start will."""
        os.close(self._fd)


class ReminderFile:
    """One markdown file, wherever its path leads."""

    def __init__(self, path: Path, spare: Path, swap: Callable[[Path, Path], bool] = exchange) -> None:
        """The file at a path; nothing is opened yet.

        Args:
            path: May be a symbolic link, which stays one, and need not exist.
            spare: A folder of the agent's own for what must outlive a crash in the middle of an edit.
            swap: How two files change names; tests stand in for file systems that cannot.
        """
        self.path = path
        self._spare = spare
        self._swap = swap

    def look(self) -> Look | None:
        """What the file holds, as far as it is looked at; None when there is none.

        Raises:
            FileRefusedError: it is no file.
            OSError: it cannot be read.
        """
        fd = self._open()
        if fd is None:
            return None
        try:
            status = os.fstat(fd)
            data = _read_first(fd, LIMIT_BYTES + 1)
            if len(data) <= LIMIT_BYTES:
                return Look(data, status.st_mtime)
            data = data[: data.rfind(b"\n", 0, LIMIT_BYTES) + 1]
            return Look(data, status.st_mtime, max(1, status.st_size - len(data)))
        finally:
            os.close(fd)

    def read(self) -> bytes | None:
        """Everything that the file holds, for an edit of it; None when there is none.

        Raises:
            FileRefusedError: it is too large to be edited, or no file.
            OSError: it cannot be read.
        """
        fd = self._open()
        if fd is None:
            return None
        try:
            return _read_all(fd, self.path)
        finally:
            os.close(fd)

    def create(self, data: bytes) -> bool:
        """Whether the file came into being with `data`; False when somebody else made one meanwhile.

        Raises:
            OSError: it cannot be made.
        """
        place = self._place()
        make_private(place.parent)
        fresh, fd = self._write_beside(place, data, _NEW_FILE_MODE, None)
        try:
            os.fsync(fd)
            os.link(fresh, place)
        except FileExistsError:
            return False
        finally:
            os.close(fd)
            fresh.unlink()
        return True

    def put(self, data: bytes, seen: bytes) -> Displaced | None:
        """Make the file hold `data`; gives what it held instead of what was `seen`, which may differ.

        Returns:
            None when nothing was changed because the file is not what was seen (only where files can't be swapped).

        Raises:
            FileRefusedError: it is write-protected.
            OSError: it cannot be written, or is gone.
        """
        place = self._place()
        status = place.stat()
        if not status.st_mode & 0o222:
            raise FileRefusedError(f"{self.path}: is write-protected")
        base = self._keep_base(data, seen)
        fresh, fd = self._write_beside(place, data, stat.S_IMODE(status.st_mode), status)
        try:
            if not self._swap(fresh, place):
                os.fsync(fd)
                return self._replace(fresh, place, seen, base)
            # Synced only now, so that as little time as possible passes between look and swap; should the power go
            # out before, the displaced version is still there and is put back.
            os.fsync(fd)
            return Displaced(os.open(fresh, os.O_RDONLY | os.O_CLOEXEC), fresh, base, seen)
        except FileNotFoundError:
            fresh.unlink(missing_ok=True)
            raise
        finally:
            os.close(fd)

    def conflict_copies(self) -> tuple[str, ...]:
        """Names of files beside it that look as if a synchronising program could not merge two versions of it."""
        place = self._place()
        stem = place.name.split(".")[0]
        with suppress(OSError):
            names = [entry.name for entry in place.parent.iterdir() if entry.name.startswith(stem)]
            return tuple(sorted(name for name in names if name != place.name and _CONFLICT.search(name)))
        return ()

    def leftovers(self) -> list[tuple[Path, bytes, bytes | None]]:
        """Versions that a crash left beside the file, each with what it held and what it was expected to hold.

        One that never was in the file's place is thrown away here.
        """
        place = self._place()
        pattern = re.compile(re.escape(f".{place.name}.") + r"([0-9a-f]{32})\.agent")
        leftovers: list[tuple[Path, bytes, bytes | None]] = []
        with suppress(FileNotFoundError):
            for path in sorted(place.parent.iterdir()):
                match = pattern.fullmatch(path.name)
                if match is None:
                    continue
                data, base = path.read_bytes(), self._base_path(match[1])
                expected = base.read_bytes() if base.exists() else None
                look = self.look()
                is_lost = look is None or not (look.data.strip(b"\0") or look.left_out_bytes)
                if _digest(data) == match[1] or (data == expected and not is_lost):
                    path.unlink()
                    base.unlink(missing_ok=True)
                else:
                    leftovers.append((path, data, expected))
        return leftovers

    def forget(self, leftover: Path) -> None:
        """What the leftover had to say is in the file."""
        leftover.unlink(missing_ok=True)
        self._base_path(leftover.name.split(".")[-2]).unlink(missing_ok=True)

    def _replace(self, fresh: Path, place: Path, seen: bytes, base: Path) -> Displaced | None:
        """Put `fresh` in place without a swap: what somebody saves in the instant between look and rename is lost."""
        fd = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
        if _read_first(fd, len(seen) + 1) != seen or not os.path.samestat(os.fstat(fd), place.stat()):
            os.close(fd)
            fresh.unlink()
            return None
        fresh.replace(place)
        return Displaced(fd, None, base, seen)

    def _open(self) -> int | None:
        """A descriptor of the file; None when there is none.

        Raises:
            FileRefusedError: it is no file.
            OSError: it cannot be opened.
        """
        try:
            # A pipe of that name must not stop the agent.
            fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise FileRefusedError(f"{self.path}: is no regular file")
        return fd

    def _place(self) -> Path:
        """Where the file itself is, at the end of all links."""
        return Path(os.path.realpath(self.path))

    def _base_path(self, digest: str) -> Path:
        return self._spare / f"{digest}.base"

    def _keep_base(self, data: bytes, seen: bytes) -> Path:
        """Store what the file is expected to hold, so that a later start can tell what somebody else changed."""
        make_private(self._spare)
        path = self._base_path(_digest(data))
        path.write_bytes(seen)
        return path

    def _write_beside(self, place: Path, data: bytes, mode: int, owner: os.stat_result | None) -> tuple[Path, int]:
        """A file in the same folder with `data`, not synced yet, and its descriptor."""
        path = place.with_name(f".{place.name}.{_digest(data)}.agent")
        path.unlink(missing_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, _NEW_FILE_MODE)
        try:
            if owner is not None:
                with suppress(PermissionError):
                    os.fchown(fd, owner.st_uid, owner.st_gid)
            os.fchmod(fd, mode)
            view = memoryview(data)
            while view:
                view = view[os.write(fd, view) :]
        except OSError:
            os.close(fd)
            path.unlink(missing_ok=True)
            raise
        return path, fd


def _read_all(fd: int, path: Path) -> bytes:
    """Everything in the file from its beginning.

    Raises:
        FileRefusedError: that is more than can be edited; a part of it would pass for people having deleted the rest.
    """
    data = _read_first(fd, EDITED_BYTES + 1)
    if len(data) > EDITED_BYTES:
        raise FileRefusedError(
            f"{path}: has more than {EDITED_BYTES // 2**20} MiB, so it is not edited; take something out of it by hand"
        )
    return data


def _read_first(fd: int, count: int) -> bytes:
    """The first `count` bytes, or all when there are fewer."""
    chunks, offset = [], 0
    while chunk := os.pread(fd, min(1 << 20, count - offset), offset):
        chunks.append(chunk)
        offset += len(chunk)
    return b"".join(chunks)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
