"""Head of the cluster: assigns each window to a host, and a lost host's windows to other hosts."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from actors.cluster.host_life import HostLife, Stage
from actors.cluster.lease import LEASE_S
from actors.cluster.ledger import WindowMessage
from actors.cluster.placement import choose_host
from actors.cluster.pool import HostGoneError, HostSlowError, Pool, PoolError
from actors.cluster.shared import DOUBLED, head_codec
from actors.cluster.wire import AT
from actors.kernel import ActorSystem
from actors.part import HostState
from messages.base import CONTEXT_KIND, Address, Message, Window
from messages.context import ResumeWindow, ReviseMessage, RuntimePosted
from messages.memory import MEMORY, ReconcileDue
from messages.shell import ASKERS, AskersLost

log = logging.getLogger(__name__)

FAILURES = 5
"""Failed starts of hosts in a row before the agent gives up."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Times of the hosts' care, in seconds."""

    begin_s: float = 60.0
    """For a host's actors to start."""
    look_s: float = 1.0
    """Between two checks of the hosts' runner."""
    retry_s: float = 1.0
    """Before a new attempt to start a host; doubled with each failure."""
    end_s: float = 1.5
    """For a host to end."""
    lease_s: float = LEASE_S
    """Length of a host's lease."""


PACE = Pace()


class Head:
    """Owner of the hosts, and of the placement of windows on hosts.

    The first message for a window assigns the window to a host, by rendezvous hashing, for the life of that host.
    Messages for a window without a host wait here.
    """

    def __init__(
        self,
        system: ActorSystem,
        pool: Pool,
        count: int,
        *,
        surface: Address,
        on_fatal: Callable[[str], None],
        pace: Pace = PACE,
    ) -> None:
        """Create the head; no host runs yet.

        Args:
            system: The head's actor system; messages to its windows go to hosts from now on.
            pool: Where hosts are started.
            count: Number of hosts to run.
            surface: Address of the actor that shows a resumed window's output.
            on_fatal: Called with the reason if no host can be started any more.
            pace: Times of the hosts' care.
        """
        self._system, self._pool, self._codec, self._count = system, pool, head_codec(), count
        self._surface, self._on_fatal, self._pace = surface, on_fatal, pace
        self._lock = threading.RLock()
        self._lives: dict[str, HostLife] = {}
        self._at: dict[str, HostLife] = {}
        """Host of each window, by the window's key."""
        self._homeless: deque[WindowMessage] = deque()
        """Messages to windows from a time without any host."""
        self._last_number = 0
        self.lost = 0
        """Number of lost hosts."""
        self._failures = 0
        self._is_first_round = True
        self._is_over = False
        system.reach_elsewhere(self.route)

    def start(self) -> None:
        """Begin to start the hosts; messages to windows wait until a host is ready.

        Raises:
            PoolError: hosts cannot be started anywhere.
        """
        self._pool.open()
        self._look()
        for _ in range(self._count):
            self._start_one()

    def _look(self) -> None:
        """Check each second for the hosts' runner: without the runner the service manager restarts the agent."""
        if self._is_over:
            return
        if reason := self._pool.trouble():
            self._on_fatal(f"the Ray cluster is lost: {reason}; the next start creates a new one")
            return
        self._system.clock.call_later(self._pace.look_s, self._look)

    def stop(self) -> None:
        """End the hosts. Their unfinished work is in the logs."""
        with self._lock:
            self._is_over = True
            lives = list(self._lives.values())
        ends = [threading.Thread(target=self._end, args=(life,), daemon=True) for life in lives]
        for end in ends:
            end.start()
        for end in ends:
            end.join(2 * self._pace.end_s)
        self._pool.close()

    def _end(self, life: HostLife) -> None:
        life.stop()
        if life.remote is not None:
            life.remote.end(self._pace.end_s)

    @property
    def is_busy(self) -> bool:
        """True if a message to a window is not settled, or a window is busy."""
        with self._lock:
            return bool(self._homeless) or not all(life.is_settled for life in self._lives.values())

    def states(self) -> tuple[HostState, ...]:
        """State of each host."""
        with self._lock:
            return tuple(
                HostState(life.name, life.stage.value, life.pid, len(life.windows), life.live, life.ledger.open_count)
                for life in self._lives.values()
            )

    # the kernel's hook

    def route(self, to: Address, message: Message) -> bool:
        """Take a message for a window, or for an actor of a host; that is a dead letter when the host is gone."""
        kind, at, name = to.kind.partition(AT)
        if kind != CONTEXT_KIND and not at:
            return False
        try:
            data = self._codec.encode(to, message)
        except (TypeError, ValueError, msgspec.MsgspecError):
            log.exception("%s to %s cannot be written", type(message).__name__, to)
            return False
        with self._lock:
            if self._is_over:
                return False
            if not at:
                self._tell_window(WindowMessage(to.key, message, data))
                return True
            life = self._lives.get(name)
            if life is None or life.stage is Stage.LOST:
                return False
            life.put(data, None)
            return True

    def _tell_window(self, message: WindowMessage) -> None:
        life = self._at.get(message.key)
        if life is None:
            hosts = self._open_to_windows()
            if not hosts:
                self._homeless.append(message)
                return
            life = self._at[message.key] = hosts[choose_host(message.key, hosts)]
            life.windows.add(message.key)
        life.put(message.data, message)

    def _open_to_windows(self) -> dict[str, HostLife]:
        """Hosts that may be given a window: at first also starting hosts, or the first ready host would get all."""
        stages = (Stage.STARTING, Stage.RUNNING) if self._is_first_round else (Stage.RUNNING,)
        return {life.name: life for life in self._lives.values() if life.stage in stages}

    def _look_at_round(self) -> None:
        """End the first round when every host of the round has started or failed."""
        if all(life.stage is not Stage.STARTING for life in self._lives.values()):
            self._is_first_round = False

    # hosts that come and go

    def _start_one(self) -> None:
        with self._lock:
            if self._is_over:
                return
            self._last_number += 1
            name = f"h{self._last_number}"
            life = HostLife(name, self._system.new_token(), self._system, self._codec, self, self._pace.lease_s)
            self._lives[name] = life
            earlier = self._failures
        try:
            threading.Thread(target=self._begin, args=(life, earlier), name=f"start {name}", daemon=True).start()
        except RuntimeError as error:  # the machine gives no more threads
            self._note_failure(life, str(error), earlier)

    def _begin(self, life: HostLife, earlier: int) -> None:
        try:
            remote = self._pool.start(life.name)
            try:
                remote.begin(life.name, life.epoch, self._pace.begin_s)
                life.drive(remote)
            except BaseException:
                remote.kill()
                raise
        except HostSlowError as error:
            self._note_failure(life, str(error), earlier)
            return
        except (PoolError, HostGoneError) as error:
            self._note_failure(life, str(error))
            return
        except Exception:
            if not self._is_over:  # else what starts it was taken down meanwhile
                log.exception("host %s: the start failed inside the agent", life.name)
                self._note_failure(life, "the start failed inside the agent")

    def _note_failure(self, life: HostLife, reason: str, earlier: int | None = None) -> None:
        """A host could not be started: try again after a while, but not for ever.

        Args:
            life: Life of the host.
            reason: Reason of the failure.
            earlier: Number of failures at the start of a slow host: hosts that were slow at the same time have one
                cause, and count once.
        """
        with self._lock:
            self._lives.pop(life.name, None)
            if earlier is None or earlier == self._failures:
                self._failures += 1
            failures = self._failures
            if self._is_over:
                return
            self._look_at_round()
            self._hand_over(life)
        log.warning("host %s cannot be started (failure %d of %d): %s", life.name, failures, FAILURES, reason)
        if failures >= FAILURES:
            self._on_fatal(f"no host of the cluster can be started: {reason}")
            return
        self._system.clock.call_later(self._pace.retry_s * 2 ** (failures - 1), self._start_one)

    def on_running(self, life: HostLife) -> None:
        """Send waiting messages to the host."""
        with self._lock:
            if life.stage is not Stage.STARTING:
                return
            life.stage = Stage.RUNNING
            self._failures = 0
            self._look_at_round()
            waiting, self._homeless = self._homeless, deque()
            for message in waiting:
                self._tell_window(message)
        log.info("host %s is ready", life.name)

    def on_lost(self, life: HostLife, reason: str) -> None:
        """Start another host at once; reassign the lost host's windows when the lease is over."""
        with self._lock:
            if life.stage is Stage.LOST or self._is_over:
                return
            life.stage = Stage.LOST
            self.lost += 1
            self._look_at_round()
        life.stop()
        askers = tuple(Address(f"{kind}{AT}{life.name}") for kind in sorted(DOUBLED))
        for follower in self._system.topics.of(ASKERS):
            self._system.tell(follower, AskersLost(askers=askers))
        log.warning(
            "host %s is lost (%s); its %d windows go elsewhere in %.1f s",
            *(life.name, reason, len(life.windows), life.grant.left_s),
        )
        self._start_one()
        if life.remote is not None:
            life.remote.kill()
        self._wait_out(life)

    def _wait_out(self, life: HostLife) -> None:
        """Wait until the host's lease has ended, whatever is reported of the host; no thread blocks meanwhile."""
        left_s = life.grant.left_s
        if left_s > 0:
            self._system.clock.call_later(left_s, lambda: self._wait_out(life))
            return
        with self._lock:
            if self._lives.pop(life.name, None) is None or self._is_over:
                return
            self._hand_over(life)
        if MEMORY in self._system:  # what the host was about to tell the memory is in the logs
            self._system.tell(MEMORY, ReconcileDue())

    def _hand_over(self, life: HostLife) -> None:
        """Move the host's windows to other hosts: the windows resume from their logs, then get the owed messages."""
        owed, at_work = life.take_over()
        for key in life.windows:
            if self._at.get(key) is life:
                del self._at[key]
        keys = dict.fromkeys(message.key for message in owed) | dict.fromkeys(sorted(at_work))
        for key in keys:
            try:
                window = Window.from_key(key)
            except ValueError as error:  # no log to resume from; and no other window waits for that
                log.warning("a window of host %s cannot be resumed: %s", life.name, error)
                continue
            resume = ResumeWindow(window=window, reply_to=self._surface)
            self._tell_window(WindowMessage(key, resume, self._codec.encode(window.address, resume)))
        for message in owed:
            self._tell_window(self._repeat(message))
        if keys:
            log.warning("%d windows of host %s were resumed, %d messages said again", len(keys), life.name, len(owed))

    def _repeat(self, owed: WindowMessage) -> WindowMessage:
        """Message in the form for a window's next host: the window may have logged a posting, and begun anew since."""
        match owed.message:
            case RuntimePosted() as message:
                again: RuntimePosted | ReviseMessage = msgspec.structs.replace(message, is_late=True)
            case ReviseMessage() as again:
                pass
            case _:
                return owed
        return WindowMessage(owed.key, again, self._codec.encode(again.window.address, again))
