"""A pool whose hosts are actor systems in this process: the protocol without Ray, and calls that can be made to fail."""

from __future__ import annotations

import threading
from collections.abc import Callable

from actors.cluster.host import HostSystem
from actors.cluster.lease import Lease
from actors.cluster.pool import HostGoneError, HostSlowError
from actors.cluster.shared import host_codec
from actors.kernel import ActorSpec, ActorSystem, boot_seconds
from messages.base import CONTEXT_KIND

Specs = Callable[["LocalHost"], tuple[ActorSpec, ...]]


class LocalHost:
    """One host; `is_cut` makes calls fail as a partition does, `is_dead` as the end of the process does."""

    def __init__(
        self, name: str, specs: Specs, refusal: Callable[[str], Exception | None] = lambda _name: None
    ) -> None:
        self.name = name
        self.lease = Lease(boot_seconds)
        self.is_cut = self.is_dead = False
        self.system = ActorSystem(on_dead_letter=lambda letter: self.host.settle_dead(letter))
        self.host: HostSystem
        self._specs = specs
        self._refusal = refusal
        self._starting = threading.Lock()
        """Held while the system starts, since the pool may be closed meanwhile."""

    def begin(self, name: str, epoch: str, _timeout_s: float) -> None:
        if (error := self._refusal(name)) is not None:
            raise error
        self.host = HostSystem(self.system, host_codec(name), self.lease, epoch)
        for spec in self._specs(self):
            self.system.register(self.host.wrap_spec(spec) if spec.kind == CONTEXT_KIND else spec)
        with self._starting:
            if self.is_dead:
                raise HostGoneError("its pool is closed")
            self.system.start()

    def exchange(self, frame: bytes, wait_s: float, timeout_s: float) -> bytes:
        self._fail(timeout_s)
        answer = self.host.exchange(frame, wait_s)
        self._fail(timeout_s)
        return answer

    def _fail(self, timeout_s: float) -> None:
        if self.is_dead:
            raise HostGoneError("its process ended")
        if self.is_cut:
            raise HostSlowError(f"no answer within {timeout_s} s")

    def end(self, timeout_s: float) -> None:
        self.system.stop(timeout_s)

    def kill(self) -> None:
        self.is_dead = True

    def close(self) -> None:
        """End the system, or keep it from starting."""
        with self._starting:
            self.is_dead = True
        self.system.stop(1.0)


class LocalPool:
    """Hosts in this process, by name."""

    def __init__(self, specs: Specs) -> None:
        self.hosts: dict[str, LocalHost] = {}
        self.lacks = ""
        self.refusal: Callable[[str], Exception | None] = lambda _name: None
        """Error that the start of a host raises, by the host's name."""
        self.kinds: dict[str, type[LocalHost]] = {}
        """Kinds of hosts other than the usual, by the host's name."""
        self._specs = specs

    def open(self) -> None:
        pass

    def start(self, name: str) -> LocalHost:
        host = self.hosts[name] = self.kinds.get(name, LocalHost)(name, self._specs, self.refusal)
        return host

    def trouble(self) -> str:
        return self.lacks

    def close(self) -> None:
        for host in self.hosts.values():
            host.close()
