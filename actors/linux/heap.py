"""Heaps of the C library, for glibc: few for all threads, and no larger than the memory in use."""

from __future__ import annotations

import ctypes

_M_ARENA_MAX = -8
_M_MMAP_THRESHOLD = -3
HEAPS = 2
"""Number of heaps: the main thread's and a shared heap, as Python runs only one thread at a time, and so most mallocs.
"""
LARGE_BYTES = 256 * 1024
"""Size from which memory has pages of its own; the size of a socket read by asyncio."""


def bound_heaps() -> bool:
    """Let threads share `HEAPS` heaps, and give large memory pages of its own; True if both were accepted.

    glibc gives up to eight for each core, and freed memory of a heap is of no use to the threads of another: in an
    agent after some minutes of work, this was a fifth of all memory (mallopt(3), `M_ARENA_MAX`). Called before threads
    are started, since an existing heap stays.

    Left alone, glibc also takes large memory from the heaps after the first is freed; small memory then lies between,
    and the pages stay (`M_MMAP_THRESHOLD`).
    """
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "gnu_get_libc_version"):
        return False
    return all(libc.mallopt(*option) for option in ((_M_ARENA_MAX, HEAPS), (_M_MMAP_THRESHOLD, LARGE_BYTES)))


def trim_heaps() -> bool:
    """Give the heaps' empty pages back to the system; True if there were any (malloc_trim(3)).

    glibc itself gives back only the free memory at a heap's end. A batch of vectors takes 40 MB for a moment, and
    memory allocated meanwhile lies behind the batch. Takes some milliseconds; other threads run on.
    """
    libc = ctypes.CDLL(None)
    return hasattr(libc, "gnu_get_libc_version") and bool(libc.malloc_trim(0))
