"""The real memory beside real windows, with an embedder in the test's hands."""

from __future__ import annotations

import math
from collections import deque
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np

from actors.context.actor import ContextActor
from actors.context.config import ContextConfig
from actors.context.log.journal import Journal
from actors.kernel import Actor, ActorSpec, ManualClock
from actors.memory.actor import MemoryActor
from actors.memory.config import MemoryConfig
from actors.memory.search.search import Kind
from actors.memory.search.visibility import Scope
from actors.memory.store import MemoryPlan, Store
from domain.memory.injection import Budget
from domain.memory.keywords import terms
from domain.turn.prompt import MEMORY_PREFIX
from messages.base import CONTEXT_KIND, Address, Message, MessageId, RequestId, Surface, Window
from messages.context import UserMessage
from messages.discord import Delivered, ReadersChanged, ReadersListed
from messages.embedder import EmbedderMessage, EmbeddingFailed, EmbedTexts, TextsEmbedded
from messages.memory import DescribeMemory, MemoryDescribed
from messages.model import ModelRequest
from messages.socket import Refused
from tests.actors.context.durability import disk_of
from tests.actors.context.rig import CHANNEL, of_type, reply, user_message
from tests.actors.memory.durability import WatchedMemorySystem
from tests.actors.memory.readers import in_logs, readers_of

MEMORY = Address("memory")
EMBEDDER = Address("embedder")
OPERATOR = Window(surface=Surface.CLI, id="operator")
DIMENSIONS = 64
PUBLIC = "1:910000000000000011:everyone"


def vector(text: str, dimensions: int = DIMENSIONS) -> bytes:
    """A direction for a text: texts that share words lie close."""
    found = np.zeros(dimensions, np.float64)
    for word in terms(text):
        seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
        found += np.random.default_rng(seed).standard_normal(dimensions)
    length = math.sqrt(float(found @ found))
    return (found / length if length else np.eye(1, dimensions)[0]).astype("<f4").tobytes()


AGAIN_S = 180.0
"""Seconds after which a hesitant embedder may be asked again."""


class Brain:
    """Behaviour of the embedder; shared by all its incarnations."""

    def __init__(self, space: str = "test", dimensions: int = DIMENSIONS) -> None:
        self.space = space
        self.dimensions = dimensions
        self.mood = "well"
        """`well`, `silent`, `failing`, `broken` (permanently), `lying`, `choosy`: without `bad` texts, or `hesitant`: later."""
        self.bad = "poison"
        self.asked: list[EmbedTexts] = []
        self.held: deque[EmbedTexts] = deque()

    def answer(self, request: EmbedTexts) -> Message | None:
        """Answer of the embedder to `request` in its mood."""
        self.asked.append(request)
        match self.mood:
            case "silent":
                self.held.append(request)
                return None
            case "failing" | "broken":
                return EmbeddingFailed(
                    request_id=request.request_id, reason="no connection", is_permanent=self.mood == "broken"
                )
            case "lying":
                lies = [b"", b"\0" * 8, np.full(self.dimensions, np.nan, "<f4").tobytes(), bytes(4 * self.dimensions)]
                vectors = tuple(lies[place % len(lies)] for place, _ in enumerate(request.texts))
                return TextsEmbedded(request_id=request.request_id, model=self.space, vectors=vectors)
            case "choosy" | "hesitant":
                bad = tuple(place for place, text in enumerate(request.texts) if self.bad in text)
                vectors = tuple(
                    b"" if place in bad else vector(text, self.dimensions) for place, text in enumerate(request.texts)
                )
                late, aside = (bad, ()) if self.mood == "hesitant" else ((), bad)
                return TextsEmbedded(
                    request_id=request.request_id,
                    model=self.space,
                    vectors=vectors,
                    set_aside=aside,
                    put_off=late,
                    again_s=AGAIN_S if late else 0.0,
                )
            case _:
                vectors = tuple(vector(text, self.dimensions) for text in request.texts)
                return TextsEmbedded(request_id=request.request_id, model=self.space, vectors=vectors)


class FakeEmbedder(Actor):
    """Answers as its brain says."""

    def __init__(self, brain: Brain) -> None:
        super().__init__()
        self._brain = brain

    def handle(self, message: EmbedderMessage) -> None:
        """Answer, or not."""
        assert isinstance(message, EmbedTexts)
        answer = self._brain.answer(message)
        if answer is not None:
            self.tell(message.reply_to, answer)


class MemoryRig:
    """One life of an agent without Discord: windows, memory, embedder; the test speaks for people and the model."""

    def __init__(
        self,
        root: Path,
        *,
        brain: Brain | None = None,
        search: Kind = "hybrid",
        scope: Scope = "audience",
        budget: Budget = Budget(),  # noqa: B008
        max_history_tokens: int = 100_000,
        max_expansions: int = 2,
        read_only: bool = False,
        busy_ms: int = 2_000,
        clock: ManualClock | None = None,
        tells_readers: bool = True,
    ) -> None:
        self.root = root
        self.brain = brain or Brain()
        self.clock = clock or ManualClock()
        disk = disk_of(root)
        self.system = WatchedMemorySystem(root, disk, self.clock)
        self.model = self.system.edge("model")
        self.shell = self.system.edge("shell")
        self.surface = self.system.edge("surface")
        self.asker = self.system.edge("asker")
        self.message_id = 1_000_000_000_000_000_000 + int(self.clock.now().timestamp())
        config = ContextConfig(
            model=self.model.address,
            shell=self.shell.address,
            surface=self.surface.address,
            workdir=lambda window: f"/work/{window.id}",
            attachments=lambda _window: "",
            contributors=(MEMORY,),
            referrers=(MEMORY,),
            subscribers=(MEMORY,),
            max_history_tokens=max_history_tokens,
            max_expansions=max_expansions,
        )

        def window(key: str) -> ContextActor:
            place = Window.from_key(key)
            return ContextActor(place, Journal(root, place, max_history_tokens, disk), config)

        plan = MemoryPlan(
            root,
            self.brain.space,
            self.brain.dimensions,
            search=search,
            scope=scope,
            read_only=read_only,
            busy_ms=busy_ms,
        )
        memory = MemoryConfig(plan=plan, budget=budget)
        self.system.register(ActorSpec(EMBEDDER.kind, lambda _key: FakeEmbedder(self.brain)))
        self.system.register(ActorSpec(MEMORY.kind, lambda _key: MemoryActor(memory, EMBEDDER), core=True))
        self.system.register(ActorSpec(CONTEXT_KIND, window))
        self.system.start()
        self.system.run()
        if tells_readers:
            self.tell(MEMORY, ReadersListed(windows=tuple(in_logs(root))))

    def hear_readers(self, window: Window, label: str) -> None:
        """Discord says who reads a window."""
        self.tell(MEMORY, ReadersChanged(windows=(readers_of(window, label),)))

    def tell(self, to: Address, message: Message) -> None:
        """Say something, and let everything come of it."""
        self.system.tell(to, message)
        self.system.run()

    def advance(self, seconds: float) -> None:
        """Let time pass, and everything come of it."""
        self.clock.advance(seconds)
        self.system.run()

    def say(self, text: str, window: Window = CHANNEL, author: str = "Alice", audience: str = PUBLIC) -> ModelRequest:
        """A person's words; what the model is asked then."""
        self.message_id += 1
        self.hear_readers(window, audience)
        said = user_message(text, self.message_id, window, author, self.surface.address)
        said = said_at(said, self.clock, audience)
        self.tell(window.address, said)
        (request,) = of_type(ModelRequest, self.model.drain())
        return request

    def answer(self, request: ModelRequest, text: str) -> None:
        """The model's words, which are then shown."""
        self.tell(request.reply_to, reply(request, text))
        for post in self.surface.drain():
            request_id = getattr(post, "request_id", None)
            if request_id is not None:
                self.message_id += 1
                shown = Delivered(request_id=request_id, message_ids=(MessageId(str(self.message_id)),))
                self.tell(request.reply_to, shown)

    def exchange(
        self, text: str, answer: str, window: Window = CHANNEL, author: str = "Alice", audience: str = PUBLIC
    ) -> ModelRequest:
        """One whole turn."""
        request = self.say(text, window, author, audience)
        self.answer(request, answer)
        self.advance(1)
        return request

    def ask(self, message: type[Message], window: Window = OPERATOR, **fields: object) -> Message:
        """Reply of the memory to a request."""
        request_id = RequestId("asked")
        return self.ask_plain(message(request_id=request_id, reply_to=self.asker.address, window=window, **fields))

    def ask_plain(self, message: Message) -> Message:
        """Reply of the memory to a prepared request."""
        self.tell(MEMORY, message)
        (answer,) = self.asker.drain()
        return answer

    def stats(self) -> MemoryDescribed:
        """Content of the index."""
        found = self.ask(DescribeMemory)
        assert not isinstance(found, Refused), found
        assert isinstance(found, MemoryDescribed)
        return found

    @property
    def memory_store(self) -> Store | None:
        """Open files of the memory."""
        for mailbox in self.system.mailboxes():
            if isinstance(mailbox.actor, MemoryActor):
                store: Store | None = mailbox.actor._upkeep._store
                return store
        return None

    def stop(self) -> None:
        """End in good order."""
        self.system.stop()


def block_of(request: ModelRequest) -> str:
    """The injected block of a request; empty without one."""
    text = request.messages[-1].text
    _, prefix, rest = text.rpartition(f"{MEMORY_PREFIX}\n")
    return prefix + rest.partition("\n")[0] if prefix else ""


def said_at(said: UserMessage, clock: ManualClock, audience: str) -> UserMessage:
    """The words said now, to those readers."""
    return msgspec.structs.replace(said, sent_at=clock.now(), audience=audience)
