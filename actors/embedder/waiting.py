"""Priority queue of texts that wait for a call, and their grouping into batches."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from actors.embedder.vectors import NO_VECTOR, of_size
from actors.kernel import Timer
from messages.base import RequestId
from messages.embedder import EmbedTexts, TextRole


@dataclass(slots=True, eq=False)
class Job:
    """One request and the vectors that it has so far."""

    request: EmbedTexts
    texts: tuple[str, ...]
    """As they are embedded: trimmed and cut."""
    vectors: list[bytes | None] = field(default_factory=list)
    missing: int = 0
    deadline: float | None = None
    """On the actor's steady clock."""
    timer: Timer | None = None
    is_over: bool = False
    is_redone: bool = False
    """Whether vectors of it were asked for anew, since the provider had changed their size."""

    def __post_init__(self) -> None:
        """Nothing is known yet but that a blank text has no vector."""
        self.vectors = [None if text else NO_VECTOR for text in self.texts]
        self.missing = self.vectors.count(None)

    def settle(self, index: int, vector: bytes) -> None:
        """Note the vector of a text, once."""
        if self.vectors[index] is None:
            self.vectors[index] = vector
            self.missing -= 1

    def drop(self, dimensions: int) -> list[int]:
        """Forget the vectors of another size than `dimensions`; gives their places."""
        kept = of_size((vector or NO_VECTOR for vector in self.vectors), dimensions)
        places = [place for place, vector in enumerate(self.vectors) if vector and not kept[place]]
        for place in places:
            self.vectors[place] = None
        self.missing += len(places)
        return places


@dataclass(slots=True, eq=False)
class Piece:
    """One text of a job."""

    job: Job
    index: int
    spoilt: int = 0
    """How many calls gave no usable vector for it."""
    alone: bool = False
    """Whether it goes in a call of its own, so that it cannot spoil another's, nor another its."""

    @property
    def text(self) -> str:
        """What is embedded."""
        return self.job.texts[self.index]


class Waiting:
    """Priority queue of two classes: queries before documents; each in the order of their coming."""

    def __init__(self) -> None:
        """Empty."""
        self.jobs: dict[RequestId, Job] = {}
        """Those that have no answer yet, whether their texts wait here or are in a call."""
        self._queues: dict[TextRole, deque[Piece]] = {TextRole.QUERY: deque(), TextRole.DOCUMENT: deque()}

    def add(self, job: Job) -> None:
        """Put all of a job's texts that have no vector yet at the end."""
        self.jobs[job.request.request_id] = job
        pieces = [Piece(job, index) for index, vector in enumerate(job.vectors) if vector is None]
        self._queues[job.request.role].extend(pieces)

    def put_back(self, pieces: Iterable[Piece]) -> None:
        """Put texts at the front, in their order."""
        for piece in reversed(list(pieces)):
            self._queues[piece.job.request.role].appendleft(piece)

    def end(self, job: Job) -> None:
        """Forget a job; its texts that are here still are skipped."""
        job.is_over = True
        self.jobs.pop(job.request.request_id, None)
        if job.timer is not None:
            job.timer.cancel()

    def has_texts(self, role: TextRole) -> bool:
        """Whether a text of that role waits for a call."""
        queue = self._queues[role]
        while queue and queue[0].job.is_over:
            queue.popleft()
        return bool(queue)

    def take(self, role: TextRole, max_texts: int, max_chars: int) -> tuple[Piece, ...]:
        """The next texts of that role for one call; at least one if any waits, whatever its length."""
        batch: list[Piece] = []
        chars = 0
        while self.has_texts(role) and len(batch) < max_texts:
            piece = self._queues[role][0]
            chars += len(piece.text)
            if batch and (chars > max_chars or piece.alone or batch[0].alone):
                break
            batch.append(self._queues[role].popleft())
        return tuple(batch)
