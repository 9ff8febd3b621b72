from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from actors.cluster.head import FAILURES, Head, Pace
from actors.cluster.pool import HostSlowError, PoolError
from actors.kernel import Actor, ActorSpec, ActorSystem, Edge
from messages.base import Address, MessageId, RequestId, Surface, Window
from messages.context import ResumeWindow, ReviseMessage, RuntimePosted, UserMessage
from messages.discord import UserMessageLogged
from messages.memory import ReconcileDue
from messages.shell import ASKERS, SHELL, AskersLost
from messages.status import RUNS, DescribeYourself, SelfDescription
from tests.actors.cluster.local_pool import LocalHost, LocalPool
from tests.actors.cluster.test_ledger import user_message as make_message
from tests.patience import PATIENCE_S, eventually

PACE = Pace(look_s=0.01, retry_s=0.01, lease_s=3.0)
"""A lease that is thrice as long as a call waits in a host."""
NO_STACK = 1 << 60
"""Bytes of a stack for which no machine has room."""


def window(number: int) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(number))


class World:
    """Record of all hosts' windows, in the place of their shared storage."""

    def __init__(self) -> None:
        self.handled: dict[str, list[tuple[str, object]]] = defaultdict(list)
        """Window -> host and what was handled there."""
        self.holds = threading.Event()
        """While set, windows that handle a message do not come back."""
        self.release = threading.Event()
        self.is_busy = self.is_unfinished = False
        self.poison = ""
        """Id of a message whose handling is a crash."""


class FakeWindow(Actor):
    def __init__(self, key: str, host: LocalHost, world: World) -> None:
        super().__init__()
        self._key, self._host, self._world = key, host, world

    def handle(self, message: Any) -> None:
        if self._world.holds.is_set():
            with self.blocking():
                self._world.release.wait(PATIENCE_S)
            return
        if isinstance(message, UserMessage) and message.message_id == self._world.poison:
            raise ValueError("this one cannot be handled")
        self._world.handled[self._key].append((self._host.name, message))
        self.in_progress, self.is_unfinished = self._world.is_busy, self._world.is_unfinished
        match message:
            case UserMessage():
                logged = UserMessageLogged(window=message.window, message_id=message.message_id)
                self.tell(message.reply_to, logged)
            case DescribeYourself(request_id="shell"):
                self.tell(SHELL, DescribeYourself(request_id=RequestId("s"), reply_to=message.reply_to))
            case DescribeYourself():
                followers = ",".join(map(str, self.followers(RUNS)))
                self.tell(message.reply_to, description(message.request_id, followers))
            case _:
                pass


def description(request_id: str, about: str) -> SelfDescription:
    return SelfDescription(request_id=RequestId(request_id), about=about, figures=())


class FakeShell(Actor):
    """Asks the head's memory for a description, and tells the description."""

    def handle(self, message: Any) -> None:
        if isinstance(message, DescribeYourself):
            self._asker = message.reply_to
            self.tell(Address("memory"), DescribeYourself(request_id=RequestId("m"), reply_to=self.address))
        else:
            self.tell(self._asker, message)


class FakeMemory(Actor):
    def handle(self, message: Any) -> None:
        if isinstance(message, DescribeYourself):
            self.tell(message.reply_to, description(message.request_id, str(message.reply_to)))


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def pool(world: World) -> LocalPool:
    return LocalPool(
        lambda host: (
            ActorSpec("context", lambda key: FakeWindow(key, host, world)),
            ActorSpec("shell", lambda _key: FakeShell()),
        )
    )


@pytest.fixture
def system() -> Iterator[ActorSystem]:
    system = ActorSystem()
    system.register(ActorSpec("memory", lambda _key: FakeMemory()))
    system.start()
    yield system
    system.stop()


@pytest.fixture
def fatal() -> list[str]:
    return []


@pytest.fixture
def head(system: ActorSystem, pool: LocalPool, world: World, fatal: list[str]) -> Iterator[Head]:
    head = Head(system, pool, 2, surface=Address("edge", "people"), on_fatal=fatal.append, pace=PACE)
    yield head
    world.release.set()
    head.stop()


@pytest.fixture
def people(system: ActorSystem) -> Edge:
    return system.edge("people")


def user_message(number: int, at: Window, people: Edge) -> UserMessage:
    return msgspec.structs.replace(make_message(number), window=at, reply_to=people.address)


def running(head: Head) -> list[str]:
    return [state.name for state in head.states() if state.stage == "running"]


def start(head: Head, count: int = 2) -> None:
    head.start()
    eventually(lambda: len(running(head)) == count)


def say(system: ActorSystem, people: Edge, windows: int, per_window: int, first: int = 0) -> None:
    for number in range(first, first + per_window):
        for index in range(windows):
            at = window(index)
            system.tell(at.address, user_message(1 + number * windows + index, at, people))


def receive_logged(people: Edge, count: int) -> list[MessageId]:
    heard = [people.receive(PATIENCE_S, lambda each: isinstance(each, UserMessageLogged)) for _ in range(count)]
    return [each.message_id for each in heard if isinstance(each, UserMessageLogged)]


def messages_of(world: World, index: int) -> list[int]:
    return [
        int(message.message_id)
        for _, message in world.handled[window(index).address.key]
        if isinstance(message, UserMessage)
    ]


def hosts_of(world: World, index: int) -> list[str]:
    return [name for name, _ in world.handled[window(index).address.key]]


@pytest.mark.req("X-152")
def test_each_window_lives_on_one_host_and_hears_all_in_order(
    head: Head, system: ActorSystem, people: Edge, world: World
) -> None:
    say(system, people, windows=20, per_window=10)  # before any host is there
    start(head)
    say(system, people, windows=20, per_window=10, first=10)

    assert sorted(map(int, receive_logged(people, 400))) == list(range(1, 401))
    for index in range(20):
        assert messages_of(world, index) == [1 + n * 20 + index for n in range(20)]
        assert len(set(hosts_of(world, index))) == 1
    assert {hosts_of(world, index)[0] for index in range(20)} == {"h1", "h2"}
    eventually(lambda: not head.is_busy)
    assert sum(state.windows for state in head.states()) == 20


@pytest.mark.req("X-155")
def test_a_host_that_dies_loses_nothing_and_doubles_nothing_and_the_others_go_on(
    head: Head, pool: LocalPool, system: ActorSystem, people: Edge, world: World
) -> None:
    start(head)
    say(system, people, windows=20, per_window=1)
    receive_logged(people, 20)
    eventually(lambda: not head.is_busy)
    people.follow(ASKERS)
    pool.hosts["h1"].is_dead = True
    before = {index: hosts_of(world, index)[0] for index in range(20)}
    say(system, people, windows=20, per_window=3, first=1)
    on_the_other = sum(name == "h2" for name in before.values())
    lost = people.receive(PATIENCE_S, lambda each: isinstance(each, AskersLost))
    assert Address("shell@h1") in getattr(lost, "askers", ())
    receive_logged(people, 3 * on_the_other)
    eventually(lambda: "h3" in running(head))
    receive_logged(people, 3 * (20 - on_the_other))

    for index in range(20):
        assert list(dict.fromkeys(messages_of(world, index))) == [1 + n * 20 + index for n in range(4)]
        if before[index] == "h2":
            assert set(hosts_of(world, index)) == {"h2"}
            assert len(messages_of(world, index)) == 4
        else:
            later = [message for name, message in world.handled[window(index).address.key] if name != "h1"]
            assert isinstance(later[0], ResumeWindow), "it picks up from its log before it hears more"


@pytest.mark.req("X-157")
@pytest.mark.parametrize("has_memory", [True, False])
def test_the_memory_reads_the_logs_of_a_lost_host_where_there_is_a_memory(pool: LocalPool, *, has_memory: bool) -> None:
    heard, letters = list[object](), list[object]()

    class Memory(Actor):
        def handle(self, message: object) -> None:
            heard.append(message)

    system = ActorSystem(on_dead_letter=letters.append)
    if has_memory:
        system.register(ActorSpec("memory", lambda _key: Memory(), core=True))
    system.start()
    head = Head(system, pool, 1, surface=Address("edge", "people"), on_fatal=pytest.fail, pace=PACE)
    head.start()
    eventually(lambda: [state.stage for state in head.states()] == ["running"])
    pool.hosts["h1"].kill()
    eventually(lambda: [(state.name, state.stage) for state in head.states()] == [("h2", "running")])
    eventually(lambda: heard == [ReconcileDue()] * has_memory)
    head.stop()
    system.stop()
    assert letters == []


def test_windows_of_a_host_that_is_cut_off_wait_until_its_lease_is_over(
    head: Head, pool: LocalPool, system: ActorSystem, people: Edge, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(head)
    at = window(1)
    system.tell(at.address, user_message(1, at, people))
    receive_logged(people, 1)
    (name,) = set(hosts_of(world, 1))
    host = pool.hosts[name]
    host.is_cut = True
    took_over = world.handled[at.address.key]
    system.tell(at.address, user_message(2, at, people))
    assert host.lease.left_s > 0
    eventually(lambda: any(who != name for who, _ in took_over))

    assert host.lease.left_s <= 0, "nobody else has the window while the host may write"
    assert receive_logged(people, 1) == ["2"]


def test_a_busy_window_is_resumed_though_it_is_owed_nothing(
    head: Head, pool: LocalPool, system: ActorSystem, people: Edge, world: World
) -> None:
    start(head)
    world.is_busy = True
    at = window(5)
    system.tell(at.address, user_message(1, at, people))
    receive_logged(people, 1)
    eventually(lambda: not any(state.unhandled for state in head.states()) and head.is_busy)
    world.is_busy = False
    pool.hosts[hosts_of(world, 5)[0]].is_dead = True
    eventually(lambda: len(world.handled[at.address.key]) == 2)

    assert isinstance(world.handled[at.address.key][1][1], ResumeWindow)
    assert messages_of(world, 5) == [1]
    eventually(lambda: not head.is_busy)


@pytest.mark.req("X-155")
def test_a_window_whose_work_waits_for_a_later_time_is_resumed_elsewhere_though_nobody_waits_for_its_work(
    head: Head, pool: LocalPool, system: ActorSystem, people: Edge, world: World
) -> None:
    start(head)
    world.is_unfinished = True
    at = window(5)
    system.tell(at.address, user_message(1, at, people))
    receive_logged(people, 1)
    eventually(lambda: not head.is_busy)
    world.is_unfinished = False
    pool.hosts[hosts_of(world, 5)[0]].is_dead = True
    eventually(lambda: len(world.handled[at.address.key]) == 2)

    assert isinstance(world.handled[at.address.key][1][1], ResumeWindow)


@pytest.mark.req("X-155")
def test_a_posting_that_no_log_has_taken_is_said_again_as_one_that_an_earlier_log_may_have(
    head: Head, pool: LocalPool, system: ActorSystem, world: World
) -> None:
    start(head)
    world.is_unfinished = True
    at = window(5)
    posted = RuntimePosted(window=at, by="reminder", text="tea", message_ids=(MessageId("9"),))
    system.tell(at.address, posted)
    eventually(lambda: bool(world.handled[at.address.key]) and not head.is_busy)
    world.is_unfinished = False
    pool.hosts[hosts_of(world, 5)[0]].is_dead = True
    eventually(lambda: len(world.handled[at.address.key]) == 3)

    assert world.handled[at.address.key][2][1] == msgspec.structs.replace(posted, is_late=True)


@pytest.mark.req("X-155")
def test_of_two_edits_the_newest_is_said_again_and_is_a_question_if_any_of_them_is(
    head: Head, pool: LocalPool, system: ActorSystem, world: World
) -> None:
    start(head)
    world.is_unfinished = True
    at = window(5)
    first = ReviseMessage(window=at, message_id=MessageId("9"), text="@bot a", files=0, wants_answer=True)
    later = ReviseMessage(window=at, message_id=MessageId("9"), text="@bot b", files=0)
    system.tell(at.address, first)
    system.tell(at.address, later)
    eventually(lambda: len(world.handled[at.address.key]) == 2 and not head.is_busy)
    world.is_unfinished = False
    pool.hosts[hosts_of(world, 5)[0]].is_dead = True
    eventually(lambda: len(world.handled[at.address.key]) == 4)

    assert world.handled[at.address.key][3][1] == msgspec.structs.replace(later, wants_answer=True)


@pytest.mark.req("X-155", "X-157")
def test_what_a_dead_host_had_in_hand_is_said_again(
    head: Head, pool: LocalPool, system: ActorSystem, people: Edge, world: World
) -> None:
    start(head)
    world.holds.set()
    at = window(3)
    for number in (1, 2, 3):
        system.tell(at.address, user_message(number, at, people))
    eventually(lambda: any(state.live for state in head.states()))
    (host,) = (pool.hosts[state.name] for state in head.states() if state.live)
    host.is_dead = True
    world.holds.clear()

    eventually(lambda: bool(messages_of(world, 3)))
    assert host.lease.left_s <= 0, "whoever says that it is dead, its lease is waited for"
    assert receive_logged(people, 3) == ["1", "2", "3"]
    assert messages_of(world, 3) == [1, 2, 3]


@pytest.mark.req("X-155")
def test_messages_to_windows_are_said_again_though_one_is_for_a_window_that_cannot_be(
    system: ActorSystem, pool: LocalPool, people: Edge, world: World, fatal: list[str]
) -> None:
    head = Head(system, pool, 1, surface=people.address, on_fatal=fatal.append, pace=PACE)
    start(head, 1)
    world.holds.set()
    at = window(3)
    system.tell(Address("context", "no-window"), user_message(1, at, people))
    system.tell(at.address, user_message(2, at, people))
    eventually(lambda: any(state.live for state in head.states()))
    pool.hosts["h1"].is_dead = True
    world.holds.clear()

    eventually(lambda: messages_of(world, 3) == [2])
    world.release.set()
    head.stop()


@pytest.mark.crashes
def test_a_message_that_nobody_can_handle_is_settled_and_holds_up_none_behind_it(
    head: Head, system: ActorSystem, people: Edge, world: World
) -> None:
    start(head)
    world.poison = "2"
    at = window(3)
    for number in (1, 2, 3):
        system.tell(at.address, user_message(number, at, people))

    assert receive_logged(people, 2) == ["1", "3"]
    eventually(lambda: not head.is_busy)


def test_with_one_host_its_windows_wait_for_the_next(
    system: ActorSystem, pool: LocalPool, people: Edge, world: World, fatal: list[str]
) -> None:
    head = Head(system, pool, 1, surface=people.address, on_fatal=fatal.append, pace=PACE)
    start(head, 1)
    at = window(3)
    system.tell(at.address, user_message(1, at, people))
    receive_logged(people, 1)
    pool.hosts["h1"].is_dead = True
    system.tell(at.address, user_message(2, at, people))

    assert receive_logged(people, 1) == ["2"]
    assert hosts_of(world, 3)[-1] == "h2"
    head.stop()


def test_a_host_for_which_there_is_no_thread_is_started_later(head: Head, monkeypatch: pytest.MonkeyPatch) -> None:
    begin, refused = threading.Thread.start, list[str]()

    def refuse_once(thread: threading.Thread) -> None:
        if thread.name.startswith("start ") and not refused:
            refused.append(thread.name)
            raise RuntimeError("can't start new thread")
        begin(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse_once)
    start(head)

    assert refused == ["start h1"]
    assert len(head.states()) == 2


@pytest.mark.req("X-155")
def test_messages_to_a_host_for_whose_calls_there_is_no_thread_go_to_another_host(
    system: ActorSystem, pool: LocalPool, people: Edge, world: World, fatal: list[str]
) -> None:
    size = threading.stack_size()

    class StartedHost(LocalHost):
        """Host after whose start the machine gives no more threads, until the host is killed."""

        def begin(self, name: str, epoch: str, timeout_s: float) -> None:
            super().begin(name, epoch, timeout_s)
            threading.stack_size(NO_STACK)

        def kill(self) -> None:
            threading.stack_size(size)
            super().kill()

    pool.kinds["h1"] = StartedHost
    head = Head(system, pool, 1, surface=people.address, on_fatal=fatal.append, pace=PACE)
    system.tell(window(3).address, user_message(1, window(3), people))
    try:
        head.start()
        assert receive_logged(people, 1) == ["1"]
    finally:
        threading.stack_size(size)
        head.stop()
    assert hosts_of(world, 3) == ["h2"]
    assert pool.hosts["h1"].is_dead


@pytest.mark.req("X-153")
def test_an_actor_of_a_host_hears_what_the_heads_actor_answers_it(
    head: Head, system: ActorSystem, people: Edge
) -> None:
    start(head)
    at = window(3)
    system.tell(at.address, DescribeYourself(request_id=RequestId("shell"), reply_to=people.address))
    answer = people.receive(PATIENCE_S)

    assert isinstance(answer, SelfDescription)
    assert answer.about in ("shell@h1", "shell@h2")


def test_windows_on_hosts_tell_those_who_follow_on_the_head(head: Head, system: ActorSystem, people: Edge) -> None:
    start(head)
    people.follow(RUNS)

    def is_followed() -> bool:
        system.tell(window(3).address, DescribeYourself(request_id=RequestId("f"), reply_to=people.address))
        answer = people.receive(PATIENCE_S)
        return isinstance(answer, SelfDescription) and answer.about == "edge/people"

    eventually(is_followed)
    people.close()


def test_an_address_of_a_host_that_is_gone_is_a_dead_letter(head: Head, system: ActorSystem) -> None:
    start(head)
    system.tell(Address("shell@h9"), DescribeYourself(request_id=RequestId("x"), reply_to=Address("memory")))

    (letter,) = system.dead_letters.letters()
    assert letter.address == Address("shell@h9")


def test_a_message_with_a_number_that_no_frame_holds_is_a_dead_letter(head: Head, system: ActorSystem) -> None:
    start(head)
    huge = SelfDescription(request_id=RequestId("x"), about="memory", figures=(("bytes", 1 << 64),))
    system.tell(window(3).address, huge)

    (letter,) = system.dead_letters.letters()
    assert letter.message is huge


def test_hosts_that_cannot_be_started_end_the_agent_with_the_reason(
    head: Head, pool: LocalPool, fatal: list[str]
) -> None:
    pool.refusal = lambda _name: PoolError("of another version")
    head.start()
    eventually(lambda: bool(fatal))

    assert fatal[0] == "no host of the cluster can be started: of another version"


def test_the_agent_ends_with_the_reason_when_what_runs_the_hosts_is_gone(
    head: Head, pool: LocalPool, fatal: list[str]
) -> None:
    start(head)
    assert not fatal
    pool.lacks = "Ray's raylet ended"
    eventually(lambda: bool(fatal))

    assert fatal == ["the Ray cluster is lost: Ray's raylet ended; the next start creates a new one"]


def test_hosts_that_are_slow_to_start_beside_each_other_count_as_one_failure(
    system: ActorSystem,
    pool: LocalPool,
    people: Edge,
    fatal: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    together = threading.Barrier(FAILURES)

    def be_slow(name: str) -> Exception | None:
        if int(name[1:]) > FAILURES:
            return None
        together.wait(PATIENCE_S)
        return HostSlowError("no answer within 60 s")

    pool.refusal = be_slow
    head = Head(system, pool, FAILURES, surface=people.address, on_fatal=fatal.append, pace=PACE)
    with caplog.at_level("WARNING"):
        start(head, FAILURES)
    head.stop()

    assert not fatal
    assert {record.getMessage().partition(" cannot ")[2] for record in caplog.records} == {
        "be started (failure 1 of 5): no answer within 60 s"
    }
