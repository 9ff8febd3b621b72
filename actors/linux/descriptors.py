"""Descriptors of the process, shared out among the kinds of use."""

from __future__ import annotations

import resource
import sys


def share(part: int, fewest: int, soft: int | None = None) -> int:
    """Number of descriptors for one use.

    Args:
        part: The use may take one descriptor in so many.
        fewest: Least number, whatever the limit.
        soft: Limit of the process; by default as it is now.
    """
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if soft is None else soft
    return sys.maxsize if soft == resource.RLIM_INFINITY else max(fewest, soft // part)
