"""Safe open: files in folders that somebody hostile may write to, without following what was put there."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from pathlib import Path

_OPENAT2 = 437
"""The same number on every processor; in Linux since 5.6."""
_RESOLVE_NO_MAGICLINKS, _RESOLVE_NO_SYMLINKS, _RESOLVE_BENEATH = 0x02, 0x04, 0x08
_MEANINGS = {
    errno.ELOOP: "no part of it may be a link",
    errno.EXDEV: "it must stay below the folder",
    errno.ENOENT: "there is no such file",
    errno.ENOTDIR: "a part of it before the last is no folder",
    errno.ENXIO: "it must be a regular file",
    errno.ENAMETOOLONG: "it is too long",
    errno.ENOSYS: "this kernel is too old to open files safely (Linux 5.6 is needed)",
}

_libc = ctypes.CDLL(None, use_errno=True)


class _How(ctypes.Structure):
    """`struct open_how`."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_beneath(folder: Path, name: str, max_bytes: int) -> int:
    """A descriptor for reading the file `name` below `folder`; the caller closes it.

    It is a regular file of that folder and of no other place: no link of any kind leads out, it has no second name,
    and opening it cannot block. Everything is judged on what was opened, so nothing that happens to the path meanwhile
    matters. The file may still grow: read `max_bytes` and no more.

    Args:
        folder: Itself trusted; whoever else may write lies below it.
        name: Relative to `folder`; may have several parts.
        max_bytes: A larger file is refused.

    Raises:
        ValueError: it cannot be opened so; names the value and the rule.
        OSError: `folder` cannot be opened.
    """
    if not name or "\0" in name:
        raise ValueError(f"file name {name!r}: it must not be empty or hold a NUL")
    directory = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        opened = _open(directory, name)
    finally:
        os.close(directory)
    fault = _fault_of(os.fstat(opened), max_bytes)
    if fault:
        os.close(opened)
        raise ValueError(f"file {name!r}: {fault}")
    return opened


def _open(directory: int, name: str) -> int:
    how = _How(
        flags=os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC,
        resolve=_RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS,
    )
    opened = _libc.syscall(
        ctypes.c_long(_OPENAT2),
        ctypes.c_int(directory),
        ctypes.c_char_p(os.fsencode(name)),
        ctypes.byref(how),
        ctypes.c_size_t(ctypes.sizeof(how)),
    )
    if opened < 0:
        code = ctypes.get_errno()
        raise ValueError(f"file {name!r}: {_MEANINGS.get(code, os.strerror(code))}")
    return int(opened)


def _fault_of(state: os.stat_result, max_bytes: int) -> str:
    if not stat.S_ISREG(state.st_mode):
        return "it must be a regular file"
    if state.st_nlink != 1:
        return f"it has {state.st_nlink} names, exactly 1 is required"
    if state.st_size > max_bytes:
        return f"it has {state.st_size} bytes, at most {max_bytes} are allowed"
    return ""
