"""Saboteur: makes the handlers of an agent's actors fail, once, at the next message of one type."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, get_type_hints

from actors.kernel import Actor, ActorSpec
from lab.bench.crashes.sample import members
from messages.base import Address, Message
from messages.context import ContextMessage
from messages.discord import DiscordCommand
from messages.socket import DoorMessage
from messages.status import DescribeYourself, SelfDescription

FORGET_S = 1.0
"""Seconds until a crash no longer counts towards giving up: this campaign has many independent crashes."""
BY_KIND: dict[str, object] = {
    "discord": DiscordCommand,
    "socket": DoorMessage | DescribeYourself | SelfDescription,
    "context": ContextMessage,
}
"""Messages understood by actors whose `handle` takes any message."""


class Misfortune(Exception):  # noqa: N818 - what befalls an actor here is no error of anybody's
    """Exception with which a handler fails."""


@dataclass(slots=True)
class Strike:
    """One crash, planned and then observed."""

    kind: str
    message_type: type[Message]
    made_up: Message | None = None
    """A sample message, sent if no natural message comes; never handled."""
    struck: Message | None = None
    crashed_at: float = 0.0
    restarted_at: float = 0.0
    """When the next life had the message in hand."""
    restarted: threading.Event = field(default_factory=threading.Event)


class Saboteur:
    """Wrapper around the handlers of all actors built from `spoil_spec` specs."""

    def __init__(self) -> None:
        self.understood: dict[str, set[type[Message]]] = defaultdict(set)
        """Kind -> messages understood according to `handle`, and messages received."""
        self.targets: dict[str, dict[type[Message], Address]] = defaultdict(dict)
        """Kind -> types received naturally, with the last receiver."""
        self._unbuilt: dict[str, ActorSpec] = {}
        """Specifications by kind, of actors created at their first message."""
        self._strike: Strike | None = None

    def spoil_spec(self, spec: ActorSpec) -> ActorSpec:
        """`spec` with handlers that fail on demand; the crashes are soon forgotten."""
        self._unbuilt[spec.kind] = spec

        def build(key: str) -> Actor:
            actor = spec.build(key)
            self._unbuilt.pop(spec.kind, None)
            self._spoil(actor, spec.kind, Address(spec.kind, key))
            return actor

        return replace(spec, build=build, policy=replace(spec.policy, window_s=FORGET_S))

    def look_at_unbuilt(self) -> None:
        """Learn the messages understood by actors without a message so far; each is made once, and discarded."""
        for kind, spec in self._unbuilt.items():
            self.understood[kind] |= _understood_messages(kind, spec.build(""))

    def plan(self, strike: Strike | None) -> None:
        """Let the next message of a strike's kind and type fail; None lets no message fail."""
        self._strike = strike

    def _spoil(self, actor: Actor, kind: str, address: Address) -> None:
        handle: Callable[[Any], None] = actor.handle
        self.understood[kind] |= _understood_messages(kind, actor)

        def misbehave(message: Message) -> None:
            strike = self._strike
            if strike is None or strike.kind != kind or not self._hits(strike, message):
                self.understood[kind].add(type(message))
                self.targets[kind][type(message)] = address
                handle(message)

        actor.handle = misbehave  # type: ignore[method-assign]

    def _hits(self, strike: Strike, message: Message) -> bool:
        """True if the message is not to be handled; raises if the message is to fail."""
        if strike.struck is None:
            if strike.made_up is not None and message is not strike.made_up:
                return False
            if type(message) is not strike.message_type:
                return False
            strike.struck = message
            strike.crashed_at = time.perf_counter()
            raise Misfortune(f"{strike.kind} at {strike.message_type.__name__}")
        if message is strike.struck and not strike.restarted.is_set():
            strike.restarted_at = time.perf_counter()
            strike.restarted.set()
            return strike.made_up is not None
        return False


def _understood_messages(kind: str, actor: Actor) -> set[type[Message]]:
    hint = BY_KIND.get(kind) or get_type_hints(type(actor).handle).get("message")
    return set(members(hint))
