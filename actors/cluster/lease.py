"""Lease of a host, on two clocks that need not agree: the host's always ends first.

The host reports its clock's reading T. The head notes the time of *receipt*, R on its own clock, and answers "yours
until T + length". T was read before R, so on clocks of equal rate T + length comes before R + length, the time at which
the head gives the host's windows to other hosts; a slack beyond this time allows for unequal rates.
"""

from __future__ import annotations

from collections.abc import Callable

LEASE_S = 10.0
SLACK_S = 1.0
"""A tenth: no two usable clocks drift so far apart."""


class Grant:
    """The head's side of a host's lease."""

    def __init__(self, monotonic: Callable[[], float], length_s: float = LEASE_S, slack_s: float = SLACK_S) -> None:
        """Create a grant without a lease.

        Args:
            monotonic: The head's clock.
            length_s: Of the lease.
            slack_s: Seconds that the head waits beyond the lease.
        """
        self._monotonic = monotonic
        self._length_s, self._slack_s = length_s, slack_s
        self._reading = 0.0
        self._over_at = monotonic()

    @property
    def until(self) -> float:
        """End of the permission to write, on the host's clock, as sent to the host; 0 before the first reading."""
        return self._reading + self._length_s if self._reading else 0.0

    @property
    def left_s(self) -> float:
        """Seconds until the host certainly writes no more; 0 afterwards."""
        return max(0.0, self._over_at - self._monotonic())

    def hear(self, reading: float) -> None:
        """The host's clock read so much, before now."""
        if reading > self._reading:
            self._reading = reading
            self._over_at = self._monotonic() + self._length_s + self._slack_s


class Lease:
    """The host's side; a float is read and written at once, so no lock is needed."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """A lease before its beginning.

        Args:
            clock: Seconds that never go back and do not stand still while the machine sleeps.
        """
        self.read = clock
        self._until = 0.0

    @property
    def has_begun(self) -> bool:
        """True if a lease was ever granted."""
        return bool(self._until)

    @property
    def left_s(self) -> float:
        """Seconds until the lease expires; 0 or below afterwards."""
        return self._until - self.read()

    @property
    def is_valid(self) -> bool:
        """True if this host may write."""
        return self.read() < self._until

    def renew(self, until: float) -> None:
        """Extend the lease until then; an earlier grant is not shortened. An expired lease is never renewed."""
        if until > self._until and (self.is_valid or not self.has_begun):
            self._until = until
