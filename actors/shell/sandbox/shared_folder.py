"""Shared folders: folders named by contributors that a command sees, and the parts that the command may change.

The command runs despite faulty folders: with the sound parts, and a line in the log about the rest.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from actors.shell.job import Limits
from actors.shell.quota import Quota
from actors.shell.refused import RefusedError
from actors.shell.sandbox.view import LINKED_TO_SYSTEM, SYSTEM, is_below
from messages.shell import SharedFolder

log = logging.getLogger(__name__)

_SYSTEM = (*SYSTEM, *LINKED_TO_SYSTEM, "/etc", "/proc", "/dev", "/run", "/sys", "/boot")
_EVERYBODYS = ("/home", "/media", "/mnt", "/opt", "/root", "/srv", "/tmp", "/var", "/var/lib", "/var/tmp")
"""System folders with content of several users: never shown as a whole."""
_ALL_OF_OWNER = 0o700


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Places by which shared folders are judged; real paths."""

    data_root: str
    private: tuple[str, ...] = ()
    """The agent's files and folders; folders inside or around them are not shared."""
    unchanging: tuple[str, ...] = ()
    """Paths obeyed by the running agent: no path around or inside may be changed, except the data root."""
    read: tuple[str, ...] = ()
    """Folders that the command sees anyway and may not change."""
    system: tuple[str, ...] = _SYSTEM
    """Folders of the system; only the data root may be shared inside."""
    most_mounts: int = 1_000
    """Most shared folders of a command and kept paths inside; each costs a fifth of a millisecond."""


def shareable(folders: Iterable[SharedFolder], around: Surroundings) -> tuple[SharedFolder, ...]:
    """Showable folders among `folders`, each path once and with the permission; looks at the disk."""
    merged = dict[str, SharedFolder]()
    for folder in folders:
        if fault := _fault(folder.path, around):
            log.warning("a contributor's folder %r is not shown to a command: %s", folder.path, fault)
        elif os.path.lexists(folder.path):
            merged[folder.path] = _narrower(merged.get(folder.path, folder), folder)
    protected = tuple(f"{folder.path}/{name}" for folder in merged.values() if folder.may_write for name in folder.kept)
    room = around.most_mounts
    shareable_folders = list[SharedFolder]()
    for folder in merged.values():
        changed = _with_permission(folder, around, protected)
        room -= 1 + len(changed.kept) + len(changed.hidden)
        if room < 0:
            log.warning("a contributor's folder %r is not shown to a command: there are too many", folder.path)
        else:
            shareable_folders.append(changed)
    return tuple(shareable_folders)


def hidden_of(folders: Iterable[SharedFolder]) -> tuple[str, ...]:
    """Hidden paths inside `folders`: files and folders; looks at the disk."""
    paths = [f"{folder.path}/{name}" for folder in folders for name in folder.hidden if "/" not in name]
    return tuple(path for path in paths if _can_be_hidden(path))


def bound_folders(
    folders: Iterable[SharedFolder], quota: Quota, own: Limits
) -> tuple[tuple[SharedFolder, ...], tuple[Limits, ...]]:
    """Folders, with full folders made read-only, and bounds of writable folders; looks at their whole content.

    Args:
        folders: Folders to show.
        quota: Quota of each folder.
        own: Bounds of the command's other writable place: the free space of that disk is checked there already.
    """
    bounded, bounds = list[SharedFolder](), list[Limits]()
    device = os.stat(own.folder).st_dev if own.folder else None  # noqa: PTH116
    for folder in folders:
        if not folder.may_write:
            bounded.append(folder)
            continue
        try:
            limits = quota.check(Path(folder.path))
            if os.stat(folder.path).st_dev == device:  # noqa: PTH116
                limits = replace(limits, least_free_bytes=0, least_free_names=0)
        except (RefusedError, OSError) as error:
            bounded.append(_for_reading(folder, str(error)))
        else:
            bounded.append(folder)
            bounds.append(limits)
    return tuple(bounded), tuple(bounds)


def _fault(path: str, around: Surroundings) -> str:
    """Reason why a folder is never shown; empty if allowed. A missing folder has no fault but its name's."""
    if not path.startswith("/") or not _is_name(path):
        return "its path is not absolute"
    if not os.path.lexists(path):
        return ""
    if os.path.realpath(path) != path:
        return "its path leads through a link"
    if not os.path.isdir(path):  # noqa: PTH112
        return "it is not a folder"
    is_of_data = is_below(path, (around.data_root,))
    if path in ("/", *_EVERYBODYS) or (is_below(path, around.system) and not is_of_data):
        return "it belongs to the system"
    if is_below(os.path.realpath(os.path.expanduser("~")), (path,)):  # noqa: PTH111
        return "it is or holds a home directory"
    if is_below(around.data_root, (path,)):
        return "it is or holds the agent's data"
    if any(is_below(path, (each,)) or is_below(each, (path,)) for each in around.private):
        return "it overlaps a private folder of the agent"
    return ""


def _narrower(one: SharedFolder, other: SharedFolder) -> SharedFolder:
    """Intersection of two contributors' permissions for a folder."""
    names = tuple(dict.fromkeys((*one.kept, *other.kept)))
    hidden = tuple(dict.fromkeys((*one.hidden, *other.hidden)))
    return SharedFolder(path=one.path, may_write=one.may_write and other.may_write, kept=names, hidden=hidden)


def _with_permission(folder: SharedFolder, around: Surroundings, protected: tuple[str, ...]) -> SharedFolder:
    """Folder with its present kept names; read-only if they cannot be protected, or if the whole folder must be."""
    path = folder.path
    if not folder.may_write or path in around.read or is_below(path, protected):
        return _for_reading(folder)
    if not is_below(path, (around.data_root,)):
        for each in around.unchanging:
            if is_below(path, (each,)) or is_below(each, (path,)):
                return _for_reading(folder, f"the running agent obeys {each}")
    try:
        _open_up(path)
        names = tuple(name for name in folder.kept if _is_there(path, name))
        for name in names:
            status = os.lstat(f"{path}/{name}")
            if stat.S_ISLNK(status.st_mode) or (stat.S_ISREG(status.st_mode) and status.st_nlink > 1):
                return _for_reading(folder, f"{name!r} is a link, or has another name under which it could be changed")
    except OSError as error:
        return _for_reading(folder, str(error))
    return SharedFolder(path=path, may_write=True, kept=names, hidden=folder.hidden)


def _is_there(path: str, name: str) -> bool:
    """True if a name to keep is valid and exists.

    Raises:
        OSError: existence cannot be determined.
    """
    if "/" in name or name in ("", ".", "..") or not _is_name(name):
        log.warning("in a contributor's folder %r nothing called %r can be kept", path, name)
        return False
    try:
        os.lstat(f"{path}/{name}")
    except FileNotFoundError:
        return False
    return True


def _can_be_hidden(path: str) -> bool:
    """True if the path is a file or a folder, and no link."""
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _open_up(path: str) -> None:
    """Ensure a readable folder: a command may have shut the folder, or put a link in its place."""
    folder = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        mode = stat.S_IMODE(os.fstat(folder).st_mode)
        opened = f"/proc/self/fd/{folder}"
        if mode & _ALL_OF_OWNER != _ALL_OF_OWNER and os.readlink(opened) == path:  # noqa: PTH115
            os.chmod(opened, mode | _ALL_OF_OWNER)  # noqa: PTH101
    finally:
        os.close(folder)


def _for_reading(folder: SharedFolder, reason: str = "") -> SharedFolder:
    if reason:
        log.warning("a contributor's folder %r is shown to a command for reading only: %s", folder.path, reason)
    return SharedFolder(path=folder.path, hidden=folder.hidden)


def _is_name(text: str) -> bool:
    """True if the text can be a file name on this system."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False
