"""Campaign: one crash of each kind of actor at each type of message, each followed by a person's question."""

from __future__ import annotations

import itertools
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from actors.bootstrap import Agent
from actors.cli.try_it import playground_connection
from actors.settings.load import load
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.crashes.bystander import Bystander, Phase
from lab.bench.crashes.saboteur import Saboteur, Strike
from lab.bench.crashes.sample import sample
from lab.bench.measure import Figures, percentile
from lab.bench.process import MeasurementError
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.base import CONTEXT_KIND, Address, Message

ANSWER_S = 60.0
RESTART_S = 30.0
PROBES = 500
"""Least answers of other actors for a p99, both with and without crashes; a kind is crashed again to reach this number.
"""
MOST_ROUNDS = 5
CORE = ("model", "web", "embedder", "memory", "scheduler", "skills", "socket", "shell")
"""Kinds of actors asked for their state; Discord does not describe itself."""
BORDER_S = 0.05
Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Case:
    """A crash and its consequences."""

    kind: str
    message_type: str
    has_crashed: bool
    restart_s: float | None
    """Seconds from the exception to the message's arrival at the next life; None if the message never arrived."""
    is_answered: bool
    """True if the question asked meanwhile got an answer or a notice."""

    @property
    def figures(self) -> Figures:
        """The case as a row, or part of its kind's row."""
        return {
            "crashes": 1,
            "answered": float(self.is_answered),
            "failed": float(not (self.has_crashed and self.is_answered and self.restart_s is not None)),
            "restart_s": RESTART_S if self.restart_s is None else self.restart_s,
        }


def measure(say: Say, *, kinds: Iterable[str] = ()) -> Rows:
    """Figures by kind of actor, and by case for each failed case.

    Raises:
        MeasurementError: the agent does not come online, does not answer before any crash, or gave up.
    """
    with tempfile.TemporaryDirectory(prefix="agent-crashes-") as folder, PlaygroundServer() as server:
        online, saboteur = threading.Event(), Saboteur()
        agent = make_agent(server, Path(folder), online, saboteur)
        agent.start()
        try:
            if not online.wait(ANSWER_S):
                raise MeasurementError(f"the bot did not come online: {agent.reason}")
            return _Campaign(agent, server, saboteur, say).run(tuple(kinds))
        finally:
            agent.stop()


def make_agent(server: PlaygroundServer, folder: Path, online: threading.Event, saboteur: Saboteur) -> Agent:
    """An agent at rest whose actors the saboteur can crash, with the offline model and separate settings."""
    options = {"data_root": str(folder / "data"), "discord": {"turns_per_user": 10_000}}
    settings = load(environ={}, folder=folder, overrides=options)
    agent = Agent(settings, {}, playground_connection(server), lambda _name: online.set())
    register = agent.system.register
    agent.system.register = lambda spec: register(saboteur.spoil_spec(spec))  # type: ignore[method-assign]
    return agent


class _Campaign:
    def __init__(self, agent: Agent, server: PlaygroundServer, saboteur: Saboteur, say: Say) -> None:
        self._agent = agent
        self._server = server
        self._saboteur = saboteur
        self._say = say
        self._numbers = itertools.count(1)
        self._bystander = Bystander(agent.system, CORE)

    def run(self, only: tuple[str, ...]) -> Rows:
        for _ in range(3):
            if not self._asks():
                raise MeasurementError("the agent does not answer while nothing crashes")
        self._saboteur.look_at_unbuilt()
        self._bystander.start()
        rows: dict[str, Figures] = {}
        for kind in sorted(self._saboteur.understood):
            if not only or kind in only:
                cases: list[Case] = []
                for number in range(1, MOST_ROUNDS + 1):
                    cases += self._round(kind, number)
                    if all(len(times) >= PROBES for times in self._bystander.times(kind)):
                        break
                rows |= rows_of(kind, cases, *self._bystander.times(kind))
        self._bystander.stop()
        return rows

    def _round(self, kind: str, number: int) -> Iterator[Case]:
        """Crash the actor once at each understood message type, each time after the same work without a crash."""
        types = sorted(self._saboteur.understood[kind], key=lambda each: each.__name__)
        for at, message_type in enumerate(types, 1):
            self._say(f"{kind} at {message_type.__name__} ({at} of {len(types)}, round {number})")
            is_known = message_type in self._saboteur.targets[kind]
            strike = Strike(kind, message_type, made_up=None if is_known else sample(message_type))
            self._bystander.phase = Phase(kind, is_crashing=False)
            self._asks()
            self._bystander.phase = Phase(kind, is_crashing=True)
            yield self._crash(strike)
            self._bystander.phase = None
            threading.Event().wait(BORDER_S)
            if self._agent.exit_code:
                raise MeasurementError(f"the agent gave up: {self._agent.reason}")

    def _crash(self, strike: Strike) -> Case:
        self._saboteur.plan(strike)
        if strike.made_up is not None:
            self._agent.system.tell(self._victim(strike.kind), strike.made_up)
        is_answered = self._asks()
        if strike.struck is None:  # nothing of that sort came with the question
            strike.made_up = sample(strike.message_type)
            self._agent.system.tell(self._victim(strike.kind), strike.made_up)
            is_answered = is_answered and self._asks()
        has_restarted = strike.restarted.wait(RESTART_S)
        self._saboteur.plan(None)
        return Case(
            kind=strike.kind,
            message_type=strike.message_type.__name__,
            has_crashed=strike.struck is not None,
            restart_s=strike.restarted_at - strike.crashed_at if has_restarted else None,
            is_answered=is_answered,
        )

    def _victim(self, kind: str) -> Address:
        """The window of the conversation, or the only actor of the kind."""
        if kind == CONTEXT_KIND:
            return Address(kind, f"discord-channel/{GENERAL_ID}")
        targets: dict[type[Message], Address] = self._saboteur.targets[kind]
        return next(iter(targets.values()), Address(kind))

    def _asks(self) -> bool:
        """True if a question gets an answer or a notice in time."""
        message_id = self._server.say(GENERAL_ID, f"run: echo {next(self._numbers)}")
        try:
            self._server.wait_for_reply(GENERAL_ID, after=message_id, timeout_s=ANSWER_S)
        except TimeoutError:
            return False
        return True


def rows_of(kind: str, cases: list[Case], quiet_s: list[float], beside_s: list[float]) -> dict[str, Figures]:
    """Row of a kind, and a row for each failed case.

    Args:
        kind: Kind of the crashed actor.
        cases: Crashes of this kind.
        quiet_s: Seconds to the answers of all other actors during the same work without a crash.
        beside_s: The same with crashes.
    """
    each = [case.figures for case in cases]
    figures: Figures = {
        "crashes": len(cases),
        "answered": sum(row["answered"] for row in each),
        "failed": sum(row["failed"] for row in each) + (not cases),
        "restart_s": max((row["restart_s"] for row in each), default=0.0),
    }
    if quiet_s and beside_s:
        quiet_ms, beside_ms = (1000 * percentile(times, 0.99) for times in (quiet_s, beside_s))
        figures |= {"quiet_p99_ms": quiet_ms, "beside_p99_ms": beside_ms, "ratio": beside_ms / quiet_ms}
    else:
        figures["failed"] += 1
    bad = {f"{kind} at {case.message_type}": row for case, row in zip(cases, each, strict=True) if row["failed"]}
    return {kind: figures, **bad}


CRASHES = Benchmark(
    name="crashes",
    measure=measure,
    targets=(
        Target("crashes without a restart, a question's answer or a measurement", "failed", 0),
        Target("longest restart, s", "restart_s", 1),
        Target("others' p99, times that without crashes", "ratio", 2),
    ),
    columns=(
        Column("crashes", "crashes", ".0f"),
        Column("answered", "answered", ".0f"),
        Column("longest restart, s", "restart_s", ".2f"),
        Column("others' p99, ms", "quiet_p99_ms", ".2f"),
        Column("beside crashes", "beside_p99_ms", ".2f"),
        Column("times", "ratio", ".2f"),
    ),
)
