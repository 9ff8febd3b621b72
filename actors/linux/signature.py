"""Signature of a file: differs after a change, so an unchanged file is not read again."""

from __future__ import annotations

import os
from pathlib import Path

Signature = tuple[int, int, int, int]
"""Inode, size, mtime and ctime in nanoseconds."""
SETTLED_NS = 20_000_000
"""A younger file may change again within the same tick of its clock."""


def signature(path: Path) -> Signature | None:
    """Signature of a file, of a link itself; None for a missing file."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return signature_of(status)


def signature_of(status: os.stat_result) -> Signature:
    """Signature by the file's status."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def is_settled(seen: Signature | None, now_ns: int) -> bool:
    """True if an equal signature later will mean an unchanged file.

    Args:
        seen: Result of `signature`; a missing file is settled.
        now_ns: Wall clock.
    """
    return seen is None or abs(now_ns - max(seen[2:])) > SETTLED_NS
