"""Suspects: texts of failed calls, until the fault of the server or of a text is known."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b

from actors.embedder.circuit_breaker import TICK_S, Mark
from actors.embedder.waiting import Job, Part, Piece, Split, Waiting
from domain.policy.narrowing import (
    DOWNS_TO_SPLIT,
    LATER_S,
    CallSize,
    Step,
    fewer_chars,
    is_blamed_on_text,
    next_step,
    parts,
    server_works,
)
from domain.policy.retrying import Fault
from messages.embedder import TextRole

MOST_BAD = 4_096
"""Most texts known to be put off or set aside; a forgotten text is tried again when requested."""


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call without a usable vector."""

    pieces: tuple[Piece, ...]
    role: TextRole
    mark: Mark
    fault: Fault


@dataclass(frozen=True, slots=True)
class _Bad:
    """Text that failed alone while the server worked."""

    why: str
    rounds: int
    """Number of postponements."""
    until: float
    """Time of the next permitted request, on the steady clock; infinite for not before the next start."""


class Suspects:
    """Failed calls waiting for a verdict, questions waiting for a pause, and texts put off or set aside."""

    def __init__(self, waiting: Waiting, size: CallSize) -> None:
        """Begin without suspects.

        Args:
            waiting: Takes texts to be requested again.
            size: Learns from calls that were too large.
        """
        self._waiting = waiting
        self._size = size
        self._calls: list[FailedCall] = []
        """Calls held back until the server is known to work or not."""
        self._resting: list[Piece] = []
        """Questions, until the end of the pause."""
        self._bad: OrderedDict[bytes, _Bad] = OrderedDict()
        """Failed texts, by the digest of text and role."""

    @property
    def is_undecided(self) -> bool:
        """True while a failed call waits for a verdict."""
        return bool(self._calls)

    def judge(self, call: FailedCall, works: bool | None, successes: int) -> Step:
        """Decide about a failed call and queue the texts accordingly; the caller puts texts off or sets them aside.

        Args:
            call: Failed call.
            works: True if the server has answered another text since the call began; None if unknown.
            successes: Calls that the server has answered so far.
        """
        works = server_works(call.fault, works)
        pieces = [piece for piece in call.pieces if not piece.job.is_over]
        if works is not None:
            self._count(call, pieces, works, successes)
        first = call.pieces[0]
        count = max(1, len(pieces))
        step = next_step(
            call.fault,
            count,
            tries=first.tries,
            downs=first.downs,
            rounds=first.rounds,
            works=works,
            chars=len(first.request_text),
        )
        if step is Step.PROBE:
            self._calls.append(call)
        elif pieces:
            self._act(step, pieces, call.fault)
        return step

    def release(self) -> list[FailedCall]:
        """Release the calls that waited for the verdict now given."""
        calls, self._calls = self._calls, []
        return calls

    def wake(self) -> None:
        """Queue the questions that waited for the end of the pause."""
        due, self._resting = self._resting, []
        for piece in due:
            self._queue([piece])

    def clear(self) -> None:
        """Forget the calls and the questions, after all requests were answered."""
        self._calls.clear()
        self._resting.clear()

    def note_success(self, pieces: tuple[Piece, ...]) -> None:
        """Learn from a call with vectors."""
        if pieces[0].rounds:
            self._bad.pop(_digest(pieces[0].text, pieces[0].job.request.role), None)
        self._size.note_success(len(pieces))
        split = pieces[0].part.split if pieces[0].part is not None else None
        if split is not None and split.left > 0:
            split.left -= 1
            if not split.left:
                self._size.note_split(split.largest)

    def set_aside(self, piece: Piece, why: str) -> None:
        """Remember that a text cannot have a vector, with the reason."""
        self._note(piece, _Bad(why, piece.rounds, math.inf))

    def put_off(self, piece: Piece, why: str, now: float) -> float:
        """Remember a text's failure and the reason; return the time of the next permitted request."""
        bad = _Bad(why, piece.rounds + 1, now + LATER_S[piece.rounds])
        self._note(piece, bad)
        return bad.until

    def leave_out(self, job: Job, now: float) -> str:
        """Leave out a new job's texts that are put off or set aside; return the last reason, empty if no text was."""
        last = ""
        if self._bad:
            for index, text in enumerate(job.texts):
                if bad := self._bad.get(_digest(text, job.request.role)):
                    last = self._leave_out(job, index, bad, now) or last
        return last

    def _leave_out(self, job: Job, index: int, bad: _Bad, now: float) -> str:
        if bad.until == math.inf:
            job.give_up(index)
        elif now < bad.until - TICK_S:
            job.leave(index, bad.until)
        else:
            job.rounds[index] = bad.rounds
            return ""
        return bad.why

    def _note(self, piece: Piece, bad: _Bad) -> None:
        self._bad[_digest(piece.text, piece.job.request.role)] = bad
        if len(self._bad) > MOST_BAD:
            self._bad.popitem(last=False)

    def _count(self, call: FailedCall, pieces: list[Piece], works: bool, successes: int) -> None:
        for piece in pieces:
            if works:
                piece.tries += len(pieces) == 1
            elif is_blamed_on_text(call.fault) and successes > piece.successes:
                piece.downs += 1
                piece.successes = successes
            if piece.part is not None and piece.part.split is not None:
                piece.part.split.left = 0

    def _act(self, step: Step, pieces: list[Piece], fault: Fault) -> None:
        match step:
            case Step.SPLIT:
                self._split(pieces)
            case Step.WAIT:
                part = Part()
                for piece in pieces:
                    piece.part = part
                    piece.job.is_tried = True
                self._queue(pieces, is_paused=True)
            case Step.REPEAT:
                (piece,) = pieces
                piece.part = Part()
                self._queue(pieces)
            case Step.SHORTEN:
                (piece,) = pieces
                piece.part, piece.tries = Part(), 0
                piece.most_chars = fewer_chars(len(piece.request_text), fault)
                self._queue(pieces)
            case Step.PROBE | Step.PUT_OFF | Step.SET_ASIDE:
                pass  # the caller acts

    def _split(self, pieces: list[Piece]) -> None:
        groups = parts(pieces)
        split = Split(largest=len(groups[0]), left=len(groups))
        for group in groups:
            part = Part(split)
            for piece in group:
                piece.part = part
                piece.downs = min(piece.downs, DOWNS_TO_SPLIT - 1)
            self._queue(group)

    def _queue(self, pieces: list[Piece], *, is_paused: bool = False) -> None:
        """Queue texts again; a question waits for the end of the pause."""
        if pieces[0].job.request.role is TextRole.QUERY and is_paused:
            self._resting += pieces
        else:
            self._waiting.queue_again(pieces)


def _digest(text: str, role: TextRole) -> bytes:
    """A server may take a text as a question and not as a document: to some models the two are different."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, person=role.value.encode()).digest()
