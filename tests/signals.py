"""Signals as a process usually finds them: whoever runs the tests may ignore some, and a child would inherit that."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def minding(number: signal.Signals) -> Iterator[None]:
    """Children that are started within have the signal's default action, or Python's own handler."""
    before = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, before)
