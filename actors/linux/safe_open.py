"""Safe open: files in folders writable by a hostile user, without following links put there."""

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
    errno.ENOTDIR: "a part of it before the last is not a folder",
    errno.ENXIO: "it must be a regular file",
    errno.ENAMETOOLONG: "it is too long",
    errno.EAGAIN: "another program is changing it at this moment",
    errno.ENOSYS: "this kernel is too old to open files safely (Linux 5.6 is needed)",
}
_SHOWN_NAME = 200
_READ_BYTES = 128 * 1024
"""Bytes of a single read."""
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_FOLDER = os.O_DIRECTORY | os.O_CLOEXEC

_libc = ctypes.CDLL(None, use_errno=True)


class _How(ctypes.Structure):
    """`struct open_how`."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def read_beneath(folder: Path, name: str, max_bytes: int) -> bytes:
    """Whole content of the file `name` below `folder`, opened by `open_beneath`.

    Args:
        folder: As for `open_beneath`.
        name: As for `open_beneath`.
        max_bytes: A larger file is refused, also if growing meanwhile.

    Raises:
        ValueError: the file cannot be read safely; names the value and the rule.
        OSError: `folder` cannot be opened.
    """
    fd, parts, left = open_beneath(folder, name, max_bytes), list[bytes](), max_bytes + 1
    try:
        while left and (part := os.read(fd, min(left, _READ_BYTES))):
            parts.append(part)
            left -= len(part)
    except OSError as error:
        raise ValueError(f"file {_quote_name(name)}: {error.strerror}") from error
    finally:
        os.close(fd)
    data = b"".join(parts)
    if len(data) > max_bytes:
        raise ValueError(f"file {_quote_name(name)}: it grew beyond {max_bytes} bytes")
    return data


def open_beneath(folder: Path, name: str, max_bytes: int) -> int:
    """Descriptor for reading the file `name` below `folder`; the caller closes the descriptor.

    The file is a regular file of the folder and of no other place: no link of any kind leads out, the file has no
    second name, and opening cannot block. All checks look at the opened file, so later changes of the path do not
    matter. The file may still grow: read `max_bytes` and no more.

    Args:
        folder: Trusted itself; other users write below the folder only.
        name: Relative to `folder`; may have several parts.
        max_bytes: A larger file is refused.

    Raises:
        ValueError: the file cannot be opened safely; names the value and the rule. Its cause is the system's error, if
            any.
        OSError: `folder` cannot be opened.
    """
    if not name or "\0" in name:
        raise ValueError(f"file name {_quote_name(name)}: it must not be empty or hold a NUL")
    directory = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        opened = _open(directory, name, _FILE)
    except OSError as error:
        raise ValueError(f"file {_quote_name(name)}: {error.strerror}") from error
    finally:
        os.close(directory)
    fault = _fault_of(os.fstat(opened), max_bytes)
    if fault:
        os.close(opened)
        raise ValueError(f"file {_quote_name(name)}: {fault}")
    return opened


def folder_beneath(directory: int, name: str, *, is_listed: bool) -> int:
    """Descriptor of the folder `name` below another folder, reached without links; the caller closes the descriptor.

    The descriptor stands for the folder in calls that take a descriptor beside a name, whatever happens to the path
    meanwhile.

    Args:
        directory: Descriptor of the folder above, itself trusted.
        name: Relative to `directory`; may have several parts.
        is_listed: True if the folder's names are to be listed, so the folder must be readable.

    Raises:
        ValueError: `name` is empty or holds a NUL.
        OSError: the folder cannot be opened safely.
    """
    if not name or "\0" in name:
        raise ValueError(f"folder name {_quote_name(name)}: it must not be empty or hold a NUL")
    return _open(directory, name, _FOLDER | (os.O_NONBLOCK if is_listed else os.O_PATH))


def _open(directory: int, name: str, flags: int) -> int:
    how = _How(flags=flags, resolve=_RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS)
    opened = _libc.syscall(
        ctypes.c_long(_OPENAT2),
        ctypes.c_int(directory),
        ctypes.c_char_p(os.fsencode(name)),
        ctypes.byref(how),
        ctypes.c_size_t(ctypes.sizeof(how)),
    )
    if opened < 0:
        code = ctypes.get_errno()
        raise OSError(code, _MEANINGS.get(code, os.strerror(code)))
    return int(opened)


def _quote_name(name: str) -> str:
    return repr(name[:_SHOWN_NAME])


def _fault_of(state: os.stat_result, max_bytes: int) -> str:
    if not stat.S_ISREG(state.st_mode):
        return "it must be a regular file"
    if state.st_nlink != 1:
        return f"it has {state.st_nlink} names, exactly 1 is required"
    if state.st_size > max_bytes:
        return f"it has {state.st_size} bytes, at most {max_bytes} are allowed"
    return ""
