from __future__ import annotations

import pytest

from actors.kernel import ActorSystem
from tests.actors.kernel.players import AT_ONCE, Boom, Player, Say, Stage
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.crashes


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), MemoryError(), RecursionError("deep")])
def test_whatever_a_handler_raises_is_its_own_crash_and_nobody_elses(system: ActorSystem, error: BaseException) -> None:
    failures = [error]

    def play(player: Player, message: Say) -> None:
        if failures:
            raise failures.pop()

    stage = Stage(system, play, policy=AT_ONCE)

    assert stage.run(1, 2) == [1, 2]
    assert system.supervisor.crashes() == {"player": 1}


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1)])
def test_an_exit_raised_in_a_worker_kills_neither_the_worker_nor_other_actors(
    live_system: ActorSystem, error: BaseException
) -> None:
    failures = [error, error]
    edge = live_system.edge("test")

    def play(player: Player, message: Say) -> None:
        if message.n == 1 and failures:
            raise failures.pop()
        player.tell(edge.address, message)

    stage = Stage(live_system, play, policy=AT_ONCE)
    stage.tell(1, 2)
    stage.tell(3, key="neighbour")

    assert sorted(edge.receive(PATIENCE_S).n for _ in range(3)) == [1, 2, 3]  # type: ignore[attr-defined]
    assert all(worker.is_alive() for worker in live_system.dispatcher.workers)


def test_control_c_in_the_callers_own_thread_reaches_the_caller_and_costs_no_message(system: ActorSystem) -> None:
    interrupts = [KeyboardInterrupt()]

    def play(player: Player, message: Say) -> None:
        if interrupts:
            raise interrupts.pop()

    stage = Stage(system, play)
    with pytest.raises(KeyboardInterrupt):
        stage.run(1, 2)

    assert stage.run(3) == [1, 2, 3]
    assert system.supervisor.crashes() == {}


def test_an_exception_whose_text_cannot_be_had_is_a_crash_like_any_other(system: ActorSystem) -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError("no words")

    errors: list[Exception] = [MuteError(), MuteError(), MuteError()]

    def play(player: Player, message: Say) -> None:
        if errors:
            raise errors.pop()

    stage = Stage(system, play, policy=AT_ONCE)

    assert stage.run(1, 2) == [2]
    assert "MuteError: (its text cannot be read)" in system.dead_letters.letters()[0].reason


def test_one_exception_raised_again_and_again_does_not_grow(
    system: ActorSystem, caplog: pytest.LogCaptureFixture
) -> None:
    error = Boom("the same")

    def play(player: Player, message: Say) -> None:
        raise error

    Stage(system, play, policy=AT_ONCE).run(*range(20))

    crashes = [record.getMessage() for record in caplog.records if "crashed in handle" in record.getMessage()]
    assert len(crashes) == 60
    assert "Traceback" in crashes[0]
    assert len({len(crash) for crash in crashes}) == 1
