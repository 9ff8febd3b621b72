"""Error for a command that cannot be started."""

from __future__ import annotations


class RefusedError(Exception):
    """A command cannot be started; the text says why, for the model and for people."""
