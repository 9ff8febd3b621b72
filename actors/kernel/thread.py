"""The threads of the kernel, which differ from others only in being known as such."""

from __future__ import annotations

import threading


class KernelThread(threading.Thread):
    """A daemon thread that whoever started it must end: a test in which one outlives its owner fails."""
