"""Places of an HTTP server: bounds on its connections."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Bounds on connections: how many, and how long each may wait."""

    most: int
    """Connections at a time; a further connection ends the oldest stranger."""
    most_of_one: int
    """Most connections of a single owner, out of `most`."""
    stranger_s: float
    """Time in seconds after which a connection without a whole head ends; a stranger ends so long after its answer."""
    idle_s: float
    """Seconds from the end of an answer to a whole next head; then the connection is ended."""
