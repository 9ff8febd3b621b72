"""Attachment store: files sent by people, in folders of the agent's own, read-only for commands."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path, PurePath

from actors.linux.disk import Disk, RealDisk, make_durable
from actors.linux.folder import open_folder, remove_tree
from domain.log.window_folders import ATTACHMENTS_ROOT, attachments_folder
from messages.base import Window

log = logging.getLogger(__name__)

MOST_BYTES = 256 << 20
"""Of all files of a window."""
MOST_MESSAGES = 1_000
MOST_FILES = 64
"""Of a message; Discord allows ten."""
MOST_NAMES = 20_000
"""Most messages of a window that are looked at."""
LEAST_FREE_BYTES, LEAST_FREE_NAMES = 1 << 30, 40_000
"""Free bytes and names to leave on the disk, on a small disk a quarter of it: twice the minimum for commands, so the
files of one window stop no other window's commands."""
_SHARE = 4
_PART = ".part"
_MODE = 0o600
_MAKE_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


def kept_path(message_id: str, name: str) -> str:
    """Path of the file as commands of the window see it, below their working directory."""
    return str(ATTACHMENTS_ROOT / message_id / name)


def keep(
    data_root: Path,
    window: Window,
    message_id: str,
    files: Mapping[str, bytes | bytearray],
    *,
    most_bytes: int = MOST_BYTES,
    most_messages: int = MOST_MESSAGES,
    least_free_bytes: int | None = None,
    disk: Disk | None = None,
) -> dict[str, str]:
    """Keep a message's files, all or some; files of the window's oldest messages make room for new files.

    Kept files survive a power loss: the event with their names is logged afterwards.
    Only folders are opened, and no link is followed, wherever a link was put. A kept file of the same name is replaced;
    the message's other files stay, and count.

    Args:
        data_root: Trusted; it exists.
        window: Window of the message.
        message_id: Decimal.
        files: By names that are no paths.
        most_bytes: Of all messages of the window together.
        most_messages: Messages of the window with files.
        least_free_bytes: Bytes to leave free; None for the usual amount, less on a small disk.
        disk: Disk to write to; None for the real disk.

    Returns:
        Name -> reason for a person why the file could not be kept; empty when all files were.

    Raises:
        OSError: no file could be kept.
        ValueError: the message's id or the window's is invalid.
    """
    if not (message_id.isascii() and message_id.isdecimal()):
        raise ValueError(f"message id {message_id!r}: decimal digits are required")
    disk, place = disk or RealDisk(), attachments_folder(window)
    with _closing(_shelf(disk, data_root, place)) as shelf:
        others = _others(shelf, message_id, files)
        accepted, faults = _within(files, most_bytes, others)
        needed = sum(map(len, accepted.values()))
        _see_that_there_is_room(shelf, needed, least_free_bytes)
        _make_room(shelf, message_id, most_bytes - needed - sum(others), most_messages)
        with _closing(_folder(disk, shelf, message_id)) as folder:
            for name, data in accepted.items():
                try:
                    _write(disk, folder, name, data)
                except OSError as error:
                    faults[name] = error.strerror or type(error).__name__
    make_durable(disk, data_root, data_root / place / message_id)
    return faults


def discard(data_root: Path, window: Window, message_id: str) -> None:
    """Remove all kept files of a message; the arguments are those of `keep`.

    Raises:
        OSError: some files may be left.
    """
    place = attachments_folder(window)
    with contextlib.suppress(FileNotFoundError), _closing(_shelf(RealDisk(), data_root, place)) as shelf:
        remove_tree(message_id, shelf)


def _others(shelf: int, message_id: str, files: Container[str]) -> list[int]:
    """Sizes of the message's stored files that are not among `files`."""
    try:
        with _closing(open_folder(message_id, shelf)) as folder, os.scandir(folder) as entries:
            others = (entry for entry in entries if entry.name not in files and entry.name != _PART)
            return [entry.stat(follow_symlinks=False).st_size for entry in itertools.islice(others, MOST_FILES + 1)]
    except FileNotFoundError:
        return []


def _within(
    files: Mapping[str, bytes | bytearray], most_bytes: int, others: Sequence[int]
) -> tuple[dict[str, bytes | bytearray], dict[str, str]]:
    """Files that may be kept besides `others`, in their order, and a reason for each of the rest."""
    accepted, faults, total = dict[str, bytes | bytearray](), dict[str, str](), sum(others)
    for name, data in files.items():
        if name.startswith(".") or os.sep in name or "\0" in name:
            faults[name] = "its name is a path or hidden"
        elif total + len(data) > most_bytes:
            faults[name] = f"of a conversation at most {most_bytes >> 20} MiB are kept"
        elif len(accepted) + len(others) >= MOST_FILES:
            faults[name] = f"of a message at most {MOST_FILES} files are kept"
        else:
            accepted[name] = data
            total += len(data)
    return accepted, faults


def _shelf(disk: Disk, data_root: Path, path: PurePath) -> int:
    """Folder of the window, made if missing."""
    shelf = os.open(data_root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)  # the operator may have put a link there
    for name in path.parts:
        with _closing(shelf) as parent:
            shelf = _folder(disk, parent, name)
    return shelf


def _folder(disk: Disk, parent: int, name: str) -> int:
    """Folder `name`, made if missing."""
    disk.make_folder(_path_of(parent) / name)
    return open_folder(name, parent)


def _path_of(folder: int) -> Path:
    """Path of an open folder, even if another folder has its name now."""
    return Path(f"/proc/self/fd/{folder}")


def _write(disk: Disk, folder: int, name: str, data: bytes | bytearray) -> None:
    part = _path_of(folder) / _PART
    _forget(disk, part)
    try:
        with os.fdopen(disk.open(part, _MAKE_FILE, _MODE), "wb") as file:
            file.write(data)
            file.flush()
            disk.sync(file.fileno())
        disk.replace(part, _path_of(folder) / name)
    except OSError:
        _forget(disk, part)
        raise


def _forget(disk: Disk, path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        disk.unlink(path)


def _see_that_there_is_room(shelf: int, needed: int, least_free_bytes: int | None) -> None:
    disk = os.fstatvfs(shelf)
    least = min(LEAST_FREE_BYTES, disk.f_blocks * disk.f_frsize // _SHARE)
    least = least if least_free_bytes is None else least_free_bytes
    if disk.f_bavail * disk.f_frsize - needed < least:
        raise OSError(f"the disk has less than {least >> 20} MiB free")
    if disk.f_favail < (least_names := min(LEAST_FREE_NAMES, disk.f_files // _SHARE)):
        raise OSError(f"the disk has room for less than {least_names:,} more files")


def _make_room(shelf: int, message_id: str, most_bytes: int, most_messages: int) -> None:
    """Remove files of the oldest messages until the rest fit."""
    sizes = {name: _size(shelf, name) for name in _messages(shelf) if name != message_id}
    total, count = sum(sizes.values()), len(sizes)
    for name in sorted(sizes, key=int):
        if total <= most_bytes and count < most_messages:
            return
        try:
            remove_tree(name, shelf)
        except OSError as error:
            log.warning("attached files of message %s cannot be removed: %s", name, error.strerror)
        total, count = total - sizes[name], count - 1


def _messages(shelf: int) -> list[str]:
    """Names of the messages' folders, in no order."""
    with os.scandir(shelf) as entries:
        return [
            entry.name
            for entry in itertools.islice(entries, MOST_NAMES)
            if entry.name.isascii() and entry.name.isdecimal() and entry.is_dir(follow_symlinks=False)
        ]


def _size(shelf: int, name: str) -> int:
    """Bytes of the files of one message; 0 if its folder cannot be read."""
    try:
        with _closing(open_folder(name, shelf)) as folder, os.scandir(folder) as entries:
            return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)
    except OSError:
        return 0


@contextlib.contextmanager
def _closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)
