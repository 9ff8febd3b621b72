"""Calls in flight when the actor stops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

from actors.embedder.actor import EmbedderActor
from actors.embedder.own import HashedBackend
from actors.kernel import ActorSpec, ActorSystem
from domain.memory.space import Provider, Space
from messages.base import RequestId
from messages.embedder import EMBEDDER, EmbedTexts, TextRole
from tests.patience import PATIENCE_S

HASHED = Space(Provider.HASHED, "hashed-words-v1", 384)


def test_calls_end_before_the_provider_is_closed() -> None:
    seen: list[str] = []
    begun = threading.Event()

    class Slow(HashedBackend):
        async def embed(self, texts: Sequence[str], role: TextRole) -> Sequence[object]:
            begun.set()
            try:
                await asyncio.sleep(PATIENCE_S)
            finally:
                seen.append("call ended")
            return await super().embed(texts, role)

        async def close(self) -> None:
            seen.append("closed")

    system = ActorSystem(workers=1)
    system.register(
        ActorSpec(EMBEDDER.kind, lambda _key: EmbedderActor(space=HASHED, backend_of=lambda _now: Slow()), core=True)
    )
    system.start()
    requester = system.edge("test").address
    request = EmbedTexts(request_id=RequestId("r1"), reply_to=requester, texts=("owl",), role=TextRole.DOCUMENT)
    system.tell(EMBEDDER, request)
    assert begun.wait(PATIENCE_S)

    system.stop()

    assert seen == ["call ended", "closed"]
