"""Which of many idle actors leave memory before their time."""

from __future__ import annotations

import threading

import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem, ManualClock
from actors.kernel.passivation import CROWD_LOOK_S, STAY_TICKS
from messages.base import Address
from tests.actors.kernel.players import Player, Say, Stage

MOST = 3
SETTLED_S = (STAY_TICKS + 1) * CROWD_LOOK_S


def settle(system: ActorSystem, clock: ManualClock) -> set[str]:
    """Keys of the remaining actors after a while without messages."""
    clock.advance(SETTLED_S)
    system.run()
    return {address.key for address in system}


def test_of_too_many_idle_actors_those_used_longest_ago_leave(system: ActorSystem, clock: ManualClock) -> None:
    stage = Stage(system, idle_s=3600, most_idle=MOST)
    for key in range(8):
        stage.run(1, key=str(key))
        clock.advance(CROWD_LOOK_S)
    stage.run(2, key="5")

    assert settle(system, clock) == {"5", "6", "7"}
    assert stage.events.count("stop 0") == 1
    stage.run(3, key="0")
    assert stage.events[-1] == "start 0"


def test_as_many_as_may_be_idle_stay(system: ActorSystem, clock: ManualClock) -> None:
    stage = Stage(system, idle_s=3600, most_idle=MOST)
    for key in range(MOST):
        stage.run(1, key=str(key))

    assert settle(system, clock) == {"0", "1", "2"}


def test_actors_at_work_neither_leave_nor_count(system: ActorSystem, clock: ManualClock) -> None:
    def play(player: Player, message: Say) -> None:
        player.in_progress = message.n == 1

    stage = Stage(system, play, idle_s=3600, most_idle=MOST)
    for key in range(5):
        stage.run(1, key=f"busy {key}")
    for key in range(MOST):
        stage.run(2, key=f"idle {key}")
    assert len(settle(system, clock)) == 5 + MOST
    stage.run(2, key="busy 0")

    assert settle(system, clock) == {*(f"busy {key}" for key in range(5)), "idle 1", "idle 2"}


def test_what_was_used_just_now_stays_however_many_there_are(system: ActorSystem, clock: ManualClock) -> None:
    stage = Stage(system, idle_s=3600, most_idle=0)
    stage.run(1)
    clock.advance(CROWD_LOOK_S)
    system.run()
    assert len(system.mailboxes()) == 1

    assert settle(system, clock) == set()


def test_kinds_have_bounds_of_their_own(system: ActorSystem, clock: ManualClock) -> None:
    few = Stage(system, kind="few", idle_s=3600, most_idle=1, start=False)
    many = Stage(system, kind="many", idle_s=3600, most_idle=5, start=False)
    free = Stage(system, kind="free", idle_s=3600)
    for key in range(7):
        for stage in (few, many, free):
            stage.run(1, key=str(key))
        clock.advance(CROWD_LOOK_S)
    settle(system, clock)

    kinds = [address.kind for address in system]
    assert (kinds.count("few"), kinds.count("many"), kinds.count("free")) == (1, 5, 7)


def test_an_actor_that_left_forgets_its_parts(system: ActorSystem, clock: ManualClock) -> None:
    stage = Stage(system, idle_s=60)
    stage.run(1)
    clock.advance(120)
    system.run()
    (player,) = stage.players

    assert vars(player).keys() == {"mailbox"}
    assert player.address.kind == "player"


class Leaver(Actor):
    """Leaves memory in the moment in which another thread asks whether it is at work, if told to."""

    def __init__(self, leaving: threading.Event) -> None:
        super().__init__()
        self._leaving = leaving
        self.pending = 0

    @property
    def in_progress(self) -> bool:  # type: ignore[override]  # as that of windows, which count
        if self._leaving.is_set():
            if self.mailbox.actor is self:
                self.mailbox.system.runner.end(self.mailbox)
            self.let_go()
        return bool(self.pending)

    def handle(self, message: Say) -> None:
        """Nothing is done."""


def test_a_look_at_an_actor_that_is_leaving_finds_nothing_at_work(
    system: ActorSystem, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    leaving = threading.Event()
    system.register(ActorSpec("leaver", lambda key: Leaver(leaving), idle_s=60))
    stage = Stage(system, idle_s=60)
    system.tell(Address("leaver", "a"), Say())
    stage.run(1)
    leaving.set()
    clock.advance(120)
    system.run()

    assert list(system) == []  # the sweep went on
    assert caplog.text == ""


def test_a_fault_of_a_living_actors_own_is_not_taken_for_its_leaving(
    system: ActorSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaving = threading.Event()
    system.register(ActorSpec("leaver", lambda key: Leaver(leaving), idle_s=60))
    system.start()
    system.tell(Address("leaver", "a"), Say())
    system.run()
    (mailbox,) = system.mailboxes()
    assert not mailbox.holds_work()
    del mailbox.actor.pending  # type: ignore[union-attr]

    with pytest.raises(AttributeError, match="pending"):
        mailbox.holds_work()


@pytest.mark.parametrize(("idle_s", "most_idle"), [(None, 5), (60.0, -1)])
def test_a_bound_that_cannot_be_kept_is_refused(idle_s: float | None, most_idle: int) -> None:
    with pytest.raises(ValueError, match=f"kind 'player': most_idle {most_idle} must be >= 0, and needs an idle_s"):
        ActorSpec("player", lambda key: Player(lambda player, message: None, []), idle_s=idle_s, most_idle=most_idle)
