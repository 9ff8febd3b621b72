"""File that people edit too: read, and put a new version in its place, so that no save of theirs is lost.

People and their programs write the file at the same time. A new version therefore changes places with the old one, and
the old one is kept until it is known that nobody had changed it meanwhile. A new version is on the disk before it gets
the file's name; that it has that name survives a power loss after `make_durable` only.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.edited_file.displaced import (
    EDITED_BYTES,
    Displaced,
    FileRefusedError,
    Leftover,
    bases_without,
    draft_path,
    drafts,
    is_edited,
    leftover_names,
    leftover_path,
    open_regular,
    read_first,
    read_whole,
    take_away,
)
from actors.linux.disk import Disk, RealDisk, write_all

log = logging.getLogger(__name__)

LIMIT_BYTES = EDITED_BYTES // 2
"""Only so much of the file's beginning is looked at."""
_CONFLICT = re.compile(r"sync-conflict|conflicted copy|\.orig$|\(conflict", re.IGNORECASE)
_NEW_FILE_MODE = 0o600
_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOSYS})
"""Answers of file systems that cannot sync a folder."""


@dataclass(frozen=True, slots=True)
class Look:
    """Snapshot of the file."""

    data: bytes
    """All of it, or as many whole lines of its beginning as `LIMIT_BYTES` hold."""
    modified_at: float
    """Seconds since 1970."""
    left_out_bytes: int = 0
    """So much of the file is not in `data`."""

    @property
    def is_empty(self) -> bool:
        """Whether the file holds nothing."""
        return not (self.data or self.left_out_bytes)


class EditedFile:
    """One markdown file, wherever its path leads."""

    def __init__(self, path: Path, spare: Path, disk: Disk | None = None) -> None:
        """The file at a path; nothing is opened yet.

        Args:
            path: May be a symbolic link, which stays one, and need not exist.
            spare: A folder of the agent's own for what must outlive a crash in the middle of an edit.
            disk: What stores; the system's own by default.
        """
        self.path = path
        self._spare = spare
        self._before = spare / f"{path.stem}.before{path.suffix}"
        """The version before the last edit of the agent's."""
        self._disk = disk or RealDisk()

    # reading

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
            data = read_first(fd, LIMIT_BYTES + 1)
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
            return read_whole(fd, self.path)
        finally:
            os.close(fd)

    @property
    def was_edited(self) -> bool:
        """Whether the agent ever put a version of its own in the place of another, so that there was a file once."""
        return self._before.exists()

    def conflict_copies(self) -> tuple[str, ...]:
        """Names of files beside it that look as if a synchronising program could not merge two versions of it."""
        with suppress(OSError):
            place = self._place()
            stem = place.name.split(".")[0]
            names = [entry.name for entry in place.parent.iterdir() if entry.name.startswith(stem)]
            return tuple(sorted(name for name in names if name != place.name and _CONFLICT.search(name)))
        return ()

    # writing

    def create(self, data: bytes) -> bool:
        """Whether the file came into being with `data`; False when somebody else made one meanwhile.

        Raises:
            FileRefusedError: it would have no place, or be too large.
            OSError: it cannot be made.
        """
        place = self._place()
        self._check_folder(place.parent)
        self._check_size(data, b"")
        self._check_leftover(place, data)
        fresh = leftover_path(place, _digest(data))
        try:
            self._write_beside(place, data, _NEW_FILE_MODE, None)
            self._disk.link(fresh, place)
        except FileExistsError:
            return False
        finally:
            take_away(self._disk, fresh)
        return True

    def put(self, data: bytes, seen: bytes) -> Displaced | None:
        """Make the file hold `data`; gives what it held instead of what was `seen`, which may differ.

        Returns:
            None when nothing was changed because the file is not what was seen (only where files can't be swapped).

        Raises:
            FileRefusedError: it is write-protected, or would be too large; nothing was changed.
            OSError: it cannot be written, or is gone; nothing was changed.
        """
        place = self._place()
        status = place.stat()
        if not status.st_mode & 0o222:
            raise FileRefusedError(f"{self.path}: is write-protected")
        self._check_size(data, seen)
        self._check_leftover(place, data)
        self._sync_file(place)  # after a power loss what is displaced has to be what was seen
        base, fresh = self._base_path(_digest(data)), leftover_path(place, _digest(data))
        try:
            self._keep_base(base, seen)
            self._write_beside(place, data, stat.S_IMODE(status.st_mode), status)
            if self._disk.exchange(fresh, place):
                displaced = Displaced(self._disk, fresh, base, self._before, seen)
                with suppress(OSError):
                    displaced.open()
                return displaced
            replaced = self._replace(fresh, place, seen, base)
        except OSError:
            take_away(self._disk, fresh)
            take_away(self._disk, base)
            raise
        if replaced is None:
            take_away(self._disk, fresh)
            take_away(self._disk, base)
        return replaced

    def make_durable(self) -> None:
        """Return when what the file holds, and that it is there, would survive a power loss.

        Raises:
            OSError: that cannot be had.
        """
        place = self._place()
        with suppress(FileNotFoundError):
            self._sync_file(place)
        self._sync_folder(place.parent)

    # what a crash left

    def leftovers(self) -> list[Leftover]:
        """Versions that a crash left beside the file; one that never was in the file's place is thrown away here.

        One that cannot be read stays where it is.

        Raises:
            OSError: nobody can say whether there are any.
        """
        place = self._place()
        leftovers, beside = [], leftover_names(place)
        # Where the file is not, its place may be another one than usual, and what lies beside it elsewhere.
        orphans = bases_without(beside, self._spare) if place.is_file() else []
        for useless in (*drafts(place, self._spare), *orphans):
            take_away(self._disk, useless)
        for digest, path in beside.items():
            try:
                leftover = self._leftover(path, digest)
            except OSError as error:
                log.error("%s was left by a crash and can't be compared: %s", path, error)
                continue
            if leftover is not None:
                leftovers.append(leftover)
        return leftovers

    def forget(self, leftover: Path) -> None:
        """What the leftover had to say is in the file."""
        take_away(self._disk, leftover)
        take_away(self._disk, self._base_path(leftover.name.split(".")[-2]))

    def _leftover(self, path: Path, digest: str) -> Leftover | None:
        base = self._base_path(digest)
        data = _content(path)
        try:
            expected = _content(base)
        except FileNotFoundError:
            expected = None
        if _digest(data) != digest and (is_edited(data, expected) or self._may_be_lost()):
            return Leftover(path, data, expected)
        self.forget(path)
        return None

    def _may_be_lost(self) -> bool:
        """Whether the file holds nothing, or nobody can say what."""
        try:
            look = self.look()
        except OSError:
            return True
        return look is None or not (look.data.strip(b"\0") or look.left_out_bytes)

    # the parts of the above

    def _replace(self, fresh: Path, place: Path, seen: bytes, base: Path) -> Displaced | None:
        """Put `fresh` in place without a swap: what somebody saves in the instant between look and rename is lost."""
        fd = open_regular(place)
        try:
            if read_first(fd, len(seen) + 1) == seen and os.path.samestat(os.fstat(fd), place.stat()):
                self._disk.replace(fresh, place)
                return Displaced(self._disk, None, base, self._before, seen, fd)
        except OSError:
            os.close(fd)
            raise
        os.close(fd)
        return None

    def _open(self) -> int | None:
        """A descriptor of the file; None when there is none.

        Raises:
            FileRefusedError: it is no file.
            OSError: it cannot be opened.
        """
        try:
            return open_regular(self.path)
        except FileNotFoundError:
            return None

    def _place(self) -> Path:
        """Where the file itself is or would be, at the end of all links.

        Raises:
            OSError: nobody can say; a link is never taken for the file.
        """
        try:
            return Path(os.path.realpath(self.path, strict=True))
        except FileNotFoundError:
            return Path(os.path.realpath(self.path))

    def _check_folder(self, folder: Path) -> None:
        """Return if the file may be made in `folder`, which nobody makes here: its disk may not be mounted.

        Raises:
            FileRefusedError: it may not.
        """
        if not folder.is_dir():
            raise FileRefusedError(f"{self.path}: its folder is not there; make it, or mount the disk that it is on")
        if self.was_edited and next(folder.iterdir(), None) is None:
            raise FileRefusedError(
                f"{self.path}: is gone and its folder is empty; mount its disk, or make an empty file there"
            )

    def _check_size(self, data: bytes, seen: bytes) -> None:
        """Return if the file may hold `data` instead of what was `seen`.

        Raises:
            FileRefusedError: it could not be edited again.
        """
        if len(data) > EDITED_BYTES and len(data) > len(seen):
            raise FileRefusedError(
                f"{self.path}: would have {len(data):,} bytes, at most {EDITED_BYTES:,} can be edited; take something "
                "out of it by hand"
            )

    def _check_leftover(self, place: Path, data: bytes) -> None:
        """Return if nothing that people wrote lies where the version that `data` displaces is to lie.

        Raises:
            FileRefusedError: something does.
            OSError: nobody can say.
        """
        path = leftover_path(place, _digest(data))
        if os.path.lexists(path) and self._leftover(path, _digest(data)) is not None:
            raise FileRefusedError(f"{path}: what somebody wrote is to be brought back first; try again in a minute")

    def _base_path(self, digest: str) -> Path:
        return self._spare / f"{digest}.base"

    def _keep_base(self, path: Path, seen: bytes) -> None:
        """Store what the file is expected to hold, so that a later start can tell what somebody else changed."""
        if not self._spare.exists():
            self._disk.make_folder(self._spare)
            self._sync_folder(self._spare.parent)
        self._write_whole(path, seen)
        self._sync_folder(self._spare)

    def _write_beside(self, place: Path, data: bytes, mode: int, owner: os.stat_result | None) -> None:
        """A file in the same folder with `data`, on the disk but for its name, which it gets when it is whole."""
        self._write_whole(leftover_path(place, _digest(data)), data, mode, owner)

    def _write_whole(
        self, path: Path, data: bytes, mode: int = _NEW_FILE_MODE, owner: os.stat_result | None = None
    ) -> None:
        """A file with `data`, on the disk but for its name, which it gets when it is whole."""
        draft = draft_path(path)
        take_away(self._disk, draft)
        fd = self._disk.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, _NEW_FILE_MODE)
        try:
            try:
                if owner is not None:
                    with suppress(PermissionError):
                        os.fchown(fd, owner.st_uid, owner.st_gid)
                    self._disk.change_mode(fd, mode)
                write_all(self._disk, fd, data)
            finally:
                os.close(fd)
            self._disk.replace(draft, path)
        except OSError:
            take_away(self._disk, draft)
            raise

    def _sync_file(self, place: Path) -> None:
        fd = self._disk.open(place, os.O_RDONLY | os.O_NONBLOCK)
        try:
            self._disk.sync(fd)
        finally:
            os.close(fd)

    def _sync_folder(self, folder: Path) -> None:
        try:
            self._disk.sync_folder(folder)
        except OSError as error:
            if error.errno not in _NO_FOLDER_SYNC:
                raise


def reason_of(error: Exception) -> str:
    """Why something did not work, for a person."""
    if isinstance(error, OSError) and not isinstance(error, FileRefusedError):
        return f"{error.filename or 'the file'}: {error.strerror or error}"
    return str(error)


def _content(path: Path) -> bytes:
    fd = open_regular(path, os.O_NOFOLLOW)
    try:
        return read_whole(fd, path)
    finally:
        os.close(fd)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
