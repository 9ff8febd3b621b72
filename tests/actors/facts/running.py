"""The facts on real threads and a real clock, for what happens beside the actor: git, and the watch on files."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from actors.facts.actor import FactsActor
from actors.facts.config import FactsConfig
from actors.facts.index.actor import FactIndexActor
from actors.facts.recall import FactRecallActor
from actors.kernel import ActorSpec, ActorSystem
from messages.base import Address, Message, RequestId
from messages.embedder import FACTS_EMBEDDER
from messages.facts import (
    FACT_INDEX,
    FACT_RECALL,
    FACTS,
    AddEntry,
    EntriesFound,
    EntryAdded,
    EntryForgotten,
    ForgetEntry,
    SearchEntries,
)
from messages.status import DescribeYourself, SelfDescription
from tests.actors.facts.doubles import EmbedderDouble, EmbedderScript
from tests.patience import PATIENCE_S, eventually


class RunningFacts:
    """One life, as a context."""

    def __init__(self, root: Path, **config: Any) -> None:
        self.memory = root / "memory_db"
        self.embedder = EmbedderScript()
        self._numbers = itertools.count(1)
        self.system = ActorSystem(workers=2)
        self.asker = self.system.edge("asker")
        usual: dict[str, Any] = {"root": self.memory, "api_base": "http://127.0.0.1:9/v1"}
        given = FactsConfig(**usual | config)
        self.system.register(ActorSpec(FACT_INDEX.kind, lambda _key: FactIndexActor(root)))
        self.system.register(ActorSpec(FACTS_EMBEDDER.kind, lambda _key: EmbedderDouble(self.embedder)))
        self.system.register(ActorSpec(FACT_RECALL.kind, lambda _key: FactRecallActor(given)))
        self.system.register(ActorSpec(FACTS.kind, lambda _key: FactsActor(given), is_eager=True))

    def __enter__(self) -> Self:
        self.system.start()
        eventually(lambda: self.figures()["state"] != "ready" or self.figures()["is_loaded"] == "yes")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.system.stop(20.0)

    def answer(self, to: Address, kind: type[Message], **fields: Any) -> Message:
        request_id = RequestId(f"r{next(self._numbers)}")
        self.system.tell(to, kind(request_id=request_id, reply_to=self.asker.address, **fields))
        return self.asker.receive(PATIENCE_S, lambda heard: getattr(heard, "request_id", None) == request_id)

    def add(self, text: str) -> str:
        """Keep a fact; gives its id."""
        added = self.answer(FACTS, AddEntry, conversation="c", text=text)
        assert isinstance(added, EntryAdded), added
        return added.id

    def forget(self, entry_id: str, *, for_good: bool = False) -> None:
        assert isinstance(self.answer(FACTS, ForgetEntry, id=entry_id, for_good=for_good), EntryForgotten)

    def contents_found(self, question: str) -> set[str]:
        found = self.answer(FACT_RECALL, SearchEntries, conversation="c", question=question, top_k=50)
        assert isinstance(found, EntriesFound), found
        return {hit.content for hit in found.hits}

    def figures(self) -> dict[str, Any]:
        told = self.answer(FACTS, DescribeYourself)
        assert isinstance(told, SelfDescription)
        return dict(told.figures) | dict(told.operator_figures)
