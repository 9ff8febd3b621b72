"""Liveness of core actors and loops: each is asked to answer; without an answer in time, each counts as late."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from typing import TYPE_CHECKING

from pykka._envelope import Envelope

from actors.kernel.loop import LoopEndedError, LoopHungError, LoopThread

if TYPE_CHECKING:
    from actors.kernel.mailbox import Mailbox
    from actors.kernel.system import ActorSystem

log = logging.getLogger(__name__)

ASK_S = 1.0
"""Seconds between an answer and the next question."""
STEP_S = 1.0
"""Most seconds counted by a look: after a standstill of the whole process, no actor is late."""
GIVE_UP_S = 60.0
"""Seconds without an answer after which a loop's actor crashes and is started anew."""


class Probe:
    """Question to an actor or a loop, answered as a sign of life."""

    __slots__ = ("is_answered", "late_s")

    def __init__(self) -> None:
        self.is_answered = False
        self.late_s = 0.0
        """Seconds without an answer, as far as looks have counted."""

    def answer(self) -> None:
        """Note the answer."""
        self.is_answered = True


class Liveness:
    """Heartbeat of core actors and of the loops owned by actors; a single thread looks, and looks often.

    An actor's question waits in its mailbox behind earlier messages, and the worker that gets there answers; a loop's
    question is called on the loop. A core actor at rest after a crash does not answer either.
    """

    def __init__(self, system: ActorSystem, limit_s: float, give_up_s: float = GIVE_UP_S) -> None:
        """Begin without a question.

        Args:
            system: System of the core actors and loops asked.
            limit_s: Seconds without an answer after which an actor or a loop is late.
            give_up_s: Seconds without an answer after which a loop is given up.
        """
        self._system = system
        self._limit_s = limit_s
        self._give_up_s = give_up_s
        self._lock = threading.Lock()
        self._loops: tuple[LoopThread, ...] = ()
        self._probes: dict[LoopThread | Mailbox, Probe] = {}
        self._since_asked_s = ASK_S
        self.late: tuple[str, ...] = ()
        """Late actors and loops at the last look: `discord`, `loop discord`."""

    @property
    def loops(self) -> tuple[LoopThread, ...]:
        """Running loops of actors."""
        return self._loops

    def add(self, loop: LoopThread) -> None:
        """Watch `loop` from now on."""
        with self._lock:
            self._loops = (*self._loops, loop)

    def remove(self, loop: LoopThread) -> None:
        """Watch `loop` no more; a repeated call has no effect."""
        with self._lock:
            self._loops = tuple(other for other in self._loops if other is not loop)

    def look(self, elapsed_s: float) -> list[LoopThread]:
        """Count missing answers, and ask again after each answer.

        Args:
            elapsed_s: Since the last look.

        Returns:
            Loops that have become late just now.
        """
        step_s = min(elapsed_s, STEP_S)
        watched: list[LoopThread | Mailbox] = list(self._loops)
        watched += [mailbox for mailbox in self._system.mailboxes() if mailbox.spec.core]
        probes = {each: probe for each in watched if (probe := self._probes.get(each)) is not None}
        became_late: list[LoopThread] = []
        for each, probe in list(probes.items()):
            if probe.is_answered:
                continue
            was_late, had_been_given_up = probe.late_s >= self._limit_s, probe.late_s >= self._give_up_s
            probe.late_s += step_s
            if not isinstance(each, LoopThread):
                continue
            if probe.late_s >= self._limit_s and not was_late:
                became_late.append(each)
            if probe.late_s >= self._give_up_s and not had_been_given_up:
                _give_up(each, probe.late_s)
        self._since_asked_s += elapsed_s
        if self._since_asked_s >= ASK_S:
            self._since_asked_s = 0.0
            for each in watched:
                if (probe := probes.get(each)) is None or probe.is_answered:
                    probes[each] = _send_probe(each)
        self._probes = probes
        self.late = tuple(
            sorted(
                f"loop {each.name}" if isinstance(each, LoopThread) else str(each.address)
                for each, probe in probes.items()
                if not probe.is_answered and probe.late_s >= self._limit_s
            )
        )
        return became_late


def stack(loop: LoopThread) -> str:
    """Stack of `loop`, as Python prints it."""
    frame = sys._current_frames().get(loop.ident)
    return "" if frame is None else "".join(traceback.format_stack(frame))


def _send_probe(each: LoopThread | Mailbox) -> Probe:
    probe = Probe()
    if isinstance(each, LoopThread):
        try:
            each.call(probe.answer)
        except LoopEndedError:
            log.debug("loop %s has just ended", each.name)  # its actor knows
    else:
        each.put(Envelope(probe))
    return probe


def _give_up(loop: LoopThread, seconds: float) -> None:
    if loop.owner is not None:
        loop.owner.fail(LoopHungError(f"loop {loop.name} has not come back for {seconds:.0f} s"))
