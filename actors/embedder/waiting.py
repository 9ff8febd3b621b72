"""Priority queue of texts that wait for a call, and their grouping into batches."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from actors.embedder.vectors import NO_VECTOR, of_size
from actors.kernel import Timer
from domain.memory.embedding import cut
from messages.base import RequestId
from messages.embedder import EmbedTexts, TextRole

KEPT_QUERIES = 256


@dataclass(slots=True, eq=False)
class Job:
    """Request for vectors, with the vectors so far."""

    request: EmbedTexts
    texts: tuple[str, ...]
    """Texts in their embedded form: stripped and cut."""
    vectors: list[bytes | None] = field(default_factory=list)
    missing: int = 0
    set_aside: list[int] = field(default_factory=list)
    """Places of texts without a possible vector."""
    put_off: dict[int, float] = field(default_factory=dict)
    """Place of a text that failed -> time of the next permitted request, on the actor's steady clock."""
    rounds: dict[int, int] = field(default_factory=dict)
    """Place of a text whose delay is over -> number of delays so far."""
    deadline: float | None = None
    """On the actor's steady clock."""
    timer: Timer | None = None
    is_over: bool = False
    is_redone: bool = False
    """True if vectors of the job were asked for again, since the provider had changed their size."""
    is_tried: bool = False
    """True if a call for the job failed through the server's fault: from then on the job waits for the server."""

    def __post_init__(self) -> None:
        """Begin without vectors; a blank text never gets a vector."""
        self.vectors = [None if text else NO_VECTOR for text in self.texts]
        self.missing = self.vectors.count(None)

    def settle(self, index: int, vector: bytes) -> None:
        """Note the vector of a text, once."""
        if self.vectors[index] is None:
            self.vectors[index] = vector
            self.missing -= 1

    def give_up(self, index: int) -> None:
        """Note that a text cannot have a vector."""
        self.set_aside.append(index)
        self.settle(index, NO_VECTOR)

    def leave(self, index: int, until: float) -> None:
        """Note that a text failed and may be requested again at `until`."""
        self.put_off[index] = until
        self.settle(index, NO_VECTOR)

    def again_s(self, now: float) -> float:
        """Seconds until the first of the delayed texts may be requested again; 0 without delayed texts."""
        return max(0.0, min(self.put_off.values()) - now) if self.put_off else 0.0

    def drop(self, dimensions: int) -> list[int]:
        """Forget the vectors of another size than `dimensions`; gives their places."""
        usable = of_size((vector or NO_VECTOR for vector in self.vectors), dimensions)
        places = [place for place, vector in enumerate(self.vectors) if vector and not usable[place]]
        for place in places:
            self.vectors[place] = None
        self.missing += len(places)
        return places


@dataclass(slots=True, eq=False)
class Split:
    """A failed call whose texts are requested in smaller calls."""

    largest: int
    """Texts of the largest part."""
    left: int
    """Parts without success so far; a part that fails makes this 0 for good."""


@dataclass(slots=True, eq=False)
class Part:
    """Texts that share a call only with each other."""

    split: Split | None = None


@dataclass(slots=True, eq=False)
class Piece:
    """One text of a job."""

    job: Job
    index: int
    part: Part | None = None
    """None if the text may share a call with any other."""
    tries: int = 0
    """Failed calls with the text alone while the server worked, and calls without a usable vector for this text alone.
    """
    downs: int = 0
    """Times that the server worked before a call with the text, and not afterwards."""
    successes: int = -1
    """Of the server, when `downs` was last counted."""
    rounds: int = 0
    """Number of delays of the text."""
    most_chars: int = 0
    """Length of the text's beginning to request, since no more can be embedded; 0 for all."""

    @property
    def text(self) -> str:
        """Whole text."""
        return self.job.texts[self.index]

    @property
    def request_text(self) -> str:
        """Text to ask for."""
        return cut(self.text, self.most_chars) if self.most_chars else self.text

    def may_join(self, other: Piece) -> bool:
        """True if two pieces may share a call: a text with a deadline waits for no other request's texts."""
        if self.part is not other.part:
            return False
        jobs = self.job, other.job
        return jobs[0] is jobs[1] or all(job.request.deadline_s is None for job in jobs)


class Lane(StrEnum):
    """Class of texts that wait for a call; the first two are named like the roles of texts."""

    QUERY = "query"
    DOCUMENT = "document"
    SUSPECT = "suspect"
    """Documents of a failed call: all other texts go first."""


class Waiting:
    """Priority queue of three classes; each in the order of their coming."""

    def __init__(self) -> None:
        """Empty."""
        self.jobs: dict[RequestId, Job] = {}
        """Jobs without an answer so far, with texts waiting here or in a call."""
        self._queues: dict[str, deque[Piece]] = {lane: deque() for lane in Lane}

    def add(self, job: Job) -> None:
        """Queue all texts of a job without a vector at the end; a text that was put off shares no call."""
        self.jobs[job.request.request_id] = job
        for index, vector in enumerate(job.vectors):
            if vector is None and (rounds := job.rounds.get(index)):
                self._queues[_late_lane(job)].append(Piece(job, index, Part(), rounds=rounds))
            elif vector is None:
                self._queues[job.request.role].append(Piece(job, index))

    def queue_again(self, pieces: Sequence[Piece]) -> None:
        """Queue texts of a failed call: documents behind all other texts, unless their request has a deadline."""
        lane = _late_lane(pieces[0].job)
        if lane is Lane.SUSPECT:
            self._queues[lane].extend(pieces)
        else:
            self.put_back(pieces)

    def put_back(self, pieces: Iterable[Piece]) -> None:
        """Put texts at the front of their class, in their order."""
        for piece in reversed(list(pieces)):
            self._queues[piece.job.request.role].appendleft(piece)

    def overdue(self, now: float, pause_s: float, asked_s: float) -> list[Job]:
        """Jobs whose deadline lies in a pause; untried questions wait only for the provider's requested pause.

        Args:
            now: Of the steady clock, in seconds.
            pause_s: Seconds until calls for documents may be made.
            asked_s: Seconds of the pause that the provider has asked for.
        """

        def wait_s(job: Job) -> float:
            return asked_s if job.request.role is TextRole.QUERY and not job.is_tried else pause_s

        timed = [(job, job.deadline) for job in self.jobs.values() if job.deadline is not None]
        return [job for job, deadline in timed if deadline < now + wait_s(job)]

    def end(self, job: Job) -> None:
        """Forget a job; the job's texts still here are skipped."""
        job.is_over = True
        self.jobs.pop(job.request.request_id, None)
        if job.timer is not None:
            job.timer.cancel()

    def first(self, lane: Lane) -> Piece | None:
        """Next text of a class; None without waiting texts."""
        queue = self._queues[lane]
        while queue and queue[0].job.is_over:
            queue.popleft()
        return queue[0] if queue else None

    def documents(self, *, with_suspects: bool) -> tuple[Lane, Piece] | None:
        """Class of the next documents, and the first document; None without waiting documents."""
        for lane in (Lane.DOCUMENT, Lane.SUSPECT) if with_suspects else (Lane.DOCUMENT,):
            if self._queues[lane] and (first := self.first(lane)) is not None:
                return lane, first
        return None

    def take(self, lane: Lane, max_texts: int, max_chars: int) -> tuple[Piece, ...]:
        """Next texts of a class for one call; at least one if any waits, however long."""
        batch: list[Piece] = []
        chars = 0
        while len(batch) < max_texts and (piece := self.first(lane)) is not None:
            chars += len(piece.request_text)
            if batch and (chars > max_chars or not piece.may_join(batch[0])):
                break
            batch.append(self._queues[lane].popleft())
        return tuple(batch)


def _late_lane(job: Job) -> str:
    """Class of a job's texts after a failure."""
    is_behind = job.request.role is TextRole.DOCUMENT and job.request.deadline_s is None
    return Lane.SUSPECT if is_behind else job.request.role


class KeptQueries:
    """Vectors of the last queries."""

    def __init__(self) -> None:
        """Begin without vectors."""
        self._vectors: OrderedDict[str, bytes] = OrderedDict()

    def recall(self, job: Job) -> None:
        """Give a job the vectors that are still known."""
        for index, text in enumerate(job.texts):
            if (vector := self._vectors.get(text)) is not None:
                self._vectors.move_to_end(text)
                job.settle(index, vector)

    def keep(self, text: str, vector: bytes) -> None:
        """Keep the vector of a query."""
        self._vectors[text] = vector
        if len(self._vectors) > KEPT_QUERIES:
            self._vectors.popitem(last=False)

    def clear(self) -> int:
        """Forget all; their number."""
        count = len(self._vectors)
        self._vectors.clear()
        return count
