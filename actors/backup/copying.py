"""Copier of a data root into a backup, while the agent runs or not.

What commands and other people may have put into a data root is opened by descriptors beside its folder: no link is
followed, no pipe waited for. Everything is verified at the end by reading the copies back; only then the manifest is
written, without which a folder is no backup.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from actors.backup import selection
from actors.backup.manifest import (
    APART,
    CHUNK_BYTES,
    NAME,
    ROOT,
    BackupError,
    Entry,
    EntryKind,
    Manifest,
    Told,
    encode,
    read,
    shown_time,
    unheard,
    verify,
)
from actors.linux.folder import MOST_LEVELS, open_folder
from actors.linux.private_folder import PRIVATE, make_private
from actors.memory.objects import copying as database

_TRIES = 20
"""Looks at a log or at the reminders' file that is being written."""
_LOG_PAUSE_S = 0.01
_REMINDERS_PAUSE_S = 0.1
_LONGEST_PATH_BYTES = 3000
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What is backed up."""

    root: Path
    """The data root."""
    reminders: Path | None
    """The reminders' file, wherever it lies; it need not be there."""
    settings: Path | None
    """The settings' file; None for none."""
    private: tuple[Path, ...] = ()
    """Files that are never copied: the secrets."""


@dataclass(slots=True)
class Backup:
    """A finished backup."""

    folder: Path
    files: int = 0
    bytes: int = 0
    linked: int = 0
    """Files that are hard links to those of the earlier backup."""
    left_out: list[str] = field(default_factory=list)
    """What commands made and could not be copied, each with the reason."""


class _Earlier:
    """Files of an earlier backup, to which unchanged ones can be linked."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        files = read(folder).files if folder is not None else ()
        self._entries = {entry.path: entry for entry in files}

    def link(self, path: str, status: os.stat_result, there: Path) -> Entry | None:
        """Make `there` a link to the earlier copy, if size and time say that nothing has changed; its entry."""
        entry = self._entries.get(path)
        if (
            self._folder is None
            or entry is None
            or (entry.size, entry.modified_ns) != (status.st_size, status.st_mtime_ns)
        ):
            return None
        try:
            os.link(self._folder / path, there, follow_symlinks=False)
        except OSError:  # another file system, or too many links: it is copied
            return None
        return replace(entry, mode=_permissions(status))  # a change of them leaves the time of the file as it is


def make_backup(
    source: Source,
    folder: Path,
    now: datetime,
    pause: Callable[[float], object],
    earlier: Path | None = None,
    told: Told = unheard,
) -> Backup:
    """Copy a data root into `folder`, which is made, and verify the copy; nothing there is changed.

    Args:
        source: What to copy.
        folder: Must not be there, or be empty; not in the data root.
        now: Aware.
        pause: Waits for so many seconds, while somebody else writes.
        earlier: A backup on the same file system: what has not changed since becomes a hard link to its file.
        told: Hears how far it is.

    Raises:
        BackupError: there can be no backup; what was begun has been removed again.
    """
    root = source.root
    if not root.is_dir():
        raise BackupError(f"data root {root}: there is no such folder")
    before = _Earlier(earlier)
    was_there = _require_free(folder, root)
    try:
        return _Copier(source, folder, before, pause, told).make(now)
    except BaseException as error:
        _remove(folder, was_there)
        if isinstance(error, OSError):
            raise BackupError(_words(error, folder)) from error
        raise


def _require_free(folder: Path, root: Path) -> bool:
    """See that a backup can be made in `folder`; whether it is there already."""
    inside, above = folder.resolve(), root.resolve()
    if inside == above or above in inside.parents:
        raise BackupError(f"{folder}: lies in the data root; a backup of it must lie elsewhere")
    try:
        names = os.listdir(folder)  # noqa: PTH208 - a broken link is told from an empty folder by its error
    except FileNotFoundError:
        if folder.is_symlink():
            raise BackupError(f"{folder}: is a link that leads nowhere") from None
        try:
            make_private(folder)
        except OSError as error:
            raise BackupError(f"{folder}: cannot be made: {error.strerror}") from error
        return False
    except OSError as error:
        raise BackupError(f"{folder}: cannot be used: {error.strerror}") from error
    if names:
        is_part = set(names) <= {ROOT, APART}
        hint = "a backup that was cut short lies there: remove it, or " if is_part else ""
        raise BackupError(f"{folder}: is not empty; {hint}name a folder that is not there yet")
    return True


class _Copier:
    def __init__(
        self, source: Source, folder: Path, earlier: _Earlier, pause: Callable[[float], object], told: Told
    ) -> None:
        self._source = source
        self._folder = folder
        self._earlier = earlier
        self._pause = pause
        self._told, self._likely = told, 0 if told is unheard else selection.likely_entries(source.root)
        self._entries: list[Entry] = []
        self._backup = Backup(folder)
        self._is_settled = False
        reminders = source.reminders
        self._reminders = reminders.resolve() if reminders is not None and reminders.exists() else None
        self._root = source.root.resolve()
        self._private = {path.resolve() for path in source.private}

    def make(self, now: datetime) -> Backup:
        for name in (ROOT, APART):
            (self._folder / name).mkdir(mode=PRIVATE)
        top = open_folder(str(self._root))
        try:
            self._note(Entry(path=ROOT, kind=EntryKind.FOLDER, mode=_permissions(os.fstat(top))))
            self._note(Entry(path=APART, kind=EntryKind.FOLDER, mode=PRIVATE))
            names = selection.top_names(self._root)
            after_logs = len([name for name in names if name in selection.FIRST])
            self._copy_names(top, (), names[:after_logs])
            reminders = self._copy_reminders()
            self._copy_names(top, (), names[after_logs:])
        finally:
            os.close(top)
        self._copy_settings()
        manifest = Manifest(
            made_at=shown_time(now), data_root=str(self._root), reminders=reminders, entries=tuple(self._entries)
        )
        os.sync()
        verify(self._folder, manifest, self._told)
        self._write_manifest(manifest)
        self._backup.files, self._backup.bytes = len(manifest.files), manifest.size
        return self._backup

    def _copy_names(self, parent: int, folder: tuple[str, ...], names: list[str]) -> None:
        for name in names:
            place = self._root.joinpath(*folder, name)
            if place in self._private or place == self._reminders:
                continue  # the reminders' file has been copied
            if self._is_settled and self._reminders is not None and place.parent == self._reminders.parent:
                beside = f".{self._reminders.name}."
                if name.startswith(beside) and name.endswith(".agent"):
                    continue  # of an edit that has begun since
            with self._tolerant(folder, name):
                self._copy(parent, folder, name)

    @contextmanager
    def _tolerant(self, folder: tuple[str, ...], name: str) -> Iterator[None]:
        """Go on without what commands have made unreadable, and without anything that has just been removed."""
        try:
            yield
        except FileNotFoundError:
            if (*folder, name)[0] == selection.LOGS:
                raise
        except (OSError, _UnfitError) as error:
            if isinstance(error, OSError) and error.errno in _FULL:
                raise
            if not selection.is_commands((*folder, name)):
                if isinstance(error, _UnfitError):
                    raise BackupError(f"{'/'.join((*folder, name))!r}: {error}") from error
                raise
            self._backup.left_out.append(f"{'/'.join((*folder, name))!r}: {_reason(error)}")

    def _copy(self, parent: int, folder: tuple[str, ...], name: str) -> None:
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
        path = "/".join((ROOT, *folder, name))
        if len(os.fsencode(path)) > _LONGEST_PATH_BYTES or len(folder) > MOST_LEVELS:
            raise _UnfitError("lies too deep")
        if stat.S_ISDIR(status.st_mode):
            self._copy_folder(parent, (*folder, name), path)
        elif stat.S_ISLNK(status.st_mode):
            target = os.readlink(name, dir_fd=parent)
            (self._folder / path).symlink_to(target)
            self._note(Entry(path=path, kind=EntryKind.LINK, target=target))
        elif folder == (database.FOLDER,) and name in (database.FILE, *database.SIDES):
            self._copy_database(name, path)
        elif stat.S_ISREG(status.st_mode):
            self._copy_file(parent, name, path, is_log=selection.is_log(folder, name))
        elif selection.is_commands((*folder, name)):
            self._backup.left_out.append(f"{'/'.join((*folder, name))!r}: is no file")

    def _copy_folder(self, parent: int, folder: tuple[str, ...], path: str) -> None:
        fd = open_folder(folder[-1], parent)
        try:
            (self._folder / path).mkdir(mode=PRIVATE)
            status = os.fstat(fd)
            mode = _permissions(status)
            self._note(Entry(path=path, kind=EntryKind.FOLDER, mode=mode, modified_ns=status.st_mtime_ns))
            there = self._root.joinpath(*folder)
            self._copy_names(fd, folder, selection.ordered(folder, os.listdir(fd), there))  # noqa: PTH208
        finally:
            os.close(fd)

    def _copy_file(self, parent: int | None, name: str, path: str, *, is_log: bool = False) -> None:
        fd = os.open(name, _READ, dir_fd=parent)
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise _UnfitError("is no file any more")
            if is_log:
                status = self._settled_log(fd)
            there = self._folder / path
            entry = self._earlier.link(path, status, there)
            if entry is not None:
                self._backup.linked += 1
                self._note(entry)
                return
            size, sha256 = _copy_bytes(fd, there, status.st_size)
        finally:
            os.close(fd)
        os.utime(there, ns=(status.st_mtime_ns, status.st_mtime_ns))
        mode = _permissions(status)
        kind = EntryKind.FILE
        self._note(Entry(path=path, kind=kind, mode=mode, modified_ns=status.st_mtime_ns, size=size, sha256=sha256))

    def _copy_database(self, name: str, path: str) -> None:
        """Copy the object store as of one moment; one that is not sound is left out, and begun anew after a restore."""
        if name != database.FILE:
            return  # What it holds is in the copy.
        source, there = self._root / database.FOLDER / name, self._folder / path
        try:
            database.copy(source, there)
        except database.UncopyableError as error:
            self._backup.left_out.append(f"{database.FOLDER}/{name!r}: {error}")
            return
        with there.open("rb") as file:
            size, sha256 = there.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()
        status = there.stat()
        mode, kind = _permissions(status), EntryKind.FILE
        self._note(Entry(path=path, kind=kind, mode=mode, modified_ns=status.st_mtime_ns, size=size, sha256=sha256))

    def _settled_log(self, fd: int) -> os.stat_result:
        """Status of a log at a moment when its last record was whole, so that no record is copied while it is written.

        What a crash cut short stays so; the restored agent seals it as this one would.
        """
        status = os.fstat(fd)
        for _ in range(_TRIES):
            if status.st_size == 0 or selection.ends_whole(fd, status.st_size):
                break
            self._pause(_LOG_PAUSE_S)
            status = os.fstat(fd)
        return status

    def _copy_reminders(self) -> str:
        """Copy the reminders' file while no edit of it is under way; its path in the backup, empty without one."""
        file = self._reminders
        if file is None:
            return ""
        for _ in range(_TRIES):
            before = file.read_bytes()
            if not any(selection.leftovers(file)) and file.read_bytes() == before:
                self._is_settled = True
                break
            self._pause(_REMINDERS_PAUSE_S)  # of an edit cut short, the file and what lies beside it are both copied
        if self._root in file.parents:
            path = f"{ROOT}/{file.relative_to(self._root).as_posix()}"
            self._make_folders_to(file)
        else:
            path = f"{APART}/reminders.md"
        self._copy_file(None, str(file), path)
        return path

    def _make_folders_to(self, file: Path) -> None:
        if file.parent != self._root:
            raise BackupError(
                f"{file}: the reminders' file must lie in the data root itself, or outside of it, to be backed up"
            )

    def _copy_settings(self) -> None:
        settings = self._source.settings
        if settings is not None and settings.exists() and self._root not in settings.resolve().parents:
            self._copy_file(None, str(settings.resolve()), f"{APART}/agent.toml")

    def _note(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._told("copying", len(self._entries), self._likely)

    def _write_manifest(self, manifest: Manifest) -> None:
        fresh = self._folder / f"{NAME}.new"
        with fresh.open("xb") as file:
            file.write(encode(manifest))
            file.flush()
            os.fsync(file.fileno())
        fresh.rename(self._folder / NAME)
        os.sync()


class _UnfitError(Exception):
    """Something that cannot be part of a backup."""


def _copy_bytes(fd: int, there: Path, size: int) -> tuple[int, str]:
    """Copy the first `size` bytes, or as many as there are; how many, and their hash."""
    copied, sha256 = 0, hashlib.sha256()
    with there.open("xb") as copy:
        while copied < size and (chunk := os.pread(fd, min(CHUNK_BYTES, size - copied), copied)):
            copied += len(chunk)
            sha256.update(chunk)
            copy.write(chunk)
    return copied, sha256.hexdigest()


def _permissions(status: os.stat_result) -> int:
    """Those of owner, group and others: a backup sets nobody's user."""
    return stat.S_IMODE(status.st_mode) & 0o777


def _remove(folder: Path, was_there: bool) -> None:
    """Take away what was begun, so that a full disk has its room again."""
    for name in (ROOT, APART):
        shutil.rmtree(folder / name, ignore_errors=True)
    with suppress(OSError):
        (folder / f"{NAME}.new").unlink()
    if not was_there:
        with suppress(OSError):
            folder.rmdir()


def _reason(error: Exception) -> str:
    return (error.strerror or type(error).__name__) if isinstance(error, OSError) else str(error)


def _words(error: OSError, folder: Path) -> str:
    if error.errno in _FULL:
        return f"{folder}: no backup was made: {error.strerror}; what had been copied was removed again"
    name = f"{os.fsdecode(error.filename)!r}: " if error.filename else ""
    return f"no backup was made: {name}{error.strerror or error}"
