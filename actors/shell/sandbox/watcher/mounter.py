"""Mounter: makes mounts in a sandbox prepared by bubblewrap, by descriptors, before the command begins.

bubblewrap waits then, without any capability. A fork of the watching process enters the user namespace that owns the
sandbox's mounts, with the right to mount, and the mounts themselves. No link is followed below a trusted folder, and
the mount shows the opened file or folder despite any later change of names.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from contextlib import suppress

from actors.linux import syscall
from actors.shell.job import LateMount

_PART = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
NOT_MADE = "the paths protected from it cannot be protected"
"""Words of a fault where the kernel, or a policy, refuses a mount."""
_FAILED = 255
_SWAPPED = (errno.ELOOP, errno.ENOTDIR, errno.ENOENT, errno.EINVAL)
"""Errors for a part of a path that has become a link, changed its kind, or vanished."""
COVER_BYTES = 4096
"""Of an empty folder in memory."""
_NONE = b"CapEff:\t0000000000000000\n"
_RESTRAINED = syscall.NO_SET_ID | syscall.NO_DEVICES


def has_made_mounts(first: int) -> bool:
    """True if bubblewrap has made its mounts and given up its capabilities.

    Args:
        first: First process of the sandbox; 0 if unknown.
    """
    if first:
        with suppress(OSError), open(f"/proc/{first}/status", "rb") as file:  # noqa: PTH123
            return _NONE in file.read()
    return False


def make_mounts(first: int, mounts: Sequence[LateMount]) -> str:
    """Make mounts in the sandbox of process `first`; return the reason for a failure, for people, or empty text."""
    pid = os.fork()
    if pid == 0:
        status = _FAILED
        try:
            _enter(first)
            _make_all(mounts)
            status = 0
        except OSError as error:
            status = error.errno or _FAILED
        finally:
            os._exit(status)
    _, ended = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(ended)
    if code in _SWAPPED:
        return "files of its folders were moved meanwhile; try again"
    return "" if code == 0 else f"{NOT_MADE}: {os.strerror(code) if code > 0 else code}"


def _enter(first: int) -> None:
    mounts = os.open(f"/proc/{first}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    syscall.enter_namespace(syscall.owner_of_namespace(mounts), syscall.NEW_USER)
    syscall.enter_namespace(mounts, syscall.NEW_MOUNTS)


def _make_all(mounts: Sequence[LateMount]) -> None:
    """Make mounts; after a failure inside a shared folder the folder is read-only, or not shown at all."""
    covered = set[str]()
    for mount in mounts:
        if mount.folder in covered:
            continue
        try:
            _make(mount)
        except OSError as error:
            if error.errno not in _SWAPPED or not mount.is_shared:
                raise
            folder = os.open(mount.folder, _PART | os.O_DIRECTORY)
            if mount.source or mount.is_cover:
                syscall.put_mount(syscall.new_memory_mount(COVER_BYTES, _RESTRAINED | syscall.READ_ONLY), folder)
                covered.add(mount.folder)
            else:
                syscall.change_mount(folder, attributes=syscall.READ_ONLY)
            os.close(folder)


def _make(mount: LateMount) -> None:
    try:
        place = _open(mount)
    except FileNotFoundError:
        if mount.source or mount.is_cover:
            raise
        return
    copy = _new(mount, place)
    syscall.put_mount(copy, place)
    os.close(copy)
    os.close(place)


def _new(mount: LateMount, place: int) -> int:
    """Descriptor of a new mount for the place of a descriptor, attached nowhere yet."""
    if mount.is_cover:
        return syscall.new_memory_mount(COVER_BYTES, _RESTRAINED | syscall.READ_ONLY)
    source = os.open(mount.source, os.O_PATH | os.O_CLOEXEC) if mount.source else os.dup(place)
    copy = syscall.copy_mount(source)
    os.close(source)
    if mount.may_write:
        with suppress(PermissionError):  # it is for reading only on the whole machine
            syscall.change_mount(copy, without=syscall.READ_ONLY)
    else:
        syscall.change_mount(copy, attributes=_RESTRAINED | syscall.READ_ONLY)
    return copy


def _open(mount: LateMount) -> int:
    """Descriptor of the place of a mount; no link is followed.

    Raises:
        OSError: a part is a link, or is missing.
    """
    place = os.open(mount.folder, _PART | os.O_DIRECTORY)
    for part in mount.path.split("/"):
        below = os.open(part, _PART, dir_fd=place)
        os.close(place)
        place = below
    if stat.S_ISLNK(os.fstat(place).st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return place
