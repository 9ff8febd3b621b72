from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

from actors.linux.heap import HEAPS

_PROGRAM = """
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


def heaps(how: str) -> int:
    """How many heaps a process has whose threads ask for memory all at once."""
    ran = subprocess.run([sys.executable, "-c", _PROGRAM, how], capture_output=True, text=True, check=True)
    return ran.stdout.count("<heap nr=")


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "gnu_get_libc_version"), reason="only glibc has many heaps")
def test_threads_share_few_heaps() -> None:
    assert heaps("bounded") <= HEAPS < heaps("as usual")
