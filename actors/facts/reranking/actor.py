"""RerankerActor: judges texts against a query, by a service or by a model on this machine."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from actors.embedder.backend import CallError
from actors.embedder.litellm_provider import Scores
from actors.embedder.spending import Bookkeeping
from actors.facts.reranking.judge import Judge
from actors.kernel import Actor, LoopThread, not_understood
from domain.policy.retrying import FaultKind, reason
from messages.base import Message, RequestId, make_ready
from messages.embedder import RerankerReply, RerankFailed, RerankTexts, TextsReranked
from messages.model import CallKind, CallOutcome
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

CLOSE_S = 2.0
_TELLING = (CallError, TimeoutError, OSError, ImportError, ValueError)
"""Exceptions that a judge may raise."""


class Loaded(Message, frozen=True, kw_only=True, gc=False):
    """End of the judge's loading, with success or failure."""

    problem: str = ""


class RerankerActor(Actor):
    """Front of a judge; each request is answered once, within its deadline, with scores or a reason for their lack.

    Owns: the loop on which requests wait.
    Asks: the service, or the model on this machine.
    Crashes on: a loop thread that cannot be started, and its own faults; never on a fault of a service or a model.
    Requests from before a crash or a stop are answered with a failure. A repeated request joins the waiting one.
    """

    def __init__(self, judge_of: Callable[[Callable[[], datetime]], Judge]) -> None:
        """Begin without a judge.

        Args:
            judge_of: Makes the judge, given the wall clock.
        """
        super().__init__()
        self._judge = judge_of(self.now)
        self._books = Bookkeeping(self, lambda: bool(self._judge.model))
        self._loop = LoopThread("reranker", self)
        self._requests: dict[RequestId, RerankTexts] = {}
        self._judged = self._failed = 0
        self._last_error = ""

    def on_start(self) -> None:
        """Start the loop, and load the requirements of judging."""
        self._loop.start()
        self._loop.submit(self._warm_up())

    def on_stop(self) -> None:
        """End work under way and tell the waiting requesters."""
        for request in tuple(self._requests.values()):
            self._pass_on(RerankFailed(request_id=request.request_id, reason="the reranker restarted"))
        with self.blocking():
            self._loop.end(self._judge.close(), CLOSE_S, "the reranker's connections were not closed")

    def handle(self, message: RerankTexts | RerankerReply | Loaded | DescribeYourself) -> None:
        """Take a request, or pass on a result."""
        match message:
            case RerankTexts():
                self._take(message)
            case TextsReranked() | RerankFailed():
                self._pass_on(message)
            case Loaded(problem=problem):
                self._last_error = problem
                if problem:
                    log.warning("nothing can be reranked: %s", problem)
            case DescribeYourself():
                self._describe(message)
            case _:
                not_understood(message)

    def _take(self, request: RerankTexts) -> None:
        if request.request_id in self._requests:
            return
        self._requests[request.request_id] = request
        if request.texts:
            self._loop.submit(self._answer(request))
        else:
            self._pass_on(self._answer_of(request, ()))

    def _pass_on(self, answer: RerankerReply) -> None:
        """Hand an answer to the requester, if still waiting."""
        request = self._requests.pop(answer.request_id, None)
        if request is None:
            return
        if isinstance(answer, RerankFailed):
            if answer.reason != self._last_error:
                log.warning("reranking failed: %s", answer.reason)
            self._failed, self._last_error = self._failed + 1, answer.reason
        else:
            self._judged, self._last_error = self._judged + 1, ""
        self.tell(request.reply_to, answer)

    def _describe(self, message: DescribeYourself) -> None:
        figures = (
            ("judged", self._judged),
            ("failed", self._failed),
            ("waiting", len(self._requests)),
            ("last_error", self._last_error),
        )
        described = SelfDescription(request_id=message.request_id, about=self.address.kind, figures=figures)
        self.tell(message.reply_to, described)

    # on the loop

    async def _warm_up(self) -> None:
        try:
            await self._judge.warm_up()
        except _TELLING as error:
            self.tell(self.address, Loaded(problem=_why(error)))
        else:
            self.tell(self.address, Loaded())

    async def _answer(self, request: RerankTexts) -> None:
        """Judge a request and send the result; a cancelled request gets no reply."""
        answer: RerankerReply = RerankFailed(request_id=request.request_id, reason="the reranker failed")
        texts = [words for text in request.texts for words in (request.query, text)]
        attempt = self._books.attempt(CallKind.RERANKING, self._judge.model, request.request_id, texts)
        try:
            async with asyncio.timeout(request.deadline_s):
                await self._judge.warm_up()
                scores = await self._judge.judge(request.query, request.texts, request.deadline_s)
            self._books.enter(attempt, CallOutcome.ANSWERED, _tokens(scores))
            answer = self._answer_of(request, tuple(scores))
        except asyncio.CancelledError:
            self._books.enter(attempt, CallOutcome.CANCELLED)
            raise
        except TimeoutError:
            self._books.fail(attempt, FaultKind.SLOW)
            why = f"the reranker did not answer within {request.deadline_s:g} s"
            answer = RerankFailed(request_id=request.request_id, reason=why)
        except _TELLING as error:
            kind = error.fault.kind if isinstance(error, CallError) else FaultKind.UNREADABLE
            self._books.fail(attempt, kind)
            answer = RerankFailed(request_id=request.request_id, reason=_why(error))
        except Exception:
            self._books.fail(attempt, FaultKind.UNKNOWN)
            raise
        finally:
            self.tell(self.address, answer)

    def _answer_of(self, request: RerankTexts, scores: tuple[float, ...]) -> RerankerReply:
        if len(scores) != len(request.texts):
            why = f"the reranker gave {len(scores)} scores for {len(request.texts)} texts"
            return RerankFailed(request_id=request.request_id, reason=why)
        return TextsReranked(request_id=request.request_id, scores=scores, are_logits=self._judge.are_logits)


def _tokens(scores: Sequence[float]) -> int | None:
    return scores.tokens if isinstance(scores, Scores) else None


def _why(error: BaseException) -> str:
    """For a person; holds no key and no text."""
    return f"reranker: {reason(error.fault, 1) if isinstance(error, CallError) else error}"


make_ready(__name__)
