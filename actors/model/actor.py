"""ModelActor: calls language models, a call per window and purpose at a time, and many in all."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from datetime import datetime
from functools import partial

from actors.kernel import Actor, LoopThread, not_understood
from actors.model.backend import AttemptError, Backend, OfflineBackend, WordBreaker
from actors.model.calls import Calls, Schedule, Sleep
from actors.model.config import ModelConfig
from actors.model.local_route import LocalRoutes
from actors.model.route import reads_text_alone, refusal_of
from actors.model.routed import RoutedBackend
from actors.part.spending import publish_spent
from domain.offline.model import OFFLINE_MODEL
from domain.policy.fair_queue import FairQueue
from domain.policy.model_call.fallbacks import Fallbacks
from domain.policy.paired_queue import PairedQueue
from domain.policy.retrying import RetryPolicy, reason
from domain.policy.spending import DailyBudget
from messages.base import RequestId, Window
from messages.model import (
    LEDGER,
    SPENT,
    CallSpent,
    CancelModel,
    ConfirmEntries,
    EntriesConfirmed,
    ModelAnswer,
    ModelDelta,
    ModelFailed,
    ModelMessage,
    ModelReply,
    ModelRequest,
)
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

CLOSE_S = 2.0
ENTERED_S = 30.0
"""Longest wait of a reply for its entry in the ledger; a host without its head for so long has lost its lease."""
BACKGROUND_CALLS = 2
"""Concurrent calls without a waiting person; these calls have places of their own."""


class ModelActor(Actor):
    """Queue before the language models: a call per window and purpose at a time, many in all, the rest in order.

    Background calls have a few places of their own, so no answer waits for a background call.

    Owns: the event loop of the calls, and their connections.
    Asks: the model's server, or the offline model's rules; the ledger, before a reply goes to its requester, so a kill
    loses the entry of no reply in use. All output of a call comes to this actor first, so no output follows a call's
    cancellation.
    Crashes on: a loop thread that cannot be started, and its own faults; never on a server's behaviour. Requests open
    at a crash or a stop are answered with a failure, since the asker waits. The same request again, while waiting or in
    flight, has no effect. At the cap of a day's cost, calls in flight go on and no other call begins.
    """

    def __init__(
        self,
        config: ModelConfig,
        *,
        spent_today: Callable[[], float] | None = None,
        backend: Backend | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """Begin without connections.

        Args:
            config: Model, and the limits of its calls.
            spent_today: Gives the cost of today's calls so far; asked at the start and on another day, if there is a
                cap.
            backend: Makes the calls of models other than `offline`; None for the usual backend.
            sleep: How a loop waits between tries.
        """
        super().__init__()
        self._name = config.name
        self._queue: PairedQueue[ModelRequest] = PairedQueue(
            FairQueue(config.concurrency, _asker),
            FairQueue(BACKGROUND_CALLS, _asker),
            lambda request: request.is_background,
        )
        self._budget = DailyBudget(config.daily_cost_usd)
        self._spent_today = spent_today
        self._offline = OfflineBackend()
        routed = RoutedBackend(config, self.now, local=LocalRoutes(self).find)
        self._provider: Backend = backend or WordBreaker(routed, partial(_reads_text_alone, config))
        self._loop = LoopThread("model", self)
        self._fallbacks = Fallbacks(config.fallbacks)
        self._calls = Calls(
            backend_of=self._backend_of,
            schedule=Schedule(RetryPolicy(max_retries=config.retries), config.answer_timeout_s, sleep),
            delta_interval_s=config.delta_interval_s,
            tell=lambda answer: self.tell(self.address, answer),
            enter=self._enter,
            fallbacks=self._fallbacks,
        )

    def on_start(self) -> None:
        """Start the loop, and loading litellm if needed later; read today's cost so far."""
        self._begin_day()
        self._loop.start()
        self._loop.submit(self._warm_up())

    def _begin_day(self) -> None:
        """Count this day's calls so far, unless done."""
        now = self.now()
        if self._spent_today is not None and self._budget.lacks_earlier(now):
            with self.blocking():
                self._budget.begin_day(self._spent_today(), now)

    async def _warm_up(self) -> None:
        try:
            await self._backend_named(self._name).warm_up()
        except AttemptError as error:  # each request says it to a person
            log.warning("the model cannot be reached yet: %s", reason(error.fault, 1))

    def handle(self, message: ModelMessage | ModelAnswer | CallSpent | EntriesConfirmed | DescribeYourself) -> None:
        """Take a request, cancel a request, or pass on a call's output."""
        match message:
            case ModelRequest():
                self._take(message)
            case CancelModel(request_id=request_id):
                if self._leave(request_id) is not None:
                    self._loop.call(self._calls.cancel, request_id)
            case ModelDelta(request_id=request_id):
                if (request := self._queue.get(request_id)) is not None:
                    self.tell(request.reply_to, message)
            case ModelReply():
                self._pass_on_entered(message)
            case ModelFailed():
                self._pass_on(message)
            case EntriesConfirmed():
                pass  # An answer behind its deadline.
            case CallSpent(cost_usd=cost_usd):
                self._budget.spend(cost_usd, self.now())
            case DescribeYourself():
                self._describe(message)
            case _:
                not_understood(message)

    def _take(self, request: ModelRequest) -> None:
        if request.api_base and (refusal := refusal_of(request.api_base)):
            self.tell(request.reply_to, ModelFailed(request_id=request.request_id, reason=refusal, attempts=0))
            return
        self._queue.enter(request)
        self._admit()

    def _pass_on_entered(self, reply: ModelReply) -> None:
        """Send a reply to its requester once its call is in the ledger, or is late there."""
        if LEDGER not in self.followers(SPENT):
            self._pass_on(reply)
            return
        self.ask(LEDGER, ConfirmEntries, ENTERED_S, lambda _: self._pass_on(reply))

    def _pass_on(self, answer: ModelReply | ModelFailed) -> None:
        """Send an answer to a requester that still waits."""
        if (request := self._leave(answer.request_id)) is not None:
            self.tell(request.reply_to, answer)

    def on_stop(self) -> None:
        """Stop every call and tell waiting requesters."""
        for request in self._queue.clear():
            reason = "the model service restarted"
            self.tell(request.reply_to, ModelFailed(request_id=request.request_id, reason=reason, attempts=0))
        with self.blocking():
            self._loop.end(self._close(), CLOSE_S, "connections to the model's server were not closed")

    def _enter(self, entry: Callable[[datetime], CallSpent]) -> None:
        """Publish the cost of an attempt; on the loop."""
        spent = entry(self.now())
        self.tell(self.address, spent)
        publish_spent(self, spent)

    async def _close(self) -> None:
        await self._calls.close()
        await self._provider.close()

    def _leave(self, request_id: RequestId) -> ModelRequest | None:
        """Forget a request and let the next start; None for an unknown request."""
        request = self._queue.leave(request_id)
        if request is not None:
            self._admit()
        return request

    def _admit(self) -> None:
        """Start the allowed requests, or refuse them when today's money is spent."""
        while (request := self._queue.admit()) is not None:
            self._begin_day()
            refusal = self._budget.refusal(self.now())
            if refusal:
                self._queue.leave(request.request_id)
                self.tell(request.reply_to, ModelFailed(request_id=request.request_id, reason=refusal, attempts=0))
            else:
                self._loop.call(self._calls.begin, request.model or self._name, request)
        self.in_progress = bool(self._queue)

    def _describe(self, message: DescribeYourself) -> None:
        front, aside = self._queue.front, self._queue.aside
        figures: tuple[tuple[str, str | int | float], ...] = (
            ("model", self._name),
            *([("fallbacks", ", ".join(self._fallbacks.names))] if self._fallbacks.names else []),
            *([("models_down", ", ".join(down))] if (down := self._fallbacks.down) else []),
            ("in_flight", len(front.served_requests())),
            ("waiting", len(front.waiting())),
            ("background_in_flight", len(aside.served_requests())),
            ("background_waiting", len(aside.waiting())),
            ("cost_today_usd", round(self._budget.spent_usd(self.now()), 6)),
            ("daily_limit_usd", self._budget.cap_usd),
        )
        self.tell(
            message.reply_to, SelfDescription(request_id=message.request_id, about=self.address.kind, figures=figures)
        )

    def _backend_of(self, model: str, request: ModelRequest) -> Backend:
        return self._provider if request.api_base else self._backend_named(model)

    def _backend_named(self, model: str) -> Backend:
        return self._offline if model == OFFLINE_MODEL else self._provider


def _asker(request: ModelRequest) -> tuple[Window, str]:
    """Window and purpose of a request; calls of the same pair run in turn."""
    return request.window, request.purpose


def _reads_text_alone(config: ModelConfig, model: str, request: ModelRequest) -> bool:
    is_own_server = bool(request.api_base) or config.is_own(model)
    return reads_text_alone(model, is_own_server=is_own_server, variables=os.environ)
