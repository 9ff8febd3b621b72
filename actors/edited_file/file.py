"""File edited by people too: read, and replaced by a new version without losing people's saves.

People and their programs write the file at the same time. A new version therefore changes places with the old version,
and the old version is kept until known to be unchanged meanwhile. A new version is on the disk before getting the
file's name; the name survives a power loss only after `make_durable`.
"""

from __future__ import annotations

import errno
import logging
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.edited_file.access import EDITED_BYTES, Access, FileRefusedError, read_first, take_away
from actors.edited_file.displaced import (
    Displaced,
    Leftover,
    bases_without,
    digest_of,
    draft_path,
    drafts,
    is_edited,
    leftover_names,
    leftover_path,
    take_other_names,
    withdraw,
)
from actors.linux.disk import Disk, RealDisk, write_all

log = logging.getLogger(__name__)

LIMIT_BYTES = EDITED_BYTES // 2
"""Only so much of the file's beginning is looked at."""
_CONFLICT = re.compile(r"sync-conflict|conflicted copy|\.orig$|\(conflict", re.IGNORECASE)
_NEW_FILE_MODE = 0o600
_MOST_LEFTOVERS = 16
"""Leftovers examined in one go, in folders where any program may put fake leftovers."""
_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOSYS})
"""Error codes of file systems that cannot sync a folder."""


@dataclass(frozen=True, slots=True)
class Look:
    """Snapshot of the file."""

    data: bytes
    """Whole content, or as many whole lines from the beginning as fit into `LIMIT_BYTES`."""
    modified_at: float
    """Seconds since 1970."""
    left_out_bytes: int = 0
    """So much of the file is not in `data`."""

    @property
    def is_empty(self) -> bool:
        """True if the file is empty."""
        return not (self.data or self.left_out_bytes)


class EditedFile:
    """One markdown file, at the end of its path's links."""

    def __init__(
        self,
        path: Path,
        spare: Path,
        disk: Disk | None = None,
        *,
        follows_links: bool = True,
        most_bytes: int = EDITED_BYTES,
    ) -> None:
        """The file at a path, not opened yet.

        Args:
            path: May be a symbolic link (the link is kept), and need not exist.
            spare: A folder of the agent's own for data that must outlive a crash in the middle of an edit.
            disk: Disk to write to; the system's own by default.
            follows_links: False where hostile programs write to the folder at the same time. The folder's own path is
                trusted; of the entries only regular files with a single name are used, never a link's target.
            most_bytes: A larger file is not edited.
        """
        self.path = path
        self._spare = spare
        self._before = spare / f"{path.stem}.before{path.suffix}"
        """The version before the last edit of the agent's."""
        self._disk = disk or RealDisk()
        self._access = Access(self._disk, follows_links, most_bytes)
        self._looked_at_bytes = min(LIMIT_BYTES, most_bytes)
        self._is_spare_named = False
        """True if the name of `spare` survives a power loss; a folder of an earlier life may have an unsynced name."""
        self._strange = 0
        """Versions beside the file that could not be compared the last time, where links are not followed."""

    # reading

    def look(self) -> Look | None:
        """Content of the file, up to the limit for looks; None if there is no file.

        Raises:
            FileRefusedError: the entry is no file.
            OSError: the file cannot be read.
        """
        fd = self._open()
        if fd is None:
            return None
        try:
            status = os.fstat(fd)
            limit = self._looked_at_bytes
            data = read_first(fd, limit + 1)
            if len(data) <= limit:
                return Look(data, status.st_mtime)
            data = data[: data.rfind(b"\n", 0, limit) + 1]
            return Look(data, status.st_mtime, max(1, status.st_size - len(data)))
        finally:
            os.close(fd)

    def read(self) -> bytes | None:
        """Whole content of the file, for an edit; None if there is no file.

        Raises:
            FileRefusedError: the entry is too large to be edited, or no file.
            OSError: the file cannot be read.
        """
        fd = self._open()
        if fd is None:
            return None
        try:
            return self._access.read_whole(fd, self.path)
        finally:
            os.close(fd)

    @property
    def was_edited(self) -> bool:
        """True if the agent ever replaced a version of the file, so that a file once existed."""
        return os.path.lexists(self._before)

    def conflict_copies(self) -> tuple[str, ...]:
        """Names of neighbouring files that look like unmerged versions left by a synchronising program."""
        with suppress(OSError):
            place = self._access.place(self.path)
            stem = place.name.split(".")[0]
            names = [entry.name for entry in place.parent.iterdir() if entry.name.startswith(stem)]
            return tuple(sorted(name for name in names if name != place.name and _CONFLICT.search(name)))
        return ()

    # writing

    def create(self, data: bytes) -> bool:
        """Create the file with `data`; False if another program made the file meanwhile.

        Raises:
            FileRefusedError: the file would have no place, or be too large.
            OSError: the file cannot be made.
        """
        place = self._access.place(self.path)
        self._check_folder(place.parent)
        self._access.check_size(self.path, data, b"")
        self._check_leftover(place, data)
        fresh = leftover_path(place, digest_of(data))
        try:
            self._write_whole(fresh, data)
            self._disk.link(fresh, place)
        except FileExistsError:
            return False
        finally:
            take_away(self._disk, fresh)
        # Where anybody may swap the name it was linked from, only what stands there now is ours.
        return self._access.follows_links or self.read() == data

    def put(self, data: bytes, seen: bytes) -> Displaced | None:
        """Replace the file's content by `data`; return the displaced version, which may differ from `seen`.

        Returns:
            None if the file was left unchanged since the content differs from `seen` (only where files can't be
            swapped, or where links are not followed and a program put a strange entry in the place of the new version).

        Raises:
            FileRefusedError: the file is write-protected, or would be too large; it is unchanged.
            OSError: the file cannot be written, or is gone; it is unchanged.
        """
        place = self._access.place(self.path)
        status = self._access.status(place)
        if not status.st_mode & 0o222:
            raise FileRefusedError(f"{self.path}: is write-protected")
        self._access.check_size(self.path, data, seen)
        self._check_leftover(place, data)
        self._sync_file(place)  # after a power loss what is displaced has to be what was seen
        digest = digest_of(data)
        base, fresh = self._base_path(digest), leftover_path(place, digest)
        try:
            self._keep_base(base, seen)
            self._write_whole(fresh, data, (status, place))
            is_exchanged = self._disk.exchange(fresh, place)
            displaced = None if is_exchanged else self._replace(fresh, place, seen, base)
        except OSError:
            withdraw(self._access, fresh, digest, base)
            raise
        if is_exchanged:
            displaced = self._take_displaced(fresh, place, seen, base)
        elif displaced is None:
            take_away(self._disk, fresh)
        if displaced is None:
            take_away(self._disk, base)
        return displaced

    def make_durable(self) -> None:
        """Return when the file's content and name would survive a power loss.

        Raises:
            OSError: durability cannot be had.
        """
        place = self._access.place(self.path)
        with suppress(FileNotFoundError):
            self._sync_file(place)
        self._sync_folder(place.parent)

    # what a crash left

    def leftovers(self) -> list[Leftover]:
        """Versions left beside the file by a crash; removes drafts that never were in the file's place.

        An unreadable version stays.

        Raises:
            OSError: the folders cannot be read.
        """
        place = self._access.place(self.path)
        leftovers: list[Leftover] = []
        strange, beside = 0, leftover_names(place, self.path)
        # Where the file is not, its place may be another one than usual, and what lies beside it elsewhere.
        orphans = bases_without(beside, self._spare) if place.is_file() else []
        for useless in (*drafts(place, self._spare), *orphans):
            if self._access.clear(useless):
                take_away(self._disk, useless)
        for digest, path in beside.items():
            if len(leftovers) == _MOST_LEFTOVERS and not self._access.follows_links:
                break
            try:
                leftover = self._leftover(path, digest) if self._access.clear(path) else None
            except FileNotFoundError:
                continue
            except OSError as error:
                if self._access.follows_links:
                    log.error("%s was left by a crash and can't be compared: %s", path, error)
                strange += 1
                continue
            if leftover is not None:
                leftovers.append(leftover)
        if strange > self._strange and not self._access.follows_links:
            log.error("%d versions beside %s can't be compared and stay there", strange, place)
        self._strange = strange
        return leftovers

    def forget(self, leftover: Path) -> None:
        """Remove a leftover whose changes are in the file."""
        take_away(self._disk, leftover)
        take_away(self._disk, self._base_path(leftover.name.split(".")[-2]))

    def _leftover(self, path: Path, digest: str) -> Leftover | None:
        data, expected = self._access.content(path), self._access.content_if_any(self._base_path(digest))
        is_emptied = digest == digest_of(b"")
        if expected is None and is_emptied:  # a base is the backup from the removal of the version on
            expected = self._access.content_if_any(self._before)
        may_fill = expected is None or not is_emptied
        if digest_of(data) != digest and (is_edited(data, expected) or (may_fill and self._may_be_lost())):
            return Leftover(path, data, expected, may_fill)
        self.forget(path)
        return None

    def _may_be_lost(self) -> bool:
        """True if the file is empty, absent or unreadable."""
        try:
            look = self.look()
        except OSError:
            return True
        return look is None or not (look.data.strip(b"\0") or look.left_out_bytes)

    # the parts of the above

    def _take_displaced(self, fresh: Path, place: Path, seen: bytes, base: Path) -> Displaced | None:
        """Version at `fresh` after a swap with the file; None if the swap was undone."""
        displaced = Displaced(self._access, fresh, base, self._before, seen)
        with suppress(OSError):
            if self._access.is_strange(place):
                # Somebody swapped our version for it, before or after: what was displaced goes back, and nothing is
                # thrown away here but what is strange.
                self._disk.exchange(fresh, place)
                if self._access.is_strange(fresh):
                    self._access.clear(fresh)
                    return None
            displaced.open()
        return displaced

    def _replace(self, fresh: Path, place: Path, seen: bytes, base: Path) -> Displaced | None:
        """Put `fresh` in place without a swap: a save between look and rename is lost."""
        fd = self._access.open(place)
        try:
            if read_first(fd, len(seen) + 1) == seen and self._access.is_same(fd, place):
                self._disk.replace(fresh, place)
                return Displaced(self._access, None, base, self._before, seen, fd)
        except OSError:
            os.close(fd)
            raise
        os.close(fd)
        return None

    def _open(self) -> int | None:
        """Descriptor of the file; None without a file.

        Raises:
            FileRefusedError: the entry is no file.
            OSError: the file cannot be opened.
        """
        try:
            return self._access.open(self.path)
        except FileNotFoundError:
            return None
        except FileRefusedError:
            if not take_other_names(self._access, self.path):
                raise
            return self._access.open(self.path)

    def _check_folder(self, folder: Path) -> None:
        """Return if the file may be made in `folder`. The folder itself is never made: its disk may not be mounted.

        Raises:
            FileRefusedError: the file may not be made.
        """
        if not folder.is_dir():
            raise FileRefusedError(f"{self.path}: its folder does not exist; create the folder, or mount its disk")
        if self.was_edited and next(folder.iterdir(), None) is None:
            raise FileRefusedError(
                f"{self.path}: is missing and its folder is empty; mount the disk, or create an empty file there"
            )

    def _check_leftover(self, place: Path, data: bytes) -> None:
        """Return if the place for the version that `data` displaces holds no text of people.

        Raises:
            FileRefusedError: the place holds text of people.
            OSError: the place cannot be read.
        """
        path = leftover_path(place, digest_of(data))
        self._access.clear(path)
        if os.path.lexists(path) and self._leftover(path, digest_of(data)) is not None:
            raise FileRefusedError(f"{path}: another program's edit must be restored first; try again in a minute")

    def _base_path(self, digest: str) -> Path:
        return self._spare / f"{digest}.base"

    def _keep_base(self, path: Path, seen: bytes) -> None:
        """Store the expected content of the file, so a later start can compute other programs' changes."""
        if not (self._is_spare_named and self._spare.exists()):
            self._disk.make_folder(self._spare)
            self._sync_folder(self._spare.parent)
            self._is_spare_named = True
        self._write_whole(path, seen)
        self._sync_folder(self._spare)

    def _write_whole(self, path: Path, data: bytes, old: tuple[os.stat_result, Path] | None = None) -> None:
        """Write a file with `data` to the disk, named only when complete; `old` is the version before."""
        draft = draft_path(path)
        take_away(self._disk, draft)
        fd = self._disk.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, _NEW_FILE_MODE)
        try:
            try:
                if old is not None:
                    self._access.take_over(fd, *old)
                write_all(self._disk, fd, data)
            finally:
                os.close(fd)
            self._disk.replace(draft, path)
        except OSError:
            take_away(self._disk, draft)
            raise

    def _sync_file(self, place: Path) -> None:
        fd = self._access.open(place, through_disk=True)
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
    """Reason for a failure, for a person."""
    if isinstance(error, OSError) and not isinstance(error, FileRefusedError):
        return f"{error.filename or 'the file'}: {error.strerror or error}"
    return str(error)
