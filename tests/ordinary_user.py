"""Rights of an ordinary user, in a thread of root's."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

_VERSION = 0x20080522
_EVERY_FILE = 0b110
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what lets root read and write every file."""
_libc = ctypes.CDLL(None, use_errno=True)


@contextmanager
def as_ordinary_user() -> Iterator[None]:
    """Have permissions of files count for this thread, also where it is root's; for an ordinary user's, nothing."""
    header = (ctypes.c_uint32 * 2)(_VERSION, 0)
    data = (ctypes.c_uint32 * 6)()
    """Effective, permitted and inheritable, of the lower capabilities, then of the upper ones."""
    _call(_libc.capget(header, data))
    before = data[0]
    data[0] = before & ~_EVERY_FILE
    _call(_libc.capset(header, data))
    try:
        yield
    finally:
        data[0] = before
        _call(_libc.capset(header, data))


def _call(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
