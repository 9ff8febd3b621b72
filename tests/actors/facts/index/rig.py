"""The facts' index by itself: the real actor on a real file, and a test that speaks for the facts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from actors.facts.index.actor import FactIndexActor
from actors.facts.index.database import SCHEMA
from actors.kernel import ActorSpec
from messages.base import Message
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
from tests.actors.facts.index.told import Told
from tests.actors.memory.derived.rig import DatabaseRig

AT = datetime(2026, 11, 26, tzinfo=UTC)
MODEL = "openai/m/3"


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


class IndexRig(DatabaseRig):
    """Lives of the index's actor."""

    def __init__(self, root: Path | None) -> None:
        self.told: list[Message] = []
        super().__init__(root, SCHEMA, FACT_INDEX)

    def specs(self) -> tuple[ActorSpec, ...]:
        """Specs of the index, and of the facts that it tells."""
        facts = ActorSpec(FACTS.kind, lambda _key: Told(self.told, IndexBegun))
        return ActorSpec(FACT_INDEX.kind, lambda _key: FactIndexActor(self.root)), facts

    def put(self, *rows: IndexRow, model: str = MODEL, drop: tuple[str, ...] = ()) -> None:
        self.answer(RowsChanged, ChangeRows, model=model, put=rows, drop=drop)

    def known_rows(self) -> dict[str, KnownRow]:
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
