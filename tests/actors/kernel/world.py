"""A small world of windows and senders in which the protocol of mailbox and supervisor can be played move by move."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pykka

from actors.kernel import ActorSystem, ManualClock, counted_ids
from domain.policy.restarts import RestartPolicy
from messages.base import Address
from tests.actors.kernel.players import Boom, Player, Say, Stage

POLICY = RestartPolicy(intensity=3, window_s=60, suspend_s=30, max_attempts=3)
IDLE_S = 120.0
ENOUGH_S = 40.0
"""Longer than any rest."""


@dataclass
class World:
    """Every message is a number of its own; what it does to its handler is decided when it is told."""

    clock: ManualClock = field(default_factory=ManualClock)
    failures: dict[int, int] = field(default_factory=dict)
    """Number -> how often its handler still raises."""
    told: list[Say] = field(default_factory=list)
    receiver: dict[int, str] = field(default_factory=dict)
    heard: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.system = ActorSystem(workers=0, clock=self.clock, ids=counted_ids())
        self.stage = Stage(self.system, self._play, policy=POLICY, idle_s=IDLE_S)

    def _play(self, player: Player, message: Say) -> None:
        assert self.receiver[message.n] == player.address.key
        if self.failures[message.n] > 0:
            self.failures[message.n] -= 1
            raise Boom(f"number {message.n}")
        self.heard.append(message.n)

    # moves

    def tell(self, sender: str = "s", key: str = "a", failures: int = 0) -> None:
        message = Say(n=len(self.told), sender=sender)
        self.told.append(message)
        self.failures[message.n], self.receiver[message.n] = failures, key
        self.system.tell(Address("player", key), message)

    def run_one(self) -> None:
        self.system.dispatcher.run_ready()

    def pass_time(self, seconds: float) -> None:
        self.clock.advance(seconds)

    def ask_to_leave(self) -> None:
        """Sweep of actors that were idle for long enough."""
        for mailbox in self.system.mailboxes():
            if mailbox.actor is not None and not mailbox.queue and mailbox.take_turn():
                mailbox.leaving = True
                self.system.schedule(mailbox)

    def stop_actor(self, key: str = "a") -> None:
        try:
            self.system.ref(Address("player", key)).stop(block=False)
        except pykka.ActorDeadError:
            return

    def drain(self) -> None:
        """Let time pass until no actor holds work: all that was told is handled or buried."""
        for _ in range(4 * len(self.told) + 1):
            if self.system.drain(0).quiet:
                break
            self.clock.advance(ENOUGH_S)
        assert self.system.drain(0).quiet
        assert self.waiting() == []

    # what must hold

    def waiting(self) -> list[Say]:
        items = [item for mailbox in self.system.mailboxes() for item in mailbox.queue]
        return [item for item in items if isinstance(item, Say)]

    def check(self) -> None:
        self._check_places()
        self._check_order()

    def _check_places(self) -> None:
        """An accepted message is in exactly one place: mailbox, handled, dead letters (none is in hand now)."""
        buried = [letter.message.n for letter in self.system.dead_letters.letters() if isinstance(letter.message, Say)]
        places = Counter(self.heard) + Counter(buried) + Counter(message.n for message in self.waiting())
        assert places == Counter(message.n for message in self.told)

    def _check_order(self) -> None:
        """Handled and waiting messages of one sender to one receiver stand in the order in which they were told."""
        read = [*(self.told[n] for n in self.heard), *self.waiting()]
        for sender in {message.sender for message in read}:
            for key in {"a", "b"}:
                numbers = [m.n for m in read if m.sender == sender and self.receiver[m.n] == key]
                assert numbers == sorted(numbers)

    def end(self) -> None:
        """Stop the system: nothing waits any more, every started actor was closed."""
        self.system.stop()
        self.check()
        assert self.waiting() == []
        assert self.stage.events.count("start a") == self.stage.events.count("stop a")
