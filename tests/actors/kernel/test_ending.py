from __future__ import annotations

import threading
import time

import pytest

from actors.kernel import ActorSpec, ActorSystem, ManualClock, ending
from actors.kernel.system import START_S
from domain.policy.restarts import RestartPolicy
from messages.base import Address
from tests.actors.kernel.players import AT_ONCE, Boom, Player, Say, Stage, failing
from tests.patience import PATIENCE_S


def test_actors_stop_on_demand_ones_first_and_both_in_reverse_order_of_their_kinds(clock: ManualClock) -> None:
    system = ActorSystem(workers=0, clock=clock)
    stopped: list[str] = []

    class Leaving(Player):
        def on_stop(self) -> None:
            stopped.append(str(self.address))

    def build(key: str) -> Leaving:
        return Leaving(lambda player, message: None, [])

    system.register(ActorSpec("first", build, core=True))
    system.register(ActorSpec("feed", build))
    system.register(ActorSpec("window", build))
    system.register(ActorSpec("last", build, core=True))
    system.start()
    for address in (Address("window", "a"), Address("feed"), Address("window", "b")):
        system.tell(address, Say())
    system.run()
    system.stop()

    assert stopped == ["window/a", "window/b", "feed", "last", "first"]


def test_a_start_that_is_called_off_starts_no_further_core_actor(live_system: ActorSystem) -> None:
    begun: list[str] = []
    hung, may_go_on = threading.Event(), threading.Event()

    class Slow(Player):
        def on_start(self) -> None:
            begun.append("slow")
            hung.set()
            may_go_on.wait(PATIENCE_S)

    class Next(Player):
        def on_start(self) -> None:
            begun.append("next")

    live_system.register(ActorSpec("slow", lambda key: Slow(lambda p, m: None, []), core=True))
    live_system.register(ActorSpec("next", lambda key: Next(lambda p, m: None, []), core=True))
    begin = time.monotonic()
    live_system.start(hung.is_set)
    assert time.monotonic() - begin < START_S / 2
    assert not may_go_on.is_set()  # the start came back while the first still began
    may_go_on.set()
    live_system.stop()

    assert begun == ["slow"]
    assert live_system.mailboxes() == []


def test_a_core_actor_that_stops_may_still_tell_those_that_stop_after_it(live_system: ActorSystem) -> None:
    heard: list[int] = []

    class Last(Player):
        def on_stop(self) -> None:
            self.tell(Address("first"), Say(n=7))

    live_system.register(ActorSpec("first", lambda key: Player(lambda p, m: heard.append(m.n), []), core=True))
    live_system.register(ActorSpec("last", lambda key: Last(lambda p, m: None, []), core=True))
    live_system.start()
    live_system.stop()

    assert heard == [7]


def test_messages_told_before_a_stop_are_handled_and_those_after_it_are_dead_letters(system: ActorSystem) -> None:
    stage = Stage(system)
    stage.tell(1, 2)
    system.stop()
    stage.tell(3)
    stage.tell(4, key="new")

    assert stage.heard == [1, 2]
    assert [letter.message for letter in system.dead_letters.letters()] == [Say(n=3), Say(n=4)]
    assert system.dead_letters.counts() == {"left over at the end": 2}
    assert stage.events == ["start", "stop"]


def test_an_actor_that_tells_itself_for_ever_is_stopped_all_the_same(live_system: ActorSystem) -> None:
    began = threading.Event()

    def play(player: Player, message: Say) -> None:
        began.set()
        player.tell(player.address, message)

    stage = Stage(live_system, play)
    stage.tell(1)
    assert began.wait(PATIENCE_S)
    live_system.stop()

    assert stage.events == ["start", "stop"]
    assert live_system.dead_letters.count == 1
    assert live_system.mailboxes() == []


@pytest.mark.crashes
@pytest.mark.parametrize("policy", [RestartPolicy(), AT_ONCE])
def test_nobody_is_restarted_during_a_stop_and_what_is_left_becomes_dead_letters(
    system: ActorSystem, policy: RestartPolicy
) -> None:
    stage = Stage(system, failing(1), policy=policy)
    stage.tell(1, 2, 3)
    system.stop()

    assert stage.events == ["start", "stop"]
    assert [letter.message for letter in system.dead_letters.letters()] == [Say(n=1), Say(n=2), Say(n=3)]


@pytest.mark.crashes
def test_a_resting_actor_is_stopped_without_waiting_for_the_end_of_its_rest(
    system: ActorSystem, clock: ManualClock
) -> None:
    stage = Stage(system, failing(1), policy=RestartPolicy(intensity=0, suspend_s=1000))
    stage.run(1, 2)
    system.stop()
    clock.advance(2000)
    system.run()

    assert stage.events == ["start", "stop"]
    assert system.dead_letters.counts() == {"left over at the end": 2}


@pytest.mark.crashes
def test_with_workers_a_suspended_actor_does_not_delay_the_stop() -> None:
    system = ActorSystem(workers=2)
    stage = Stage(system, failing(1), policy=RestartPolicy(intensity=0, suspend_s=1000))
    stage.tell(1, 2)
    while not any(mailbox.resting for mailbox in system.mailboxes()):
        threading.Event().wait(0.001)
    system.stop(60)

    assert stage.events == ["start", "stop"]
    assert system.dead_letters.counts() == {"left over at the end": 2}


@pytest.mark.crashes
def test_crashes_in_the_middle_of_a_stop_lose_no_message() -> None:
    for _ in range(10):
        system = ActorSystem(workers=2)
        stage = Stage(system, failing(*range(0, 200, 7)), policy=AT_ONCE)
        for n in range(200):
            stage.tell(n, key=str(n % 5))
        system.stop()
        buried = [letter.message.n for letter in system.dead_letters.letters()]  # type: ignore[attr-defined]

        assert sorted(stage.heard + buried) == list(range(200))
        assert sorted(stage.events.count(f"start {k}") for k in range(5)) == sorted(
            stage.events.count(f"stop {k}") for k in range(5)
        )


@pytest.mark.crashes
def test_an_exception_in_on_stop_keeps_neither_the_actor_nor_the_others(system: ActorSystem) -> None:
    class Sticky(Player):
        def on_stop(self) -> None:
            super().on_stop()
            raise Boom("stuck")

    events: list[str] = []
    for kind in ("one", "two"):
        system.register(ActorSpec(kind, lambda key: Sticky(lambda p, m: None, events), core=True))
    system.start()
    system.run()
    system.stop()

    assert events == ["start", "start", "stop", "stop"]
    assert system.supervisor.crashes() == {"one": 1, "two": 1}
    assert system.mailboxes() == []


def test_a_handler_that_hangs_is_left_behind_with_a_word_in_the_log_and_loses_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    system = ActorSystem(workers=2)
    begun, over = threading.Event(), threading.Event()

    def play(player: Player, message: Say) -> None:
        begun.set()
        assert over.wait(PATIENCE_S)

    stage = Stage(system, play)
    stage.tell(1, 2)
    assert begun.wait(PATIENCE_S)
    system.stop(0.1)

    assert "is left behind: still running player" in caplog.text
    assert [letter.message for letter in system.dead_letters.letters()] == [Say(n=2)]
    over.set()
    for worker in system.dispatcher.workers:
        worker.join(PATIENCE_S)
    assert stage.heard == [1]
    assert stage.events == ["start", "stop"]
    assert system.dead_letters.count == 1


def test_many_actors_that_cannot_stop_delay_the_end_no_longer_than_one(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ending, "LEAST_WAIT_S", 0.5)
    system = ActorSystem(workers=1)
    begun, over = threading.Event(), threading.Event()

    def play(player: Player, message: Say) -> None:
        begun.set()
        assert over.wait(PATIENCE_S)

    stage = Stage(system, play)
    for key in range(200):
        stage.tell(1, key=str(key))
    assert begun.wait(PATIENCE_S)
    begin = time.monotonic()
    system.stop(0)
    took_s = time.monotonic() - begin
    over.set()
    for worker in system.dispatcher.workers:
        worker.join(PATIENCE_S)

    assert took_s < PATIENCE_S / 2, "100 s, if each had its own"
    assert "200 actors did not stop in time: player/0, player/1" in caplog.text


def test_an_actor_that_was_never_started_is_not_started_to_be_stopped(clock: ManualClock) -> None:
    system = ActorSystem(workers=0, clock=clock)
    stage = Stage(system, core=True)
    system.stop()

    assert stage.players == []


def test_stopping_twice_or_before_the_start_changes_nothing(clock: ManualClock) -> None:
    system = ActorSystem(workers=2)
    system.stop()
    system.stop()
    live = ActorSystem(workers=2)
    stage = Stage(live, core=True)
    live.stop()
    live.stop()

    assert stage.events == ["start", "stop"]


def test_after_a_stop_no_thread_of_the_system_runs() -> None:
    system = ActorSystem(workers=2)
    stage = Stage(system, lambda player, message: None, idle_s=60)
    stage.tell(1)
    workers = system.dispatcher.workers
    system.stop()

    assert [worker.name for worker in workers if worker.is_alive()] == []
    assert [t.name for t in threading.enumerate() if t.name == "kernel-timers"] == []


def test_a_timer_that_was_set_does_not_fire_after_the_stop(system: ActorSystem, clock: ManualClock) -> None:
    stage = Stage(system, lambda player, message: player.after(5, Say(n=2)))
    stage.run(1)
    system.stop()
    clock.advance(10)

    assert stage.heard == [1]
    assert system.dead_letters.count == 0
