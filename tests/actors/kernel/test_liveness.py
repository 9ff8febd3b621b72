"""Loops and core actors that end or hang: seen by the system, crashes of their actors, and no message lost."""

from __future__ import annotations

import ast
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem, LoopEndedError, LoopThread
from actors.kernel.liveness import GIVE_UP_S, STEP_S, Liveness
from actors.kernel.watchdog import Watchdog
from domain.policy.restarts import RestartPolicy
from messages.base import Address
from tests.actors.kernel.players import PLAYER, Player, Say, Stage
from tests.patience import PATIENCE_S, eventually

T = TypeVar("T")
ROOT = Path(__file__).parents[3]
OWNER = Address("owner")
SOON = RestartPolicy(min_backoff_s=0.01, max_backoff_s=0.01, intensity=1000)
END, HANG = -1, -2


class Owner(Actor):
    """Hands every message to its loop, which ends, hangs or answers."""

    def __init__(self, answer: Callable[[Say], object], hang: Callable[[], object]) -> None:
        super().__init__()
        self._answer = answer
        self._hang = hang
        self._loop = LoopThread("owner", self)

    def on_start(self) -> None:
        self._loop.start()

    def handle(self, message: Say) -> None:
        if message.n == END:
            self._loop.call(sys.exit, "over")
        elif message.n == HANG:
            self._loop.call(self._hang)
        else:
            self._loop.call(self._answer, message)

    def on_stop(self) -> None:
        self._loop.stop(0.1)


class Rig:
    """A core actor with a loop in a live system."""

    def __init__(self, policy: RestartPolicy = SOON) -> None:
        self.gave_up = threading.Event()
        self.system = ActorSystem(on_escalation=lambda _event: self.gave_up.set())
        self.edge = self.system.edge("test")
        self.hung, self.over = threading.Event(), threading.Event()
        self.system.register(ActorSpec("owner", self._build, core=True, policy=policy))
        self.system.start()

    def _build(self, _key: str) -> Owner:
        return Owner(lambda message: self.edge.put(message), self._hang)

    def _hang(self) -> None:
        self.hung.set()
        assert self.over.wait(PATIENCE_S)

    def tell(self, *numbers: int) -> None:
        for n in numbers:
            self.system.tell(OWNER, Say(n=n))

    def hears(self, n: int) -> bool:
        return self.edge.receive(PATIENCE_S) == Say(n=n)

    def loops(self) -> list[threading.Thread]:
        # One that is being started by another thread is listed already, and cannot be waited for yet.
        return [thread for thread in threading.enumerate() if thread.name == "owner" and thread.is_alive()]


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    rig.over.set()
    rig.system.stop()
    for thread in rig.loops():
        thread.join(PATIENCE_S)


@pytest.mark.crashes
def test_a_loop_that_ends_is_a_crash_of_its_actor_which_gets_a_new_one(rig: Rig) -> None:
    rig.tell(1)
    assert rig.hears(1)
    for n in range(2, 5):
        before = rig.loops()
        rig.tell(END)
        for thread in before:
            thread.join(PATIENCE_S)
        rig.tell(n)
        assert rig.hears(n), "told to a loop that had ended, and handled by the next"

    assert rig.system.supervisor.crashes() == {"owner": 3}
    crash = rig.system.supervisor.last_crashes()[-1]
    assert crash.error == "LoopEndedError: loop owner ended by itself with SystemExit: over"
    assert rig.system.watchdog.loops == ("owner",), "the ended ones are watched no more"


@pytest.mark.crashes
def test_a_quiet_actor_learns_that_its_loop_ended(rig: Rig) -> None:
    """The actor gets no message, as a bot with a dead loop hears no event."""
    rig.tell(END)
    eventually(rig.system.supervisor.restarts)

    assert rig.system.supervisor.last_crashes()[-1].phase == "outside"


@pytest.mark.crashes
def test_a_core_actor_whose_loops_end_again_and_again_is_given_up() -> None:
    rig = Rig(RestartPolicy(min_backoff_s=0, max_backoff_s=0, intensity=3))
    for _ in range(4):
        thread = eventually(rig.loops)[0]
        rig.tell(END)
        thread.join(PATIENCE_S)
    gave_up = rig.gave_up.wait(PATIENCE_S)
    rig.system.stop()

    assert gave_up


@pytest.mark.crashes
def test_what_is_told_to_a_loop_that_ended_raises_until_its_owner_has_stopped_it() -> None:
    async def never() -> None:
        pytest.fail("there is nothing to run it")

    loop = LoopThread("test-loop")
    loop.start()
    thread = next(thread for thread in threading.enumerate() if thread.name == "test-loop")
    loop.call(sys.exit)
    thread.join(PATIENCE_S)

    with pytest.raises(LoopEndedError, match="loop test-loop ended by itself with SystemExit"):
        loop.call(print)
    with pytest.raises(LoopEndedError):
        loop.submit(never())
    loop.stop()
    loop.call(print)
    assert loop.submit(never()).cancelled()


@pytest.mark.crashes
def test_a_life_that_began_after_the_loop_ended_is_not_crashed_by_it(system: ActorSystem) -> None:
    stage = Stage(system)
    stage.run(1)
    first = stage.players[0]
    first.fail(RuntimeError("its loop"))
    system.run()
    system.clock.advance(10)  # type: ignore[attr-defined]
    stage.run(2)
    first.fail(RuntimeError("its loop, said late"))
    stage.run(3)

    assert stage.heard == [1, 2, 3]
    assert system.supervisor.crashes() == {"player": 1}
    assert system.dead_letters.letters() == ()


@pytest.mark.crashes
def test_an_outage_is_no_try_of_the_message_at_the_head(system: ActorSystem) -> None:
    """Five lives die of their loops as soon as they begin; the message that waited is handled, and nothing buried."""
    lives: list[Player] = []
    heard: list[int] = []

    class Unlucky(Player):
        def on_start(self) -> None:
            lives.append(self)
            if len(lives) <= 5:
                self.fail(RuntimeError("its loop"))

    system.register(ActorSpec("unlucky", lambda _key: Unlucky(lambda _player, message: heard.append(message.n), [])))
    system.start()
    system.tell(Address("unlucky"), Say(n=1))
    for _ in range(6):
        system.run()
        system.clock.advance(10)  # type: ignore[attr-defined]

    assert len(lives) == 6
    assert heard == [1]
    assert system.dead_letters.letters() == ()


@pytest.mark.parametrize("left", ["outage", "question"])
def test_outages_and_questions_left_at_the_end_are_no_dead_letters(system: ActorSystem, left: str) -> None:
    stage = Stage(system, core=True, start=False)
    system.start()
    system.run()
    if left == "outage":
        stage.players[0].fail(RuntimeError("its loop"))
    else:
        Liveness(system, 10).look(1)
    assert stage.players[0].mailbox.queue
    stage.players[0].mailbox.stopped = True
    stage.players[0].mailbox.retired = True
    system.retire(stage.players[0].mailbox)

    assert system.dead_letters.letters() == ()


# hanging


class Looks:
    """Looks of a watchdog whose time passes when told."""

    def __init__(self, system: ActorSystem) -> None:
        """Look after the loops that the system's own watchdog knows."""
        self._now_s = 1.0
        self.heard: list[tuple[str, ...]] = []
        self.watchdog = Watchdog(system, 10.0, lambda: self._now_s, system.watchdog.liveness)
        self.watchdog.on_look = self.heard.append

    def look(self, seconds: float, step_s: float = STEP_S) -> tuple[str, ...]:
        for _ in range(round(seconds / step_s)):
            self._now_s += step_s
            self.watchdog.look()
        return self.watchdog.late


@pytest.mark.crashes
def test_a_loop_that_hangs_is_named_with_its_stack_and_then_given_up(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    looks = Looks(rig.system)
    rig.system.clock.close()  # the system's own watchdog looks no more
    rig.tell(HANG)
    assert rig.hung.wait(PATIENCE_S)
    with caplog.at_level(logging.WARNING):
        assert "loop owner" not in looks.look(9)
        assert "loop owner" in looks.look(4)
    assert "loop owner does not respond; its stack:" in caplog.text
    assert "assert self.over.wait(PATIENCE_S)" in caplog.text
    assert looks.watchdog.counts()["loop owner"] == 1
    assert "loop owner" in looks.heard[-1]

    assert rig.system.supervisor.crashes() == {}
    looks.look(GIVE_UP_S)
    assert eventually(rig.system.supervisor.crashes) == {"owner": 1}
    assert "LoopHungError: loop owner has not come back for" in rig.system.supervisor.last_crashes()[0].error


def test_a_loop_is_not_late_because_the_whole_process_stood_still(rig: Rig) -> None:
    looks = Looks(rig.system)
    rig.system.clock.close()
    rig.tell(HANG)
    assert rig.hung.wait(PATIENCE_S)
    looks.look(2)
    late = looks.look(3600, step_s=3600)

    assert "loop owner" not in late


def test_a_loop_that_is_busy_and_comes_back_is_not_late(rig: Rig) -> None:
    looks = Looks(rig.system)
    rig.system.clock.close()
    for n in range(1, 30):
        rig.tell(n)
        assert rig.hears(n)
        assert "loop owner" not in looks.look(8)
        flush = threading.Event()
        looks.watchdog.liveness.loops[0].call(flush.set)
        assert flush.wait(PATIENCE_S)


def test_a_core_actor_that_does_not_answer_is_late_until_it_does(system: ActorSystem) -> None:
    stage, looks = Stage(system, core=True, start=False), Looks(system)
    system.start()
    system.run()
    assert looks.look(1) == ()
    late = looks.look(12)
    system.run()
    looks.look(1)

    assert late == ("player",)
    assert looks.watchdog.late == ()
    assert stage.heard == [], "the question is the kernel's own business"


@pytest.mark.crashes
def test_a_core_actor_that_rests_after_a_crash_does_not_answer(system: ActorSystem) -> None:
    def fail(_player: Player, _message: Say) -> None:
        raise RuntimeError("again")

    policy = RestartPolicy(min_backoff_s=1000, max_backoff_s=1000)
    stage, looks = Stage(system, fail, core=True, start=False, policy=policy), Looks(system)
    system.start()
    stage.tell(1)
    system.run()
    looks.look(13)
    system.run()

    assert looks.look(1) == (str(PLAYER),)


def test_every_loop_of_an_actor_has_its_owner() -> None:
    """So that no loop is outside the watch; who writes a new one learns it here."""
    ownerless = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in (ROOT / "actors").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", getattr(call.func, "attr", "")) == "LoopThread"
        and len(call.args) + len(call.keywords) < 2
    ]

    assert ownerless == []
