"""Messages and actors that do as a test tells them."""

from __future__ import annotations

import threading
from collections.abc import Callable

from actors.kernel import Actor, ActorSpec, ActorSystem
from domain.policy.restarts import RestartPolicy
from messages.base import Address, Message

PLAYER = Address("player")
AT_ONCE = RestartPolicy(min_backoff_s=0, max_backoff_s=0, intensity=1_000_000)
"""Restarts without a wait and without an end."""


class Say(Message, frozen=True, kw_only=True, gc=False):
    """A message that is told apart by its number and its sender."""

    n: int = 0
    sender: str = ""


class Player(Actor):
    """Calls `play(self, message)` for every message, and writes down what happens to it."""

    def __init__(self, play: Callable[[Player, Say], object], events: list[str]) -> None:
        super().__init__()
        self.play = play
        self.events = events

    def on_start(self) -> None:
        self.events.append(f"start {self.address.key}".strip())

    def handle(self, message: Say) -> None:
        self.play(self, message)

    def on_stop(self) -> None:
        self.events.append(f"stop {self.address.key}".strip())


class Stage:
    """A kind of player in a system, with what they were told and what became of them."""

    def __init__(
        self,
        system: ActorSystem,
        play: Callable[[Player, Say], object] | None = None,
        *,
        kind: str = "player",
        core: bool = False,
        idle_s: float | None = None,
        most_idle: int | None = None,
        policy: RestartPolicy | None = None,
        start: bool = True,
    ) -> None:
        self.system = system
        self.heard: list[int] = []
        self.events: list[str] = []
        self.players: list[Player] = []
        self.play = play or (lambda player, message: None)
        self.kind = kind
        policy = policy or RestartPolicy()
        system.register(ActorSpec(kind, self._build, core=core, idle_s=idle_s, most_idle=most_idle, policy=policy))
        if start:
            system.start()

    def tell(self, *numbers: int, key: str = "", sender: str = "") -> None:
        for n in numbers:
            self.system.tell(Address(self.kind, key), Say(n=n, sender=sender))

    def run(self, *numbers: int, key: str = "") -> list[int]:
        """Tell `numbers`, handle all that can be handled, and give everything heard so far."""
        self.tell(*numbers, key=key)
        self.system.run()
        return self.heard

    def _build(self, key: str) -> Player:
        self.players.append(player := Player(self._hear, self.events))
        return player

    def _hear(self, player: Player, message: Say) -> None:
        self.play(player, message)
        self.heard.append(message.n)


class Boom(Exception):  # noqa: N818 - short, for it stands in every other line
    """Error that a player raises on request."""


def failing(*numbers: int, times: int = 1_000_000) -> Callable[[Player, Say], object]:
    """A player that raises over each of `numbers`, `times` times."""
    left = dict.fromkeys(numbers, times)

    def play(player: Player, message: Say) -> None:
        if left.get(message.n, 0) > 0:
            left[message.n] -= 1
            raise Boom(f"number {message.n}")

    return play


def together(*actions: Callable[[], object]) -> None:
    """Run all `actions`, each in a thread, starting them at the same time; wait for all."""
    barrier = threading.Barrier(len(actions))

    def go(action: Callable[[], object]) -> None:
        barrier.wait()
        action()

    threads = [threading.Thread(target=go, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
