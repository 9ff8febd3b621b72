"""Calls in flight: a task each, retries with backoff, and deltas meanwhile; on a single event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime

import msgspec
from tenacity import AsyncRetrying, RetryCallState, wait_exponential, wait_random

from actors.model.backend import AttemptError, AttemptProgress, Backend
from domain.offline.model import OFFLINE_MODEL
from domain.policy.mend_memory import MendMemory
from domain.policy.model_call.fallbacks import Fallbacks, failure_words, falls_back, stand_in_words
from domain.policy.model_call.thoughts_back import keep_own
from domain.policy.retrying import PERMANENT, REFUSED, Fault, FaultKind, RetryPolicy, next_wait_s, reason
from domain.policy.spending import Attempt, estimated_tokens, has_counts
from domain.text.answer.reading import shown_text
from domain.text.answer.thoughts import has_mark, is_unopened
from domain.text.control_words import restore_words
from messages.base import RequestId
from messages.model import (
    CallOutcome,
    CallSpent,
    Completion,
    ModelAnswer,
    ModelDelta,
    ModelFailed,
    ModelReply,
    ModelRequest,
    Usage,
)

log = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[None]]
NEW = "; /new begins a new conversation"
MOST_SHOWN_CHARS = 100_000
"""Characters of an unfinished answer: many times the part shown to people."""
FREE_CHARS = 100_000
"""Characters of an answer passed on at once, however fast."""
CHARS_PER_S = 100_000
"""Speed of a longer answer: eight times the speed of the fastest models."""
NO_FAULT = Fault(FaultKind.UNKNOWN)
"""Beside a reply."""


class Schedule:
    """Schedule of an answer: a policy's waits, with jitter, and the time for all tries."""

    def __init__(self, policy: RetryPolicy, answer_timeout_s: float, sleep: Sleep = asyncio.sleep) -> None:
        """Begin without a wait.

        Args:
            policy: Number of tries, and the waits.
            answer_timeout_s: Longest time for an answer, with all tries.
            sleep: Passing of the time between tries, and before an answer that came too fast.
        """
        self.policy = policy
        self.sleep = sleep
        self.answer_timeout_s = answer_timeout_s
        self._wait = wait_exponential(policy.base_s, policy.cap_s, policy.factor) + wait_random(0, policy.jitter_s)
        self._retrying = AsyncRetrying()

    def wait_s(self, fault: Fault, attempt: int) -> float | None:
        """Seconds until the try after failed try number `attempt`, for the reason `fault`; None to give up."""
        state = RetryCallState(self._retrying, None, (), {})
        state.attempt_number = attempt
        return next_wait_s(fault, attempt, self._wait(state), self.policy)

    async def hold(self, completion: Completion, took_s: float) -> None:
        """Wait for as long as an answer is ahead of the fastest models: the work on long texts delays other turns.

        Args:
            completion: The answer.
            took_s: Seconds since it was asked for.
        """
        chars = len(completion.text) + len(completion.thoughts)
        chars += sum(len(call.arguments_json) for call in completion.tool_calls)
        if (ahead_s := (chars - FREE_CHARS) / CHARS_PER_S - took_s) > 0:
            await self.sleep(ahead_s)


class Progress:
    """Throttle of deltas: tells the text so far, at most once in `interval_s`, and never again once it is closed."""

    def __init__(self, interval_s: float, show: Callable[[str], str], say: Callable[[str], None]) -> None:
        """Begin without text.

        Args:
            interval_s: Least time between two deltas.
            show: Gives the part of the text so far that people may be shown.
            say: Sends the part.
        """
        self._interval_s = interval_s
        self._show = show
        self._say = say
        self._pieces: list[str] = []
        self._size = 0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, piece: str) -> None:
        """Take in more text; the text is sent when due, as long as short enough to be shown."""
        self._pieces.append(piece)
        self._size += len(piece)
        if self._timer is None and self._size <= MOST_SHOWN_CHARS:
            self._timer = asyncio.get_running_loop().call_later(self._interval_s, self._tell)

    @property
    def text(self) -> str:
        """All text so far, as written by the model."""
        return "".join(self._pieces)

    def close(self) -> None:
        """Send no more text."""
        if self._timer is not None:
            self._timer.cancel()

    def _tell(self) -> None:
        self._timer = None
        if self._size > MOST_SHOWN_CHARS:
            return
        text = "".join(self._pieces)
        self._pieces = [text]
        visible = self._show(text)
        if visible.strip():
            self._say(visible)


class Calls:
    """A task for each request, from `begin` until its answer was sent or the request was cancelled.

    A call is tried again after a transient failure, even after part of the answer: the part is forgotten, and deltas
    start over with the next try.
    """

    def __init__(
        self,
        *,
        backend_of: Callable[[str, ModelRequest], Backend],
        schedule: Schedule,
        delta_interval_s: float,
        tell: Callable[[ModelAnswer], None],
        enter: Callable[[Callable[[datetime], CallSpent]], None],
        fallbacks: Fallbacks,
    ) -> None:
        """Begin without calls.

        Args:
            backend_of: Gives the backend for a request, by the model's name.
            schedule: Times of the retries.
            delta_interval_s: Least time between two deltas of a request, and before its first.
            tell: Gets every answer, on the loop's thread; a single reply or failure for each call not cancelled.
            fallbacks: Memory of outages and of stand-ins.
            enter: Publishes the cost of an attempt, before its answer is sent; supplies the time (aware UTC).
        """
        self._backend_of = backend_of
        self._schedule = schedule
        self._delta_interval_s = delta_interval_s
        self._tell = tell
        self._enter = enter
        self._fallbacks = fallbacks
        self._mends = MendMemory()
        self._thinks_first: set[str] = set()
        """Models with answers that began with thoughts, revealed only by a closing mark."""
        self._tasks: dict[RequestId, asyncio.Task[ModelReply | ModelFailed]] = {}

    def begin(self, model: str, request: ModelRequest) -> None:
        """Start the call; its end is reported."""
        task = asyncio.get_running_loop().create_task(
            self._answer_in_time(model, request), name=f"model-{request.request_id}"
        )
        self._tasks[request.request_id] = task
        task.add_done_callback(lambda ended: self._end_call(request.request_id, ended))

    def cancel(self, request_id: RequestId) -> None:
        """Stop the call at once, in any state; no further output follows. An unknown id has no effect."""
        if (task := self._tasks.pop(request_id, None)) is not None:
            task.cancel()

    async def close(self) -> None:
        """Stop all calls and wait for their end; no further output follows."""
        tasks = tuple(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _end_call(self, request_id: RequestId, task: asyncio.Task[ModelReply | ModelFailed]) -> None:
        if self._tasks.get(request_id) is not task:
            return
        del self._tasks[request_id]
        # A library that cancels its own work cancels the call with it; somebody waits for that answer, too.
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is None:
            self._tell(task.result())
            return
        log.error("a model call died", exc_info=error)
        fault = Fault(FaultKind.UNKNOWN, type_name=type(error).__name__)
        self._tell(ModelFailed(request_id=request_id, reason=reason(fault, 1), attempts=1))

    async def _answer_in_time(self, model: str, request: ModelRequest) -> ModelReply | ModelFailed:
        """The answer, or the failure of an endless answer."""
        limit_s = self._schedule.answer_timeout_s
        limit = asyncio.timeout(limit_s)
        try:
            async with limit:
                return await self._answer(model, request)
        except TimeoutError:
            if not limit.expired():
                raise
            reason = f"the model's server did not end its answer within {limit_s:g} s, the most for one"
            return _failure(request, reason, 1, Fault(FaultKind.BEYOND_BOUND))

    async def _answer(self, model: str, request: ModelRequest) -> ModelReply | ModelFailed:
        """The answer of the model, or of its first available stand-in."""
        if request.api_base or not self._fallbacks.names:
            return (await self._answer_by(model, request, 1))[0]
        clock, attempts = asyncio.get_running_loop().time, 0
        models, passed_over = self._fallbacks.order(model, request.run_id, clock())
        failed, fault = list(passed_over), NO_FAULT
        for name in models:
            if name != model and (lack := (await self._backend_of(name, request).abilities(name)).lack(request)):
                failed.append((name, lack))
                continue
            end, fault = await self._answer_by(name, request, attempts + 1)
            if isinstance(end, ModelReply):
                self._fallbacks.note_answer(name, model, request.run_id)
                if name == model:
                    return end
                why = dict(failed).get(model, "another model has this turn")
                return msgspec.structs.replace(end, stands_in=stand_in_words(name, model, why))
            attempts = end.attempts
            failed.append((name, end.reason))
            if not falls_back(fault):
                break
            self._fallbacks.note_fault(name, fault, end.reason, clock())
            log.warning("model call %s goes to the next model: %s", request.request_id, end.reason)
        return _failure(request, failure_words(failed), attempts, fault)

    async def _answer_by(self, model: str, request: ModelRequest, first: int) -> tuple[ModelReply | ModelFailed, Fault]:
        """The reply, after retries, and after a single mended request if the server refuses the content."""
        prepared = self._mends.prepare(model, keep_own(request, model))
        reply, fault, attempt = await self._replies(model, prepared.request, first)
        if reply is not None:
            answer = msgspec.structs.replace(reply, left_out=prepared.left_out) if prepared.left_out else reply
            return answer, fault
        plan = self._mends.plan(model, prepared, fault)
        if plan is None:
            hint = NEW if fault.kind in REFUSED and len(request.messages) > 1 else ""
            text = reason(fault, attempt - first + 1) + hint
            return _failure(request, text, attempt, fault), fault
        mended = plan.mended
        log.warning("model call %s is sent again, mended: %s", request.request_id, ", ".join(sorted(mended.mends)))
        reply, fault, attempt = await self._replies(model, mended.request, attempt + 1)
        if reply is None:
            self._mends.give_up(model, plan, fault)
            tried = f"also without {plan.left_out}" if plan.left_out else "also in another form"
            text = f"{reason(fault, 1)}, {tried}{NEW}"
            return _failure(request, text, attempt, fault), fault
        self._mends.learn(model, plan)
        return msgspec.structs.replace(reply, left_out=plan.left_out), fault

    async def _replies(self, model: str, request: ModelRequest, attempt: int) -> tuple[ModelReply | None, Fault, int]:
        """As `_tries`; an answer without a word is asked for once more."""
        reply, fault, attempt = await self._tries(model, request, attempt)
        if reply is None:
            return reply, fault, attempt
        self._mends.accept(model, request, reply.usage.prompt_tokens)
        if not reply.is_void:
            return reply, fault, attempt
        log.warning(
            "model call %s had an empty answer (%s); it is sent once more", request.request_id, reply.stop_reason
        )
        again, _, attempt = await self._tries(model, request, attempt + 1)
        if again is None:
            return reply, fault, attempt
        return msgspec.structs.replace(again, usage=reply.usage + again.usage), fault, attempt

    async def _tries(self, model: str, request: ModelRequest, attempt: int) -> tuple[ModelReply | None, Fault, int]:
        """The reply or the last fault, and the number of the last attempt, starting with `attempt`."""
        first = attempt
        while True:
            try:
                return await self._attempt(model, request, attempt), NO_FAULT, attempt
            except AttemptError as failure:
                fault = failure.fault
            wait_s = self._schedule.wait_s(fault, attempt - first + 1)
            log.warning("model call %s failed, try %d: %s", request.request_id, attempt, reason(fault, 1))
            if wait_s is None:
                return None, fault, attempt
            await self._schedule.sleep(wait_s)
            attempt += 1

    def _show(self, model: str, request: ModelRequest, text: str) -> str:
        """Part of an unfinished answer visible to people."""
        if model in self._thinks_first and not has_mark(text):
            return ""
        return restore_words(shown_text(text, request))

    async def _attempt(self, model: str, request: ModelRequest, attempt: int) -> ModelReply:
        progress = Progress(
            self._delta_interval_s,
            lambda text: self._show(model, request, text),
            lambda text: self._tell(ModelDelta(request_id=request.request_id, text=text)),
        )
        attempt_progress = AttemptProgress(progress.add)
        loop = asyncio.get_running_loop()
        spending = Attempt(
            owner=request.window.address.key,
            run_id=request.run_id,
            purpose=request.purpose,
            call_id=request.request_id,
            attempt=attempt,
            model=model,
            sent_tokens=estimated_tokens(_sent_chars(request)),
            began_s=loop.time(),
        )
        completion, outcome = None, CallOutcome.FAILED
        try:
            completion = await self._backend_of(model, request).complete(model, request, attempt_progress)
            outcome = CallOutcome.ANSWERED
        except asyncio.CancelledError:
            outcome = CallOutcome.CANCELLED
            raise
        finally:
            progress.close()
            if is_unopened(progress.text):
                self._thinks_first.add(model)
            usage = _usage(model, outcome, attempt_progress, completion)
            now_s, written = loop.time(), estimated_tokens(attempt_progress.chars)
            stated = completion.usage.cost_usd if completion is not None else 0.0
            self._enter(lambda at: spending.entry(outcome, usage, at, now_s, written_tokens=written, stated_usd=stated))
        await self._schedule.hold(completion, now_s - spending.began_s)
        return ModelReply(request_id=request.request_id, model=model, **msgspec.structs.asdict(completion))


def _usage(model: str, outcome: CallOutcome, progress: AttemptProgress, completion: Completion | None) -> Usage | None:
    """Provider's count, all 0 for an attempt that did not reach the provider or was refused; None to estimate."""
    for usage in (completion.usage if completion is not None else None, progress.usage):
        if has_counts(usage):
            return usage
    may_cost = model != OFFLINE_MODEL and (progress.has_begun or outcome is not CallOutcome.FAILED)
    return None if may_cost else Usage()


def _sent_chars(request: ModelRequest) -> int:
    chars = len(request.system_prompt)
    for message in request.messages:
        chars += len(message.text) + sum(len(call.arguments_json) for call in message.tool_calls)
    return chars + sum(len(tool.description) + len(tool.parameters_json) for tool in request.tools)


def _failure(request: ModelRequest, reason: str, attempts: int, fault: Fault) -> ModelFailed:
    is_permanent = fault.kind in PERMANENT
    return ModelFailed(request_id=request.request_id, reason=reason, attempts=attempts, is_permanent=is_permanent)
