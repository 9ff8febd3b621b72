"""Suspects: texts of failed calls, until it is known whether the server is at fault or one of them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b

from actors.embedder.circuit_breaker import TICK_S, Mark
from actors.embedder.waiting import Job, Part, Piece, Split, Waiting
from domain.policy.narrowing import DOWNS_TO_SPLIT, CallSize, Step, is_blamed_on_text, next_step, parts, server_works
from domain.policy.retrying import Fault
from messages.embedder import TextRole

REPEAT_S = 2.0
"""Wait before a text is asked for alone for the third time; for the second time there is none."""
MOST_SET_ASIDE = 4_096
"""Texts that are known to be set aside; an older one that is asked for again is tried again."""


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call that gave no usable vector."""

    pieces: tuple[Piece, ...]
    role: TextRole
    mark: Mark
    fault: Fault


class Suspects:
    """Failed calls that wait for a verdict, texts that rest before their next try, and texts that are set aside."""

    def __init__(self, waiting: Waiting, size: CallSize) -> None:
        """No text is suspected.

        Args:
            waiting: Takes texts that are to be asked for again.
            size: Learns from calls that were too large.
        """
        self._waiting = waiting
        self._size = size
        self._held: list[FailedCall] = []
        """Nobody knows yet whether the server works."""
        self._resting: list[tuple[Piece, float | None]] = []
        """Until when; None for the end of the pause."""
        self._set_aside: OrderedDict[bytes, str] = OrderedDict()
        """Digest of the text -> why."""

    @property
    def is_undecided(self) -> bool:
        """True while a failed call waits for a verdict."""
        return bool(self._held)

    def judge(self, call: FailedCall, works: bool | None, successes: int, now: float) -> Step:
        """Decide about a failed call, and queue its texts accordingly; one that is set aside is left to the caller.

        Args:
            call: What failed.
            works: Whether the server has answered another text since the call began; None if that is not known.
            successes: Calls that the server has answered so far.
            now: Of the steady clock, in seconds.
        """
        works = server_works(call.fault, works)
        pieces = [piece for piece in call.pieces if not piece.job.is_over]
        if works is not None:
            self._count(call, pieces, works, successes)
        first = call.pieces[0]
        tries = first.tries + (call.role is TextRole.QUERY)  # one fewer: a person waits
        step = next_step(call.fault, max(1, len(pieces)), tries=tries, downs=first.downs, works=works)
        if step is Step.PROBE:
            self._held.append(call)
        elif pieces:
            self._act(step, pieces, now)
        return step

    def release(self) -> list[FailedCall]:
        """The calls that waited for a verdict, which is there now."""
        held, self._held = self._held, []
        return held

    def wake(self, now: float, *, is_paused: bool) -> None:
        """Queue the texts that have rested long enough."""
        if not self._resting:
            return
        due = [piece for piece, until in self._resting if _is_due(until, now, is_paused=is_paused)]
        if due:
            self._resting = [rest for rest in self._resting if not _is_due(rest[1], now, is_paused=is_paused)]
            for piece in due:
                self._queue([piece])

    def clear(self) -> None:
        """Forget the calls and the resting texts: those who asked have been told."""
        self._held.clear()
        self._resting.clear()

    def note_success(self, pieces: tuple[Piece, ...]) -> None:
        """Learn from a call that gave vectors."""
        self._size.note_success(len(pieces))
        split = pieces[0].part.split if pieces[0].part is not None else None
        if split is not None and split.left > 0:
            split.left -= 1
            if not split.left:
                self._size.note_split(split.largest)

    def set_aside(self, text: str, why: str) -> None:
        """Remember that no vector can be made for a text, and why."""
        self._set_aside[_digest(text)] = why
        if len(self._set_aside) > MOST_SET_ASIDE:
            self._set_aside.popitem(last=False)

    def leave_out(self, job: Job) -> str:
        """Give up the texts of a new job that are set aside; why the last one is, empty where none is."""
        last = ""
        if self._set_aside:
            for index, text in enumerate(job.texts):
                if why := self._set_aside.get(_digest(text)):
                    job.give_up(index)
                    last = why
        return last

    def _count(self, call: FailedCall, pieces: list[Piece], works: bool, successes: int) -> None:
        for piece in pieces:
            if works:
                piece.tries += len(pieces) == 1
            elif is_blamed_on_text(call.fault) and successes > piece.successes:
                piece.downs += 1
                piece.successes = successes
            if piece.part is not None and piece.part.split is not None:
                piece.part.split.left = 0

    def _act(self, step: Step, pieces: list[Piece], now: float) -> None:
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
                if piece.tries < 2:
                    self._queue(pieces)
                else:
                    self._resting.append((piece, now + REPEAT_S))
            case Step.PROBE | Step.SET_ASIDE:
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
        """Queue texts again: documents behind all others, unless their request has a deadline."""
        request = pieces[0].job.request
        if request.role is TextRole.QUERY and is_paused:
            self._resting += [(piece, None) for piece in pieces]
        elif request.role is TextRole.DOCUMENT and request.deadline_s is None:
            self._waiting.put_behind(pieces)
        else:
            self._waiting.put_back(pieces)


def _is_due(until: float | None, now: float, *, is_paused: bool) -> bool:
    return not is_paused if until is None else now >= until - TICK_S


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
