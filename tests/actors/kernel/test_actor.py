from __future__ import annotations

import pytest

from actors.kernel import ActorSystem, ManualClock, NotUnderstoodError, Timer, earliest, not_understood
from tests.actors.kernel.players import PLAYER, Player, Say, Stage


def test_a_message_that_means_nothing_to_an_actor_is_a_dead_letter_at_once_and_no_crash(system: ActorSystem) -> None:
    def play(player: Player, say: Say) -> None:
        if say.n == 2:
            raise NotUnderstoodError(say)

    stage = Stage(system, play)

    assert stage.run(1, 2, 3) == [1, 3]
    assert stage.events == ["start"]
    assert system.dead_letters.counts() == {"not understood": 1}
    assert system.supervisor.crashes() == {}


def test_what_comes_behind_such_messages_is_handled_in_its_order(system: ActorSystem) -> None:
    def play(player: Player, say: Say) -> None:
        if say.n % 3 == 0:
            raise NotUnderstoodError(say)

    assert Stage(system, play).run(*range(100)) == [n for n in range(100) if n % 3]
    assert system.dead_letters.count == 34


def test_whoever_asks_by_pykkas_reference_gets_the_error(system: ActorSystem) -> None:
    def play(player: Player, say: Say) -> None:
        if say.n == 1:
            raise NotUnderstoodError(say)

    Stage(system, play).run(0)
    future = system.ref(PLAYER).ask(Say(n=1), block=False)
    system.run()

    with pytest.raises(NotUnderstoodError, match="Say is not handled by this actor"):
        future.get(timeout=0)


def test_the_end_of_a_match_names_the_type_and_never_the_content() -> None:
    with pytest.raises(NotUnderstoodError, match=r"^str is not handled by this actor$"):
        not_understood("secret")  # type: ignore[arg-type]


@pytest.mark.parametrize("wishes", [(5.0, 2.0, 9.0), (2.0, 5.0, 2.0), (9.0, 2.0), (2.0,)])
def test_of_several_wishes_to_be_called_back_the_earliest_comes_and_no_other(
    system: ActorSystem, clock: ManualClock, wishes: tuple[float, ...]
) -> None:
    timers: list[Timer] = []

    def wish(player: Player, message: Say) -> None:
        if message.n:
            timer = timers[-1] if timers else None
            timers.append(earliest(player, timer, wishes[message.n - 1], Say()))

    stage = Stage(system, wish)
    told = stage.run(*range(1, len(wishes) + 1))
    clock.advance(1.9)
    assert stage.run() == told
    clock.advance(0.2)
    assert stage.run() == [*range(1, len(wishes) + 1), 0]
    clock.advance(60)
    assert stage.run().count(0) == 1
