"""The facts by themselves: real actors on real files, an embedder and a model that a test scripts."""

from __future__ import annotations

import itertools
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from actors.facts.actor import FactsActor
from actors.facts.config import FactsConfig
from actors.facts.index.actor import FactIndexActor
from actors.facts.recall import FactRecallActor
from actors.facts.store.front_matter import read_keys
from actors.kernel import ActorSpec, ActorSystem, ManualClock
from domain.facts.entry import Defaults, Entry, read_entry
from domain.facts.folders import folder_of
from messages.base import Address, Message, RequestId
from messages.embedder import FACTS_EMBEDDER, RERANKER
from messages.facts import (
    FACT_INDEX,
    FACT_RECALL,
    FACTS,
    AddEntry,
    EntriesRecalled,
    EntryAdded,
    EntryRole,
    FindRows,
    IndexMessage,
    LoadRows,
    RecallEntries,
    StoreTurn,
    TurnStored,
)
from messages.model import MODEL
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from tests.actors.facts.doubles import EmbedderDouble, EmbedderScript, ModelDouble, ModelScript, RerankerDouble
from tests.recording_disk import RecordingDisk

M = TypeVar("M", bound=Message)


class IndexSpy(FactIndexActor):
    """Index that notes searches."""

    def __init__(self, data_root: Path, finds: list[FindRows], *, tells_rows: bool) -> None:
        super().__init__(data_root)
        self._finds = finds
        self._tells_rows = tells_rows

    def handle(self, message: IndexMessage) -> None:
        """Note a search, and answer."""
        if isinstance(message, LoadRows) and not self._tells_rows:
            return
        if isinstance(message, FindRows):
            self._finds.append(message)
        super().handle(message)


class FactsRig:
    """One life of the actors after another, on the same files."""

    def __init__(self, root: Path, **config: Any) -> None:
        self.root = root
        self.memory = Path(config.pop("memory", root / "memory_db"))
        self.clock = ManualClock()
        self.config: dict[str, Any] = {"root": self.memory, "api_base": "http://127.0.0.1:9/v1", **config}
        self.embedder = EmbedderScript()
        self.model = ModelScript()
        self.judge: Any = None
        self.too_early: list[str] = []
        """Entries that were at risk when the journal dropped finished work."""
        self.disk = RecordingDisk(before=self._note_finished)
        self.finds: list[FindRows] = []
        """Searches that the index was asked for."""
        self.index_tells_rows = True
        """False for lives that do not hear what the index knows."""
        self._numbers = itertools.count(1)
        self.start()

    def at_risk(self, below: str) -> set[str]:
        """Paths in the memory's folder that begin with `below` and that a power loss may take or bring back."""
        return {path for path in self.disk.at_risk(self.memory) if path.startswith(below)}

    def _note_finished(self, call: str, data: bytes) -> None:
        if call == "write" and b'"type":"done"' in data:
            self.too_early += self.at_risk("entries/")

    def start(self, *early: Message) -> None:
        """Begin a life, and look at what there is; the facts get `early` messages before all answers."""
        config = FactsConfig(**self.config)
        self.system = ActorSystem(workers=0, clock=self.clock)
        self.asker = self.system.edge("asker")
        specs = {
            FACT_INDEX: lambda _key: IndexSpy(self.root, self.finds, tells_rows=self.index_tells_rows),
            FACTS_EMBEDDER: lambda _key: EmbedderDouble(self.embedder),
            MODEL: lambda _key: ModelDouble(self.model),
            RERANKER: lambda _key: RerankerDouble(self.judge),
            FACT_RECALL: lambda _key: FactRecallActor(config),
        }
        for address, build in specs.items():
            self.system.register(ActorSpec(address.kind, build))
        self.system.register(ActorSpec(FACTS.kind, lambda _key: FactsActor(config, self.disk), is_eager=True))
        self.system.start()
        for message in early:
            self.system.tell(FACTS, message)
        self.system.run()

    def answer_held(self) -> None:
        """Have the model answer the requests that are held."""
        held, self.model.held = self.model.held, []
        for message in held:
            self.model.reply(message)
        self.system.run()

    def stop(self) -> None:
        """End it in good order."""
        self.system.stop(1.0)

    def live_again(self, *early: Message) -> None:
        """End it, and begin another, as `start`."""
        self.stop()
        self.start(*early)

    def die(self) -> None:
        """End it as a kill does: nothing is written any more, and only what is on the disk is left."""
        copy = self.root.with_name(f"{self.root.name}-copy")
        shutil.copytree(self.root, copy)
        self.stop()
        shutil.rmtree(self.root)
        copy.rename(self.root)
        self.start()

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.advance(seconds)
        self.system.run()

    def be_quiet(self, hours: int) -> None:
        """Let hours pass without a word."""
        for _ in range(hours * 60):
            self.wait(60)

    def reply(self, to: Address, kind: type[Message], **fields: Any) -> Message:
        """Reply to a request."""
        request_id = RequestId(f"r{next(self._numbers)}")
        self.system.tell(to, kind(request_id=request_id, reply_to=self.asker.address, **fields))
        self.system.run()
        return self.asker.receive(0, lambda heard: getattr(heard, "request_id", None) == request_id)

    def answer(self, expected: type[M], to: Address, kind: type[Message], **fields: Any) -> M:
        reply = self.reply(to, kind, **fields)
        assert isinstance(reply, expected), reply
        return reply

    def refusal(self, to: Address, kind: type[Message], **fields: Any) -> str:
        return self.answer(Refused, to, kind, **fields).reason

    def say(self, words: str, answer: str = "I see.", conversation: str = "c", turn: str = "", **fields: Any) -> str:
        """A whole turn; gives its id."""
        turn = turn or f"turn{next(self._numbers)}"
        given = {"user_text": words, "answer_text": answer, "model": "m"} | fields
        self.answer(TurnStored, FACTS, StoreTurn, conversation=conversation, turn_id=turn, **given)
        self.clock.advance(1)
        self.system.run()
        return turn

    def add(self, text: str, conversation: str = "c") -> EntryAdded:
        added = self.answer(EntryAdded, FACTS, AddEntry, conversation=conversation, text=text)
        self.clock.advance(1)
        return added

    def recall(self, question: str, conversation: str = "c", **fields: Any) -> EntriesRecalled:
        return self.answer(
            EntriesRecalled, FACT_RECALL, RecallEntries, conversation=conversation, question=question, **fields
        )

    def figures(self) -> dict[str, Any]:
        told = self.answer(SelfDescription, FACTS, DescribeYourself)
        return dict(told.figures) | dict(told.operator_figures)

    def paths(self, pattern: str = "**/*.md", conversation: str = "c") -> list[Path]:
        return sorted((self.memory / "entries" / folder_of(conversation)).glob(pattern))

    def entries(self, pattern: str, conversation: str = "c") -> list[Entry]:
        return [read(path) for path in self.paths(pattern, conversation)]

    def facts(self, conversation: str = "c") -> list[str]:
        return [entry.content for entry in self.entries("facts/*.md", conversation)]

    def turns(self, conversation: str = "c") -> list[str]:
        return [entry.content for entry in self.entries("turns/*/*.md", conversation)]

    def write(self, path: str, text: str) -> Path:
        """A file as a person makes it."""
        place = self.memory / "entries" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place


def read(path: Path) -> Entry:
    defaults = Defaults(id="?", role=EntryRole.MEMORY, conversation="?", created_at=ManualClock().now())
    return read_entry(path.read_bytes().decode(), defaults, read_keys)


def days(number: float) -> float:
    return timedelta(days=number).total_seconds()
