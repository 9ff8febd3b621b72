"""EmbedderActor: turns texts into vectors, in batches, past a circuit breaker."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from datetime import datetime

from actors.embedder.backend import Backend
from actors.embedder.calls import CallDone, CallFailed, CallOut, call
from actors.embedder.circuit_breaker import CircuitBreaker
from actors.embedder.spending import Bookkeeping, Spending
from actors.embedder.vectors import NO_VECTOR, dimensions_of, of_size
from actors.embedder.waiting import Job, Piece, Waiting
from actors.kernel import Actor, LoopThread, Timer, not_understood
from domain.memory.embedding import PERMANENT, cut, reason
from domain.memory.space import Provider, Space
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
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

PROBE_S = 600.0
"""Between two looks whether a provider that needs an operator has got one."""
PROBE_TEXT = "hello"
KEPT_QUERIES = 256
MOST_SPOILT = 2
"""Calls without a usable vector for a text after which it has none."""
CLOSE_S = 2.0


@dataclass(frozen=True, slots=True)
class InFlight:
    """One call."""

    pieces: tuple[Piece, ...]
    """Empty for a probe."""
    role: TextRole
    round: int
    spending: Spending


class EmbedderActor(Actor):
    """Queue before the embedding provider: many texts a call, few calls at once, queries before documents.

    Owns: the event loop on which calls are made; the local model.
    Asks: the provider. After a failure that may pass nothing is called for a while (1 s, then twice as long each time,
    to 300 s; never less than the provider asks); documents wait for that, queries for as long as their deadline allows.
    After one that an operator must mend, whoever asks is refused at once, and a probe every 10 minutes finds out when
    it is mended.
    Crashes on: a loop thread that cannot be started, and its own faults. What was asked before a crash or a stop is
    answered with a failure that may pass. The same request again while it waits changes nothing.
    """

    def __init__(self, *, space: Space, backend_of: Callable[[Callable[[], datetime]], Backend]) -> None:
        """Nothing is opened yet.

        Args:
            space: What is asked of the provider, and what the vectors are called.
            backend_of: Makes the provider's backend, given the wall clock.
        """
        super().__init__()
        self._space = space
        self._backend = backend_of(self.now)
        self._books = Bookkeeping(self, lambda: self._backend.limits.timeout_s is not None)
        self._loop = LoopThread("embedder", self)
        self._breaker = CircuitBreaker()
        self._waiting = Waiting()
        self._in_flight: dict[str, InFlight] = {}
        self._queries: OrderedDict[str, bytes] = OrderedDict()
        self._dimensions = space.dimensions
        """Of the newest vectors; 0 while that is not known."""
        self._has_worked = False
        self._is_on_trial = False
        """Whether a probe decides if the provider refuses one text or everything."""
        self._probing: Timer | None = None
        self._last_error = ""
        self._calls = self._failed_calls = self._texts_without = 0

    def on_start(self) -> None:
        """Start the loop; the first call loads what calls need."""
        if self._space.provider is Provider.HASHED:
            log.warning("no embedding model: words are hashed, so memory finds words, not meanings (install `[local]`)")
        else:
            log.info("embedding with %s", self._space.name if self._dimensions else self._space.model)
        self._loop.start()

    def handle(self, message: EmbedderMessage | CallOut | CallDone | CallFailed) -> None:
        """Take a request, or go on with what a call or a timer says."""
        match message:
            case EmbedTexts():
                self._take(message)
            case CallOut(call_id=call_id):
                if (call_out := self._in_flight.get(call_id)) is not None:
                    self._books.begin(call_out.spending)
            case CallDone(call_id=call_id, vectors=vectors, tokens=counted):
                if (call_over := self._in_flight.pop(call_id, None)) is not None:
                    self._books.enter(call_over.spending.answered(counted, self.now(), self.monotonic()))
                    self._end_call(call_over, vectors)
            case CallFailed(call_id=call_id, fault=fault):
                if (call_over := self._in_flight.pop(call_id, None)) is not None:
                    self._books.enter(call_over.spending.failed(fault.kind, self.now(), self.monotonic()))
                    self._fail_call(call_over, fault)
            case DeadlinePassed(request_id=request_id):
                if (job := self._waiting.jobs.get(request_id)) is not None:
                    self._refuse(job, self._last_error or "the embedding did not come in time", is_permanent=False)
            case PauseOver():
                self._send()
            case ProbeDue():
                if self._breaker.refusal:
                    self._probe()
            case DescribeYourself():
                self._describe(message)
            case _:
                not_understood(message)

    def on_stop(self) -> None:
        """Stop every call and say so to those who wait."""
        for call_over in self._in_flight.values():
            self._books.enter(call_over.spending.cancelled(self.now(), self.monotonic()))
        for job in tuple(self._waiting.jobs.values()):
            self._refuse(job, "the embedder restarted", is_permanent=False)
        with self.blocking():
            try:
                self._loop.submit(self._backend.close()).result(CLOSE_S)
            except (TimeoutError, CancelledError):
                log.warning("the embedding provider's connections were not closed")
            finally:
                self._loop.stop()

    def _take(self, request: EmbedTexts) -> None:
        if request.request_id in self._waiting.jobs:
            return
        job = Job(request, tuple(cut(text) for text in request.texts))
        if request.role is TextRole.QUERY:
            self._recall(job)
        if not job.missing:
            self._answer(job)
        elif self._breaker.refusal:
            self._refuse(job, self._breaker.refusal, is_permanent=True)
        else:
            self._admit(job, request.deadline_s)

    def _admit(self, job: Job, deadline_s: float | None) -> None:
        now = self.monotonic()
        self._waiting.add(job)
        if deadline_s is not None:
            job.deadline = now + deadline_s
            job.timer = self.after(deadline_s, DeadlinePassed(request_id=job.request.request_id))
            self._refuse_overdue()
        self._send()

    def _send(self) -> None:
        """Begin what calls may begin now."""
        now, limits = self.monotonic(), self._backend.limits
        if not self._breaker.allows_calls(now) or self._is_on_trial:
            return
        while len(self._in_flight) < limits.calls:
            role = TextRole.QUERY if self._waiting.has_texts(TextRole.QUERY) else TextRole.DOCUMENT
            if role is TextRole.DOCUMENT and not self._may_send_documents():
                return
            pieces = self._waiting.take(role, limits.texts, limits.chars)
            if not pieces:
                return
            self._begin(pieces, tuple(piece.text for piece in pieces), role)

    def _may_send_documents(self) -> bool:
        """Whether a call is left for them: not those kept for queries; after a failure one until it worked."""
        calls = sum(1 for call_in_flight in self._in_flight.values() if call_in_flight.role is TextRole.DOCUMENT)
        return calls < (1 if self._breaker.failures else self._backend.limits.documents)

    def _begin(self, pieces: tuple[Piece, ...], texts: tuple[str, ...], role: TextRole) -> None:
        self._calls += 1
        call_id = self.new_id()
        model, began_s = self._space.model, self.monotonic()
        spending = Spending.of(str(self.address), model, call_id, role, texts, began_s)
        self._in_flight[call_id] = InFlight(pieces, role, self._breaker.round, spending)
        self._loop.submit(call(self._backend, self._space.dimensions, call_id, texts, role, self._tell_self))

    def _end_call(self, call_over: InFlight, vectors: tuple[bytes, ...]) -> None:
        vectors = self._see_size(vectors)
        spoilt = [piece for piece, vector in zip(call_over.pieces, vectors, strict=False) if not vector]
        if len(vectors) == vectors.count(NO_VECTOR):
            self._fail_call(call_over, Fault(FaultKind.UNREADABLE))
            return
        self._note_success()
        for piece, vector in zip(call_over.pieces, vectors, strict=False):
            if vector:
                self._settle(piece, vector)
        self._spoil(spoilt, alone=False)
        self._send()

    def _fail_call(self, call_over: InFlight, fault: Fault) -> None:
        self._failed_calls += 1
        self._last_error = reason(fault)
        is_probe = not call_over.pieces
        if fault.kind in PERMANENT:
            self._trip(call_over, self._last_error)
        elif fault.kind in (FaultKind.REJECTED, FaultKind.TOO_LONG):
            self._refused(call_over)
        elif is_probe and self._breaker.refusal:
            self._probe_later()
        else:
            self._is_on_trial = self._is_on_trial and not is_probe
            if fault.kind is FaultKind.UNREADABLE:
                self._spoil(call_over.pieces, alone=True)
            else:
                self._waiting.put_back(call_over.pieces)
            self._pause(call_over.round, fault.asked_wait_s)
        self._send()

    def _refused(self, call_over: InFlight) -> None:
        """Find out whether it was one of the texts or whatever we ask."""
        if not call_over.pieces:
            self._trip(call_over, self._last_error)
        elif self._breaker.refusal:
            return  # it was whatever we ask, and those who wait for these texts have been told
        elif len(call_over.pieces) > 1:
            for piece in call_over.pieces:
                piece.alone = True
            self._waiting.put_back(call_over.pieces)
        elif self._has_worked:
            self._give_up(call_over.pieces[0])
        else:
            self._waiting.put_back(call_over.pieces)
            if not self._is_on_trial:
                self._is_on_trial = True
                self._probe()

    def _trip(self, call_over: InFlight, refusal: str) -> None:
        """Refuse everybody until a probe succeeds."""
        self._is_on_trial = False
        was_tripped = bool(self._breaker.refusal)
        self._breaker.trip(refusal)
        if not was_tripped:
            log.error("no embeddings until this is put right: %s; looking again every %g s", refusal, PROBE_S)
        if not (was_tripped and call_over.pieces):
            self._probe_later()
        for job in tuple(self._waiting.jobs.values()):
            self._refuse(job, refusal, is_permanent=True)

    def _pause(self, begun_in: int, asked_wait_s: float | None) -> None:
        """Call nothing for a while; queries that cannot wait so long are told now."""
        if not self._breaker.failures:
            log.warning("embedding: %s; trying again until it works", self._last_error)
        now = self.monotonic()
        self._breaker.fail(begun_in, asked_wait_s, now)
        self.after(self._breaker.pause_left_s(now), PauseOver())
        self._refuse_overdue()

    def _refuse_overdue(self) -> None:
        now = self.monotonic()
        if not (wait_s := self._breaker.pause_left_s(now)):
            return
        call_in_flight = {piece.job for call in self._in_flight.values() for piece in call.pieces}
        for job in tuple(self._waiting.jobs.values()):
            if job.deadline is not None and job.deadline < now + wait_s and job not in call_in_flight:
                self._refuse(job, self._last_error, is_permanent=False)

    def _note_success(self) -> None:
        """Note that the provider works."""
        if self._breaker.failures or self._breaker.refusal:
            log.info("embedding works again")
        self._has_worked, self._is_on_trial = True, False
        self._breaker.succeed()

    def _probe_later(self) -> None:
        if self._probing is not None:
            self._probing.cancel()
        self._probing = self.after(PROBE_S, ProbeDue())

    def _probe(self) -> None:
        """One call with a text of our own."""
        self._begin((), (PROBE_TEXT,), TextRole.DOCUMENT)

    def _spoil(self, pieces: list[Piece] | tuple[Piece, ...], *, alone: bool) -> None:
        """Ask once more for texts that got no usable vector; after that they have none."""
        again = []
        for piece in pieces:
            piece.spoilt += 1
            piece.alone = alone
            if piece.spoilt < MOST_SPOILT:
                again.append(piece)
            else:
                self._give_up(piece)
        self._waiting.put_back(again)

    def _give_up(self, piece: Piece) -> None:
        self._texts_without += 1
        log.warning("the embedding provider has no usable vector for a text of %d characters", len(piece.text))
        self._settle(piece, NO_VECTOR)

    def _settle(self, piece: Piece, vector: bytes) -> None:
        if vector and piece.job.request.role is TextRole.QUERY:
            self._keep(piece.text, vector)
        piece.job.settle(piece.index, vector)
        if not piece.job.missing and not piece.job.is_over:
            self._answer(piece.job)

    def _recall(self, job: Job) -> None:
        """Give a query the vectors that are still known."""
        for index, text in enumerate(job.texts):
            if (vector := self._queries.get(text)) is not None:
                self._queries.move_to_end(text)
                job.settle(index, vector)

    def _keep(self, text: str, vector: bytes) -> None:
        self._queries[text] = vector
        if len(self._queries) > KEPT_QUERIES:
            self._queries.popitem(last=False)

    def _answer(self, job: Job) -> None:
        if self._has_changed(job):
            return
        self._waiting.end(job)
        space = replace(self._space, dimensions=dimensions_of(job.vectors) or self._dimensions)
        vectors = tuple(vector or NO_VECTOR for vector in job.vectors)
        answer = TextsEmbedded(request_id=job.request.request_id, model=space.name, vectors=vectors)
        self.tell(job.request.reply_to, answer)

    def _has_changed(self, job: Job) -> bool:
        """Whether the provider changed the size of its vectors while it made the job's, so that some are made anew."""
        places = job.drop(self._dimensions)
        if places and not job.is_redone:
            job.is_redone = True
            self._waiting.put_back(Piece(job, place, spoilt=1) for place in places)
            return True
        for place in places:
            job.settle(place, NO_VECTOR)
        self._texts_without += len(places)
        return False

    def _see_size(self, vectors: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """The vectors of a call, all of one size: where the provider decides on it, that of most of them."""
        if self._space.dimensions:
            return vectors
        dimensions = dimensions_of(vectors) or self._dimensions
        if dimensions != self._dimensions:
            log.info("embeddings of %s have %d dimensions", self._space.model, dimensions)
            self._queries.clear()
            self._dimensions = dimensions
        return of_size(vectors, dimensions)

    def _refuse(self, job: Job, why: str, *, is_permanent: bool) -> None:
        self._waiting.end(job)
        failure = EmbeddingFailed(request_id=job.request.request_id, reason=why, is_permanent=is_permanent)
        self.tell(job.request.reply_to, failure)

    def _describe(self, message: DescribeYourself) -> None:
        figures: tuple[tuple[str, str | int | float], ...] = (
            ("provider", self._space.provider.value),
            ("model", self._space.model),
            ("dimensions", self._dimensions),
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
        self.tell(
            message.reply_to,
            SelfDescription(request_id=message.request_id, about=self.address.kind, figures=figures),
        )

    def _state(self) -> str:
        if self._breaker.refusal:
            return "refused"
        return "failing" if self._breaker.failures else "working" if self._has_worked else "not used yet"

    def _tell_self(self, message: CallOut | CallDone | CallFailed) -> None:
        self.tell(self.address, message)
