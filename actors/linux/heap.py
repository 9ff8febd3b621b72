"""Heaps of the C library: few for all threads, where it is glibc."""

from __future__ import annotations

import ctypes

_M_ARENA_MAX = -8
HEAPS = 2
"""One for the main thread, one for all others: Python's threads run one at a time, and so do most of their mallocs."""


def bound_heaps() -> bool:
    """Let threads share `HEAPS` heaps from now on; whether that could be asked for.

    glibc gives up to eight for each core, and what is freed in one is of no use to the threads of another: of an agent
    that has worked for some minutes it was a fifth of all its memory (mallopt(3), `M_ARENA_MAX`). Called before threads
    are started, since a heap that is there stays.
    """
    libc = ctypes.CDLL(None)
    return hasattr(libc, "gnu_get_libc_version") and bool(libc.mallopt(_M_ARENA_MAX, HEAPS))
