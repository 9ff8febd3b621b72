"""Names of threads, shown by the system in `top -H` and in `/proc/<pid>/task/*/comm`."""

from __future__ import annotations

import ctypes
import sys

_PR_SET_NAME = 15
LONGEST = 15
"""Bytes of a name kept by Linux."""


def name_thread(name: str) -> None:
    """Name the calling thread, by the first `LONGEST` bytes; does nothing outside Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_NAME, ctypes.c_char_p(name.encode()[:LONGEST]), 0, 0, 0)
