"""Curated memory by itself, for campaigns and measurements: the real actor with its workers, and a client."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path
from typing import Any, Self

from actors.curated.actor import CuratedActor
from actors.curated.config import CuratedConfig
from actors.curated.decisions import CuratedState
from actors.edited_file.rewriting import Waits
from actors.kernel import ActorSpec, ActorSystem
from actors.linux.disk import Disk
from messages.base import Message, RequestId
from messages.curated import CURATED

PATIENCE_S = 60.0
WORKERS = 2
_LOOK_S = 0.01


class CuratedMemory:
    """System with a single actor, activated by its first message; also a context manager."""

    def __init__(self, config: CuratedConfig, workers: int = WORKERS) -> None:
        """Start the system with threads."""
        state = CuratedState()
        self._system = ActorSystem(workers=workers)
        self._system.register(ActorSpec(CURATED.kind, lambda _key: CuratedActor(config, state)))
        self._system.start()
        self._edge = self._system.edge("lab")
        self._numbers = itertools.count(1)

    def ask(self, kind: type[Message], **fields: Any) -> Message:
        """Send a message of kind `kind` with `fields`; return the answer.

        Raises:
            TimeoutError: there is no answer.
        """
        request_id = RequestId(f"r{next(self._numbers)}")
        self._edge.tell(CURATED, kind(request_id=request_id, reply_to=self._edge.address, **fields))
        return self._edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", "") == request_id)

    def close(self) -> None:
        """End the actor in good order."""
        self._system.stop(PATIENCE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def leftovers(folder: Path) -> list[Path]:
    """Displaced versions beside the files of a memory folder: not accounted for yet."""
    return sorted(folder.glob(".*.agent*"))


def until_brought_back(folder: Path, patience_s: float = PATIENCE_S) -> None:
    """Return when a life has restored the leftovers of an earlier life, or after that time.

    No message reports the restoration, and a stop does not wait: the next start continues.
    """
    pause, looks = threading.Event(), round(patience_s / _LOOK_S)
    for _ in range(looks):
        if not leftovers(folder):
            return
        pause.wait(_LOOK_S)


def global_config(root: Path, waits: Waits, disk: Disk | None = None) -> CuratedConfig:
    """Configuration of an agent with a global memory only, all of it below `root`."""
    return CuratedConfig(
        global_folder=root / "memory",
        projects={},
        untrusted=frozenset(),
        own_folder=root / "own",
        waits=waits,
        disk=disk,
    )
