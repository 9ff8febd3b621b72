"""Descriptors of the process, and what of them one kind of use may take, so that none leaves nothing to the others."""

from __future__ import annotations

import resource
import sys


def share(part: int, fewest: int) -> int:
    """How many descriptors a use may take that has one in `part` of them, and `fewest` in any case."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else max(fewest, soft // part)
