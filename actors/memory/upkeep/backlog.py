"""Batched embedding of what waits for its vector: a few requests at a time."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from actors.kernel import Host, Timer
from actors.memory.index.pending import Waiting
from actors.memory.store import Store
from messages.base import Address, RequestId
from messages.embedder import EmbeddingFailed, EmbedTexts, TextRole, TextsEmbedded
from messages.memory import EmbeddingOverdue, EmbedMore

log = logging.getLogger(__name__)

BATCH = 64
IN_FLIGHT = 2
PATIENCE_S = 900.0
"""The embedder tries again by itself; only a lost request takes longer."""
UNIT_TOLERANCE = 1e-2


@dataclass(slots=True)
class _Batch:
    turns: list[Waiting]
    timer: Timer


class Backlog:
    """Queue of turns on their way to a vector; a row is asked for under at most one request."""

    def __init__(self, host: Host, embedder: Address | None, space: str, dimensions: int) -> None:
        self._host = host
        self._embedder = embedder
        self._space = space
        self._dimensions = dimensions
        self._batches: dict[RequestId, _Batch] = {}
        self._timer: Timer | None = None
        self._has_told = False
        """Whether the operator was told that embedding does not work; once until it works again."""

    def __contains__(self, request_id: RequestId) -> bool:
        """Whether that request is one of these."""
        return request_id in self._batches

    def drop(self) -> None:
        """Forget what is under way: the rows are in the index and will be asked for again."""
        for batch in self._batches.values():
            batch.timer.cancel()
        self._batches.clear()
        self._stop_timer()

    def go_on(self, store: Store) -> None:
        """Ask for what is due, as far as not too much is under way; else come back when something is."""
        self._stop_timer()
        if self._embedder is None:
            return
        while len(self._batches) < IN_FLIGHT:
            under_way = {turn.id for batch in self._batches.values() for turn in batch.turns}
            due = store.index.pending.due(self._host.now(), BATCH + len(under_way))
            turns = [turn for turn in due if turn.id not in under_way][:BATCH]
            if not turns:
                break
            self._ask(self._embedder, turns)
        if not self._batches and (due_at := store.index.pending.next_due()) is not None:
            delay_s = max(0.05, (due_at - self._host.now()).total_seconds())
            self._timer = self._host.after(delay_s, EmbedMore())

    def embedded(self, store: Store, reply: TextsEmbedded) -> None:
        """Keep the vectors that came; what is no vector of this space has failed."""
        batch = self._take(reply.request_id)
        if batch is None:
            return
        good: list[tuple[Waiting, bytes]] = []
        aside = {batch[place].id for place in reply.set_aside if place < len(batch)}
        late = {batch[place].id for place in reply.put_off if place < len(batch)}
        if reply.model == self._space and len(reply.vectors) == len(batch):
            good = [(turn, vector) for turn, vector in zip(batch, reply.vectors, strict=True) if self.is_sound(vector)]
        sound_ids = {turn.id for turn, _ in good}
        bad = [turn.id for turn in batch if turn.id not in sound_ids | aside | late]
        store.store_vectors(good)
        if aside:
            store.index.pending.set_aside(aside - sound_ids)
        if late:
            store.index.pending.put_off(late - sound_ids, self._host.now() + timedelta(seconds=reply.again_s))
        if bad:
            self._tell(f"{len(bad)} of {len(batch)} vectors were of no use (space {reply.model!r})")
            store.index.pending.fail(bad, self._host.now(), is_permanent=False)
        else:
            self._has_told = False

    def failed(self, store: Store, reply: EmbeddingFailed) -> None:
        """Try again later, or not before somebody has done something."""
        batch = self._take(reply.request_id)
        if batch is not None:
            self._tell(reply.reason)
            store.index.pending.fail((turn.id for turn in batch), self._host.now(), is_permanent=reply.is_permanent)

    def overdue(self, store: Store, request_id: RequestId) -> None:
        """A request was lost."""
        batch = self._take(request_id)
        if batch is not None:
            self._tell("the embedder did not answer")
            store.index.pending.fail((turn.id for turn in batch), self._host.now(), is_permanent=False)

    def is_sound(self, vector: bytes) -> bool:
        """Whether bytes are a vector of this space: its size, finite, of length 1."""
        if len(vector) != 4 * self._dimensions:
            return False
        length = float(np.linalg.norm(np.frombuffer(vector, "<f4").astype(np.float64)))
        return math.isfinite(length) and abs(length - 1) < UNIT_TOLERANCE

    def _ask(self, embedder: Address, turns: list[Waiting]) -> None:
        request_id = RequestId(self._host.new_id())
        self._batches[request_id] = _Batch(turns, self._host.after(PATIENCE_S, EmbeddingOverdue(request_id=request_id)))
        request = EmbedTexts(
            request_id=request_id,
            reply_to=self._host.address,
            texts=tuple(turn.text for turn in turns),
            role=TextRole.DOCUMENT,
        )
        self._host.tell(embedder, request)

    def _take(self, request_id: RequestId) -> list[Waiting] | None:
        batch = self._batches.pop(request_id, None)
        if batch is None:
            return None
        batch.timer.cancel()
        return batch.turns

    def _tell(self, reason: str) -> None:
        if not self._has_told:
            log.warning("turns wait for their vectors, and are found by their words only: %s", reason)
        self._has_told = True

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
