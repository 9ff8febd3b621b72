"""Suspects: texts of failed calls, until it is known whether the server is at fault or one of them."""

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
"""Texts that are known to be put off or set aside; an older one that is asked for again is tried again."""


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call that gave no usable vector."""

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
    """When it may be asked for again, on the steady clock; infinite for not before the next start."""


class Suspects:
    """Failed calls that wait for a verdict, questions that wait for a pause, and texts put off or set aside."""

    def __init__(self, waiting: Waiting, size: CallSize) -> None:
        """No text is suspected.

        Args:
            waiting: Takes texts that are to be asked for again.
            size: Learns from calls that were too large.
        """
        self._waiting = waiting
        self._size = size
        self._calls: list[FailedCall] = []
        """Calls held back until the server is known to work or not."""
        self._resting: list[Piece] = []
        """Questions, until the end of the pause."""
        self._bad: OrderedDict[bytes, _Bad] = OrderedDict()
        """By the digest of the text and its role."""

    @property
    def is_undecided(self) -> bool:
        """True while a failed call waits for a verdict."""
        return bool(self._calls)

    def judge(self, call: FailedCall, works: bool | None, successes: int) -> Step:
        """Decide about a failed call, and queue its texts accordingly; one to be put off or aside is the caller's.

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
        """The calls that waited for a verdict, which is there now."""
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
        """Learn from a call that gave vectors."""
        if pieces[0].rounds:
            self._bad.pop(_digest(pieces[0].text, pieces[0].job.request.role), None)
        self._size.note_success(len(pieces))
        split = pieces[0].part.split if pieces[0].part is not None else None
        if split is not None and split.left > 0:
            split.left -= 1
            if not split.left:
                self._size.note_split(split.largest)

    def set_aside(self, piece: Piece, why: str) -> None:
        """Remember that no vector can be made for a text, and why."""
        self._note(piece, _Bad(why, piece.rounds, math.inf))

    def put_off(self, piece: Piece, why: str, now: float) -> float:
        """Remember that a text failed, and why; when it may be asked for again."""
        bad = _Bad(why, piece.rounds + 1, now + LATER_S[piece.rounds])
        self._note(piece, bad)
        return bad.until

    def leave_out(self, job: Job, now: float) -> str:
        """Leave out the texts of a new job that are put off or set aside; why the last one is, empty for none."""
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
