"""System calls that Python does not have, by ctypes."""

from __future__ import annotations

import ctypes
import os

PR_SET_PDEATHSIG = 1
PR_CAPBSET_DROP = 24
PR_SET_SECUREBITS = 28
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4

_AT_FDCWD = -100
_PIDFD_GETFD = 438
_LANDLOCK_CREATE_RULESET, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_LANDLOCK_RULE_PATH_BENEATH = 1
_SECCOMP_SET_MODE_FILTER = 1
_SECCOMP_FILTER_FLAG_NEW_LISTENER = 8
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION_3 = 0x20080522
_NO_ROOT_EVER = 0xEF
"""Securebits: user 0 gains nothing by being 0, not by exec either; all locked."""
_LAST_POSSIBLE_CAPABILITY = 63

_libc = ctypes.CDLL(None, use_errno=True)


class _Filter(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("program", ctypes.c_char_p))


class _Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr` since ABI 6."""

    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _PathRule(ctypes.Structure):
    """`struct landlock_path_beneath_attr`."""

    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("folder", ctypes.c_int32))


def prctl(option: int, *arguments: int) -> None:
    """Change something of this process.

    Raises:
        OSError: the kernel refused.
    """
    words = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    _checked(_libc.prctl(option, *words), f"prctl {option}")


def forgo_privileges() -> None:
    """Give up all capabilities, and the ways of getting any again by exec.

    Raises:
        OSError: the kernel refused.
    """
    if os.geteuid() == 0:
        for capability in range(_LAST_POSSIBLE_CAPABILITY + 1):
            try:
                prctl(PR_CAPBSET_DROP, capability)
            except OSError:  # beyond the last that this kernel knows, or never had: capset below has the last word
                break
        prctl(PR_SET_SECUREBITS, _NO_ROOT_EVER)
    prctl(PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()
    _call(_CAPSET[os.uname().machine], header, none)


def landlock_abi() -> int:
    """Version of Landlock in this kernel; 0 if there is none or it is switched off."""
    return max(0, int(_libc.syscall(ctypes.c_long(_LANDLOCK_CREATE_RULESET), None, ctypes.c_size_t(0), _VERSION)))


def landlock_ruleset(files: int, network: int, scopes: int) -> int:
    """A file descriptor of rules that handle these rights.

    Raises:
        OSError: the kernel refused.
    """
    rules = _Ruleset(files, network, scopes)
    size = ctypes.c_size_t(ctypes.sizeof(rules))
    return _call(_LANDLOCK_CREATE_RULESET, ctypes.byref(rules), size, ctypes.c_uint32(0))


def landlock_allow(ruleset: int, opened: int, rights: int) -> None:
    """Allow `rights` on what `opened` (a descriptor) is, and below it.

    Raises:
        OSError: the kernel refused.
    """
    rule = _PathRule(rights, opened)
    _call(_LANDLOCK_ADD_RULE, ruleset, _LANDLOCK_RULE_PATH_BENEATH, ctypes.byref(rule), ctypes.c_uint32(0))


def landlock_restrict_self(ruleset: int) -> None:
    """Put this thread, and all that it will start, under the rules.

    Raises:
        OSError: the kernel refused.
    """
    _call(_LANDLOCK_RESTRICT_SELF, ruleset, ctypes.c_uint32(0))


def seccomp_filter(program: bytes) -> int:
    """Put this thread, and all that it will start, under a filter; the descriptor on which it asks back.

    Raises:
        OSError: the kernel refused.
    """
    filter_ = _Filter(len(program) // 8, program)
    flags = ctypes.c_ulong(_SECCOMP_FILTER_FLAG_NEW_LISTENER)
    return _call(_SECCOMP[os.uname().machine], ctypes.c_ulong(_SECCOMP_SET_MODE_FILTER), flags, ctypes.byref(filter_))


def descriptor_of(pid: int, number: int) -> int:
    """A copy of what process `pid` has open as `number`.

    Raises:
        OSError: there is no such thing, or it may not be had.
    """
    process = os.pidfd_open(pid)
    try:
        return _call(_PIDFD_GETFD, process, ctypes.c_int(number), ctypes.c_uint(0))
    finally:
        os.close(process)


def set_times(path: str, nanoseconds: bytes | None) -> None:
    """Set when a file was used and changed: two `struct timespec`, or None for now.

    Raises:
        OSError: it cannot be.
    """
    _checked(_libc.utimensat(_AT_FDCWD, os.fsencode(path), nanoseconds, 0), "utimensat")


def connect(descriptor: int, address: bytes) -> None:
    """Connect a socket to an address as C has it.

    Raises:
        OSError: it cannot be.
    """
    _checked(_libc.connect(descriptor, address, ctypes.c_uint32(len(address))), "connect")


def _call(number: int, *arguments: object) -> int:
    return _checked(int(_libc.syscall(ctypes.c_long(number), *arguments)), f"system call {number}")


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result
