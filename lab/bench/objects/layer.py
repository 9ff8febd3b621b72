"""Layer of objects as the core has it: the real actors on a real folder and a real store, asked from outside."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Self

from actors.context.config import COUNTED_RESULT_CHARS
from actors.kernel import ActorSpec, ActorSystem, Clock
from actors.objects.actor import ObjectsActor
from actors.objects.config import ObjectsConfig
from actors.objects.store.actor import ObjectStoreActor
from actors.objects.store.bounds import StoreLimits
from domain.objects.ageing import Keep
from domain.turn.worded import Worded
from lab.bench.objects.play import HISTORY_TOKENS, Bounds, WordingRequest
from lab.bench.objects.prose import WINDOW
from messages.base import RequestId, Window
from messages.objects import OBJECT_STORE, OBJECTS_KIND, objects_of
from messages.turn import RequestWorded, WordRequest

KEEP = Keep()
BOUNDS = Bounds(
    history_tokens=max(HISTORY_TOKENS // 2, HISTORY_TOKENS - KEEP.active_tokens - KEEP.linger_tokens),
    counted_result_chars=COUNTED_RESULT_CHARS,
)
"""Bounds as in the core's configuration."""
SHORT_TOKENS = 20_000
"""Bound of a history with several cuts in a story."""
SHORT_KEEP = Keep(active_tokens=SHORT_TOKENS * 3 // 10, pinned_tokens=0, linger_tokens=SHORT_TOKENS * 3 // 20)
"""Tokens kept under the short bound, computed as in the layer's row."""
SHORT_WORDED = SHORT_TOKENS - SHORT_KEEP.active_tokens - SHORT_KEEP.linger_tokens
LOG = "logs/bench.md"
STOP_S = 10.0


def folder_of(root: Path, window: Window = WINDOW) -> Path:
    """A window's folder."""
    return root / "work" / window.id


class Layer:
    """Wording by the layer, in a system without workers of its own; also a context manager."""

    def __init__(self, root: Path, clock: Clock, keep: Keep = KEEP) -> None:
        """Start the actors on a folder with their data and the window's files."""
        config = ObjectsConfig(folder_of=lambda window: folder_of(root, window), data_root=root, keep=keep)
        self._system = ActorSystem(workers=0, clock=clock)
        self._system.register(ActorSpec(OBJECTS_KIND, lambda key: ObjectsActor(Window.from_key(key), config)))
        self._system.register(ActorSpec(OBJECT_STORE.kind, lambda _key: ObjectStoreActor(root, StoreLimits())))
        self._edge = self._system.edge("bench")
        self._numbers = itertools.count(1)
        self._system.start()

    def word(self, call: WordingRequest) -> Worded:
        """Wording of a request, asked as the core would."""
        request = WordRequest(
            request_id=RequestId(f"r{next(self._numbers)}"),
            reply_to=self._edge.address,
            window=WINDOW,
            log=LOG,
            turn_id=call.turn_id,
            turns=call.turns,
            breaks_from=call.breaks_from,
        )
        self._system.tell(objects_of(WINDOW), request)
        self._system.run()
        reply = self._edge.receive(0, lambda message: getattr(message, "request_id", None) == request.request_id)
        assert isinstance(reply, RequestWorded), reply
        return Worded(dict(reply.results), dict(reply.notes))

    def close(self) -> None:
        """End the actors in good order."""
        self._system.stop(STOP_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
