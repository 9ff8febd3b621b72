"""Heaps of the C library, where it is glibc: few for all threads, and no larger than what is in use."""

from __future__ import annotations

import ctypes

_M_ARENA_MAX = -8
_M_MMAP_THRESHOLD = -3
HEAPS = 2
"""Number of heaps: the main thread's and a shared one, as Python runs one thread at a time, and so most mallocs."""
LARGE_BYTES = 256 * 1024
"""Size from which memory has pages of its own; a read of a socket by asyncio asks for so much."""


def bound_heaps() -> bool:
    """Let threads share `HEAPS` heaps, and give large memory pages of its own; True if both were accepted.

    glibc gives up to eight for each core, and what is freed in one is of no use to the threads of another: of an agent
    that has worked for some minutes it was a fifth of all its memory (mallopt(3), `M_ARENA_MAX`). Called before threads
    are started, since a heap that is there stays.

    Left alone, glibc also takes large memory from the heaps once some has been freed; what is small then lies between,
    and the pages stay (`M_MMAP_THRESHOLD`).
    """
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "gnu_get_libc_version"):
        return False
    return all(libc.mallopt(*option) for option in ((_M_ARENA_MAX, HEAPS), (_M_MMAP_THRESHOLD, LARGE_BYTES)))


def trim_heaps() -> bool:
    """Give the pages of the heaps that hold nothing back to the system; whether there were any (malloc_trim(3)).

    glibc itself gives back no more than what is free at a heap's end. A batch of vectors takes 40 MB for a moment, and
    what was made meanwhile lies behind it. Takes some milliseconds, in which other threads run on.
    """
    libc = ctypes.CDLL(None)
    return hasattr(libc, "gnu_get_libc_version") and bool(libc.malloc_trim(0))
