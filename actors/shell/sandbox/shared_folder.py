"""Shared folders: folders named by contributors that a command sees, and the parts that the command may change.

The command runs whatever a contributor names: with the sound parts, and a line in the log about the rest.
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
"""Folders of the system in which others have theirs: never shown as a whole."""
_ALL_OF_OWNER = 0o700


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Places by which shared folders are judged; real paths."""

    data_root: str
    private: tuple[str, ...] = ()
    """The agent's files and folders in which, and around which, nothing is shared."""
    unchanging: tuple[str, ...] = ()
    """Paths that the running agent obeys: nothing around and inside these paths may be changed, except the data root.
    """
    read: tuple[str, ...] = ()
    """Folders that the command sees anyway and may not change."""
    system: tuple[str, ...] = _SYSTEM
    """Folders of the system, in which only the data root may be shared."""
    most_mounts: int = 1_000
    """Shared folders of one command and kept paths in them; each costs a fifth of a millisecond."""


def shareable(folders: Iterable[SharedFolder], around: Surroundings) -> tuple[SharedFolder, ...]:
    """Those of `folders` that can be shown, each path once and with what may be done there; looks at the disk."""
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
    """Paths of what is not shown though it lies in one of `folders`: files and folders; looks at the disk."""
    paths = [f"{folder.path}/{name}" for folder in folders for name in folder.hidden if "/" not in name]
    return tuple(path for path in paths if _can_be_hidden(path))


def bound_folders(
    folders: Iterable[SharedFolder], quota: Quota, own: Limits
) -> tuple[tuple[SharedFolder, ...], tuple[Limits, ...]]:
    """The folders, those that are too full for reading only, and bounds of the others; looks at all that is in them.

    Args:
        folders: What is to be shown.
        quota: Of each of them.
        own: Bounds of where the command writes besides: what must stay free of that disk is looked at there already.
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
    """Why a folder is never shown; empty if it may be. What is not there has no fault but its name's."""
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
    """Intersection of the permissions that two contributors give for one folder."""
    names = tuple(dict.fromkeys((*one.kept, *other.kept)))
    hidden = tuple(dict.fromkeys((*one.hidden, *other.hidden)))
    return SharedFolder(path=one.path, may_write=one.may_write and other.may_write, kept=names, hidden=hidden)


def _with_permission(folder: SharedFolder, around: Surroundings, protected: tuple[str, ...]) -> SharedFolder:
    """A folder with those of its kept names that are there; for reading only, where these cannot be kept or more is."""
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
    """See that what is in a folder can be looked at: a command may have shut it, or put a link in its place."""
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
