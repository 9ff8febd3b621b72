from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Iterator

import pykka
import pytest

from actors.kernel import ActorSpec, ActorSystem
from actors.kernel.watchdog import Watchdog
from messages.base import Address
from tests.actors.kernel.players import Player, Say, Stage
from tests.patience import PATIENCE_S


class Warnings(logging.Handler):
    """Reports of the watchdog, for tests that wait for one."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said: queue.Queue[str] = queue.Queue()

    def emit(self, record: logging.LogRecord) -> None:
        self._said.put(record.getMessage())

    def next(self) -> str:
        return self._said.get(timeout=PATIENCE_S)

    def rest(self) -> int:
        return self._said.qsize()


@pytest.fixture
def warnings() -> Iterator[Warnings]:
    handler = Warnings()
    logger = logging.getLogger("actors.kernel.watchdog")
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


class Hanging:
    """A stage whose players hang over message 0 until `let_go`, and tell an edge of all others."""

    def __init__(self, system: ActorSystem) -> None:
        self.edge = system.edge("test")
        self.hung = threading.Semaphore(0)
        self._over = threading.Event()
        self.stage = Stage(system, self._play)

    def hang(self, *keys: str) -> None:
        for key in keys:
            self.stage.tell(0, key=key)
        for _ in keys:
            assert self.hung.acquire(timeout=PATIENCE_S)

    def let_go(self) -> None:
        self._over.set()

    def hears(self, *numbers: int, key: str) -> bool:
        """True if another actor handles `numbers`."""
        self.stage.tell(*numbers, key=key)
        return [self.edge.receive(PATIENCE_S) for _ in numbers] == [Say(n=n) for n in numbers]

    def _play(self, player: Player, message: Say) -> None:
        if message.n == 0:
            self.hung.release()
            assert self._over.wait(PATIENCE_S)
        else:
            player.tell(self.edge.address, message)


class Watch:
    """A watchdog whose time passes when told."""

    def __init__(self, system: ActorSystem, limit_s: float = 10.0) -> None:
        self._now_s = 1.0
        self._watchdog = Watchdog(system, limit_s, lambda: self._now_s)
        self.counts = self._watchdog.counts

    def look_after(self, seconds: float) -> None:
        self._now_s += seconds
        self._watchdog.look()


def test_a_handler_that_hangs_is_named_with_its_message_and_stack_once_and_counted(
    live_system: ActorSystem, warnings: Warnings
) -> None:
    hanging, watch = Hanging(live_system), Watch(live_system)
    hanging.hang("stuck")
    watch.look_after(0)
    watch.look_after(9)
    assert warnings.rest() == 0
    for _ in range(5):
        watch.look_after(2)
    hanging.let_go()

    said = warnings.next()
    assert "player/stuck has been handling Say for 11.0 s on worker-" in said
    assert "assert self._over.wait(PATIENCE_S)" in said
    assert warnings.rest() == 0
    assert watch.counts() == {"player": 1}


def test_others_go_on_while_both_workers_hang() -> None:
    system = ActorSystem(workers=2)
    hanging, watch = Hanging(system), Watch(system)
    hanging.hang("a", "b")
    watch.look_after(0)
    watch.look_after(0.6)
    heard = hanging.hears(1, 2, 3, key="c")
    hanging.let_go()
    system.stop()

    assert heard
    assert watch.counts() == {}, "a worker was lent long before anybody is named"


def test_the_systems_own_watchdog_lends_workers_and_names_the_stuck(warnings: Warnings) -> None:
    system = ActorSystem(workers=2, stuck_s=0.05)
    hanging = Hanging(system)
    hanging.hang("a", "b")
    heard = hanging.hears(1, 2, key="c")
    said = {warnings.next().split()[0] for _ in range(2)}
    counts = system.watchdog.counts()
    hanging.let_go()
    system.stop()

    assert heard
    assert said == {"player/a", "player/b"}
    assert counts == {"player": 2}


def test_more_can_hang_one_after_another_than_there_are_workers() -> None:
    system = ActorSystem(workers=1, stuck_s=0.05)
    hanging = Hanging(system)
    for key in "abcde":
        hanging.hang(key)
    heard = hanging.hears(1, key="other")
    hanging.let_go()
    system.stop()

    assert heard


def test_who_comes_back_and_hangs_again_is_named_again(live_system: ActorSystem, warnings: Warnings) -> None:
    hung, gates = threading.Semaphore(0), [threading.Event(), threading.Event()]
    back = live_system.edge("back")

    def play(player: Player, message: Say) -> None:
        hung.release()
        assert gates[message.n].wait(PATIENCE_S)
        player.tell(back.address, message)

    stage, watch = Stage(live_system, play), Watch(live_system)
    for n, gate in enumerate(gates):
        stage.tell(n)
        assert hung.acquire(timeout=PATIENCE_S)
        watch.look_after(0)
        watch.look_after(11)
        gate.set()
        back.receive(PATIENCE_S)
        assert live_system.drain(PATIENCE_S).quiet

    assert [warnings.next().split()[0] for _ in gates] == ["player", "player"]
    assert watch.counts() == {"player": 2}


def test_a_worker_that_comes_back_is_not_counted_as_waiting_any_more() -> None:
    system = ActorSystem(workers=2)
    hanging, watch = Hanging(system), Watch(system)
    hanging.hang("a", "b")
    watch.look_after(0)
    watch.look_after(1)
    assert system.dispatcher.waits()["now"] == 2
    hanging.let_go()
    assert system.drain(PATIENCE_S).quiet
    watch.look_after(1)
    waiting = system.dispatcher.waits()["now"]
    system.stop()

    assert waiting == 0


def test_a_busy_worker_is_not_a_stuck_one(live_system: ActorSystem, warnings: Warnings) -> None:
    hanging, watch = Hanging(live_system), Watch(live_system)
    for n in range(1, 200):
        assert hanging.hears(n, key=str(n % 7))
        watch.look_after(6)

    assert warnings.rest() == 0
    assert watch.counts() == {}


def test_a_batch_that_began_just_now_is_not_as_old_as_the_last_one(
    live_system: ActorSystem, warnings: Warnings
) -> None:
    """A look comes between the moment a worker takes a mailbox and its first message, as often as it likes."""
    hanging, watch = Hanging(live_system), Watch(live_system)
    worker = live_system.dispatcher.workers[0]
    for n in range(1, 20):
        assert hanging.hears(n, key="a")
        assert live_system.drain(PATIENCE_S).quiet
        worker.mailbox = live_system.mailboxes()[0]
        watch.look_after(0)
        worker.runs += 1
        watch.look_after(60)
        worker.mailbox = None

    assert warnings.rest() == 0
    assert watch.counts() == {}


def test_an_actor_that_hangs_while_starting_is_named_too(live_system: ActorSystem, warnings: Warnings) -> None:
    starting, over = threading.Event(), threading.Event()

    class Slow(Player):
        def on_start(self) -> None:
            starting.set()
            assert over.wait(PATIENCE_S)

    live_system.register(ActorSpec("slow", lambda key: Slow(lambda player, message: None, [])))
    live_system.start()
    live_system.tell(Address("slow"), Say())
    assert starting.wait(PATIENCE_S)
    watch = Watch(live_system)
    watch.look_after(0)
    watch.look_after(12)
    over.set()

    assert warnings.next().startswith("slow has been starting or stopping for 12.0 s")


def test_what_came_through_pykkas_reference_is_named_by_its_own_type(
    live_system: ActorSystem, warnings: Warnings
) -> None:
    hanging, watch = Hanging(live_system), Watch(live_system)
    assert hanging.hears(1, key="a")
    ref: pykka.ActorRef[Player] = live_system.ref(Address("player", "a"))
    ref.tell(Say(n=0))
    assert hanging.hung.acquire(timeout=PATIENCE_S)
    watch.look_after(0)
    watch.look_after(12)
    hanging.let_go()

    assert warnings.next().startswith("player/a has been handling Say for 12.0 s")


def test_a_limit_that_is_no_time_is_refused(system: ActorSystem) -> None:
    with pytest.raises(ValueError, match="limit_s 0 must be > 0"):
        Watchdog(system, 0)
