"""Curated memory by itself: the real actor on real files, and a test that speaks for windows, people and commands."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from actors.curated.actor import CuratedActor
from actors.curated.config import CuratedConfig
from actors.curated.decisions import CuratedState
from actors.edited_file.rewriting import Waits
from actors.kernel import ActorSpec, ActorSystem, ManualClock
from actors.linux.disk import Disk
from messages.base import Message, RequestId, Surface, TurnId, Window
from messages.curated import CURATED, FactStaged, FlushFacts, RememberFact
from messages.discord import Grant, Readers, ReadersListed, WindowReaders
from messages.socket import Refused
from messages.turn import PrepareTurn, TurnContribution

GENERAL = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")
CLOSED = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000012")
THREAD = Window(surface=Surface.DISCORD_THREAD, id="910000000000000021")
PRIVATE = Window(surface=Surface.DISCORD_THREAD, id="910000000000000022")
DM = Window(surface=Surface.DISCORD_DM, id="910000000000000031")
OPERATOR = Window(surface=Surface.CLI, id="operator")
TURN = Window(surface=Surface.CLI, id="turn")
GUILD = "910000000000000001"
OPEN = Grant(is_default=True)
ROLE = Grant(is_default=False, allowed_roles=frozenset({"910000000000000099"}))
M = TypeVar("M", bound=Message)


def readers_of(window: Window, channel: Window, grant: Grant, *, private: bool = False) -> WindowReaders:
    """Readers of a window in a channel."""
    readers = Readers(guild_id=GUILD, channel_id=channel.id, sees=grant, reads=(grant,), is_private=private)
    return WindowReaders(window=window, readers=readers)


EVERYBODY = (
    readers_of(GENERAL, GENERAL, OPEN),
    readers_of(THREAD, GENERAL, OPEN),
    readers_of(PRIVATE, GENERAL, OPEN, private=True),
    readers_of(CLOSED, CLOSED, ROLE),
)
"""A server with an open channel that has a thread of each kind, and a channel for a role."""


class CuratedRig:
    """One life of the actor after another, on the same folders."""

    def __init__(
        self,
        root: Path,
        *,
        projects: dict[str, Path] | None = None,
        trusted: bool = True,
        disk: Disk | None = None,
        told: Iterable[WindowReaders] = EVERYBODY,
        clock: ManualClock | None = None,
        **options: Any,
    ) -> None:
        self.folder = root / "home" / ".pi" / "agent" / "memory"
        self.own = root / "data" / "curated"
        self.clock = clock or ManualClock()
        self.state = CuratedState()
        self._numbers = itertools.count(1)
        self.told = tuple(told)
        mapped = projects or {}
        self.config = CuratedConfig(
            global_folder=self.folder,
            projects=mapped if trusted else {},
            untrusted=frozenset() if trusted else frozenset(mapped),
            own_folder=self.own,
            waits=Waits(settle_s=0.05, verify_s=0.2),
            disk=disk,
            **options,
        )
        self.start()

    def start(self) -> None:
        """Begin a life."""
        self.system = ActorSystem(workers=0, clock=self.clock)
        self.asker = self.system.edge("asker")
        self.system.register(ActorSpec(CURATED.kind, lambda _key: CuratedActor(self.config, self.state)))
        self.system.start()
        self.system.tell(CURATED, ReadersListed(windows=self.told))
        self.settle()

    def stop(self) -> None:
        """End it in good order."""
        self.system.stop(1.0)

    def settle(self, seconds: float = 3.0) -> None:
        """Let everything happen that is under way."""
        self.system.run()
        for _ in range(round(seconds / 0.05)):
            self.clock.advance(0.05)
            self.system.run()

    def ask(self, kind: type[Message], window: Window = GENERAL, **fields: Any) -> Message:
        """Reply to a request."""
        request_id = RequestId(f"r{next(self._numbers)}")
        self.system.tell(CURATED, kind(request_id=request_id, reply_to=self.asker.address, window=window, **fields))
        self.settle()
        return self.asker.receive(0, lambda heard: getattr(heard, "request_id", None) == request_id)

    def answer(self, expected: type[M], kind: type[Message], window: Window = GENERAL, **fields: Any) -> M:
        """The same, which must be of a kind."""
        reply = self.ask(kind, window, **fields)
        assert isinstance(reply, expected), reply
        return reply

    def refusal(self, kind: type[Message], window: Window = GENERAL, **fields: Any) -> str:
        """Why a request is refused."""
        return self.answer(Refused, kind, window, **fields).reason

    def prepare(self, window: Window = GENERAL, audience: str = "") -> TurnContribution:
        """Contribution to a turn of a window."""
        request_id = RequestId(f"r{next(self._numbers)}")
        turn = PrepareTurn(
            request_id=request_id,
            reply_to=self.asker.address,
            window=window,
            turn_id=TurnId("t"),
            author_id="1",
            author_name="Ann",
            text="Hello",
            visible=(),
            audience=audience,
        )
        self.system.tell(CURATED, turn)
        self.system.run()
        reply = self.asker.receive(0, lambda heard: getattr(heard, "request_id", None) == request_id)
        assert isinstance(reply, TurnContribution)
        return reply

    def block(self, window: Window = GENERAL, audience: str = "") -> str:
        """The block of a turn."""
        return self.prepare(window, audience).instructions

    def index(self) -> str:
        """The global index."""
        return (self.folder / "MEMORY.md").read_text()

    def write_index(self, text: str, name: str = "MEMORY.md") -> None:
        """Edit a file of the global folder as a person does."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def remember(self, text: str, scope: str = "global", window: Window = GENERAL) -> FactStaged:
        """Stage a fact."""
        return self.answer(FactStaged, RememberFact, window, scope=scope, text=text)

    def flush(self, window: Window = GENERAL) -> Message:
        """Commit what is staged."""
        return self.ask(FlushFacts, window)
