"""Backends without a network: the local model, and hashed words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from actors.embedder import hashed
from actors.embedder.backend import CallError, Limits
from actors.embedder.local import LocalModel, shared_model
from actors.embedder.worker import Loading
from actors.linux.thread_name import name_thread
from domain.policy.retrying import Fault, FaultKind
from messages.embedder import TextRole

log = logging.getLogger(__name__)

_NAME = "embedder-local"
_LIMITS = Limits(texts=16, chars=4_000, queries=2, documents=1, timeout_s=None)
"""Limits of the local model: documents take a third of a second's work on one core, and let shorter work go first; of
the two calls for queries the second is left for turns, since the memory has a single search at a time."""


class LocalBackend:
    """The local model in a thread for each call; treats documents and queries alike."""

    limits = _LIMITS

    def __init__(self, folder: Path | None = None) -> None:
        """Begin without a loaded model.

        Args:
            folder: Folder of the model; None for the installed model.
        """
        self._model = Loading("embedder-load", lambda: shared_model(folder))
        calls = _LIMITS.queries + _LIMITS.documents
        self._threads = ThreadPoolExecutor(calls, _NAME, initializer=name_thread, initargs=(_NAME,))

    async def warm_up(self) -> None:
        """Load the model: half a second."""
        await self.model()

    async def embed(self, texts: Sequence[str], role: TextRole) -> Sequence[object]:  # noqa: ARG002
        """The model's vectors."""
        model = await self.model()
        return list(await asyncio.get_running_loop().run_in_executor(self._threads, model.embed, texts))

    async def close(self) -> None:
        """End the threads after their present work."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def model(self) -> LocalModel:
        """The model; the first caller has it loaded.

        Raises:
            CallError: the model cannot be loaded.
        """
        try:
            return await self._model.get()
        except (OSError, ValueError, KeyError) as error:
            log.error("the local model cannot be loaded: %s", error)
            raise CallError(Fault(FaultKind.NOT_FOUND, type_name=type(error).__name__)) from error


class HashedBackend:
    """Hashed words; without loading, and without failures."""

    limits = _LIMITS

    async def warm_up(self) -> None:
        """Do nothing, since no loading is needed."""

    async def embed(self, texts: Sequence[str], role: TextRole) -> Sequence[object]:  # noqa: ARG002
        """Their hashed words."""
        return list(hashed.embed(texts))

    async def close(self) -> None:
        """Do nothing, since no connection is open."""
