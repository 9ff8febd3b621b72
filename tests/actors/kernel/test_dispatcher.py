from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from actors.kernel import ActorSystem
from actors.kernel.dispatcher import STRETCH, Dispatcher
from actors.kernel.runner import BATCH
from actors.kernel.thread import Pool
from actors.kernel.watchdog import Watchdog
from tests.actors.kernel.players import Player, Say, Stage, together
from tests.patience import PATIENCE_S


def test_a_busy_actor_lets_others_go_first_after_a_batch(system: ActorSystem) -> None:
    stage = Stage(system)
    stage.tell(*range(10 * BATCH), key="flooded")
    stage.tell(-1, key="quiet")
    system.run()

    assert stage.heard.index(-1) == BATCH


def test_a_slow_actor_lets_others_go_first_after_its_slice() -> None:
    system = ActorSystem(workers=Pool(workers=0, slice_s=-1.0))
    stage = Stage(system)
    stage.tell(*range(10), key="slow")
    stage.tell(-1, key="quiet")
    system.run()

    assert stage.heard.index(-1) == 4


@pytest.mark.slow
def test_an_actor_that_tells_itself_for_ever_starves_nobody(live_system: ActorSystem) -> None:
    edge = live_system.edge("test")
    over = threading.Event()

    def play(player: Player, message: Say) -> None:
        if message.n == 0 and not over.is_set():
            player.tell(player.address, message)
        elif message.n:
            player.tell(edge.address, message)

    stage = Stage(live_system, play)
    for key in ("mad", "madder", "maddest"):
        stage.tell(0, key=key)
    for n in range(1, 100):
        stage.tell(n, key=str(n))
        assert edge.receive(PATIENCE_S) == Say(n=n)
    over.set()


@pytest.mark.req("C-41")
def test_one_flooder_delays_no_quiet_actor_by_more_than_its_batches(system: ActorSystem) -> None:
    stage = Stage(system)
    quiet = 99
    stage.tell(*[-1] * 100 * BATCH, key="flooder")
    for n in range(quiet):
        stage.tell(n, key=str(n))
    system.run()

    assert [n for n in stage.heard[: BATCH + quiet] if n >= 0] == list(range(quiet))


def heard_beside_core(system: ActorSystem, others: int, *core: int) -> list[int]:
    """Numbers in the order of handling: `others` actors get 0, 1 …, then a core actor gets the numbers `core`."""
    stage = Stage(system, start=False)
    memory = Stage(system, kind="memory", core=True)
    memory.heard = stage.heard
    system.run()
    for n in range(others):
        stage.tell(n, key=str(n))
    memory.tell(*core)
    system.run()
    return stage.heard


@pytest.mark.req("X-177")
def test_a_core_actor_waits_for_a_stretch_of_others_at_most(system: ActorSystem) -> None:
    heard = heard_beside_core(system, 100 * STRETCH, -1, -2)
    assert heard == [*range(STRETCH), -1, -2, *range(STRETCH, 100 * STRETCH)]


@pytest.mark.req("X-177")
def test_a_core_actor_that_is_never_done_takes_half_of_the_turns(system: ActorSystem) -> None:
    busy = range(-10 * STRETCH * BATCH, 0)
    heard = heard_beside_core(system, 5 * STRETCH, *busy)

    assert [n for n in heard if n < 0] == list(busy)
    ends = [heard.index(stretch * STRETCH - 1) for stretch in range(1, 6)]
    assert ends == [stretch * STRETCH + (stretch - 1) * STRETCH * BATCH - 1 for stretch in range(1, 6)]


def test_where_few_wait_a_core_actor_has_its_turn_in_the_order_of_messages(system: ActorSystem) -> None:
    assert heard_beside_core(system, STRETCH // 2, -1) == [*range(STRETCH // 2), -1]


def test_core_actors_take_turns(system: ActorSystem) -> None:
    stages = [Stage(system, kind=kind, core=True, start=False) for kind in ("memory", "skills")]
    stages[1].heard = heard = stages[0].heard
    system.start()
    system.run()
    for number, stage in enumerate(stages, start=1):
        stage.tell(*[number] * 2 * BATCH)
    system.run()

    assert heard == [*[1] * BATCH, *[2] * BATCH] * 2


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_no_core_actor_is_passed_over_where_many_threads_take_turns(workers: int) -> None:
    system = ActorSystem(workers=workers)
    others = Stage(system, start=False)
    core = [Stage(system, kind=f"core-{number}", core=True, start=number == 2) for number in range(3)]

    def tell_others() -> None:
        for n in range(20):
            others.tell(n, key=str(n))

    for _ in range(50):
        together(*(lambda stage=stage: stage.tell(*range(20)) for stage in core), tell_others)
        assert system.drain(PATIENCE_S).quiet
    system.stop()

    assert [len(stage.heard) for stage in core] == [1000] * 3
    assert len(others.heard) == 1000


@pytest.mark.parametrize("count", [16, 50, 200])
def test_actors_that_wait_for_the_disk_let_others_run(live_system: ActorSystem, count: int) -> None:
    """All of them wait for one more actor, which can only run if their workers are replaced."""
    edge = live_system.edge("test")
    arrived = threading.Semaphore(0)
    done = threading.Event()

    def play(player: Player, message: Say) -> None:
        if message.n == 0:
            done.set()
            return
        with player.blocking():
            arrived.release()
            assert done.wait(PATIENCE_S)
        player.tell(edge.address, message)

    stage = Stage(live_system, play)
    for n in range(1, count + 1):
        stage.tell(n, key=str(n))
    for _ in range(count):
        assert arrived.acquire(timeout=PATIENCE_S)
    stage.tell(0, key="last")

    assert {edge.receive(PATIENCE_S).n for _ in range(count)} == set(range(1, count + 1))  # type: ignore[attr-defined]


def test_spare_workers_park_when_the_waits_are_over_and_serve_the_next_ones(live_system: ActorSystem) -> None:
    edge = live_system.edge("test")
    dispatcher = live_system.dispatcher

    def wait_all(count: int) -> int:
        barrier = threading.Barrier(count)
        barriers.append(barrier)
        for n in range(count):
            stage.tell(n, key=str(n))
        for _ in range(count):
            edge.receive(PATIENCE_S)
        return len(dispatcher.workers)

    def play(player: Player, message: Say) -> None:
        with player.blocking():
            barriers[-1].wait(PATIENCE_S)
        player.tell(edge.address, message)

    barriers: list[threading.Barrier] = []
    stage = Stage(live_system, play)
    first = wait_all(10)
    for _ in range(5):
        assert wait_all(10) <= first + 2
    assert live_system.drain(PATIENCE_S).quiet
    # A thread in excess parks when it next has nothing in hand.
    served: list[threading.Thread] = []

    def serve(player: Player, message: Say) -> None:
        served.append(threading.current_thread())
        player.tell(edge.address, message)

    stage.play = serve
    for n in range(200):
        stage.tell(n)
        edge.receive(PATIENCE_S)

    assert len(set(served[-100:])) <= 2 + 2
    assert len(dispatcher.workers) <= first + 2


def test_no_more_than_the_allowed_spares_are_started() -> None:
    dispatcher = Dispatcher(lambda mailbox, worker: None, Pool(spares=2))
    dispatcher.start()
    absent = [threading.Thread() for _ in range(6)]
    for thread in absent:
        dispatcher.lend(thread)
    assert dispatcher.waits()["now"] == 6
    assert len(dispatcher.workers) == 3
    for thread in absent:
        dispatcher.take_back(thread)
    assert dispatcher.waits()["now"] == 0
    dispatcher.close()


def comes_true(holds: Callable[[], bool]) -> bool:
    """True if the condition holds within a test's patience."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


@pytest.mark.req("X-170")
def test_waits_that_are_soon_over_wake_nobody() -> None:
    system = ActorSystem(workers=Pool(lend_s=0.5))
    edge = system.edge("test")

    def play(player: Player, message: Say) -> None:
        with player.blocking(), player.blocking():
            pass
        player.tell(edge.address, message)

    stage = Stage(system, play)
    for n in range(300):
        stage.tell(n)
        assert edge.receive(PATIENCE_S) == Say(n=n)
    threads, waits = len(system.dispatcher.workers), system.dispatcher.waits()["now"]
    system.stop()

    assert (threads, waits) == (1, 0)


@pytest.mark.req("X-170")
def test_a_wait_that_lasts_is_covered_soon_after_it_began(live_system: ActorSystem) -> None:
    """So is a wait that begins after a pause without waits: the lender has to be woken first."""
    edge = live_system.edge("test")
    over = threading.Event()

    def play(player: Player, message: Say) -> None:
        if not message.n:
            with player.blocking():
                assert over.wait(PATIENCE_S)
        player.tell(edge.address, message)

    stage = Stage(live_system, play)
    took = []
    for _ in range(20):
        assert comes_true(lambda: live_system.dispatcher.is_lender_at_rest)
        over.clear()
        begun = time.monotonic()
        stage.tell(0, key="waits")
        stage.tell(1, key="others")
        assert edge.receive(PATIENCE_S) == Say(n=1)
        took.append(time.monotonic() - begun)
        over.set()
        assert edge.receive(PATIENCE_S) == Say(n=0)

    assert min(took) < 0.1


def test_the_lender_rests_while_nobody_waits_and_while_all_waits_are_covered() -> None:
    waiters = Waiters(spares=4)
    waiters.wait(0, 1, 2)
    assert waiters.have_begun(2)
    covered = comes_true(lambda: waiters.system.dispatcher.is_lender_at_rest)
    waits = waiters.system.dispatcher.waits()["now"]
    waiters.end()

    assert covered
    assert waits == 2


class Waiters:
    """A system whose actors of kind `waiter` wait until let go; kind `quiet` never waits, and tells an edge."""

    def __init__(self, **sizes: int) -> None:
        self.system = system = ActorSystem(workers=Pool(**sizes))
        self.edge = system.edge("test")
        self.waiting = threading.Semaphore(0)
        self.over = threading.Event()
        self.quiet = Stage(system, self._say, kind="quiet", start=False)
        self.stages = [Stage(system, self._wait, kind=kind, start=False) for kind in ("waiter", "second", "third")]
        system.start()

    def wait(self, stage: int, *numbers: int) -> None:
        for n in numbers:
            self.stages[stage].tell(n, key=str(n))

    def have_begun(self, count: int) -> bool:
        return all(self.waiting.acquire(timeout=PATIENCE_S) for _ in range(count))

    def hears(self, n: int) -> bool:
        self.quiet.tell(n)
        return self.edge.receive(PATIENCE_S) == Say(n=n)

    def end(self) -> set[int]:
        self.over.set()
        assert self.system.drain(PATIENCE_S).quiet
        self.system.stop()
        return {n for stage in self.stages for n in stage.heard}

    def _say(self, player: Player, message: Say) -> None:
        player.tell(self.edge.address, message)

    def _wait(self, player: Player, message: Say) -> None:
        with player.blocking():
            self.waiting.release()
            assert self.over.wait(PATIENCE_S)


def test_waits_beyond_the_limit_take_their_turn_and_others_go_on() -> None:
    waiters = Waiters(spares=4)
    waiters.wait(0, *range(40))
    assert waiters.have_begun(4)
    heard = [waiters.hears(n) for n in range(50)]
    waits, threads = waiters.system.dispatcher.waits(), len(waiters.system.dispatcher.workers)
    done = waiters.end()

    assert all(heard)
    assert (waits["now"], waits["limit"], waits["put_off"]) == (4, 4, 36)
    assert threads <= 1 + 2 * 4
    assert done == set(range(40)), "whoever was put off has had its turn"


def test_kinds_that_wait_for_the_first_time_at_the_limit_stop_nobody() -> None:
    waiters = Waiters(spares=3)
    waiters.wait(0, *range(3))
    assert waiters.have_begun(3)
    waiters.wait(1, 100, 101)
    assert waiters.have_begun(1)
    waiters.wait(2, 200, 201)
    assert waiters.have_begun(1)
    heard = waiters.hears(1)
    threads = len(waiters.system.dispatcher.workers)
    done = waiters.end()

    assert heard
    assert threads <= 1 + 2 * 3
    assert done == {0, 1, 2, 100, 101, 200, 201}


def test_a_system_that_stops_while_some_are_put_off_ends() -> None:
    waiters = Waiters(spares=2)
    waiters.wait(0, *range(10))
    assert waiters.have_begun(2)
    assert waiters.hears(1)
    waiters.system.stop(0.1)
    left = waiters.system.dispatcher.waits()["put_off"]
    waiters.over.set()
    for thread in waiters.system.dispatcher.workers:
        thread.join(PATIENCE_S)

    assert left == 0
    assert not [thread for thread in waiters.system.dispatcher.workers if thread.is_alive()]


def test_threads_beyond_those_kept_end_when_the_waits_are_over() -> None:
    waiters = Waiters(spares=50, most_parked=3)
    waiters.wait(0, *range(50))
    assert waiters.have_begun(50)
    most = len(waiters.system.dispatcher.workers)
    waiters.over.set()
    assert waiters.system.drain(PATIENCE_S).quiet
    handled = waiters.system.dispatcher.runs()
    for n in range(200):
        assert waiters.hears(n)
    least = len(waiters.system.dispatcher.workers)
    assert waiters.system.dispatcher.runs() >= handled + 200
    waiters.end()

    assert most >= 50
    assert least <= 3 + 3


def test_a_wait_that_the_watchdog_sees_counts_once(live_system: ActorSystem) -> None:
    """It took two threads each, so that half as many waits stopped everybody."""
    begun, over = threading.Semaphore(0), threading.Event()

    def play(player: Player, _message: Say) -> None:
        with player.blocking():
            begun.release()
            assert over.wait(PATIENCE_S)

    stage = Stage(live_system, play)
    for n in range(20):
        stage.tell(n, key=str(n))
    for _ in range(20):
        assert begun.acquire(timeout=PATIENCE_S)
    now = time.perf_counter()  # as of the system's own watchdog, which may have looked first
    watchdog = Watchdog(live_system, 10.0, lambda: now)
    watchdog.look()
    now += 2.0
    watchdog.look()
    waiting, threads = live_system.dispatcher.waits()["now"], len(live_system.dispatcher.workers)
    over.set()
    assert live_system.drain(PATIENCE_S).quiet
    watchdog.look()

    assert waiting == 20
    assert threads <= 20 + 2 + 1
    assert live_system.dispatcher.waits()["now"] == 0


def test_a_machine_without_threads_to_give_costs_the_cover_and_not_the_wait(
    live_system: ActorSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    edge = live_system.edge("test")

    def refuse() -> None:
        raise RuntimeError("can't start new thread")

    def play(player: Player, message: Say) -> None:
        with player.blocking(), player.blocking():
            player.tell(edge.address, message)

    monkeypatch.setattr(live_system.dispatcher, "_add_worker", lambda: None)
    stage = Stage(live_system, play, start=False)
    monkeypatch.undo()
    live_system.start()
    monkeypatch.setattr(live_system.dispatcher, "_add_worker", refuse)
    stage.tell(1)

    assert edge.receive(PATIENCE_S) == Say(n=1)
    assert live_system.dispatcher.waits()["now"] == 0 or live_system.drain(PATIENCE_S).quiet


def test_blocking_in_a_thread_that_is_no_worker_changes_nothing(live_system: ActorSystem) -> None:
    live_system.start()
    with live_system.dispatcher.blocking:
        assert len(live_system.dispatcher.workers) == 2


@pytest.mark.crashes
def test_a_failure_of_the_kernel_itself_is_reported_and_kills_no_worker(caplog: pytest.LogCaptureFixture) -> None:
    ran = threading.Event()
    system = ActorSystem(workers=1)

    def run(mailbox: object, worker: object) -> None:
        if ran.is_set():
            raise RuntimeError("a bug")
        ran.set()

    system.dispatcher._run_mailbox = run
    stage = Stage(system)
    stage.tell(1, key="a")
    assert ran.wait(PATIENCE_S)
    stage.tell(1, key="b")
    ran2 = threading.Event()
    stage.tell(1, key="c")
    system.dispatcher.close()

    assert "the kernel failed while running player/" in caplog.text
    assert not ran2.is_set()
    system.stop(0.1)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_no_wake_up_is_lost_when_many_tell_few(workers: int) -> None:
    system = ActorSystem(workers=workers)
    stage = Stage(system)
    for _ in range(20):
        before = len(stage.heard)
        together(*(lambda: stage.tell(*range(50)) for _ in range(3)))
        assert system.drain(PATIENCE_S).quiet
        assert len(stage.heard) == before + 150
    system.stop()


def test_a_negative_number_of_workers_is_refused() -> None:
    with pytest.raises(ValueError, match="workers -1"):
        ActorSystem(workers=-1)
