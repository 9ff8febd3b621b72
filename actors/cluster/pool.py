"""Interface between the head and a runner of hosts: start hosts, carry frames, end hosts."""

from __future__ import annotations

from typing import Protocol


class HostGoneError(Exception):
    """The host's process is not there any more, or not to be reached for good."""


class HostSlowError(Exception):
    """A call was not answered; it may have been carried out, or still be."""


class PoolError(Exception):
    """No host can be started at all; the text says why and what to do."""


class RemoteHost(Protocol):
    """One life of a host, in a process of its own."""

    def begin(self, name: str, epoch: str, timeout_s: float) -> None:
        """Start its actors.

        Raises:
            HostGoneError: it ended meanwhile.
            HostSlowError: it takes longer.
            PoolError: it cannot start, however often it is tried.
        """

    def exchange(self, frame: bytes, wait_s: float, timeout_s: float) -> bytes:
        """Carry a frame there and one back; from two threads at once.

        Raises:
            HostGoneError, HostSlowError: as above.
        """

    def end(self, timeout_s: float) -> None:
        """Have the host close its open resources and end; on any failure the host is killed with `kill`."""

    def kill(self) -> None:
        """End it at once, as far as it can be reached; never raises."""


class Pool(Protocol):
    """Starter of hosts."""

    def open(self) -> None:
        """Make ready.

        Raises:
            PoolError: it cannot be.
        """

    def start(self, name: str) -> RemoteHost:
        """A process for a host.

        Raises:
            PoolError: there can be none now.
        """

    def trouble(self) -> str:
        """Why no host can be started any more, for good; empty while that can be. Asked once a second, never waits."""

    def close(self) -> None:
        """End all that is left of it, within seconds also when there is trouble."""
