"""Waits of tests: one deadline for all, far above the needs of a busy machine, and one wait for a state."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE_S = 120.0
"""Deadline of every wait for an event; a test that passes never sees it. Less than pytest's own timeout."""
_PAUSE_S = 0.01


def eventually(look: Callable[[], T], timeout_s: float = PATIENCE_S) -> T:
    """Return the first true value of `look`; for a state that no event announces."""
    deadline, pause = time.monotonic() + timeout_s, threading.Event()
    while not (seen := look()):
        assert time.monotonic() < deadline, f"no true value within {timeout_s:g} s"
        pause.wait(_PAUSE_S)
    return seen
