"""System calls that Python does not have, by ctypes."""

from __future__ import annotations

import ctypes
import os

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF = 444, 446
_VERSION = 1
_libc = ctypes.CDLL(None, use_errno=True)


class _Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr` since ABI 6."""

    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


def prctl(option: int, *arguments: int) -> None:
    """Change something of this process.

    Raises:
        OSError: the kernel refused.
    """
    words = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    _checked(_libc.prctl(option, *words), f"prctl {option}")


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


def landlock_restrict_self(ruleset: int) -> None:
    """Put this thread, and all that it will start, under the rules.

    Raises:
        OSError: the kernel refused.
    """
    _call(_LANDLOCK_RESTRICT_SELF, ruleset, ctypes.c_uint32(0))


def _call(number: int, *arguments: object) -> int:
    return _checked(int(_libc.syscall(ctypes.c_long(number), *arguments)), f"system call {number}")


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result
