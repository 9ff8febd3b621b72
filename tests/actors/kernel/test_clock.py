from __future__ import annotations

import queue
import threading
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.kernel import ActorSystem, ManualClock, SystemClock, Timer
from actors.kernel.clock import LEAST_CLEARED
from tests.actors.kernel.players import Player, Say, Stage, failing
from tests.patience import PATIENCE_S


def test_a_message_set_for_later_comes_back_when_its_time_has_come(system: ActorSystem, clock: ManualClock) -> None:
    timers: list[Timer] = []

    def play(player: Player, message: Say) -> None:
        if message.n == 1:
            timers.append(player.after(5, Say(n=2)))

    stage = Stage(system, play)
    stage.run(1)
    clock.advance(4.999)
    system.run()
    assert stage.heard == [1]
    clock.advance(0.001)
    system.run()

    assert stage.heard == [1, 2]


def test_a_cancelled_timer_never_fires(system: ActorSystem, clock: ManualClock) -> None:
    def play(player: Player, message: Say) -> None:
        if message.n == 1:
            player.after(5, Say(n=2)).cancel()

    stage = Stage(system, play)
    stage.run(1)
    clock.advance(10)
    system.run()

    assert stage.heard == [1]
    assert clock.next_due_s is None


def test_a_timer_of_an_actor_that_has_left_memory_brings_it_back(system: ActorSystem, clock: ManualClock) -> None:
    def play(player: Player, message: Say) -> None:
        if message.n == 1:
            player.after(500, Say(n=2))

    stage = Stage(system, play, idle_s=60)
    stage.run(1)
    clock.advance(400)
    system.run()
    assert list(system) == []
    clock.advance(100)
    system.run()

    assert stage.heard == [1, 2]


@pytest.mark.crashes
def test_a_timer_outlives_the_crash_of_its_actor(system: ActorSystem, clock: ManualClock) -> None:
    breaks = failing(2, times=1)

    def play(player: Player, message: Say) -> None:
        if message.n == 1:
            player.after(5, Say(n=3))
        breaks(player, message)

    stage = Stage(system, play)
    stage.run(1, 2)
    clock.advance(1)
    system.run()
    clock.advance(5)
    system.run()

    assert stage.heard == [1, 2, 3]


def test_actors_see_the_clock_of_their_system(system: ActorSystem, clock: ManualClock) -> None:
    seen: list[object] = []
    stage = Stage(system, lambda player, message: seen.extend((player.now(), player.monotonic(), player.new_id())))
    clock.advance(2.5)
    stage.run(1)

    assert seen == [datetime(2026, 1, 30, 14, 23, 57, 500000, tzinfo=UTC), 2.5, "aaaaaaab"]


@given(delays=st.lists(st.integers(0, 50), max_size=20), step=st.integers(1, 20))
def test_timers_fire_in_order_of_time_then_of_setting_whatever_the_steps(delays: list[int], step: int) -> None:
    clock = ManualClock()
    fired: list[tuple[int, int, int]] = []
    for order, delay in enumerate(delays):
        clock.call_later(
            delay / 10,
            lambda delay=delay, order=order: fired.append((delay, order, round(clock.monotonic() * 10))),  # type: ignore[misc]
        )
    for _ in range(0, 51, step):
        clock.advance(step / 10)

    assert fired == [(delay, order, delay) for delay, order in sorted((d, o) for o, d in enumerate(delays))]


def test_a_timer_set_by_a_timer_fires_within_the_same_advance_if_it_falls_due() -> None:
    clock = ManualClock()
    fired: list[float] = []

    def again() -> None:
        fired.append(clock.monotonic())
        clock.call_later(1, again)

    clock.call_later(1, again)
    clock.advance(3)

    assert fired == [1, 2, 3]


def test_steps_of_a_tenth_add_up_to_whole_seconds() -> None:
    clock = ManualClock()
    fired: list[float] = []
    clock.call_later(1.0, lambda: fired.append(clock.monotonic()))
    for _ in range(10):
        clock.advance(0.1)

    assert fired == [1.0]


def test_a_delay_below_the_clocks_microsecond_moves_the_clock() -> None:
    clock, end = ManualClock(), 0.1 + 0.2

    def wait() -> None:
        if (left_s := end - clock.monotonic()) > 0:
            clock.call_later(left_s, wait)

    clock.advance(0.3)
    wait()
    clock.advance(1.0)
    assert clock.next_due_s is None


def test_a_jump_of_the_wall_clock_lets_no_time_pass() -> None:
    clock = ManualClock()
    before = clock.now()
    clock.call_later(1, lambda: pytest.fail("it is not time"))
    clock.jump(timedelta(hours=-3))

    assert clock.now() == before - timedelta(hours=3)
    assert clock.monotonic() == 0


def test_a_timer_that_falls_due_while_the_clock_is_stalled_fires_late_and_time_does_not_go_back() -> None:
    clock = ManualClock()
    fired: list[float] = []
    clock.call_later(1, lambda: fired.append(clock.monotonic()))
    clock.stall(5)
    assert (fired, clock.next_due_s) == ([], 0)
    clock.advance(0)

    assert fired == [5]


def test_the_machines_clock_fires_an_earlier_timer_first_and_survives_one_that_raises(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = SystemClock()
    fired: list[int] = []
    done = threading.Event()

    def fail() -> None:
        raise RuntimeError("broken timer")

    clock.call_later(60, lambda: fired.append(-1))
    clock.call_later(30, lambda: fired.append(-2)).cancel()
    clock.call_later(0, fail)
    for n in (1, 2, 3):
        clock.call_later(0, partial(fired.append, n))
    clock.call_later(0, done.set)

    assert done.wait(PATIENCE_S)
    clock.close()
    assert fired == [1, 2, 3]
    assert "a timer's action failed" in caplog.text


def test_the_machines_clock_is_aware_and_never_goes_back() -> None:
    clock = SystemClock()

    assert clock.now().utcoffset() == timedelta(0)
    assert clock.monotonic() <= clock.monotonic()


def test_a_closed_clock_fires_nothing_and_closes_again() -> None:
    clock = SystemClock()
    clock.call_later(60, lambda: None)
    clock.close()
    clock.close()
    clock.call_later(0, lambda: pytest.fail("it is closed"))

    assert not [t for t in threading.enumerate() if t.name == "kernel-timers"]


def test_a_closing_clock_does_not_wait_for_itself() -> None:
    clock = SystemClock()
    closed = threading.Event()

    def close() -> None:
        clock.close()
        closed.set()

    clock.call_later(0, close)

    assert closed.wait(PATIENCE_S)


def test_cancelled_timers_do_not_wait_for_their_time() -> None:
    clock = SystemClock()
    fired: queue.SimpleQueue[int] = queue.SimpleQueue()
    clock.call_later(0.2, lambda: fired.put(2))
    for _ in range(20):
        for timer in [clock.call_later(3_600, lambda: fired.put(0)) for _ in range(1_000)]:
            timer.cancel()
            timer.cancel()  # the second time is no news
    clock.call_later(0.1, lambda: fired.put(1))
    kept = len(clock._timers)
    first = [fired.get(timeout=PATIENCE_S) for _ in range(2)]
    clock.close()

    assert kept <= 2 * LEAST_CLEARED + 1_000
    assert sorted(first) == [1, 2]
    assert fired.empty()
