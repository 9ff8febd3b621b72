"""Signature of a file: what tells whether it has to be read again."""

from __future__ import annotations

import os
from pathlib import Path

Signature = tuple[int, int, int, int]
"""Inode, size, and in nanoseconds the times of the last change of its data and of anything about it."""
SETTLED_NS = 20_000_000
"""A file that was changed less long before it was read may be changed again within the same tick of its clock."""


def signature(path: Path) -> Signature | None:
    """What changes when a file does; None where there is none. A link's own, not that of what it leads to."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return signature_of(status)


def signature_of(status: os.stat_result) -> Signature:
    """The same of what is known of a file."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def is_settled(seen: Signature | None, now_ns: int) -> bool:
    """Whether the same signature will mean the same file.

    Args:
        seen: What `signature` gave; what is not there is settled.
        now_ns: Wall clock.
    """
    return seen is None or abs(now_ns - max(seen[2:])) > SETTLED_NS
