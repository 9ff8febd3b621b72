"""Bystander: probes all actors repeatedly and records the time of each answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass

from actors.kernel import ActorSystem
from messages.base import Address, RequestId
from messages.status import DescribeYourself, SelfDescription

PAUSE_S = 0.02
ANSWER_S = 60.0


@dataclass(frozen=True, slots=True)
class Phase:
    """Phase of the bystander's questions: the same question of a person, with a crash or without."""

    kind: str
    """Kind of the actor that crashes, or would crash; left out in both phases, so both measure the same actors."""
    is_crashing: bool


class Bystander:
    """Prober of latency in a separate thread; each answer belongs to the phase of its question."""

    def __init__(self, system: ActorSystem, actors: Iterable[str]) -> None:
        """Begin without questions."""
        self._edge = system.edge("bystander")
        self._actors = tuple(actors)
        self._number = 0
        self._over = threading.Event()
        self.phase: Phase | None = None
        """Current phase; None outside of a measurement."""
        self.took_s: dict[Phase, list[float]] = {}
        """Seconds to the answers of all other actors."""
        self._thread = threading.Thread(target=self._run, name="bystander", daemon=True)

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def times(self, kind: str) -> tuple[list[float], list[float]]:
        """Seconds to the answers of all but `kind`, without crashes and with."""
        quiet, beside = (self.took_s.get(Phase(kind, is_crashing=each), []) for each in (False, True))
        return quiet, beside

    def stop(self) -> None:
        """Ask no more."""
        self._over.set()
        self._thread.join()
        self._edge.close()

    def _run(self) -> None:
        while not self._over.is_set():
            if phase := self.phase:
                self._round(phase)
            self._over.wait(PAUSE_S)

    def _round(self, phase: Phase) -> None:
        for kind in self._actors:
            if kind == phase.kind:
                continue
            seconds = self._ask(kind)
            if phase is not self.phase:  # what was asked at the border belongs to neither
                return
            self.took_s.setdefault(phase, []).append(seconds)

    def _ask(self, kind: str) -> float:
        self._number += 1
        request_id = RequestId(f"bystander-{self._number}")
        begin = time.perf_counter()
        self._edge.tell(Address(kind), DescribeYourself(request_id=request_id, reply_to=self._edge.address))
        try:
            self._edge.receive(
                ANSWER_S, lambda answer: isinstance(answer, SelfDescription) and answer.request_id == request_id
            )
        except TimeoutError:
            return ANSWER_S
        return time.perf_counter() - begin
