"""Batched embedding of turns without a vector: a few requests at a time."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np

from actors.kernel import Host, Timer
from actors.memory.index.pending import Waiting
from actors.memory.store import MemoryPlan, Store
from actors.memory.upkeep.giving_way import LOOKS_S, GivingWay, TurnsInHand
from messages.base import Address, RequestId
from messages.embedder import EmbeddingFailed, EmbedTexts, TextRole, TextsEmbedded
from messages.memory import EmbedMore

log = logging.getLogger(__name__)

BATCH = 64
GIVES_WAY_S = 0.1
"""Longest wait of a batch for turns: with answers all the time there are still some 600 vectors a second."""
IN_FLIGHT = 2
FRESH_ONLY_S = 10.0
"""Seconds after a piece of an imported log during which only new turns get vectors."""
_BEFORE_ALL = datetime(1970, 1, 1, tzinfo=UTC)
"""Moment at which only new turns are due."""
PATIENCE_S = 900.0
"""The embedder tries again by itself; a request that takes longer may be lost, and is sent again."""
UNIT_TOLERANCE = 1e-2


class Backlog:
    """Queue of turns on their way to a vector; a row is part of at most one request."""

    def __init__(
        self,
        host: Host,
        open_store: Callable[[], Store],
        embedder: Address | None,
        plan: MemoryPlan,
        turns: TurnsInHand,
    ) -> None:
        """Begin without a request.

        Args:
            host: The asking actor.
            open_store: Gives the index; raises if the index is not open.
            embedder: Address of the embedder; None to embed no text.
            plan: Names the embedding space, and the length of its vectors.
            turns: Turns with precedence.
        """
        self._host = host
        self._open_store = open_store
        self._embedder = embedder
        self._space = plan.space
        self._dimensions = plan.dimensions
        self._way = GivingWay(turns, GIVES_WAY_S)
        self._arrived: list[tuple[RequestId, TextsEmbedded | EmbeddingFailed | None]] = []
        """Replies of the embedder still to be taken in."""
        self._batches: dict[RequestId, list[Waiting]] = {}
        self._timer: Timer | None = None
        self._fresh_until_s = 0.0
        self._has_told = False
        """True once the operator was told of failing embeddings, until embedding works again."""

    def drop(self) -> None:
        """Forget pending requests: the rows are in the index and will be requested again."""
        for request_id in self._batches:
            self._host.withdraw(request_id)
        self._batches.clear()
        self._arrived.clear()
        self._stop_timer()

    def favour_fresh(self) -> None:
        """Let imported turns wait for a while: first the turns become searchable by their words."""
        self._fresh_until_s = self._host.monotonic() + FRESH_ONLY_S
        self.go_on()

    def go_on(self) -> None:
        """Request due vectors, within the limit of pending requests; else come back when a row is due."""
        store = self._open_store()
        self._stop_timer()
        if self._embedder is None:
            return
        if self._way.must_wait():
            self._timer = self._host.after(LOOKS_S, EmbedMore())
            return
        while self._arrived:
            self._take_in(store, *self._arrived.pop(0))
        rest_s = max(0.0, self._fresh_until_s - self._host.monotonic())
        while len(self._batches) < IN_FLIGHT:
            under_way = {turn.id for batch in self._batches.values() for turn in batch}
            due = store.index.pending.due(_BEFORE_ALL if rest_s else self._host.now(), BATCH + len(under_way))
            turns = [turn for turn in due if turn.id not in under_way][:BATCH]
            if not turns:
                break
            self._ask(self._embedder, turns)
        if not self._batches and (due_at := store.index.pending.next_due()) is not None:
            delay_s = max(0.05, rest_s, (due_at - self._host.now()).total_seconds())
            self._timer = self._host.after(delay_s, EmbedMore())

    def _take_reply(self, request_id: RequestId, reply: TextsEmbedded | EmbeddingFailed | None) -> None:
        """Take the reply to a request, giving way to turns; None if no reply came in time."""
        self._arrived.append((request_id, reply))
        self.go_on()

    def _take_in(self, store: Store, request_id: RequestId, reply: TextsEmbedded | EmbeddingFailed | None) -> None:
        """Keep the content of a reply, or ask once more."""
        batch = self._batches.pop(request_id)
        if reply is None and self._embedder is not None:
            self._tell("the embedder did not answer")
            self._ask(self._embedder, batch, request_id)  # the same request, or the embedder would do both
            return
        with self._host.blocking():
            if isinstance(reply, TextsEmbedded):
                self._store(store, batch, reply)
            elif reply is not None:
                self._tell(reply.reason)
                ids = (turn.id for turn in batch)
                store.index.pending.fail(ids, self._host.now(), is_permanent=reply.is_permanent)

    def _store(self, store: Store, batch: list[Waiting], reply: TextsEmbedded) -> None:
        """Keep the vectors received; a vector outside this space has failed."""
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

    def is_sound(self, vector: bytes) -> bool:
        """True if bytes are a vector of this space: right size, finite, of length 1."""
        if len(vector) != 4 * self._dimensions:
            return False
        length = float(np.linalg.norm(np.frombuffer(vector, "<f4").astype(np.float64)))
        return math.isfinite(length) and abs(length - 1) < UNIT_TOLERANCE

    def _ask(self, embedder: Address, turns: list[Waiting], again: RequestId | None = None) -> None:
        """Ask for vectors; `again` is the id of a repeated request."""

        def make(request_id: RequestId, reply_to: Address) -> EmbedTexts:
            texts = tuple(turn.text for turn in turns)
            return EmbedTexts(request_id=again or request_id, reply_to=reply_to, texts=texts, role=TextRole.DOCUMENT)

        request_id = self._host.ask(embedder, make, PATIENCE_S, lambda reply: self._take_reply(request_id, reply))
        self._batches[request_id] = turns

    def _tell(self, reason: str) -> None:
        if not self._has_told:
            log.warning("turns wait for their vectors, and are found by their words only: %s", reason)
        self._has_told = True

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
