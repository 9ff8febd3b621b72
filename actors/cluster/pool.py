"""Interface between the head and a runner of hosts: start hosts, carry frames, end hosts."""

from __future__ import annotations

from typing import Protocol


class HostGoneError(Exception):
    """The host's process is not there any more, or not to be reached for good."""


class HostSlowError(Exception):
    """A call was not answered; the host may have carried out the call, or may still do so."""


class PoolError(Exception):
    """No host can be started at all; the text gives the reason and the remedy."""


class RemoteHost(Protocol):
    """One life of a host, in its own process."""

    def begin(self, name: str, epoch: str, timeout_s: float) -> None:
        """Start the host's actors.

        Raises:
            HostGoneError: the host ended meanwhile.
            HostSlowError: the start takes longer.
            PoolError: the host cannot start, however often the start is tried.
        """

    def exchange(self, frame: bytes, wait_s: float, timeout_s: float) -> bytes:
        """Carry a frame there and another back; from two threads at once.

        Raises:
            HostGoneError, HostSlowError: as above.
        """

    def end(self, timeout_s: float) -> None:
        """Have the host close its open resources and end; on any failure the host is killed with `kill`."""

    def kill(self) -> None:
        """End the host at once, if reachable; never raises."""


class Pool(Protocol):
    """Starter of hosts."""

    def open(self) -> None:
        """Prepare the pool.

        Raises:
            PoolError: the pool cannot be prepared.
        """

    def start(self, name: str) -> RemoteHost:
        """Process for a host.

        Raises:
            PoolError: no process can be had now.
        """

    def trouble(self) -> str:
        """Why no host can be started any more, for good; empty while that can be. Asked once a second, never waits."""

    def close(self) -> None:
        """End everything left of the pool, within seconds even in case of trouble."""
