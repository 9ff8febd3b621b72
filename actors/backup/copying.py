"""Copier of a data root into a backup, while the agent runs or not.

What commands and other people may have put into a data root is opened by descriptors beside its folder: no link is
followed but the agent user's own in the place of a folder of the data root, and no pipe waited for. Everything is
verified at the end by reading the copies back; only then the sums are written, without which a folder is no backup.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from actors.backup import selection, sums
from actors.backup.sums import APART, CHUNK_BYTES, ROOT, BackupError, ReportProgress, digest, tell_none, verify
from actors.context.log.root_folders import NAMES, folder_faults
from actors.linux.disk import Disk, RealDisk, write_some
from actors.linux.folder import MOST_LEVELS, open_folder, remove_tree
from actors.linux.private_folder import PRIVATE, make_private
from actors.memory.derived.copying import UncopyableError, copy_database
from actors.objects.store.database import SCHEMA as OBJECTS

_TRIES = 20
"""Attempts to read a log or the reminders' file while another program writes."""
_LOG_PAUSE_S = 0.01
_REMINDERS_PAUSE_S = 0.1
_LONGEST_PATH_BYTES = 3000
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DATABASE = (OBJECTS.place, f"{OBJECTS.place}-wal", f"{OBJECTS.place}-shm")
_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Files of a backup."""

    root: Path
    """The data root."""
    reminders: Path | None
    """Path of the reminders' file, anywhere; the file need not exist."""
    settings: Path | None
    """Path of the settings' file, or None."""
    private: tuple[Path, ...] = ()
    """Files never copied: the secrets."""


@dataclass(slots=True)
class Backup:
    """A finished backup."""

    folder: Path
    files: int = 0
    bytes: int = 0
    left_out: list[str] = field(default_factory=list)
    """Omitted files of commands, each with the reason."""


def make_backup(
    source: Source,
    folder: Path,
    pause: Callable[[float], object],
    progress: ReportProgress = tell_none,
    disk: Disk | None = None,
) -> Backup:
    """Copy a data root into `folder`, which is made, and verify the copy; nothing there is changed.

    Args:
        source: What to copy.
        folder: Must not be there, or be empty; not in the data root.
        pause: Waits for so many seconds, while another program writes.
        progress: Hears how far it is.
        disk: Takes the copies; the system's own by default.

    Raises:
        BackupError: there can be no backup; what was begun has been removed again.
    """
    if not source.root.is_dir():
        raise BackupError(f"data root {source.root}: there is no such folder")
    was_there = _require_free(folder, source.root)
    try:
        return _Copier(source, folder, pause, progress, disk or RealDisk()).make()
    except BaseException as error:
        _remove(folder, was_there)
        if isinstance(error, OSError):
            raise BackupError(_words(error, folder)) from error
        raise


def _require_free(folder: Path, root: Path) -> bool:
    """Make sure that `folder` is fit for a backup, and make a missing folder; True for an existing folder."""
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
        is_part = set(names) <= {ROOT, APART, sums.DRAFT}
        hint = "it holds an unfinished backup: remove that, or " if is_part else ""
        raise BackupError(f"{folder}: is not empty; {hint}name a folder that is not there yet")
    return True


class _Copier:
    def __init__(
        self, source: Source, folder: Path, pause: Callable[[float], object], progress: ReportProgress, disk: Disk
    ) -> None:
        self._source = source
        self._folder = folder
        self._pause = pause
        self._progress = progress
        self._disk = disk
        self._sums: dict[str, str] = {}
        self._backup = Backup(folder)
        self._is_settled = False
        reminders = source.reminders
        self._reminders = reminders.resolve() if reminders is not None and reminders.exists() else None
        self._root = source.root.resolve()
        self._private = {path.resolve() for path in source.private}

    def make(self) -> Backup:
        if fault := next(folder_faults(self._root), ""):
            raise BackupError(fault)
        for name in (ROOT, APART):
            (self._folder / name).mkdir(mode=PRIVATE)
        top = open_folder(str(self._root))
        try:
            names = selection.top_names(self._root)
            after_logs = len([name for name in names if name in selection.FIRST])
            self._copy_names(top, (), names[:after_logs])
            self._copy_reminders()
            self._copy_names(top, (), names[after_logs:])
        finally:
            os.close(top)
        settings = self._source.settings
        if settings is not None and settings.exists() and self._root not in settings.resolve().parents:
            self._copy_file(None, str(settings.resolve()), f"{APART}/agent.toml")
        self._disk.sync_all()
        self._backup.files, self._backup.bytes = len(self._sums), verify(self._folder, self._sums, self._progress)
        sums.write(self._folder, self._sums, self._disk)
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
        """Continue without unreadable files made by commands, and without files removed meanwhile."""
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
            self._leave_out(folder, name, error)

    def _leave_out(self, folder: tuple[str, ...], name: str, reason: Exception) -> None:
        words = (reason.strerror or type(reason).__name__) if isinstance(reason, OSError) else str(reason)
        self._backup.left_out.append(f"{'/'.join((*folder, name))!r}: {words}")

    def _copy(self, parent: int, folder: tuple[str, ...], name: str) -> None:
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
        path = "/".join((ROOT, *folder, name))
        if len(os.fsencode(path)) > _LONGEST_PATH_BYTES or len(folder) > MOST_LEVELS:
            raise _UnfitError("lies too deep")
        if stat.S_ISDIR(status.st_mode):
            self._copy_folder(open_folder(name, parent), (*folder, name), path)
        elif stat.S_ISLNK(status.st_mode) and not folder and name in NAMES:
            self._copy_folder(open_folder(str((self._root / name).resolve())), (name,), path)
        elif stat.S_ISLNK(status.st_mode):
            (self._folder / path).symlink_to(os.readlink(name, dir_fd=parent))
        elif "/".join((*folder, name)) in _DATABASE:
            self._copy_database(folder, name, path)
        elif stat.S_ISREG(status.st_mode):
            self._copy_file(parent, name, path, is_log=selection.is_log(folder, name))
        elif selection.is_commands((*folder, name)):
            self._leave_out(folder, name, _UnfitError("is no file"))

    def _copy_folder(self, fd: int, folder: tuple[str, ...], path: str) -> None:
        try:
            there = self._folder / path
            there.mkdir(mode=PRIVATE)
            names = selection.copy_order(folder, os.listdir(fd), self._root.joinpath(*folder))
            status = os.fstat(fd)
            self._copy_names(fd, folder, names)
            _keep_state(status, there)
        finally:
            os.close(fd)

    def _copy_file(self, parent: int | None, name: str, path: str, *, is_log: bool = False) -> None:
        fd = os.open(name, _READ, dir_fd=parent)
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise _UnfitError("is no longer a file")
            if is_log:
                status = self._settled_log(fd)
            there = self._folder / path
            self._note(path, _copy_bytes(self._disk, fd, there, status.st_size))
            _keep_state(status, there)
        finally:
            os.close(fd)

    def _copy_database(self, folder: tuple[str, ...], name: str, path: str) -> None:
        """Copy the object store as of a single moment; an unsound store is left out, and begun anew after a restore."""
        if "/".join((*folder, name)) != OBJECTS.place:
            return  # What it holds is in the copy.
        try:
            copy_database(self._root / OBJECTS.place, self._folder / path, OBJECTS)
        except UncopyableError as error:
            self._leave_out(folder, name, error)
            return
        self._note(path, digest(self._folder / path)[1])

    def _note(self, path: str, digest_hex: str) -> None:
        self._sums[path] = digest_hex
        self._progress("copying", len(self._sums))

    def _settled_log(self, fd: int) -> os.stat_result:
        """Status of a log once its last record is whole, so no record is copied while being written.

        A record that a crash cut short stays as is; the restored agent seals the record as this agent would.
        """
        status = os.fstat(fd)
        for _ in range(_TRIES):
            if status.st_size == 0 or selection.ends_whole(fd, status.st_size):
                break
            self._pause(_LOG_PAUSE_S)
            status = os.fstat(fd)
        return status

    def _copy_reminders(self) -> None:
        """Copy the reminders' file while no edit of it is under way."""
        file = self._reminders
        if file is None:
            return
        for _ in range(_TRIES):
            before = file.read_bytes()
            if not any(selection.leftovers(file)) and file.read_bytes() == before:
                self._is_settled = True
                break
            self._pause(_REMINDERS_PAUSE_S)  # of an edit cut short, the file and what lies beside it are both copied
        if self._root not in file.parents:
            self._copy_file(None, str(file), f"{APART}/{sums.REMINDERS}")
        elif file.parent == self._root:
            self._copy_file(None, str(file), f"{ROOT}/{file.name}")
        else:
            raise BackupError(
                f"{file}: the reminders' file must lie in the data root itself, or outside of it, to be backed up"
            )


class _UnfitError(Exception):
    """An entry cannot be part of a backup."""


def _copy_bytes(disk: Disk, fd: int, there: Path, size: int) -> str:
    """Copy the first `size` bytes, or as many as there are; their hash."""
    copied, sha256 = 0, hashlib.sha256()
    copy = disk.open(there, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        while copied < size and (chunk := os.pread(fd, min(CHUNK_BYTES, size - copied), copied)):
            copied += len(chunk)
            sha256.update(chunk)
            write_some(disk, copy, chunk)
    finally:
        os.close(copy)
    return sha256.hexdigest()


def _keep_state(status: os.stat_result, there: Path) -> None:
    """Set a copy's time and the permissions for owner, group and the rest: a backup never sets the user."""
    os.utime(there, ns=(status.st_mtime_ns, status.st_mtime_ns))
    there.chmod(stat.S_IMODE(status.st_mode) & 0o777)


def _remove(folder: Path, was_there: bool) -> None:
    """Remove an unfinished backup to free the space on a full disk."""
    with suppress(OSError):
        fd = open_folder(str(folder))
        try:
            for name in (ROOT, APART, sums.DRAFT, sums.NAME):
                remove_tree(name, fd)
        finally:
            os.close(fd)
        if not was_there:
            folder.rmdir()


def _words(error: OSError, folder: Path) -> str:
    if error.errno in _FULL:
        return f"{folder}: no backup was made: {error.strerror}; the copied files were removed again"
    name = f"{os.fsdecode(error.filename)!r}: " if error.filename else ""
    return f"no backup was made: {name}{error.strerror or error}"
