from __future__ import annotations

import logging
import re
from functools import partial

import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem, DeadLetter, ManualClock
from actors.kernel.mailbox import Mailbox
from actors.kernel.supervisor import Crash
from domain.policy.restarts import RestartPolicy
from messages.base import Address
from messages.status import ActorGaveUp
from tests.actors.kernel.players import AT_ONCE, PLAYER, Boom, Player, Say, Stage, failing, together
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.crashes


def only_mailbox(system: ActorSystem) -> Mailbox:
    (mailbox,) = system.mailboxes()
    return mailbox


def rests(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Log lines about actors that crashed too often."""
    return [record.getMessage() for record in caplog.records if "resting for" in record.getMessage()]


def throw(text: str) -> None:
    raise Boom(text)


@pytest.mark.req("X-122")
def test_a_crash_keeps_the_mailbox_and_its_order(system: ActorSystem, clock: ManualClock) -> None:
    stage = Stage(system, failing(2, times=1))

    assert stage.run(1, 2, 3, 4) == [1]
    clock.advance(1)
    system.run()

    assert stage.heard == [1, 2, 3, 4]
    assert system.dead_letters.count == 0


def test_what_is_told_while_an_actor_rests_waits_behind_what_was_there(system: ActorSystem, clock: ManualClock) -> None:
    stage = Stage(system, failing(1, times=2))

    stage.run(1, 2)
    stage.run(3)
    clock.advance(1)
    stage.run(4)
    clock.advance(1)

    assert stage.run(5) == [1, 2, 3, 4, 5]


def test_a_crashed_actor_is_closed_and_a_new_one_takes_its_mailbox(system: ActorSystem) -> None:
    stage = Stage(system, failing(1, times=1), policy=AT_ONCE)

    stage.run(1)

    assert stage.events == ["start", "stop", "start"]
    assert len(set(stage.players)) == 2


def test_the_third_failure_of_a_message_makes_it_a_dead_letter_and_the_actor_lives_on(system: ActorSystem) -> None:
    stage = Stage(system, failing(2), policy=AT_ONCE)

    assert stage.run(1, 2, 3) == [1, 3]
    (letter,) = system.dead_letters.letters()
    assert letter.message == Say(n=2)
    assert letter.address == PLAYER
    assert letter.reason == "failed 3 times: Boom: number 2"
    assert re.search(r'players.py", line \d+, in play\n    raise Boom', letter.traceback)
    assert system.supervisor.crashes() == {"player": 3}


def test_failures_of_one_message_do_not_count_against_the_next(system: ActorSystem) -> None:
    stage = Stage(system, failing(1, 2, 3, times=2), policy=AT_ONCE)

    assert stage.run(1, 2, 3) == [1, 2, 3]
    assert system.dead_letters.count == 0


def test_failures_on_record_are_forgiven_when_others_were_handled_in_between(system: ActorSystem) -> None:
    rounds = 3
    stage = Stage(system, failing(7, times=1), policy=AT_ONCE)
    for _ in range(rounds):
        stage.play = failing(7, times=2)
        stage.run(1, 7, 1)

    assert stage.heard == [1, 7, 1] * rounds
    assert system.dead_letters.count == 0


def test_the_same_message_object_told_twice_gets_its_tries_each_time(system: ActorSystem) -> None:
    failures = iter([True, True, False, True, True, False])

    def play(player: Player, message: Say) -> None:
        if next(failures):
            raise Boom

    stage = Stage(system, play, policy=AT_ONCE)
    message = Say(n=1)
    system.tell(PLAYER, message)
    system.tell(PLAYER, message)
    system.run()

    assert stage.heard == [1, 1]


def test_backoff_doubles_up_to_its_maximum_and_its_jitter_stays_within_bounds(
    system: ActorSystem, clock: ManualClock
) -> None:
    policy = RestartPolicy(intensity=10, min_backoff_s=0.1, max_backoff_s=1.0, jitter=0.2, max_attempts=100)
    stage = Stage(system, failing(1), policy=policy)
    stage.run(1)
    for expected_s in (0.1, 0.2, 0.4, 0.8, 1.0, 1.0):
        wait_s = clock.next_due_s
        assert wait_s is not None
        assert expected_s <= wait_s <= expected_s * 1.2
        clock.advance(wait_s)
        system.run()


def test_more_crashes_than_the_intensity_suspend_a_window_with_its_mailbox_kept(
    system: ActorSystem, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    policy = RestartPolicy(intensity=2, min_backoff_s=0, max_backoff_s=0, max_attempts=10, suspend_s=30)
    stage = Stage(system, failing(1, times=3), policy=policy)

    assert stage.run(1, 2, 3) == []
    clock.advance(29.9)
    assert stage.run(4) == []
    clock.advance(0.2)
    system.run()

    assert stage.heard == [1, 2, 3, 4]
    assert rests(caplog) == [f"{PLAYER} crashed 3 times within 60 s: resting for 30 s"]


def test_after_its_suspension_an_actor_has_all_its_restarts_again(
    system: ActorSystem, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    policy = RestartPolicy(intensity=2, min_backoff_s=0, max_backoff_s=0, max_attempts=10, suspend_s=30)
    stage = Stage(system, failing(1, times=5), policy=policy)
    stage.run(1)
    clock.advance(30)
    system.run()

    assert stage.heard == [1]
    assert len(rests(caplog)) == 1


def test_a_poisonous_message_is_quarantined_even_if_the_actor_is_suspended_before_its_last_try(
    system: ActorSystem, clock: ManualClock
) -> None:
    policy = RestartPolicy(intensity=0, min_backoff_s=0, max_backoff_s=0, max_attempts=3, suspend_s=30)
    stage = Stage(system, failing(1), policy=policy)
    stage.run(1, 2)
    for _ in range(3):
        clock.advance(30)
        system.run()

    assert stage.heard == [2]
    assert system.dead_letters.count == 1


def test_crashes_older_than_the_window_do_not_count(
    system: ActorSystem, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    policy = RestartPolicy(intensity=1, window_s=60, min_backoff_s=0, max_backoff_s=0)
    stage = Stage(system, policy=policy)
    for n in range(5):
        stage.play = failing(n, times=1)
        stage.run(n)
        clock.advance(60)

    assert stage.heard == [0, 1, 2, 3, 4]
    assert system.supervisor.crashes() == {"player": 5}
    assert rests(caplog) == []


def test_an_actor_that_recovered_long_ago_costs_no_more_than_one_that_never_crashed(
    system: ActorSystem, clock: ManualClock
) -> None:
    stage = Stage(system, failing(1, times=1), policy=AT_ONCE)
    stage.run(1)
    assert only_mailbox(system).trouble is not None
    clock.advance(61)
    stage.run(2)

    assert only_mailbox(system).trouble is None


def test_a_core_actor_that_gives_up_is_escalated_and_its_messages_become_dead_letters(clock: ManualClock) -> None:
    given_up: list[ActorGaveUp] = []
    system = ActorSystem(workers=0, clock=clock, on_escalation=given_up.append)
    policy = RestartPolicy(intensity=1, min_backoff_s=0, max_backoff_s=0, max_attempts=10)
    stage = Stage(system, failing(1), core=True, policy=policy)

    stage.run(1, 2)
    stage.run(3)
    system.stop()

    assert given_up == [ActorGaveUp(address=PLAYER, crashes=2, within_s=60.0)]
    assert [letter.message for letter in system.dead_letters.letters()] == [Say(n=1), Say(n=2), Say(n=3)]
    assert {letter.reason for letter in system.dead_letters.letters()} == {"actor stopped"}
    assert stage.events == ["start", "stop", "start", "stop"]


def test_a_failing_escalation_is_reported_and_costs_no_message(
    clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    def escalate(event: ActorGaveUp) -> None:
        raise Boom("nobody listens")

    system = ActorSystem(workers=0, clock=clock, on_escalation=escalate)
    stage = Stage(system, failing(1), core=True, policy=RestartPolicy(intensity=0))
    stage.run(1, 2)
    system.stop()

    assert system.dead_letters.count == 2
    assert "could not be escalated" in caplog.text


def test_a_failing_sink_of_dead_letters_costs_no_message(clock: ManualClock, caplog: pytest.LogCaptureFixture) -> None:
    def sink(letter: DeadLetter) -> None:
        raise OSError("disk full")

    system = ActorSystem(workers=0, clock=clock, on_dead_letter=sink)
    stage = Stage(system, failing(1), policy=AT_ONCE)

    assert stage.run(1, 2) == [2]
    assert system.dead_letters.count == 1
    assert "could not be passed on" in caplog.text
    system.stop()


def test_the_sink_has_a_dead_letter_while_its_message_is_in_no_mailbox(clock: ManualClock) -> None:
    letters: list[DeadLetter] = []
    system = ActorSystem(workers=0, clock=clock, on_dead_letter=letters.append)
    stage = Stage(system, failing(1), policy=AT_ONCE)
    stage.run(1)

    assert tuple(letters) == system.dead_letters.letters()
    assert len(letters) == 1
    system.stop()


def test_an_exception_in_on_start_is_a_crash_and_the_message_waits(system: ActorSystem, clock: ManualClock) -> None:
    failures = [Boom("not yet"), Boom("not yet")]
    events: list[str] = []

    class Late(Player):
        def on_start(self) -> None:
            super().on_start()
            if failures:
                raise failures.pop()

    heard: list[int] = []
    system.register(ActorSpec("player", lambda key: Late(lambda player, message: heard.append(message.n), events)))
    system.start()
    system.tell(PLAYER, Say(n=1))
    system.run()
    assert heard == []
    clock.advance(1)
    system.run()
    clock.advance(1)
    system.run()

    assert heard == [1]
    assert events == ["start", "stop", "start", "stop", "start"]
    assert [crash.phase for crash in system.supervisor.last_crashes()] == ["start", "start"]
    assert system.dead_letters.count == 0


def test_a_builder_that_raises_is_a_crash_in_start(system: ActorSystem) -> None:
    def build(key: str) -> Actor:
        raise Boom("no parts")

    system.register(ActorSpec("player", build))
    system.start()
    system.tell(PLAYER, Say())
    system.run()

    (crash,) = system.supervisor.last_crashes()
    assert (crash.phase, crash.error) == ("start", "Boom: no parts")


def test_an_exception_in_on_stop_is_reported_and_the_restart_goes_on(system: ActorSystem) -> None:
    class Sticky(Player):
        def on_stop(self) -> None:
            raise Boom("stuck")

    failures = [Boom("once")]
    heard: list[int] = []

    def play(player: Player, message: Say) -> None:
        if failures:
            raise failures.pop()
        heard.append(message.n)

    system.register(ActorSpec("player", lambda key: Sticky(play, []), policy=AT_ONCE))
    system.start()
    system.tell(PLAYER, Say(n=1))
    system.run()

    assert heard == [1]
    assert [crash.phase for crash in system.supervisor.last_crashes()] == ["handle", "stop"]


def test_an_always_failing_actor_without_backoff_does_not_keep_others_from_running(system: ActorSystem) -> None:
    policy = RestartPolicy(min_backoff_s=0, max_backoff_s=0, intensity=1000, max_attempts=1_000_000)
    stage = Stage(system, failing(1), policy=policy)
    stage.tell(1, key="mad")
    stage.tell(2, key="sane")
    for _ in range(3):
        system.dispatcher.run_ready()

    assert stage.heard == [2]


def test_a_crash_touches_no_other_actor(system: ActorSystem) -> None:
    stage = Stage(system, failing(1))
    stage.tell(5, key="b")
    system.run()
    before = list(stage.players)
    stage.run(1, key="a")
    stage.run(6, key="b")

    assert stage.heard == [5, 6]
    assert stage.players[: len(before)] == before
    assert stage.events == ["start b", "start a", "stop a"]


def test_the_last_crashes_say_who_when_where_and_why_and_are_few(system: ActorSystem) -> None:
    stage = Stage(system, lambda player, message: throw(f"number {message.n}"), policy=RestartPolicy(max_attempts=1))
    for n in range(30):
        stage.run(n, key=str(n))

    crashes = system.supervisor.last_crashes()
    assert [crash.error for crash in crashes] == [f"Boom: number {n}" for n in range(10, 30)]
    assert crashes[-1] == Crash(Address("player", "29"), "handle", "Boom: number 29", system.clock.now(), "Say")


def test_the_log_names_the_type_of_a_dead_letter_and_never_its_text(
    system: ActorSystem, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    system.start()
    system.tell(Address("nobody"), Say(sender="a secret"))

    assert "dead letter: Say to nobody: no such actor" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("seed", range(3))
def test_a_crash_storm_loses_nothing_doubles_nothing_and_buries_exactly_the_poison(
    live_system: ActorSystem, seed: int
) -> None:
    actors, count, senders = 20, 6000, 3
    poison = set(range(seed, count, 499))
    fails_once = set(range(seed, count, 53)) - poison
    heard: dict[str, list[int]] = {str(key): [] for key in range(actors)}

    def play(player: Player, message: Say) -> None:
        if message.n in poison:
            raise Boom("poison")
        if message.n in fails_once:
            fails_once.discard(message.n)
            raise Boom("bad luck")
        heard[player.address.key].append(message.n)

    stage = Stage(live_system, play, policy=AT_ONCE)

    def send(share: int) -> None:
        for n in range(share, count, senders):
            stage.tell(n, key=str(n // senders % actors))

    together(*(partial(send, share) for share in range(senders)))
    assert live_system.drain(PATIENCE_S).quiet

    assert sorted(n for numbers in heard.values() for n in numbers) == sorted(set(range(count)) - poison)
    for numbers in heard.values():
        for sender in range(senders):
            from_one = [n for n in numbers if n % senders == sender]
            assert from_one == sorted(from_one)
    assert sorted(letter.message.n for letter in live_system.dead_letters.letters()) == sorted(poison)  # type: ignore[attr-defined]
