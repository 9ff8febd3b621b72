"""Hardening of the agent's own process against its commands, which run as the same user."""

from __future__ import annotations

import ctypes
import logging
import sys

log = logging.getLogger(__name__)

_PR_SET_DUMPABLE = 4


def make_undumpable() -> bool:
    """Close this process's memory and environment to other processes of its user; True on success.

    Linux then gives `/proc/<pid>/environ`, `mem`, `fd` and the like to root, and refuses ptrace; core dumps end too.
    Programs started later are not affected. Children that only fork are affected.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        log.warning("the process cannot be made undumpable: errno %d", ctypes.get_errno())
        return False
    return True
