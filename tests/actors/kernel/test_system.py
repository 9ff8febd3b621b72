from __future__ import annotations

import threading

from actors.kernel import ActorSpec, ActorSystem
from tests.actors.kernel.players import Player
from tests.patience import PATIENCE_S


def test_a_slow_actor_starts_first_the_others_beside_it_and_what_lets_work_in_behind_all(
    live_system: ActorSystem,
) -> None:
    started: list[str] = []
    slow_has_begun, next_has_started = threading.Event(), threading.Event()

    class Core(Player):
        def on_start(self) -> None:
            if self.address.kind == "slow":
                slow_has_begun.set()
                assert next_has_started.wait(PATIENCE_S)
            elif self.address.kind == "next":
                assert slow_has_begun.wait(PATIENCE_S)
            started.append(self.address.kind)
            if self.address.kind == "next":
                next_has_started.set()

    def spec(kind: str, *, is_slow_to_start: bool = False, starts_last: bool = False) -> ActorSpec:
        return ActorSpec(
            kind,
            lambda _key: Core(lambda p, m: None, []),
            core=True,
            is_slow_to_start=is_slow_to_start,
            starts_last=starts_last,
        )

    live_system.register(spec("door", starts_last=True))
    live_system.register(spec("next"))
    live_system.register(spec("slow", is_slow_to_start=True))
    live_system.register(spec("last door", starts_last=True))

    live_system.start()

    assert started == ["next", "slow", "door", "last door"]


def test_the_start_ends_when_a_slow_actor_has_started(live_system: ActorSystem) -> None:
    started = threading.Event()

    class Slow(Player):
        def on_start(self) -> None:
            threading.Event().wait(0.1)
            started.set()

    live_system.register(ActorSpec("slow", lambda _key: Slow(lambda p, m: None, []), core=True, is_slow_to_start=True))

    live_system.start()

    assert started.is_set()


def test_actors_start_one_after_another(live_system: ActorSystem) -> None:
    begun: list[str] = []

    class Core(Player):
        def on_start(self) -> None:
            begun.append(f"{self.address.kind} begins")
            threading.Event().wait(0.05)
            begun.append(f"{self.address.kind} has started")

    for kind in ("first", "second"):
        live_system.register(ActorSpec(kind, lambda _key: Core(lambda p, m: None, []), core=True))

    live_system.start()

    assert begun == ["first begins", "first has started", "second begins", "second has started"]
