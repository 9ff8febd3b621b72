from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import msgspec
import pytest

from actors.kernel import ActorSpec, ActorSystem, ManualClock
from messages.base import Address
from tests.actors.kernel.players import PLAYER, Player, Say, Stage, together
from tests.patience import PATIENCE_S


def test_messages_of_one_sender_are_handled_in_the_order_they_were_told(system: ActorSystem) -> None:
    assert Stage(system).run(*range(100)) == list(range(100))


def test_telling_an_address_activates_its_actor_once(system: ActorSystem) -> None:
    stage = Stage(system)
    assert list(system) == []
    stage.run(1, 2, key="a")
    stage.run(3, key="a")
    stage.run(4, key="b")

    assert stage.events == ["start a", "start b"]
    assert sorted(system, key=str) == [Address("player", "a"), Address("player", "b")]


def test_equal_addresses_name_the_same_actor(system: ActorSystem) -> None:
    stage = Stage(system)
    copy = msgspec.json.decode(msgspec.json.encode(PLAYER), type=Address)
    system.tell(PLAYER, Say(n=1))
    system.tell(copy, Say(n=2))
    system.run()

    assert stage.heard == [1, 2]
    assert len(stage.players) == 1


def test_core_actors_start_in_the_order_of_their_registration_and_before_any_message(system: ActorSystem) -> None:
    first = Stage(system, kind="first", core=True, start=False)
    second = Stage(system, kind="second", core=True, start=False)
    second.events = first.events
    system.start()
    system.run()

    assert [player.address.kind for player in (*first.players, *second.players)] == ["first", "second"]
    assert first.events == ["start", "start"]


def test_with_workers_a_core_actor_starts_when_the_one_before_it_has_started() -> None:
    started: list[str] = []
    overlaps: list[str] = []

    class Slow(Player):
        def on_start(self) -> None:
            overlaps.extend(running)
            running.append(self.address.kind)
            threading.Event().wait(0.01)
            running.remove(self.address.kind)
            started.append(self.address.kind)

    running: list[str] = []
    system = ActorSystem(workers=2)
    kinds = ["a", "b", "c", "d"]
    for kind in kinds:
        system.register(ActorSpec(kind, lambda key: Slow(lambda player, message: None, []), core=True))
    system.start()

    assert started == kinds
    assert overlaps == []
    system.stop()


def test_what_a_core_actor_tells_a_later_one_while_starting_is_not_lost(system: ActorSystem) -> None:
    class Early(Player):
        def on_start(self) -> None:
            self.tell(Address("late"), Say(n=1))

    system.register(ActorSpec("early", lambda key: Early(lambda player, message: None, []), core=True))
    stage = Stage(system, kind="late", core=True)
    system.run()

    assert stage.heard == [1]


def test_a_message_to_an_unknown_kind_is_a_counted_dead_letter_and_no_exception(system: ActorSystem) -> None:
    system.start()
    system.tell(Address("nobody", "x"), Say(n=1))

    (letter,) = system.dead_letters.letters()
    assert (letter.address, letter.message, letter.reason) == (Address("nobody", "x"), Say(n=1), "no such actor")
    assert letter.at == system.clock.now()
    assert system.dead_letters.counts() == {"no such actor": 1}


def test_a_message_to_a_core_kind_by_another_key_is_a_dead_letter(system: ActorSystem) -> None:
    Stage(system, core=True).run(1, key="other")

    assert system.dead_letters.counts() == {"actor stopped": 1}


def test_only_the_last_dead_letters_are_kept_but_all_are_counted(system: ActorSystem) -> None:
    system.start()
    for n in range(1005):
        system.tell(Address("nobody"), Say(n=n))

    assert system.dead_letters.count == 1005
    assert [letter.message for letter in system.dead_letters.letters()] == [Say(n=n) for n in range(5, 1005)]


def test_an_actor_may_tell_itself_and_others_from_on_start_and_handlers(system: ActorSystem) -> None:
    class Eager(Player):
        def on_start(self) -> None:
            self.tell(self.address, Say(n=10))

    def play(player: Player, message: Say) -> None:
        heard.append(message.n)
        if message.n < 3:
            player.tell(player.address, Say(n=message.n + 1))

    heard: list[int] = []
    system.register(ActorSpec("player", lambda key: Eager(play, [])))
    system.start()
    system.tell(PLAYER, Say(n=1))
    system.run()

    assert heard == [1, 10, 2, 3]


def test_what_is_told_in_on_stop_arrives(system: ActorSystem, clock: ManualClock) -> None:
    edge = system.edge("test")

    class Polite(Player):
        def on_stop(self) -> None:
            self.tell(edge.address, Say(n=99))

    system.register(ActorSpec("player", lambda key: Polite(lambda player, message: None, []), idle_s=60))
    system.start()
    system.tell(PLAYER, Say())
    system.run()
    clock.advance(120)
    system.run()

    assert edge.drain() == [Say(n=99)]


@pytest.mark.parametrize(
    ("kind", "core", "idle_s"), [("", False, None), ("a/b", False, None), ("a", True, 5.0), ("a", False, 0.0)]
)
def test_a_spec_that_cannot_be_kept_is_refused(kind: str, core: bool, idle_s: float | None) -> None:
    with pytest.raises(ValueError, match="kind"):
        ActorSpec(kind, lambda key: Player(lambda player, message: None, []), core=core, idle_s=idle_s)


def test_a_kind_is_registered_once_and_edges_are_no_kind(system: ActorSystem) -> None:
    Stage(system)
    for kind in ("player", "edge"):
        with pytest.raises(ValueError, match="registered already"):
            system.register(ActorSpec(kind, lambda key: Player(lambda player, message: None, [])))


def test_a_core_actor_cannot_be_registered_after_the_start(system: ActorSystem) -> None:
    system.start()
    with pytest.raises(ValueError, match="before the system starts"):
        Stage(system, core=True)


class LateTurn(list[None]):
    """A mailbox's turn that lets a message in at the last moment before it is given back."""

    def __init__(self, arrive: Callable[[], None]) -> None:
        super().__init__()
        self._arrive = arrive

    def append(self, item: None) -> None:
        self._arrive()
        super().append(item)


def test_a_message_that_comes_while_its_actor_is_let_go_wakes_it_again(system: ActorSystem) -> None:
    stage = Stage(system)
    late = [3, 2]

    def arrive() -> None:
        if late:
            stage.tell(late.pop())

    stage.tell(1)
    (mailbox,) = system.mailboxes()
    mailbox.turn = LateTurn(arrive)
    system.run()

    assert stage.heard == [1, 2, 3]


# passivation


@pytest.mark.req("X-123")
def test_an_idle_actor_leaves_memory_and_its_next_message_brings_it_back(
    system: ActorSystem, clock: ManualClock
) -> None:
    stage = Stage(system, idle_s=60)
    stage.run(1)
    clock.advance(120)
    system.run()
    assert list(system) == []
    stage.run(2)

    assert stage.heard == [1, 2]
    assert stage.events == ["start", "stop", "start"]


def test_an_actor_that_was_used_within_its_idle_time_stays(system: ActorSystem, clock: ManualClock) -> None:
    stage = Stage(system, idle_s=60)
    for n in range(10):
        stage.run(n)
        clock.advance(50)
        system.run()

    assert stage.events == ["start"]


def test_an_actor_with_work_in_progress_stays(system: ActorSystem, clock: ManualClock) -> None:
    def play(player: Player, message: Say) -> None:
        player.in_progress = message.n == 1

    stage = Stage(system, play, idle_s=60)
    stage.run(1)
    clock.advance(600)
    system.run()
    assert stage.events == ["start"]
    stage.run(2)
    clock.advance(600)
    system.run()

    assert stage.events == ["start", "stop"]


def test_a_message_that_comes_before_the_actor_could_leave_keeps_it(system: ActorSystem, clock: ManualClock) -> None:
    stage = Stage(system, idle_s=60)
    stage.run(1)
    clock.advance(120)  # it is asked to leave; no worker has come by yet
    stage.run(2)

    assert stage.heard == [1, 2]
    assert stage.events == ["start"]


def test_passivated_windows_cost_no_memory_in_the_directory(system: ActorSystem, clock: ManualClock) -> None:
    stage = Stage(system, idle_s=60)
    for key in range(100):
        stage.tell(1, key=str(key))
    system.run()
    clock.advance(120)
    system.run()

    assert system.mailboxes() == []


def test_kinds_without_idle_time_and_core_actors_never_leave(system: ActorSystem, clock: ManualClock) -> None:
    stays = Stage(system, kind="stays", start=False)
    core = Stage(system, kind="core", core=True, start=False)
    Stage(system, kind="leaves", idle_s=60)
    stays.run(1)
    clock.advance(6000)
    system.run()

    assert stays.events == core.events == ["start"]


def test_a_later_message_never_overtakes_an_earlier_one_when_an_actor_leaves(system: ActorSystem) -> None:
    """Unread messages of a stopped actor stand in its successor's mailbox before any lookup of the successor."""
    stage = Stage(system)
    stage.run(1)
    (mailbox,) = system.mailboxes()
    stage.tell(2, 3)
    told_meanwhile: list[int] = []

    class Watching(dict[Address, object]):
        """Another sender's message arrives at the very moment in which the successor becomes known."""

        def __setitem__(self, address: Address, successor: object) -> None:
            super().__setitem__(address, successor)
            if not told_meanwhile:
                told_meanwhile.append(4)
                stage.tell(4)

    watched = Watching(system._directory.mailboxes)
    system._directory.mailboxes = system._mailboxes = watched  # type: ignore[assignment]
    system.ref(PLAYER).stop(block=False)
    mailbox.queue.rotate(1)  # the stop is read first
    system.run()

    assert told_meanwhile == [4]
    assert stage.heard == [1, 2, 3, 4]


@pytest.mark.slow
def test_three_senders_keep_their_order_while_their_actor_leaves_again_and_again(live_system: ActorSystem) -> None:
    count = 3000
    heard: list[tuple[str, int]] = []

    def play(player: Player, message: Say) -> None:
        heard.append((message.sender, message.n))

    stage = Stage(live_system, play, idle_s=3600)
    over = threading.Event()

    def passivate() -> None:
        while not over.is_set():
            for mailbox in live_system.mailboxes():
                if mailbox.actor is not None and mailbox.take_turn():
                    mailbox.leaving = True
                    live_system.schedule(mailbox)

    def send(sender: str) -> None:
        for n in range(count):
            stage.tell(n, sender=sender)
            if n % 20 == 0:
                pause.wait(PATIENCE_S)

    pause = threading.Barrier(3)
    sweeper = threading.Thread(target=passivate)
    sweeper.start()
    together(*(partial(send, name) for name in "abc"))
    while live_system.mailboxes():
        threading.Event().wait(0.001)
    stage.tell(count, sender="a")
    assert live_system.drain(PATIENCE_S).quiet
    over.set()
    sweeper.join()

    for sender in "abc":
        assert [n for who, n in heard if who == sender] == list(range(count + (sender == "a")))
    assert len(stage.players) > 1
    assert live_system.dead_letters.count == 0


def test_three_senders_keep_their_order_while_their_actor_is_stopped_again_and_again(live_system: ActorSystem) -> None:
    rounds, count = 20, 100
    heard: list[tuple[str, int]] = []

    def play(player: Player, message: Say) -> None:
        heard.append((message.sender, message.n))
        if len(heard) % 50 == 0:
            player.stop()

    stage = Stage(live_system, play)
    for begin in range(0, rounds * count, count):
        together(*(partial(stage.tell, *range(begin, begin + count), sender=name) for name in "abc"))
        assert live_system.drain(PATIENCE_S).quiet

    for sender in "abc":
        assert [n for who, n in heard if who == sender] == list(range(rounds * count))
    assert len(stage.players) >= rounds
    assert live_system.dead_letters.count == 0


def test_one_message_is_handled_at_a_time_whatever_the_number_of_workers_and_senders() -> None:
    system = ActorSystem(workers=4)
    inside = threading.Lock()

    def play(player: Player, message: Say) -> None:
        assert inside.acquire(blocking=False)
        inside.release()

    stage = Stage(system, play)
    together(*(lambda: stage.tell(*range(2000)) for _ in range(3)))
    assert system.drain(PATIENCE_S).quiet

    assert len(stage.heard) == 6000
    system.stop()
