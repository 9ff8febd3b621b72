"""Hosts of windows in the same process: the head's own driver without threads, calls that fail, hosts that die."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from actors.cluster.host import HostSystem
from actors.cluster.host_life import HostLife
from actors.cluster.lease import Lease
from actors.cluster.pool import HostGoneError, HostSlowError, RemoteHost
from actors.cluster.shared import host_codec
from actors.cluster.wire import Codec
from actors.kernel import ActorSpec, ActorSystem, DeadLetter, ManualClock
from lab.simulation.chance import Chance, DrawnQueue
from lab.simulation.disk import SimulatedDisk
from lab.simulation.script import Act, Scene
from messages.base import CONTEXT_KIND

COUNT = 2
RENEW_S = 2.0
"""Seconds between two calls without content."""
FAILED_S = 3.0
"""Duration of a call without an answer, in seconds."""
WATCH_S = 1.0
_AHEAD_S = 1000.0
"""Seconds by which a host's clock is ahead of the head's."""
Specs = Callable[["SimulatedHost"], Iterator[ActorSpec]]
codec_of: Callable[[str], Codec] = cache(host_codec)


class LapsedError(KeyboardInterrupt):
    """A host writes without a lease; a kind of interrupt, as the end of a process."""


class SimulatedHost:
    """One host; the head's side sees a `RemoteHost`."""

    def __init__(self, name: str, hosts: SimulatedHosts) -> None:
        """A host at rest."""
        self.name = name
        self._hosts = hosts
        self.lease = Lease(lambda: hosts.clock.monotonic() + _AHEAD_S)
        self.ready = DrawnQueue(hosts.chance)
        self.is_cut = self.is_dead = False
        self.host: HostSystem
        self.system = ActorSystem(
            workers=0,
            clock=hosts.clock,
            ids=hosts.ids,
            on_escalation=lambda _event: self.kill(),
            on_dead_letter=self._settle,
        )
        self.system.order_by(self.ready)

    def begin(self, name: str, epoch: str, _timeout_s: float) -> None:
        """Start the actors."""
        self.host = HostSystem(self.system, codec_of(name), self.lease, epoch)
        for spec in self._hosts.specs(self):
            self.system.register(self.host.wrap_spec(spec) if spec.kind == CONTEXT_KIND else spec)
        self.system.start()
        self._watch()

    def exchange(self, frame: bytes, wait_s: float, _timeout_s: float) -> bytes:
        """Carry a frame to the host and one back.

        Raises:
            HostGoneError: the host is dead.
            HostSlowError: the frame or its answer is lost.
        """
        if self.is_dead:
            raise HostGoneError("its process ended")
        if self.is_cut and self._hosts.chance.happens(0.5):
            raise HostSlowError("no answer")
        answer = self.host.exchange(frame, wait_s)
        if self.is_cut:
            raise HostSlowError("no answer")
        return answer

    def end(self, timeout_s: float) -> None:
        """End in good order."""
        if not self.is_dead:
            self.system.stop(timeout_s)
            self.kill()

    def kill(self) -> None:
        """End at once."""
        if not self.is_dead:
            self.is_dead = True
            self._hosts.disk.end_process(self.name)

    def lapse(self) -> Any:
        """End at a write without a lease."""
        self.kill()
        raise LapsedError

    def run(self) -> None:
        """Run one mailbox."""
        self._hosts.disk.process = self.name
        try:
            self.system.dispatcher.run_ready()
        except LapsedError:
            pass
        finally:
            self._hosts.disk.process = ""

    def _watch(self) -> None:
        if self.lease.has_begun and not self.lease.is_valid:
            self.kill()
        elif not self.is_dead:
            self._hosts.clock.call_later(WATCH_S, self._watch)

    def _settle(self, letter: DeadLetter) -> None:
        if not self.is_dead:
            self.host.settle_dead(letter)


class Pump:
    """One of the two drivers of a host's life, called repeatedly in place of a thread."""

    def __init__(self, life: HostLife, act: Callable[[RemoteHost], None], clock: ManualClock) -> None:
        """A driver that is due at once.

        Args:
            life: Life to drive.
            act: Call of the driver.
            clock: The life's.
        """
        self._life, self._act, self._clock = life, act, clock
        self._failures: int | None = 0
        self._is_push = act.__name__ == "_push_all"
        self._is_due = True
        self._timer = clock.call_later(RENEW_S, self._be_due)

    @property
    def has_ended(self) -> bool:
        """True if the life has no more use for the pump."""
        return self._failures is None

    @property
    def is_ready(self) -> bool:
        """True if a call is due, or has data to carry."""
        if self._is_due or self._failures:
            return self._is_due
        if self._is_push:
            return bool(self._life.grant.until) and self._life._link.has_batch()
        remote = self._life.remote
        return isinstance(remote, SimulatedHost) and not remote.is_dead and remote.host._has_news()

    def run(self) -> None:
        """Make a call."""
        assert self._failures is not None
        self._is_due = False
        self._failures = self._life.drive_once(self._act, self._failures)
        self._timer.cancel()
        self._timer = self._clock.call_later(FAILED_S if self._failures else RENEW_S, self._be_due)

    def _be_due(self) -> None:
        self._is_due = True


class SimulatedHosts:
    """Starter of hosts, and all their pumps."""

    def __init__(
        self, clock: ManualClock, chance: Chance, ids: Callable[[], str], disk: SimulatedDisk, specs: Specs
    ) -> None:
        """No host runs.

        Args:
            clock: Of the head, and of all hosts.
            chance: Draws.
            ids: Gives ids.
            disk: Disk of all.
            specs: Actors of a host.
        """
        self.clock, self.chance, self.ids, self.disk, self.specs = clock, chance, ids, disk, specs
        self.hosts: list[SimulatedHost] = []
        self.pumps: list[Pump] = []

    def open(self) -> None:
        """Open no resource."""

    def start(self, name: str) -> SimulatedHost:
        """A new host."""
        self.hosts.append(SimulatedHost(name, self))
        return self.hosts[-1]

    def trouble(self) -> str:
        """Never any."""
        return ""

    def close(self) -> None:
        """Close no resource."""

    def drive(self, life: HostLife, act: Callable[[RemoteHost], None]) -> None:
        """Add a pump."""
        self.pumps.append(Pump(life, act, self.clock))

    def play(self, scene: Scene) -> None:
        """Kill a host, or cut or restore its connection."""
        if not (living := self.living()):
            return
        host = living[scene.place % len(living)]
        if scene.act is Act.KILL_HOST:
            host.kill()
        else:
            host.is_cut = scene.act is Act.CUT_HOST

    def join_all(self) -> None:
        """Restore all connections."""
        for host in self.hosts:
            host.is_cut = False

    def living(self) -> list[SimulatedHost]:
        """Running hosts."""
        return [host for host in self.hosts if not host.is_dead]

    def ready(self) -> list[Callable[[], None]]:
        """Calls and mailboxes to run next."""
        self.pumps = [pump for pump in self.pumps if not pump.has_ended]
        return [
            *(pump.run for pump in self.pumps if pump.is_ready),
            *(host.run for host in self.hosts if not host.is_dead and len(host.ready)),
        ]
