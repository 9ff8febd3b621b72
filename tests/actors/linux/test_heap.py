from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

from actors.linux.heap import HEAPS

_MANY_HEAPS = """
import ctypes, sys, threading
from actors.linux.heap import bound_heaps

if sys.argv[1] == "bounded":
    assert bound_heaps()
libc = ctypes.CDLL(None)
libc.fdopen.restype = libc.malloc.restype = ctypes.c_void_p
together = threading.Barrier(16)

def hold():
    together.wait()
    libc.malloc(10_000)
    together.wait()

threads = [threading.Thread(target=hold) for _ in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
out = ctypes.c_void_p(libc.fdopen(1, b"w"))
libc.malloc_info(0, out)
libc.fflush(out)
"""

_HOLES = """
import ctypes, os
from actors.linux.heap import trim_heaps

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p

def resident():
    with open("/proc/self/statm") as figures:
        return int(figures.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

held = [libc.malloc(16_000) for _ in range(6_000)]
for place in held:
    ctypes.memset(place, 1, 16_000)
libc.malloc(16_000)  # what is in use behind them
full = resident()
for place in held:
    libc.free(ctypes.c_void_p(place))
freed = resident()
assert trim_heaps()
print(full, freed, resident())
"""
_BETWEEN = """
import ctypes, os
from actors.linux.heap import LARGE_BYTES, bound_heaps

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
assert bound_heaps()

def resident():
    with open("/proc/self/statm") as figures:
        return int(figures.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

libc.free(ctypes.c_void_p(libc.malloc(4 * LARGE_BYTES)))  # after which glibc would take as much from a heap
before = resident()
large = []
for _ in range(200):
    large.append(libc.malloc(LARGE_BYTES))
    ctypes.memset(large[-1], 1, LARGE_BYTES)
    libc.malloc(2_000)  # what stays
full = resident()
for place in large:
    libc.free(ctypes.c_void_p(place))
print(before, full, resident())
"""
_IS_GLIBC = hasattr(ctypes.CDLL(None), "gnu_get_libc_version")


def heaps(how: str) -> int:
    """Number of heaps of a process whose threads all ask for memory at once."""
    ran = subprocess.run([sys.executable, "-c", _MANY_HEAPS, how], capture_output=True, text=True, check=True)
    return ran.stdout.count("<heap nr=")


@pytest.mark.skipif(not _IS_GLIBC, reason="only glibc has many heaps")
def test_threads_share_few_heaps() -> None:
    assert heaps("bounded") <= HEAPS < heaps("as usual")


@pytest.mark.skipif(not _IS_GLIBC, reason="only glibc keeps what is free before the end of a heap")
def test_what_is_free_goes_back_to_the_system() -> None:
    ran = subprocess.run([sys.executable, "-c", _HOLES], capture_output=True, text=True, check=True)
    full, freed, trimmed = map(int, ran.stdout.split())
    assert freed > full - 10
    assert trimmed < full - 80


@pytest.mark.skipif(not _IS_GLIBC, reason="only glibc moves its threshold")
def test_large_memory_goes_back_although_small_memory_stays_behind_it() -> None:
    ran = subprocess.run([sys.executable, "-c", _BETWEEN], capture_output=True, text=True, check=True)
    before, full, freed = map(int, ran.stdout.split())
    assert full > before + 45
    assert freed < before + 5
