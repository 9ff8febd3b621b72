"""System calls missing from Python, by ctypes."""

from __future__ import annotations

import ctypes
import fcntl
import os

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000
"""CLONE_NEWUSER and CLONE_NEWNS: kinds of namespaces."""
READ_ONLY, NO_SET_ID, NO_DEVICES = 1, 2, 4
"""MOUNT_ATTR_RDONLY, _NOSUID and _NODEV."""

_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF = 444, 446
_OPEN_TREE, _MOVE_MOUNT, _FSOPEN, _FSCONFIG, _FSMOUNT, _MOUNT_SETATTR = 428, 429, 430, 431, 432, 442
_SET_TEXT, _CREATE, _CLOSE_ON_EXEC = 1, 6, 1
"""FSCONFIG_SET_STRING, FSCONFIG_CMD_CREATE; FSOPEN_CLOEXEC, also the value of FSMOUNT_CLOEXEC."""
_NS_GET_USERNS = 0xB701
_AT_EMPTY_PATH, _AT_RECURSIVE, _OPEN_TREE_CLONE = 0x1000, 0x8000, 1
_MOVE_BY_DESCRIPTORS = 0x04 | 0x40
"""MOVE_MOUNT_F_EMPTY_PATH and MOVE_MOUNT_T_EMPTY_PATH."""
_VERSION = 1
_libc = ctypes.CDLL(None, use_errno=True)


class _Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr` since ABI 6."""

    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _MountAttributes(ctypes.Structure):
    """`struct mount_attr`."""

    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("user_namespace", ctypes.c_uint64),
    )


def prctl(option: int, *arguments: int) -> None:
    """Change a property of this process.

    Raises:
        OSError: the kernel refused.
    """
    words = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    _check(_libc.prctl(option, *words), f"prctl {option}")


def landlock_abi() -> int:
    """Version of Landlock in this kernel; 0 if missing or switched off."""
    return max(0, int(_libc.syscall(ctypes.c_long(_LANDLOCK_CREATE_RULESET), None, ctypes.c_size_t(0), _VERSION)))


def landlock_ruleset(files: int, network: int, scopes: int) -> int:
    """File descriptor of a ruleset handling the given rights.

    Raises:
        OSError: the kernel refused.
    """
    rules = _Ruleset(files, network, scopes)
    size = ctypes.c_size_t(ctypes.sizeof(rules))
    return _call(_LANDLOCK_CREATE_RULESET, ctypes.byref(rules), size, ctypes.c_uint32(0))


def landlock_restrict_self(ruleset: int) -> None:
    """Put this thread, and all its future children, under the rules.

    Raises:
        OSError: the kernel refused.
    """
    _call(_LANDLOCK_RESTRICT_SELF, ruleset, ctypes.c_uint32(0))


def owner_of_namespace(namespace: int) -> int:
    """Descriptor of the user namespace that owns the namespace of a descriptor.

    Raises:
        OSError: the kernel refused.
    """
    return fcntl.ioctl(namespace, _NS_GET_USERNS)


def enter_namespace(namespace: int, kind: int) -> None:
    """Put this process into the namespace of a descriptor; the namespace must be of the given kind.

    Raises:
        OSError: the kernel refused.
    """
    _check(_libc.setns(namespace, kind), "setns")


def copy_mount(place: int) -> int:
    """Descriptor of a new, unattached mount of an open descriptor's folder, with inner mounts (Linux 5.2).

    Raises:
        OSError: the kernel refused.
    """
    flags = _OPEN_TREE_CLONE | _AT_EMPTY_PATH | _AT_RECURSIVE | os.O_CLOEXEC
    return _call(_OPEN_TREE, place, b"", ctypes.c_uint32(flags))


def new_memory_mount(size_bytes: int, attributes: int) -> int:
    """A descriptor of a new mount, nowhere yet, of an empty file system in memory (Linux 5.2).

    Raises:
        OSError: the kernel refused.
    """
    system = _call(_FSOPEN, b"tmpfs", ctypes.c_uint32(_CLOSE_ON_EXEC))
    try:
        for name, text in ((b"size", str(size_bytes).encode()), (b"mode", b"0755")):
            _call(_FSCONFIG, system, ctypes.c_uint32(_SET_TEXT), name, text, 0)
        _call(_FSCONFIG, system, ctypes.c_uint32(_CREATE), None, None, 0)
        return _call(_FSMOUNT, system, ctypes.c_uint32(_CLOSE_ON_EXEC), ctypes.c_uint32(attributes))
    finally:
        os.close(system)


def change_mount(mount: int, *, attributes: int = 0, without: int = 0) -> None:
    """Give a mount and all mounts inside some attributes, or take some from the mount alone (Linux 5.12).

    Raises:
        OSError: the kernel refused.
    """
    words = _MountAttributes(attributes, without, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(words))
    flags = _AT_EMPTY_PATH | (0 if without else _AT_RECURSIVE)
    _call(_MOUNT_SETATTR, mount, b"", ctypes.c_uint32(flags), ctypes.byref(words), size)


def put_mount(mount: int, place: int) -> None:
    """Put a mount onto the file or folder of a descriptor, whatever it is called by now.

    Raises:
        OSError: the kernel refused.
    """
    _call(_MOVE_MOUNT, mount, b"", place, b"", ctypes.c_uint32(_MOVE_BY_DESCRIPTORS))


def _call(number: int, *arguments: object) -> int:
    return _check(int(_libc.syscall(ctypes.c_long(number), *arguments)), f"system call {number}")


def _check(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result
