"""Outside of a turn: the model, Discord and the folder of commands; kills at an instant and records the outcome."""

from __future__ import annotations

import json
import os
import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from actors.kernel import SystemClock
from actors.linux.private_folder import make_private
from lab.bench.durable.instants import BOUNDARIES, Instant, Timeline
from lab.bench.process import MeasurementError
from lab.loopback_model.server import Answer, Behaviour, Call, LoopbackModel, Received, Stall
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from lab.playground.world.faults import Fault, FaultKind
from lab.playground.world.traffic import Exchange, Frame

CLOCK = SystemClock()
PATIENCE_S = 120.0
LOOK_S = 0.001
_TURN = re.compile(r"\bturn (\d+)")
_ANSWER = re.compile(r"\banswer to (\d+)")
_POST = re.compile(rf"POST /channels/{GENERAL_ID}/messages$")
_GO, _END = "go", "end"
COMMAND = f"echo {{turn}} >> begun; read -r _ < {_GO}; echo {{turn}} >> effects; read -r _ < {_END}; echo done"
"""Outside effect: a line in a file. The command waits for the benchmark's permission and receives no other input."""


_SIGNS = {Instant.COMMAND_BEGUN: "begun", Instant.COMMAND_DONE: "effects", Instant.AFTER_COMMAND: "effects"}
"""Files in which the turn's line is the sign to kill."""


@dataclass(slots=True)
class Plan:
    """Plan of one turn, and the times of the turn's events, in seconds since 1970."""

    turn: int
    instant: Instant | None = None
    """None to kill nothing."""
    delay_s: float = 0.0
    """Seconds from the end of a step to the kill, at a boundary."""
    kill: Callable[[], object] = lambda: None
    killed: threading.Event = field(default_factory=threading.Event)
    asked_at: list[float] = field(default_factory=list)
    asked_again: list[float] = field(default_factory=list)
    posting: list[float] = field(default_factory=list)

    def strike(self, instant: Instant, *, later: bool = False) -> bool:
        """Kill if `instant` is the planned instant: at once, or after the delay; True for the planned instant."""
        if self.killed.is_set() or self.instant is not instant:
            return False
        if later:
            threading.Timer(self.delay_s, self._strike).start()
        else:
            self._strike()
        return True

    def _strike(self) -> None:
        self.kill()
        self.killed.set()


class Outside:
    """World around one system; a context manager."""

    def __init__(self, work: Path) -> None:
        """Begin without listening.

        Args:
            work: Folder in which the system runs commands; created by the system or by the first turn.
        """
        self.server = PlaygroundServer()
        self.model = LoopbackModel(self._behave, kept_requests=0)
        self.work = work
        self._plan = Plan(0)
        self._answers: Counter[int] = Counter()
        self._newest_id = 0

    def __enter__(self) -> Outside:
        self.server.start()
        self.model.start()
        self.server.listen(self._on_traffic)
        self.server.choose_faults(lambda _gateway, request: self._on_call(request))
        return self

    def __exit__(self, *_: object) -> None:
        self.model.stop()
        self.server.stop()

    def prepare(self, plan: Plan) -> None:
        """Make the folder ready for a turn; commands wait if the plan needs a wait."""
        make_private(self.work)
        at = plan.instant
        self._place(_GO, is_held=at in (Instant.BEFORE_COMMAND, Instant.COMMAND_BEGUN))
        self._place(_END, is_held=at is Instant.COMMAND_DONE)
        self._plan = plan

    def play(self) -> None:
        """Return when the process of the plan was killed; commands run through afterwards.

        Raises:
            MeasurementError: the instant did not come.
        """
        plan, ends_at = self._plan, CLOCK.monotonic() + PATIENCE_S
        sign = _SIGNS.get(plan.instant) if plan.instant is not None else None
        while not plan.killed.wait(LOOK_S if sign is not None else PATIENCE_S):
            if sign is not None and plan.instant is not None and plan.turn in self.lines(sign):
                plan.strike(plan.instant, later=plan.instant in BOUNDARIES)
                sign = None
            if CLOCK.monotonic() > ends_at:
                raise MeasurementError(f"turn {plan.turn}: the instant {plan.instant} did not come")
        for name in (_GO, _END):
            self._place(name, is_held=False)

    def lines(self, name: str) -> Counter[int]:
        """Turns in a file of the folder, with the number of their lines."""
        try:
            return Counter(map(int, (self.work / name).read_text().split()))
        except FileNotFoundError:
            return Counter()

    def answers(self) -> Counter[int]:
        """Turns with an answer in the channel, and how many."""
        for message in self.server.messages(GENERAL_ID, after=self._newest_id):
            self._answers.update(map(int, _ANSWER.findall(str(message["content"]))))
            self._newest_id = int(message["id"])
        return self._answers

    def time_of(self, name: str) -> float:
        """Time of the last line in a file of the folder."""
        return (self.work / name).stat().st_mtime

    def timeline(self) -> Timeline:
        """Times of the plan's turn, run without a kill."""
        plan = self._plan
        return Timeline(
            asked_at=plan.asked_at[0],
            begun=self.time_of("begun"),
            done=self.time_of("effects"),
            asked_again=plan.asked_again[0],
            posting=plan.posting[0],
        )

    def first_sign(self, since: float, begun_before: int) -> float | None:
        """Time of the first request, command or post of the plan's turn since a time; None without any."""
        plan = self._plan
        signs = [each for times in (plan.asked_at, plan.asked_again, plan.posting) for each in times if each > since]
        if self.lines("begun")[plan.turn] > begun_before:
            signs.append(self.time_of("begun"))
        return min(signs, default=None)

    def _place(self, name: str, *, is_held: bool) -> None:
        """Make the file from which the command reads a line: a file with the line, or a pipe without a line."""
        new = self.work / f"{name}.new"
        if is_held:
            os.mkfifo(new, 0o600)
        else:
            new.write_text("\n")
        new.replace(self.work / name)

    # in the threads of the servers

    def _behave(self, received: Received) -> Behaviour:
        turn, has_result = read_request(received.body["messages"])
        plan = self._plan
        if turn != plan.turn:
            return Answer(f"answer to {turn}") if has_result else Answer("unknown")
        (plan.asked_again if has_result else plan.asked_at).append(CLOCK.now().timestamp())
        if plan.strike(Instant.SECOND_CALL if has_result else Instant.FIRST_CALL):
            return Stall()
        plan.strike(Instant.BEFORE_POST if has_result else Instant.BEFORE_COMMAND, later=True)
        if has_result:
            return Answer(f"answer to {turn}")
        return Answer(calls=(Call("bash", json.dumps({"command": COMMAND.format(turn=turn)}), f"call_{turn}"),))

    def _on_call(self, request: str) -> Fault | None:
        plan = self._plan
        if not (plan.asked_again and _POST.search(request)):
            return None
        plan.posting.append(CLOCK.now().timestamp())
        return Fault(FaultKind.ABORT_BEFORE, _POST) if plan.strike(Instant.POST_UNSEEN) else None

    def _on_traffic(self, traffic: Exchange | Frame) -> None:
        """Kill once Discord has the post: when a call begins, the body may be still on its way."""
        plan = self._plan
        if isinstance(traffic, Exchange) and plan.posting and _POST.search(f"{traffic.method} {traffic.path}"):
            plan.strike(Instant.POST_SEEN)
            plan.strike(Instant.AFTER_POST, later=True)


def read_request(messages: list[dict[str, Any]]) -> tuple[int, bool]:
    """Turn of a request, 0 without a turn, and True if the request contains the command's result."""
    turn, has_result = 0, False
    for message in messages:
        if message["role"] == "tool":
            has_result = True
        elif message["role"] == "user" and (named := _TURN.findall(str(message.get("content")))):
            turn, has_result = int(named[-1]), False
    return turn, has_result
