from __future__ import annotations

import threading

from actors.kernel import ActorSpec, ActorSystem
from tests.actors.kernel.players import Player
from tests.patience import PATIENCE_S


def test_actors_start_beside_a_slow_actor_and_the_start_ends_with_the_last(live_system: ActorSystem) -> None:
    begun: list[str] = []
    next_has_begun = threading.Event()

    class Slow(Player):
        def on_start(self) -> None:
            assert next_has_begun.wait(PATIENCE_S)
            begun.append("slow")

    class Next(Player):
        def on_start(self) -> None:
            begun.append("next")
            next_has_begun.set()

    slow = ActorSpec("slow", lambda _key: Slow(lambda p, m: None, []), core=True, is_slow_to_start=True)
    live_system.register(slow)
    live_system.register(ActorSpec("next", lambda _key: Next(lambda p, m: None, []), core=True))

    live_system.start()

    assert begun == ["next", "slow"]


def test_what_lets_work_in_starts_once_all_others_have(live_system: ActorSystem) -> None:
    begun: list[str] = []

    class Core(Player):
        def on_start(self) -> None:
            threading.Event().wait(0.1 if self.address.kind == "slow" else 0)
            begun.append(self.address.kind)

    def spec(kind: str, *, is_slow_to_start: bool = False, starts_last: bool = False) -> ActorSpec:
        return ActorSpec(
            kind,
            lambda _key: Core(lambda p, m: None, []),
            core=True,
            is_slow_to_start=is_slow_to_start,
            starts_last=starts_last,
        )

    live_system.register(spec("door", starts_last=True))
    live_system.register(spec("slow", is_slow_to_start=True))
    live_system.register(spec("last door", starts_last=True))
    live_system.register(spec("next"))

    live_system.start()

    assert begun == ["next", "slow", "door", "last door"]


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
