"""The facts' index by itself: the real actor on a real file, and a test that speaks for the facts."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from actors.facts.index.actor import FactIndexActor
from actors.facts.index.database import SCHEMA
from actors.kernel import ActorSpec, ActorSystem, ManualClock
from messages.base import Message, RequestId
from messages.facts import (
    FACT_INDEX,
    FACTS,
    ChangeRows,
    EntryRole,
    FetchRows,
    FindRows,
    FoundRow,
    IndexBegun,
    IndexRow,
    KnownRow,
    LoadRows,
    RowsChanged,
    RowsFetched,
    RowsFound,
    RowsLoaded,
)
from messages.socket import Refused
from tests.actors.facts.index.told import Told

AT = datetime(2026, 11, 26, tzinfo=UTC)
MODEL = "openai/m/3"
M = TypeVar("M", bound=Message)


def unit(*numbers: float) -> bytes:
    vector = np.array(numbers, dtype="<f4")
    return bytes((vector / np.linalg.norm(vector)).astype("<f4").tobytes())


def row(name: str, vector: bytes = b"", **changed: Any) -> IndexRow:
    fields: dict[str, Any] = {
        "id": name,
        "path": f"entries/c/facts/{name}.md",
        "digest": f"digest of {name}",
        "conversation": "c",
        "role": EntryRole.MEMORY,
        "created_at": AT,
        "content": f"content of {name}",
        "vector": vector,
    }
    return IndexRow(**fields | changed)


class IndexRig:
    """One life of the actor after another, on the same file."""

    def __init__(self, root: Path | None) -> None:
        self.root = root
        self.clock = ManualClock()
        self.told: list[Message] = []
        self._numbers = itertools.count(1)
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
        self.system.register(ActorSpec(FACT_INDEX.kind, lambda _key: FactIndexActor(self.root)))
        self.system.register(ActorSpec(FACTS.kind, lambda _key: Told(self.told, IndexBegun)))
        self.system.start()

    def stop(self) -> None:
        """End it in good order."""
        self.system.stop(1.0)

    def live_again(self) -> None:
        """End it, and begin another."""
        self.stop()
        self.start()

    def reply(self, kind: type[Message], **fields: Any) -> Message:
        """What comes of a request."""
        request_id = RequestId(f"r{next(self._numbers)}")
        self.system.tell(FACT_INDEX, kind(request_id=request_id, reply_to=self.asker.address, **fields))
        self.system.run()
        return self.asker.receive(0, lambda heard: getattr(heard, "request_id", None) == request_id)

    def answer(self, expected: type[M], kind: type[Message], **fields: Any) -> M:
        reply = self.reply(kind, **fields)
        assert isinstance(reply, expected), reply
        return reply

    def refusal(self, kind: type[Message], **fields: Any) -> str:
        return self.answer(Refused, kind, **fields).reason

    def put(self, *rows: IndexRow, model: str = MODEL, drop: tuple[str, ...] = ()) -> None:
        self.answer(RowsChanged, ChangeRows, model=model, put=rows, drop=drop)

    def known(self) -> dict[str, KnownRow]:
        return {each.id: each for each in self.answer(RowsLoaded, LoadRows).rows}

    def content(self, *ids: str) -> list[str]:
        return [each.content for each in self.answer(RowsFetched, FetchRows, ids=ids).rows]

    def find(self, vector: bytes, **changed: Any) -> list[FoundRow]:
        fields = {"model": MODEL, "scopes": ("c",), "roles": tuple(EntryRole), "per_scope": 5} | changed
        return list(self.answer(RowsFound, FindRows, vector=vector, **fields).rows)

    def names(self, vector: bytes, **changed: Any) -> list[str]:
        return [each.id for each in self.find(vector, **changed)]


def later(seconds: float) -> datetime:
    return AT + timedelta(seconds=seconds)
