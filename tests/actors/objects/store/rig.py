"""The object store by itself: the real actor on a real file, and a test that speaks for windows."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from actors.kernel import ActorSpec
from actors.objects.store.actor import ObjectStoreActor
from actors.objects.store.bounds import StoreLimits
from actors.objects.store.database import SCHEMA
from messages.base import EventId, Message, Surface, TurnId, Window
from messages.objects import (
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
from tests.actors.memory.derived.rig import DatabaseRig

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="910000000000000021")
OTHER = Window(surface=Surface.DISCORD_THREAD, id="910000000000000022")


class StoreRig(DatabaseRig):
    """Lives of the store's actor."""

    def __init__(self, root: Path | None, **limits: int) -> None:
        self.limits = StoreLimits(**limits)
        self._last: dict[Window, int] = {}
        self._versions: dict[tuple[Window, str], FileVersion] = {}
        super().__init__(root, SCHEMA, OBJECT_STORE)

    def specs(self) -> tuple[ActorSpec, ...]:
        """Spec of the store."""
        return (ActorSpec(OBJECT_STORE.kind, lambda _key: ObjectStoreActor(self.root, self.limits)),)

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

    def store_round(self, versions: Iterable[NewVersion] = (), window: Window = WINDOW, **fields: Any) -> RoundStored:
        """The same, which must be kept."""
        reply = self.keep(versions, window, **fields)
        assert isinstance(reply, RoundStored), reply
        return reply

    def go_on(self) -> int:
        """Go on where the last life ended; its last round."""
        self._last[WINDOW] = last = self.load_objects().last_round
        return last

    def text(self, name: str, window: Window = WINDOW, **which: Any) -> str | None:
        """Text of a version."""
        return self.answer(TextFetched, FetchText, window=window, object=name, **which).text

    def load_objects(self, window: Window = WINDOW) -> ObjectsLoaded:
        """State of a window."""
        return self.answer(ObjectsLoaded, LoadObjects, window=window)


def showing(name: str, no: int, place: str, rig: StoreRig) -> Showing:
    """A static reference."""
    return Showing(object=name, no=no, place=place, at=rig.clock.now())


def edit_text(text: str, number: int) -> str:
    """A text with a few words changed."""
    lines = text.split("\n")
    lines[number % len(lines)] = f"edit {number}"
    return "\n".join(lines)


def long_text(seed: int, lines: int) -> str:
    """A text that does not compress by itself alone."""
    chance = random.Random(seed)
    return "\n".join("".join(chance.choices("abcdefghijklmnopqrstuvwxyz ", k=60)) for _ in range(lines))
