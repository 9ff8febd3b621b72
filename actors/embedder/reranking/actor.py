"""RerankerActor: judges texts against a query, by a service or by a model on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from actors.embedder.backend import CallError
from actors.embedder.litellm_provider import LitellmJudge
from actors.embedder.reranking.cross_encoder import CrossEncoder
from actors.embedder.worker import Loading
from actors.kernel import Actor, Bulkhead, LoopThread, not_understood
from domain.policy.retrying import reason
from messages.base import Message
from messages.embedder import RerankFailed, RerankTexts, TextsReranked
from messages.status import DescribeYourself, SelfDescription


class Judge(Protocol):
    """Whoever judges."""

    are_logits: bool
    """Whether any number may come; otherwise each is in [0, 1]."""

    async def judge(self, query: str, texts: Sequence[str], deadline_s: float) -> Sequence[float]:
        """One score for each text.

        Raises:
            CallError: a service gives none.
            OSError: a model cannot be loaded.
            ImportError: its library is not there.
            ValueError: what it gives is none.
            TimeoutError: it takes too long.
        """
        ...


class LocalJudge:
    """Judge on this machine, loaded at the first need."""

    are_logits = True

    def __init__(self, folder: Path) -> None:
        """Nothing is loaded yet.

        Args:
            folder: Of the model.
        """
        self._model = Loading("reranker-load", lambda: CrossEncoder.load(folder))
        self._threads: Bulkhead | None = None

    async def judge(self, query: str, texts: Sequence[str], deadline_s: float) -> Sequence[float]:
        """The model's logits."""
        model = await self._model.get()
        if self._threads is None:
            self._threads = Bulkhead("reranker", at_once=1)
        return await self._threads.run("model", deadline_s, model.judge, query, texts)


def judge_of(kind: str, model: str, api_keys: Mapping[str, str]) -> Callable[[Callable[[], datetime]], Judge]:
    """What makes the judge that settings name, given the wall clock.

    Args:
        kind: `litellm` or `onnx`.
        model: litellm's name, or a folder.
        api_keys: By the name that litellm gives the variable.
    """

    def make(now: Callable[[], datetime]) -> Judge:
        return LitellmJudge(model, api_keys, now) if kind == "litellm" else LocalJudge(Path(model).expanduser())

    return make


class RerankerActor(Actor):
    """Front of a judge; requests are judged side by side, each within its deadline.

    Owns: the loop on which they wait.
    Asks: the service, or the model on this machine.
    Crashes on: a loop thread that cannot be started, and its own faults; nothing that a service or a model does.
    """

    def __init__(self, judge_of: Callable[[Callable[[], datetime]], Judge]) -> None:
        """Nothing is loaded yet.

        Args:
            judge_of: Makes whoever judges, given the wall clock.
        """
        super().__init__()
        self._judge = judge_of(self.now)
        self._loop = LoopThread("reranker", self)
        self._judged = self._failed = 0

    def on_start(self) -> None:
        """Start the loop."""
        self._loop.start()

    def on_stop(self) -> None:
        """End what is under way; whoever asked has a deadline of its own."""
        with self.blocking():
            self._loop.stop()

    def handle(self, message: RerankTexts | DescribeYourself) -> None:
        """Take a request."""
        match message:
            case RerankTexts():
                self._loop.submit(self._answer(message))
            case DescribeYourself():
                figures = (("judged", self._judged), ("failed", self._failed))
                described = SelfDescription(request_id=message.request_id, about=self.address.kind, figures=figures)
                self.tell(message.reply_to, described)
            case _:
                not_understood(message)

    async def _answer(self, request: RerankTexts) -> None:
        self.tell(request.reply_to, await self._scored(request))

    async def _scored(self, request: RerankTexts) -> Message:
        try:
            async with asyncio.timeout(request.deadline_s):
                scores = tuple(await self._judge.judge(request.query, request.texts, request.deadline_s))
        except CallError as error:
            why = reason(error.fault, 1)
        except TimeoutError:
            why = f"the reranker did not answer within {request.deadline_s:g} s"
        except (OSError, ImportError, ValueError, RuntimeError) as error:
            why = f"the reranker failed: {error}"
        else:
            if len(scores) == len(request.texts):
                self._judged += 1
                return TextsReranked(request_id=request.request_id, scores=scores, are_logits=self._judge.are_logits)
            why = f"the reranker gave {len(scores)} scores for {len(request.texts)} texts"
        self._failed += 1
        return RerankFailed(request_id=request.request_id, reason=why)
