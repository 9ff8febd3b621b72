"""Maker of a data root from a backup, whose every hash is verified before the first write.

All content is first put into a folder `.restoring` of the data root and moved into place at the end. An agent refuses
to start while the folder is there, so an interrupted restore cannot be taken for a data root. A reminders' file outside
of the data root is put there last, but before the folder is removed.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from actors.backup import sums
from actors.backup.selection import LOGS
from actors.backup.sums import APART, ROOT, BackupError, ReportProgress, digest, tell_none, verify
from actors.context.log.data_root import HOSTS_LOCK_NAME, LOCK_NAME, UNFINISHED_RESTORE, DataRoot, DataRootError
from actors.context.log.redactions import Redactions
from actors.linux.disk import Disk, RealDisk
from actors.linux.folder import open_folder, remove_tree
from actors.linux.private_folder import PRIVATE
from domain.log.parser import parse
from domain.log.redaction import Tombstone, tombstones_in
from domain.log.window_folders import REPLACED

_TOMBSTONE = b" tombstone "
MARGIN_BYTES = 64 * 1024**2
"""Bytes to keep free beside the restored files."""
_REMINDERS = "reminders.restored.md"
_MADE_EMPTY = ("logs", "work", "reserve")
"""Files and folders made by holding a data root."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A restored data root."""

    root: Path
    files: int
    bytes: int
    reminders: Path | None = None
    """New path of a reminders' file from outside of the data root."""
    replaced: Path | None = None
    """Folder with the earlier content of the data root."""


def restore_backup(
    source: Path,
    root: Path,
    reminders: Path | None,
    now: datetime,
    *,
    replace: bool,
    progress: ReportProgress = tell_none,
    disk: Disk | None = None,
    margin_bytes: int = MARGIN_BYTES,
) -> Restored:
    """Verify the backup in `source` and make a data root from the backup at `root`.

    Args:
        source: The backup.
        root: Made if missing; no agent may use the folder.
        reminders: Place of the reminders' file by the settings; an existing file is not written over.
        now: Aware; names the folder of the replaced content.
        replace: True if the data root may hold content; the content is moved aside, never removed.
        progress: Receives the progress.
        disk: Writes the data root; the system's own by default.
        margin_bytes: Bytes that must stay free.

    Raises:
        BackupError: nothing was restored.
    """
    listed = sums.read(source)
    size = verify(source, listed, progress)
    inside, outside = root.resolve(), source.resolve()
    if inside == outside or outside in inside.parents:
        raise BackupError(f"{root}: lies in the backup; restore it elsewhere")
    data_root = DataRoot(root)
    try:
        data_root.lock()
    except DataRootError as error:
        raise BackupError(str(error)) from error
    try:
        return _Restorer(source, listed, size, root, progress, disk or RealDisk()).make(
            reminders, now, replace=replace, margin_bytes=margin_bytes
        )
    except OSError as error:
        name = f"{error.filename!r}: " if error.filename else ""
        raise BackupError(f"{root}: not restored: {name}{error.strerror or error}") from error
    finally:
        data_root.release()


class _Restorer:
    def __init__(
        self, source: Path, listed: Mapping[str, str], size: int, root: Path, progress: ReportProgress, disk: Disk
    ) -> None:
        self._source = source
        self._listed = listed
        self._size = size
        self._root = root
        self._progress = progress
        self._disk = disk
        self._stage = root / UNFINISHED_RESTORE

    def make(self, reminders: Path | None, now: datetime, *, replace: bool, margin_bytes: int) -> Restored:
        self._remove_stage()
        others = self._others()
        if others and not replace:
            named = ", ".join(map(repr, others[:3]))
            raise BackupError(f"{self._root}: is not empty ({named}); add --replace to move aside what is there")
        self._require_room(margin_bytes)
        try:
            self._write_all()
            self._make_redacted_copies()
        except BaseException:  # nothing of it is in its place yet
            with suppress(OSError):  # the next restore does it
                self._remove_stage()
            raise
        self._disk.sync_all()
        replaced = self._move_aside(others, now)
        self._move_in()
        put = self._put_reminders(reminders)
        self._disk.sync_all()
        self._stage.rmdir()
        self._disk.sync_all()
        return Restored(root=self._root, files=len(self._listed), bytes=self._size, reminders=put, replaced=replaced)

    def _others(self) -> list[str]:
        """Names that must not be written over."""
        others = []
        for place in sorted(self._root.iterdir()):
            if place.name in (LOCK_NAME, HOSTS_LOCK_NAME):
                continue
            is_full = place.is_symlink() or (place.is_dir() and any(place.iterdir()))
            if place.name in _MADE_EMPTY and not is_full:
                continue
            others.append(place.name)
        return others

    def _require_room(self, margin_bytes: int) -> None:
        disk = os.statvfs(self._root)
        needed, free = self._size + margin_bytes, disk.f_bavail * disk.f_frsize
        if free < needed:
            raise BackupError(f"{self._root}: {needed // 10**6} MB are needed and {free // 10**6} MB are free")

    def _write_all(self) -> None:
        """Copy all content with modes and times, and compare the written bytes with the verified bytes."""
        self._stage.mkdir(mode=PRIVATE)
        shutil.copytree(self._source / ROOT, self._stage, symlinks=True, dirs_exist_ok=True)
        below = f"{ROOT}/"
        listed = {path.removeprefix(below): each for path, each in self._listed.items() if path.startswith(below)}
        verify(self._stage, listed, self._progress)

    def _make_redacted_copies(self) -> None:
        """Make the copies, for commands, of logs with retracted words; backups leave derived files out."""
        by_folder = defaultdict[Path, list[Tombstone]](list)
        for path in sorted((self._stage / LOGS).glob("*/*/*.md")):
            data = path.read_bytes()
            if _TOMBSTONE in data:
                by_folder[path.parent] += tombstones_in(logged.event for logged in parse(data).events)
        for tombstones in by_folder.values():
            Redactions(self._stage).take_back(tombstones)

    def _move_aside(self, others: list[str], now: datetime) -> Path | None:
        aside = None
        if others:
            aside = self._root / f"{REPLACED}{now:%Y%m%dT%H%M%SZ}"
            aside.mkdir(mode=PRIVATE)
            for name in others:
                if not name.startswith(REPLACED):
                    (self._root / name).rename(aside / name)
        for name in _MADE_EMPTY:
            place = self._root / name
            if place.is_dir():
                place.rmdir()
            else:
                place.unlink(missing_ok=True)
        return aside

    def _move_in(self) -> None:
        for place in sorted(self._stage.iterdir()):
            place.rename(self._root / place.name)
        for name in ("logs", "work"):
            with suppress(FileExistsError):
                (self._root / name).mkdir(mode=PRIVATE)

    def _remove_stage(self) -> None:
        """Remove the unfinished content, read-only folders included."""
        root = open_folder(str(self._root))
        try:
            remove_tree(self._stage.name, root)
        finally:
            os.close(root)

    def _put_reminders(self, wanted: Path | None) -> Path | None:
        """Put a reminders' file from outside where the settings want it, over no file; else in the data root."""
        path = f"{APART}/{sums.REMINDERS}"
        if path not in self._listed:
            return None
        if wanted is not None:
            with suppress(OSError):  # something is there, or its folder is not, is full, or takes nothing of ours
                self._write_new(path, wanted)
                return wanted
        name, number = _REMINDERS, 1
        while os.path.lexists(self._root / name):
            number += 1
            name = f"{number}-{_REMINDERS}"
        self._write_new(path, self._root / name)
        return self._root / name

    def _write_new(self, path: str, place: Path) -> None:
        """Put a file where none exists, whole or not at all; the same file may be there already.

        Raises:
            OSError: another file is there, or the file cannot be put there.
        """
        if place.exists() and digest(place.resolve())[1] == self._listed[path]:
            return
        draft = place.with_name(f".{place.name}{UNFINISHED_RESTORE}")
        draft.unlink(missing_ok=True)
        try:
            shutil.copy2(self._source / path, draft, follow_symlinks=False)
            if digest(draft)[1] != self._listed[path]:
                raise BackupError(f"{path!r}: has changed while it was restored")
            self._disk.sync_all()
            place.hardlink_to(draft)
        finally:
            draft.unlink(missing_ok=True)
