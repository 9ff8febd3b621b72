"""EmbedderActor: turns texts into vectors, in batches, past a circuit breaker."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from actors.embedder.backend import Backend
from actors.embedder.calls import UNREADABLE, CallDone, CallFailed, InFlight, call
from actors.embedder.circuit_breaker import CircuitBreaker, Mark
from actors.embedder.spending import Bookkeeping
from actors.embedder.suspects import FailedCall, Suspects
from actors.embedder.vectors import NO_VECTOR, VectorSize, dimensions_of
from actors.embedder.waiting import Job, KeptQueries, Lane, Piece, Waiting
from actors.kernel import Actor, LoopThread, Timer, not_understood
from domain.memory.embedding import PERMANENT, cut, reason
from domain.memory.space import Provider, Space
from domain.policy.narrowing import CallSize, FailureStreak, Step, is_blamed_on_text, server_works
from domain.policy.retrying import Fault, FaultKind
from messages.embedder import (
    DeadlinePassed,
    EmbedderMessage,
    EmbeddingFailed,
    EmbedTexts,
    PauseOver,
    ProbeDue,
    TextRole,
    TextsEmbedded,
)
from messages.forget import ForgetDerived, answer_derived
from messages.model import CallKind, CallOutcome
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

PROBE_S = 600.0
"""Seconds between two probes of a provider that needs an operator."""
PROBE_TEXT = "hello"
PATIENCE_S = 0.5
"""Longest wait of a query while the provider does not answer: the query is tried once, in case the provider is back."""
MOST_LATE = 4
"""Factor from the limit of awaited query calls to the limit of all: a refused query leaves its call behind."""
CLOSE_S = 2.0
_SET_ASIDE = "a %s of %d characters is set aside until the next start, and only its words count: %s"


class EmbedderActor(Actor):
    """Queue before the embedding provider: many texts a call, few calls at once, queries before documents.

    Owns: the event loop on which calls are made; the local model.
    Asks: the provider. A call that fails as a whole is halved until the faulty text is alone; the text is tried again
    minutes later, then by the beginning only, and at last set aside until the next start. If a harmless text fails too,
    the provider is at fault: then no document is sent for a while (1 s, doubled to 300 s; never less than the provider
    asks), each query once.
    After a failure that an operator must mend, all requests are refused; a probe every 10 minutes detects the repair.
    Crashes on: a loop thread that cannot be started, and its own faults. Requests from before a crash or a stop are
    answered with a temporary failure. Repeating a waiting request has no effect.
    """

    def __init__(self, *, space: Space, backend_of: Callable[[Callable[[], datetime]], Backend]) -> None:
        """Nothing is opened yet.

        Args:
            space: Provider, model and size, and the name of the vectors.
            backend_of: Makes the provider's backend, given the wall clock.
        """
        super().__init__()
        self._space = space
        self._backend = backend_of(self.now)
        self._books = Bookkeeping(self, lambda: self._backend.limits.timeout_s is not None)
        self._loop = LoopThread("embedder", self)
        self._breaker = CircuitBreaker()
        self._waiting = Waiting()
        self._size = CallSize(self._backend.limits.texts)
        self._suspects = Suspects(self._waiting, self._size)
        self._streak = FailureStreak()
        """Of calls for documents."""
        self._in_flight: dict[str, InFlight] = {}
        self._queries = KeptQueries()
        self._vector_size = VectorSize(space.dimensions)
        self._probing: Timer | None = None
        self._last_error = ""
        self._calls = self._failed_calls = self._texts_without = 0

    def on_start(self) -> None:
        """Start the loop; the first call loads the libraries and models for calls."""
        if self._space.provider is Provider.HASHED:
            log.warning("no embedding model: words are hashed, so memory finds words, not meanings (install `[local]`)")
        else:
            log.info("embedding with %s", self._space.name if self._vector_size.dimensions else self._space.model)
        self._loop.start()

    def handle(self, message: EmbedderMessage | CallDone | CallFailed | ForgetDerived) -> None:
        """Take a request, or the event of a call or a timer."""
        match message:
            case EmbedTexts():
                self._take(message)
            case CallDone(call_id=call_id, tokens=counted):
                if (call_over := self._in_flight.pop(call_id, None)) is not None:
                    self._books.enter(call_over.attempt, CallOutcome.ANSWERED, counted)
                    self._end_call(call_over, message)
            case CallFailed(call_id=call_id, fault=fault):
                if (call_over := self._in_flight.pop(call_id, None)) is not None:
                    self._books.fail(call_over.attempt, fault.kind)
                    self._fail_call(call_over, fault)
            case DeadlinePassed(request_id=request_id):
                if (job := self._waiting.jobs.get(request_id)) is not None:
                    self._refuse(job, self._last_error or "the embedding did not come in time", is_permanent=False)
            case PauseOver():
                self._send()
            case ProbeDue():
                if self._breaker.refusal:
                    self._probe()
            case ForgetDerived():
                self.tell(message.reply_to, answer_derived(message, self.address.kind, self._queries.clear()))
            case DescribeYourself():
                self._describe(message)
            case _:
                not_understood(message)

    def on_stop(self) -> None:
        """Stop every call and tell the waiting requesters."""
        for call_over in self._in_flight.values():
            self._books.enter(call_over.attempt, CallOutcome.CANCELLED)
            call_over.running.cancel()  # before the backend closes, which could begin it no more
        for job in tuple(self._waiting.jobs.values()):
            self._refuse(job, "the embedder restarted", is_permanent=False)
        with self.blocking():
            self._loop.end(self._backend.close(), CLOSE_S, "the embedding provider's connections were not closed")

    def _take(self, request: EmbedTexts) -> None:
        if request.request_id in self._waiting.jobs:
            return
        job = Job(request, tuple(cut(text) for text in request.texts))
        if request.role is TextRole.QUERY or not self._backend.limits.tells_roles:
            self._queries.recall(job)
        why = self._suspects.leave_out(job, self.monotonic())
        if why and request.role is TextRole.QUERY:
            self._refuse(job, why, is_permanent=False)
        elif not job.missing:
            self._answer(job)
        elif self._breaker.refusal:
            self._refuse(job, self._breaker.refusal, is_permanent=True)
        else:
            self._admit(job, request.deadline_s)

    def _admit(self, job: Job, deadline_s: float | None) -> None:
        self._waiting.add(job)
        if deadline_s is not None:
            if self._breaker.is_down and job.request.role is TextRole.QUERY:
                deadline_s = min(deadline_s, PATIENCE_S)
            job.deadline = self.monotonic() + deadline_s
            job.timer = self.after(deadline_s, DeadlinePassed(request_id=job.request.request_id))
            self._refuse_overdue()
        self._send()

    def _send(self) -> None:
        """Begin all calls that may begin now."""
        now = self.monotonic()
        if self._breaker.refusal:
            return
        if self._breaker.allows_calls(now):
            self._suspects.wake()
        if self._waiting.first(Lane.QUERY) is not None and self._breaker.allows_questions(now):
            self._send_queries()
        if not self._suspects.is_undecided and self._breaker.allows_calls(now):
            self._send_documents(now)

    def _send_queries(self) -> None:
        calls = [each for each in self._in_flight.values() if each.role is TextRole.QUERY]
        most, count = self._backend.limits.queries, sum(each.is_awaited for each in calls)
        room = min(most - count, MOST_LATE * most - len(calls))
        while room > 0 and self._send_batch(Lane.QUERY):
            room -= 1

    def _send_documents(self, now: float) -> None:
        """Begin calls for documents: a single call after a failure, and a separate call for a risky text."""
        if not self._waiting.documents(with_suspects=(may_try := not self._streak.wait_s(now))):
            return
        calls = [each for each in self._in_flight.values() if each.role is TextRole.DOCUMENT]
        count, has_suspect = len(calls), any(each.pieces and each.pieces[0].downs for each in calls)
        most = 1 if self._breaker.failures or self._breaker.is_down else self._backend.limits.documents
        while not has_suspect and count < most and (following := self._waiting.documents(with_suspects=may_try)):
            has_suspect = bool(following[1].downs)
            if self._breaker.is_down:
                self._probe()
            elif not has_suspect or not count:
                self._send_batch(following[0])
            count += 1

    def _send_batch(self, lane: Lane) -> bool:
        pieces = self._waiting.take(lane, self._size.most, self._backend.limits.chars)
        if pieces:
            self._begin(pieces, tuple(piece.request_text for piece in pieces), pieces[0].job.request.role)
        return bool(pieces)

    def _begin(self, pieces: tuple[Piece, ...], texts: tuple[str, ...], role: TextRole) -> None:
        self._calls += 1
        call_id = self.new_id()
        attempt = self._books.attempt(CallKind.EMBEDDING, self._space.model, call_id, texts, role.value)
        running = self._loop.submit(call(self._backend, self._space.dimensions, call_id, texts, role, self._tell_self))
        self._in_flight[call_id] = InFlight(pieces, role, self._breaker.mark(attempt.began_s), attempt, running)

    def _end_call(self, call_over: InFlight, done: CallDone) -> None:
        vectors, has_changed = self._vector_size.take(done.vectors, is_probe=not call_over.pieces)
        if has_changed:
            log.info("embeddings of %s have %d dimensions", self._space.model, self._vector_size.dimensions)
            self._queries.clear()
        if call_over.pieces:
            self._size.note_answer(len(call_over.pieces), done.value_count)
        if len(vectors) == vectors.count(NO_VECTOR):
            self._fail_call(call_over, done.fault, works=done.has_vectors or None)
            return
        if call_over.pieces and NO_VECTOR not in vectors:
            self._suspects.note_success(call_over.pieces)
        if call_over.role is TextRole.DOCUMENT and call_over.pieces:
            self._streak.end()
        self._note_success()
        for piece, vector in zip(call_over.pieces, vectors, strict=False):
            if vector:
                self._settle(piece, vector)
            else:
                self._judge(FailedCall((piece,), call_over.role, call_over.mark, UNREADABLE), works=True)
        self._send()

    def _fail_call(self, call_over: InFlight, fault: Fault, works: bool | None = None) -> None:
        self._failed_calls += 1
        self._last_error = reason(fault)
        if fault.kind in PERMANENT and not (call_over.pieces and is_blamed_on_text(fault)):
            self._trip(call_over, self._last_error)
        elif not call_over.pieces:
            self._fail_probe(call_over, fault)
        elif not self._breaker.refusal:
            works = works or self._breaker.works_since(call_over.mark)
            self._judge(FailedCall(call_over.pieces, call_over.role, call_over.mark, fault), works)
        self._send()

    def _fail_probe(self, call_over: InFlight, fault: Fault) -> None:
        """Treat the failure as the provider's fault, for every text."""
        if fault.kind in (FaultKind.REJECTED, FaultKind.TOO_LONG):
            self._trip(call_over, self._last_error)
        elif self._breaker.refusal:
            self._probe_later()
        else:
            self._breaker.is_down = True
            for failed in self._suspects.release():
                self._judge(failed, works=False)
            self._pause(call_over.mark, fault)

    def _judge(self, failed: FailedCall, works: bool | None) -> None:
        """Find the text, if any, that made a call fail."""
        now, fault = self.monotonic(), failed.fault
        if (step := self._suspects.judge(failed, works, self._breaker.successes)) is Step.PROBE:
            if all(each.pieces for each in self._in_flight.values()):
                self._probe()
            return
        if failed.role is TextRole.DOCUMENT and works and (wait_s := self._streak.fail(now)):
            self.after(wait_s, PauseOver())
        if step in (Step.PUT_OFF, Step.SET_ASIDE):
            self._give_up([piece for piece in failed.pieces if not piece.job.is_over], step, reason(fault))
        if server_works(fault, works) is False:
            self._breaker.is_down |= fault.kind is FaultKind.UNREACHABLE
            self._pause(failed.mark, fault)

    def _trip(self, call_over: InFlight, refusal: str) -> None:
        """Refuse everybody until a probe succeeds."""
        self._suspects.clear()
        was_tripped = bool(self._breaker.refusal)
        self._breaker.trip(refusal)
        if not was_tripped:
            log.error("no embeddings until this is put right: %s; looking again every %g s", refusal, PROBE_S)
        if not (was_tripped and call_over.pieces):
            self._probe_later()
        for job in tuple(self._waiting.jobs.values()):
            self._refuse(job, refusal, is_permanent=True)

    def _pause(self, mark: Mark, fault: Fault) -> None:
        """Pause documents for a while; requests that cannot wait so long are told now."""
        if not self._breaker.failures:
            log.warning("embedding: %s; trying again until it works", reason(fault))
        now = self.monotonic()
        self._breaker.fail(mark, fault.asked_wait_s, now)
        self.after(self._breaker.pause_left_s(now), PauseOver())
        self._refuse_overdue()

    def _refuse_overdue(self) -> None:
        """Refuse requests whose deadline lies in the pause."""
        if not (pause_s := self._breaker.pause_left_s(now := self.monotonic())):
            return
        in_flight = {piece.job for call in self._in_flight.values() for piece in call.pieces}
        for job in self._waiting.overdue(now, pause_s, self._breaker.asked_left_s(now)):
            if job not in in_flight:
                self._refuse(job, self._last_error, is_permanent=False)

    def _note_success(self) -> None:
        """Note that the provider works."""
        if self._breaker.failures or self._breaker.refusal:
            log.info("embedding works again")
        self._breaker.succeed()
        for failed in self._suspects.release():
            self._judge(failed, works=True)

    def _probe_later(self) -> None:
        if self._probing is not None:
            self._probing.cancel()
        self._probing = self.after(PROBE_S, ProbeDue())

    def _probe(self) -> None:
        """Call the provider with a text of our own."""
        self._begin((), (PROBE_TEXT,), TextRole.DOCUMENT)

    def _give_up(self, pieces: list[Piece], step: Step, why: str) -> None:
        """Put a text off, or set it aside until the next start; a question is refused."""
        for piece in pieces:
            if step is Step.PUT_OFF:
                piece.job.leave(piece.index, self._suspects.put_off(piece, why, self.monotonic()))
            else:
                self._texts_without += 1
                self._suspects.set_aside(piece, why)
                log.warning(_SET_ASIDE, piece.job.request.role.value, len(piece.text), why)
                piece.job.give_up(piece.index)
            if piece.job.request.role is TextRole.QUERY:
                self._refuse(piece.job, why, is_permanent=False)
            else:
                self._finish(piece.job)

    def _settle(self, piece: Piece, vector: bytes) -> None:
        if vector and piece.job.request.role is TextRole.QUERY:
            self._queries.keep(piece.text, vector)
        piece.job.settle(piece.index, vector)
        self._finish(piece.job)

    def _finish(self, job: Job) -> None:
        if not job.missing and not job.is_over:
            self._answer(job)

    def _answer(self, job: Job) -> None:
        if self._has_changed(job):
            return
        self._waiting.end(job)
        answer = TextsEmbedded(
            request_id=job.request.request_id,
            model=replace(self._space, dimensions=dimensions_of(job.vectors) or self._vector_size.dimensions).name,
            vectors=tuple(vector or NO_VECTOR for vector in job.vectors),
            set_aside=tuple(sorted(job.set_aside)),
            put_off=tuple(sorted(job.put_off)),
            again_s=job.again_s(self.monotonic()),
        )
        self.tell(job.request.reply_to, answer)

    def _has_changed(self, job: Job) -> bool:
        """Drop vectors of an old size; True if the provider changed the size meanwhile, so texts were queued again."""
        places = job.drop(self._vector_size.dimensions)
        if places and not job.is_redone:
            job.is_redone = True
            self._waiting.put_back(Piece(job, place, tries=1) for place in places)
            return True
        for place in places:
            job.settle(place, NO_VECTOR)
        self._texts_without += len(places)
        return False

    def _refuse(self, job: Job, why: str, *, is_permanent: bool) -> None:
        self._waiting.end(job)
        failure = EmbeddingFailed(request_id=job.request.request_id, reason=why, is_permanent=is_permanent)
        self.tell(job.request.reply_to, failure)

    def _describe(self, message: DescribeYourself) -> None:
        figures: tuple[tuple[str, str | int | float], ...] = (
            ("provider", self._space.provider.value),
            ("model", self._space.model),
            ("dimensions", self._vector_size.dimensions),
            ("state", self._state()),
            ("pause_s", round(self._breaker.pause_left_s(self.monotonic()), 1)),
            ("requests_waiting", len(self._waiting.jobs)),
            ("texts_waiting", sum(job.missing for job in self._waiting.jobs.values())),
            ("calls_in_flight", len(self._in_flight)),
            ("calls", self._calls),
            ("calls_failed", self._failed_calls),
            ("texts_without_vector", self._texts_without),
            ("last_error", self._last_error),
        )
        description = SelfDescription(request_id=message.request_id, about=self.address.kind, figures=figures)
        self.tell(message.reply_to, description)

    def _state(self) -> str:
        if self._breaker.refusal:
            return "refused"
        return "failing" if self._breaker.failures else "working" if self._breaker.successes else "not used yet"

    def _tell_self(self, message: CallDone | CallFailed) -> None:
        self.tell(self.address, message)
