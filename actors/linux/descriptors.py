"""Descriptors of the process, shared out among the kinds of use."""

from __future__ import annotations

import os
import resource
import sys


def share(part: int, fewest: int, soft: int | None = None) -> int:
    """Number of descriptors for a use.

    Args:
        part: Inverse of the use's share of the descriptors.
        fewest: Least number, whatever the limit.
        soft: Limit of the process; by default the present limit.
    """
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if soft is None else soft
    return sys.maxsize if soft == resource.RLIM_INFINITY else max(fewest, soft // part)


def in_memory(name: str, data: bytes) -> int:
    """Descriptor of a file in memory only, open at its beginning."""
    descriptor = os.memfd_create(name)
    try:
        written = 0
        while written < len(data):
            written += os.write(descriptor, memoryview(data)[written:])
        os.lseek(descriptor, 0, os.SEEK_SET)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
