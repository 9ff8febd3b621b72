"""Judges of texts against a query: their protocol, and the judge on this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from actors.embedder.litellm_provider import LitellmJudge
from actors.embedder.worker import Loading
from actors.facts.reranking.cross_encoder import CrossEncoder, runtime
from actors.kernel import Bulkhead


class Judge(Protocol):
    """Judge of texts; lives on one event loop."""

    are_logits: bool
    """True if scores may be any numbers; False if each is in [0, 1]."""
    model: str
    """Name of the model at its service; empty for a free model on this machine."""

    async def warm_up(self) -> None:
        """Load the requirements of judging; raises as `judge` does."""

    async def judge(self, query: str, texts: Sequence[str], deadline_s: float) -> Sequence[float]:
        """One score for each text, in order; a cancelled call ends its work.

        Raises:
            CallError: a service gives no scores.
            OSError: a model cannot be loaded.
            ImportError: the model's library is missing.
            ValueError: the result is not a list of scores.
            TimeoutError: the deadline has passed.
        """

    async def close(self) -> None:
        """Let go of connections."""


class LocalJudge:
    """Judge on this machine, loaded at the first need; one request after the other, in a thread of its own."""

    are_logits = True
    model = ""

    def __init__(self, folder: Path, library: Callable[[], Any] = runtime) -> None:
        """Begin without a loaded model.

        Args:
            folder: Of the model.
            library: Gives onnxruntime.
        """
        self._model = Loading("reranker-load", lambda: CrossEncoder.load(folder, library()))
        self._thread = Bulkhead("reranker", at_once=1)

    async def warm_up(self) -> None:
        """Load the model."""
        await self._model.get()

    async def judge(self, query: str, texts: Sequence[str], deadline_s: float) -> Sequence[float]:
        """The model's logits."""
        model, given_up = await self._model.get(), threading.Event()
        try:
            return await self._thread.run("model", deadline_s, model.judge, query, texts, lambda: not given_up.is_set())
        finally:
            given_up.set()

    async def close(self) -> None:
        """Do nothing, since no connection is open."""


def judge_of(kind: str, model: str, api_keys: Mapping[str, str]) -> Callable[[Callable[[], datetime]], Judge]:
    """Maker of the judge that settings name, called with the wall clock.

    Args:
        kind: `litellm` or `onnx`.
        model: litellm's name, or a folder.
        api_keys: Keys by litellm's names of the variables.
    """

    def make(now: Callable[[], datetime]) -> Judge:
        return LitellmJudge(model, api_keys, now) if kind == "litellm" else LocalJudge(Path(model))

    return make
