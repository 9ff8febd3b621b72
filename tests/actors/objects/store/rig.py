"""The object store by itself: the real actor on a real file, and a test that speaks for windows."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from actors.kernel import ActorSpec, ActorSystem, ManualClock
from actors.objects.store.actor import ObjectStoreActor
from actors.objects.store.bounds import StoreLimits
from actors.objects.store.database import SCHEMA
from messages.base import EventId, Message, RequestId, Surface, TurnId, Window
from messages.object_store import (
    OBJECT_STORE,
    FetchText,
    FileVersion,
    LoadObjects,
    NewVersion,
    ObjectsLoaded,
    OutputRow,
    RoundStored,
    Showing,
    StoreRound,
    TextFetched,
)
from messages.socket import Refused

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="910000000000000021")
OTHER = Window(surface=Surface.DISCORD_THREAD, id="910000000000000022")
M = TypeVar("M", bound=Message)


class StoreRig:
    """One life of the actor after another, on the same file."""

    def __init__(self, root: Path | None, **limits: int) -> None:
        self.root = root
        self.clock = ManualClock()
        self.limits = StoreLimits(**limits)
        self._numbers = itertools.count(1)
        self._last: dict[Window, int] = {}
        self._versions: dict[tuple[Window, str], FileVersion] = {}
        self.start()

    @property
    def path(self) -> Path:
        """Of the file."""
        assert self.root is not None
        return SCHEMA.path(self.root)

    def start(self) -> None:
        """Begin a life."""
        self.system = ActorSystem(workers=0, clock=self.clock)
        self.asker = self.system.edge("asker")
        self.system.register(ActorSpec(OBJECT_STORE.kind, lambda _key: ObjectStoreActor(self.root, self.limits)))
        self.system.start()

    def stop(self) -> None:
        """End it in good order."""
        self.system.stop(1.0)

    def live_again(self) -> None:
        """End it, and begin another."""
        self.stop()
        self.start()

    def ask(self, kind: type[Message], **fields: Any) -> Message:
        """What comes of a request."""
        request_id = RequestId(f"r{next(self._numbers)}")
        self.system.tell(OBJECT_STORE, kind(request_id=request_id, reply_to=self.asker.address, **fields))
        self.system.run()
        return self.asker.receive(0, lambda heard: getattr(heard, "request_id", None) == request_id)

    def answer(self, expected: type[M], kind: type[Message], **fields: Any) -> M:
        """The same, which must be of a kind."""
        reply = self.ask(kind, **fields)
        assert isinstance(reply, expected), reply
        return reply

    def refusal(self, kind: type[Message], **fields: Any) -> str:
        """Why a request is refused."""
        return self.answer(Refused, kind, **fields).reason

    def version(self, name: str, text: str | None, window: Window = WINDOW, **fields: Any) -> NewVersion:
        """The next version of a file."""
        self.clock.advance(1.0)
        before = self._versions.get((window, name))
        digest = hashlib.sha256(text.encode()).hexdigest() if text is not None else ""
        values: dict[str, Any] = {
            "object": name,
            "no": before.no + 1 if before else 1,
            "valid_from": self.clock.now(),
            "path": f"{name}.txt",
            "status": "text" if text is not None else "binary",
            "size": len(text or ""),
            "content_hash": digest,
            "metadata_hash": "m" * 64,
            "object_hash": "o" * 64,
        }
        version = FileVersion(**{**values, **fields})
        self._versions[window, name] = version
        return NewVersion(version=version, text=text)

    def output(self, number: int, **fields: Any) -> OutputRow:
        """An output."""
        values: dict[str, Any] = {
            "object": f"t{number}",
            "event": EventId(f"e{number}"),
            "log": "logs/a.md",
            "turn_id": TurnId("u1"),
            "call_id": f"call_{number}",
            "at": self.clock.now() + timedelta(microseconds=7),
            "size": 5,
            "outcome": "exited",
            "exit_code": 0,
        }
        return OutputRow(**{**values, **fields})

    def keep(
        self,
        versions: Iterable[NewVersion] = (),
        window: Window = WINDOW,
        *,
        entries: bytes = b"entries",
        number: int = 0,
        **fields: Any,
    ) -> Message:
        """Keep the next round."""
        number = number or self._last.get(window, 0) + 1
        reply = self.ask(StoreRound, window=window, round=number, entries=entries, versions=tuple(versions), **fields)
        if isinstance(reply, RoundStored):
            self._last[window] = max(number, self._last.get(window, 0))
        return reply

    def kept(self, versions: Iterable[NewVersion] = (), window: Window = WINDOW, **fields: Any) -> RoundStored:
        """The same, which must be kept."""
        reply = self.keep(versions, window, **fields)
        assert isinstance(reply, RoundStored), reply
        return reply

    def go_on(self) -> int:
        """Go on where the last life ended; its last round."""
        self._last[WINDOW] = last = self.loaded().last_round
        return last

    def text(self, name: str, window: Window = WINDOW, **which: Any) -> str | None:
        """Text of a version."""
        return self.answer(TextFetched, FetchText, window=window, object=name, **which).text

    def loaded(self, window: Window = WINDOW) -> ObjectsLoaded:
        """State of a window."""
        return self.answer(ObjectsLoaded, LoadObjects, window=window)


def showing(name: str, no: int, place: str, rig: StoreRig) -> Showing:
    """A static reference."""
    return Showing(object=name, no=no, place=place, at=rig.clock.now())


def edited(text: str, number: int) -> str:
    """A text with a few words changed."""
    lines = text.split("\n")
    lines[number % len(lines)] = f"edit {number}"
    return "\n".join(lines)


def long_text(seed: int, lines: int) -> str:
    """A text that does not compress by itself alone."""
    chance = random.Random(seed)
    return "\n".join("".join(chance.choices("abcdefghijklmnopqrstuvwxyz ", k=60)) for _ in range(lines))
