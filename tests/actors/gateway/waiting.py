"""Waits of the gateway's tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from tests.patience import PATIENCE_S


def wait_until(holds: Callable[[], bool]) -> None:
    """Return as soon as something holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it never came to hold"
        threading.Event().wait(0.01)
