from __future__ import annotations

import pykka
import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem, NotUnderstoodError
from actors.kernel.mailbox import Mailbox
from messages.base import Address
from tests.actors.kernel.players import AT_ONCE, PLAYER, Boom, Player, Say, Stage, failing


class Answering(Player):
    """Answers what is asked through pykka's reference."""

    def handle(self, message: object) -> object:  # type: ignore[override]
        if message == "bad":
            raise Boom("asked for it")
        if message == "exit":
            raise SystemExit(2)
        self.events.append(f"heard {message}")
        return f"answer to {message}"


@pytest.fixture
def events(system: ActorSystem) -> list[str]:
    events: list[str] = []
    spec = ActorSpec("player", lambda key: Answering(lambda p, m: None, events), core=True, policy=AT_ONCE)
    system.register(spec)
    system.start()
    system.run()
    return events


@pytest.mark.req("C-04")
def test_an_ask_is_answered_with_what_the_handler_returns(system: ActorSystem, events: list[str]) -> None:
    future = system.ref(PLAYER).ask("a question", block=False)
    system.run()

    assert future.get(timeout=0) == "answer to a question"


def test_an_asker_gets_the_exception_and_the_actor_lives_on(system: ActorSystem, events: list[str]) -> None:
    future = system.ref(PLAYER).ask("bad", block=False)
    after = system.ref(PLAYER).ask("next", block=False)
    system.run()

    with pytest.raises(Boom, match="asked for it"):
        future.get(timeout=0)
    assert after.get(timeout=0) == "answer to next"
    assert events == ["start", "heard next"]


@pytest.mark.crashes
def test_an_asker_whose_question_kills_the_actor_each_time_gets_the_last_exception(
    system: ActorSystem, events: list[str]
) -> None:
    future = system.ref(PLAYER).ask("exit", block=False)
    system.run()

    with pytest.raises(SystemExit):
        future.get(timeout=0)
    (letter,) = system.dead_letters.letters()
    assert letter.message == "exit"
    assert events.count("start") == 4


def test_tells_and_asks_through_a_reference_keep_their_order_with_tells_by_address(
    system: ActorSystem, events: list[str]
) -> None:
    ref = system.ref(PLAYER)
    ref.tell("1")
    system.tell(PLAYER, "2")  # type: ignore[arg-type]
    ref.ask("3", block=False)
    system.run()

    assert events == ["start", "heard 1", "heard 2", "heard 3"]


def test_a_proxy_calls_methods_and_reads_and_sets_attributes_in_the_actors_turn(
    system: ActorSystem, events: list[str]
) -> None:
    ref = system.ref(PLAYER)
    proxy = ref.proxy()
    called = proxy.handle("by proxy")
    set_future = ref.ask(pykka.messages.ProxySetAttr(("in_progress",), True), block=False)
    read = proxy.in_progress
    system.run()

    assert called.get(timeout=0) == "answer to by proxy"
    assert set_future.get(timeout=0) is None
    assert read.get(timeout=0) is True


def test_a_stop_through_a_reference_lets_earlier_messages_be_handled_and_answers_later_asks_as_dead(
    system: ActorSystem, events: list[str]
) -> None:
    ref = system.ref(PLAYER)
    before = ref.ask("before", block=False)
    stopped = ref.stop(block=False)
    again = ref.stop(block=False)
    after = ref.ask("after", block=False)
    system.run()

    assert before.get(timeout=0) == "answer to before"
    assert stopped.get(timeout=0)
    assert again.get(timeout=0)
    with pytest.raises(pykka.ActorDeadError):
        after.get(timeout=0)
    assert not ref.is_alive()
    assert events == ["start", "heard before", "stop"]


def test_a_dead_core_actor_has_no_reference_and_its_messages_are_dead_letters(
    system: ActorSystem, events: list[str]
) -> None:
    ref = system.ref(PLAYER)
    ref.stop(block=False)
    system.run()
    system.tell(PLAYER, Say())

    with pytest.raises(pykka.ActorDeadError):
        system.ref(PLAYER)
    with pytest.raises(pykka.ActorDeadError):
        ref.ask("anyone?", block=True)
    assert system.dead_letters.counts() == {"actor stopped": 1}


def test_messages_behind_a_stop_go_to_the_next_actor_of_the_address(system: ActorSystem) -> None:
    stage = Stage(system)
    stage.run(1)
    ref = system.ref(PLAYER)
    ref.stop(block=False)
    ref.tell(Say(n=2))
    stage.tell(3)
    ref.tell(pykka.messages._ActorStop())
    system.run()

    assert stage.heard == [1, 2, 3]
    assert stage.events == ["start", "stop", "start"]


def test_an_actor_may_stop_itself(system: ActorSystem) -> None:
    stage = Stage(system, lambda player, message: player.stop())
    stage.run(1)

    assert stage.events == ["start", "stop"]
    assert list(system) == []


@pytest.mark.crashes
def test_a_reference_outlives_the_crash_of_its_actor(system: ActorSystem) -> None:
    stage = Stage(system, failing(2, times=1), policy=AT_ONCE)
    stage.run(1)
    ref = system.ref(PLAYER)
    stage.run(2)
    ref.tell(Say(n=3))
    system.run()

    assert ref.is_alive()
    assert stage.heard == [1, 2, 3]


def test_our_actors_cannot_be_started_the_pykka_way() -> None:
    with pytest.raises(TypeError, match="tell the address"):
        Player._create_actor_inbox()


def test_a_mailbox_speaks_pykkas_inbox_and_stop_flag(system: ActorSystem) -> None:
    Stage(system).tell(1)
    (mailbox,) = system.mailboxes()
    assert isinstance(mailbox, Mailbox)

    assert not mailbox.empty()
    assert mailbox.get() == Say(n=1)
    assert mailbox.empty()
    mailbox.set()
    assert mailbox.is_set()


def test_an_actor_without_a_handler_says_what_it_does_not_understand() -> None:
    with pytest.raises(NotUnderstoodError, match="Say is not handled by this actor"):
        Actor().handle(Say())


def test_the_urn_names_the_address(system: ActorSystem) -> None:
    Stage(system).run(1, key="thread/7")

    assert system.ref(Address("player", "thread/7")).actor_urn == "urn:actor:player/thread/7"
