"""Places of an HTTP server: bounds on its connections."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Bounds on connections: how many, and how long each may wait."""

    most: int
    """Connections at a time; one more ends the oldest that has not been admitted."""
    most_of_one: int
    """Most connections of one owner, out of `most`."""
    stranger_s: float
    """A connection is ended without a whole head within so long; or, not admitted, so long after its answer."""
    idle_s: float
    """Seconds from the end of an answer to a whole next head; then the connection is ended."""
