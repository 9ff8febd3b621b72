"""An EmbedderActor on a system of real threads, with the clock in the test's hand, before a loopback server."""

from __future__ import annotations

import itertools
import time

import numpy as np

from actors.embedder.actor import EmbedderActor
from actors.embedder.providers import backend_of
from actors.kernel import ActorSpec, ActorSystem, ManualClock, SystemClock
from domain.memory.space import Provider, Space
from messages.base import Address, RequestId
from messages.embedder import EmbeddingFailed, EmbedTexts, TextRole, TextsEmbedded
from messages.status import DescribeYourself, SelfDescription
from tests.actors.embedder.loopback import LoopbackEmbeddings
from tests.patience import PATIENCE_S

EMBEDDER = Address("embedder")
DIMENSIONS = 16
GOOGLE = Space(Provider.GOOGLE, "gemini-embedding-001", DIMENSIONS)
OPENAI = Space(Provider.LITELLM, "openai/test-embedding", DIMENSIONS)


class Rig:
    """Asks an EmbedderActor and collects what it says; time passes when the test says so."""

    def __init__(
        self,
        server: LoopbackEmbeddings,
        space: Space = GOOGLE,
        *,
        key: str = "test-key",
        timeout_s: float = PATIENCE_S,
        real_time: bool = False,
    ) -> None:
        self.server = server
        self.clock = ManualClock()
        keys = {"GEMINI_API_KEY": key, "OPENAI_API_KEY": key}
        backend = backend_of(space, api_keys=keys, api_base=server.address, timeout_s=timeout_s)
        self.system = ActorSystem(workers=1, clock=SystemClock() if real_time else self.clock)
        self.system.register(
            ActorSpec("embedder", lambda _key: EmbedderActor(space=space, backend_of=backend), core=True)
        )
        self.system.start()
        self.edge = self.system.edge("test")
        self._ids = (RequestId(f"r{number}") for number in itertools.count(1))

    def ask(self, *texts: str, role: TextRole = TextRole.DOCUMENT, deadline_s: float | None = None) -> RequestId:
        request = EmbedTexts(
            request_id=next(self._ids), reply_to=self.edge.address, texts=texts, role=role, deadline_s=deadline_s
        )
        self.system.tell(EMBEDDER, request)
        return request.request_id

    def query(self, text: str, deadline_s: float = 5.0) -> RequestId:
        return self.ask(text, role=TextRole.QUERY, deadline_s=deadline_s)

    def answer(self, request_id: RequestId) -> TextsEmbedded | EmbeddingFailed:
        message = self.edge.receive(
            PATIENCE_S, lambda m: isinstance(m, TextsEmbedded | EmbeddingFailed) and m.request_id == request_id
        )
        assert isinstance(message, TextsEmbedded | EmbeddingFailed)
        return message

    def vectors(self, request_id: RequestId) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
        message = self.answer(request_id)
        assert isinstance(message, TextsEmbedded), message
        return [np.frombuffer(vector, "<f4") for vector in message.vectors]

    def failure(self, request_id: RequestId) -> EmbeddingFailed:
        message = self.answer(request_id)
        assert isinstance(message, EmbeddingFailed), message
        return message

    def has_answer(self) -> bool:
        try:
            self.edge.receive(0, lambda m: isinstance(m, TextsEmbedded | EmbeddingFailed))
        except TimeoutError:
            return False
        return True

    def figures(self) -> dict[str, str | int | float]:
        """The actor's description of itself after all earlier messages."""
        self.system.tell(EMBEDDER, DescribeYourself(request_id=RequestId("d"), reply_to=self.edge.address))
        message = self.edge.receive(PATIENCE_S, lambda m: isinstance(m, SelfDescription))
        assert isinstance(message, SelfDescription)
        return dict(message.figures)

    def wait_until(self, **figures: str | int | float) -> None:
        """Return when the actor's figures are these."""
        until = time.monotonic() + PATIENCE_S
        while True:
            now = self.figures()
            if all(now[name] == value for name, value in figures.items()):
                return
            assert time.monotonic() < until, now

    def pause_s(self) -> float:
        """Seconds of the actor's wait after the last failure."""
        return float(self.figures()["pause_s"])

    def pass_time(self, seconds: float) -> None:
        self.figures()
        self.clock.advance(seconds)
