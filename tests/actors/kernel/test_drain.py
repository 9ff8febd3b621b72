from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator

import pytest

from actors.kernel import ActorSpec, ActorSystem, ManualClock
from actors.kernel.mailbox import Mailbox
from domain.policy.restarts import RestartPolicy
from messages.base import Address
from tests.actors.kernel.players import PLAYER, Player, Say, Stage, failing
from tests.patience import PATIENCE_S


def test_a_drain_handles_all_that_is_there_and_says_that_all_is_quiet(system: ActorSystem) -> None:
    stage = Stage(system)
    stage.tell(*range(100))
    report = system.drain(0)

    assert stage.heard == list(range(100))
    assert report.quiet
    assert report.unfinished == ()


def test_a_drain_with_workers_waits_for_chains_of_messages(live_system: ActorSystem) -> None:
    def play(player: Player, message: Say) -> None:
        if message.n:
            player.tell(Address("player", str(message.n % 7)), Say(n=message.n - 1))

    stage = Stage(live_system, play)
    for _ in range(20):
        before = len(stage.heard)
        stage.tell(200)
        assert live_system.drain(PATIENCE_S).quiet
        assert len(stage.heard) == before + 201


def test_work_that_moves_behind_the_back_of_a_look_is_not_taken_for_quiet(
    system: ActorSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(player: Player, message: Say) -> None:
        if message.n == 2:
            player.tell(Address("player", "seen idle"), Say(n=3))

    stage = Stage(system, play)
    stage.run(1, key="seen idle")
    stage.run(1, key="still to be looked at")

    def look() -> Iterator[Mailbox]:
        first, second = mailboxes
        yield first
        stage.tell(2, key="still to be looked at")
        system.dispatcher.run_ready()
        yield second

    mailboxes = system.mailboxes()
    assert [str(mailbox.address) for mailbox in mailboxes] == ["player/seen idle", "player/still to be looked at"]
    with monkeypatch.context() as patch:
        patch.setattr(system, "mailboxes", look)
        assert not system.drain(0).quiet
    assert system.drain(0).quiet
    assert stage.heard == [1, 1, 2, 3]


def test_a_drain_waits_for_no_work_that_a_later_life_makes_up_for_and_for_all_else(live_system: ActorSystem) -> None:
    def go_on(player: Player, message: Say) -> None:
        player.tell(player.address, message)

    gate = threading.Event()

    def play(player: Player, message: Say) -> None:
        with player.blocking():
            gate.wait(PATIENCE_S)

    stage = Stage(live_system, play)
    live_system.register(ActorSpec("busy", lambda _key: Player(go_on, []), is_made_up_for=True))
    live_system.tell(Address("busy"), Say(n=1))
    stage.tell(1, key="turn")
    assert live_system.drain(0.5).unfinished == (Address("player", "turn"),)
    gate.set()
    assert live_system.drain(PATIENCE_S).quiet
    assert stage.heard == [1]


def test_a_drain_ends_although_something_moves_all_the_time_when_look_after_look_finds_nothing(
    system: ActorSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while the memory makes its index: some actor always works, and never on a turn."""
    runs = itertools.count()
    monkeypatch.setattr(system.dispatcher, "runs", lambda: next(runs))
    assert not system.drain(0).quiet
    assert system.drain(3).quiet


def test_a_drain_names_who_has_not_finished_by_the_deadline(system: ActorSystem) -> None:
    def play(player: Player, message: Say) -> None:
        player.in_progress = True

    stage = Stage(system, play)
    stage.tell(1, key="turn")
    report = system.drain(0)

    assert not report.quiet
    assert report.unfinished == (Address("player", "turn"),)


def test_a_drain_waits_until_work_outside_is_over(live_system: ActorSystem) -> None:
    begun, over = threading.Event(), threading.Event()

    def play(player: Player, message: Say) -> None:
        player.in_progress = message.n == 1
        begun.set()

    stage = Stage(live_system, play)
    stage.tell(1)
    assert begun.wait(PATIENCE_S)

    def finish() -> None:
        assert not over.is_set()
        stage.tell(2)

    timer = threading.Timer(0.05, finish)
    timer.start()
    report = live_system.drain(PATIENCE_S)
    over.set()
    timer.join()

    assert report.quiet
    assert stage.heard == [1, 2]


@pytest.mark.crashes
def test_a_drain_waits_for_the_messages_of_a_resting_actor_but_not_for_its_rest_alone(
    system: ActorSystem, clock: ManualClock
) -> None:
    stage = Stage(system, failing(1, times=1))
    stage.tell(1)
    assert system.drain(0).unfinished == (PLAYER,)
    clock.advance(1)
    assert system.drain(0).quiet

    stage = Stage(system, failing(1), kind="poisoned", policy=RestartPolicy(max_attempts=1), start=False)
    stage.tell(1)
    assert system.drain(0).quiet


@pytest.mark.crashes
def test_a_drain_names_who_crashed_too_often_and_does_not_wait_for_it(live_system: ActorSystem) -> None:
    stage = Stage(live_system, failing(1), policy=RestartPolicy(intensity=0, suspend_s=1000))
    stage.tell(1)
    while not any(mailbox.gave_up for mailbox in live_system.mailboxes()):
        threading.Event().wait(0.001)
    begin = time.monotonic()
    report = live_system.drain(PATIENCE_S)

    assert (report.quiet, report.unfinished) == (False, (PLAYER,))
    assert time.monotonic() - begin < PATIENCE_S / 2
