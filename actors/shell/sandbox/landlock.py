"""Landlock: which files a command may reach, when there is no bubblewrap to hide the others.

What it does not rule over (modes, times, attributes, sockets with a path) is the filter's and the broker's business.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress

from actors.linux import syscall

LEAST_ABI = 6
"""The first that holds signals and abstract sockets back; without it a command could kill the agent."""

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE = 1 << 14
_ALL_FILES = (1 << 16) - 1
"""All rights on files until ABI 5."""
_DEVICE_NODES = 1 << 6 | 1 << 11
"""MAKE_CHAR, MAKE_BLOCK."""
_TCP = 0b11
_SIGNALS = 0b10
_SCOPES = 0b01 | _SIGNALS
"""Abstract sockets, signals."""

RIGHTS = {
    "read": _READ_FILE | _READ_DIR,
    "execute": _EXECUTE | _READ_FILE | _READ_DIR,
    "device": _READ_FILE | _WRITE_FILE,
    "own": _ALL_FILES & ~_DEVICE_NODES,
}
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | 1 << 15
"""The rights that a rule on a single file may name."""


def restrict(paths: Mapping[str, Sequence[str]], *, has_network: bool) -> None:
    """Let this process, and all that it will start, reach nothing but `paths`; those that don't exist are left out.

    Args:
        paths: Kind of right -> absolute paths.
        has_network: Whether TCP stays open.

    Raises:
        OSError: the kernel refused.
    """
    ruleset = syscall.landlock_ruleset(_ALL_FILES, 0 if has_network else _TCP, _SCOPES)
    try:
        for kind, of_kind in paths.items():
            for path in of_kind:
                with suppress(FileNotFoundError):
                    _allow(ruleset, path, RIGHTS[kind])
        syscall.landlock_restrict_self(ruleset)
    finally:
        os.close(ruleset)


def keep_signals_inside() -> None:
    """Let this process signal none but those that it starts from now on, and be signalled by all as before.

    That makes `kill(-1)`, which reaches all at once however fast they multiply, the right tool against them.

    Raises:
        OSError: the kernel refused, or it agreed and does not do it.
    """
    syscall.prctl(syscall.PR_SET_NO_NEW_PRIVS, 1)
    ruleset = syscall.landlock_ruleset(0, 0, _SIGNALS)
    try:
        syscall.landlock_restrict_self(ruleset)
    finally:
        os.close(ruleset)
    with suppress(PermissionError):
        os.kill(os.getppid(), 0)
        raise OSError(errno.ENOTSUP, "Landlock does not hold signals back")


def _allow(ruleset: int, path: str, rights: int) -> None:
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        is_folder = stat.S_ISDIR(os.fstat(opened).st_mode)
        syscall.landlock_allow(ruleset, opened, rights if is_folder else rights & _OF_FILES)
    finally:
        os.close(opened)
