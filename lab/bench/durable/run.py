"""Campaign: turns without kills for the cost, then one kill a turn at each instant in a random order."""

from __future__ import annotations

import random
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.durable.instants import STEPS, Instant, Outcome, Timeline, median_gaps, rows_of
from lab.bench.durable.outside import CLOCK, PATIENCE_S, Outside, Plan
from lab.bench.durable.systems import INSTALL, OURS, Ours, PeerProgram, System, peers_of, work_of
from lab.bench.measure import Figures
from lab.bench.process import MeasurementError

CALM_TURNS = 20
QUIET_S = 0.3
"""Seconds to wait after an answer, for late writes and for duplicate effects."""
LOOK_S = 0.05
Say = Callable[[str], object]
Maker = Callable[[Path, Outside], System]


def measure(say: Say, *, kills: int, seed: int, peer: Path | None = None) -> Rows:
    """Row of each system, and of each instant with a turn of not exactly one effect and one answer.

    Args:
        say: Called with the current turn.
        kills: Number for each instant.
        seed: Seed of the order and of the times between steps.
        peer: Python of an environment with the peers; None for no peers.

    Raises:
        MeasurementError: a system does not start, or an instant does not come.
    """
    rows: dict[str, Figures] = {}
    makers: dict[str, Maker] = {OURS: Ours}
    if peer is not None:
        python = peer.absolute()
        makers |= {each.name: partial(PeerProgram, python=python, peer=each) for each in peers_of(python)}
    for name, make in makers.items():
        with _folder() as folder, Outside(work_of(folder)) as outside:
            campaign = Campaign(make(folder, outside), outside, random.Random(seed), partial(_say_of, say, name))
            rows |= rows_of(name, *campaign.run([each for each in Instant for _ in range(kills)]))
    return rows


@contextmanager
def _folder() -> Iterator[Path]:
    """Temporary folder; processes left by a killed agent may still end in the folder during removal."""
    with tempfile.TemporaryDirectory(prefix="agent-durable-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _pause(seconds: float) -> None:
    threading.Event().wait(seconds)


def _say_of(say: Say, name: str, what: str) -> None:
    say(f"{name}: {what}")


@dataclass(frozen=True, slots=True)
class Restart:
    """Cost of going on with a turn; None if no work was left or done."""

    goes_on_s: float | None = None
    cpu_s: float | None = None


class Campaign:
    """Turns of one system, through many processes on one folder."""

    def __init__(
        self, system: System, outside: Outside, chance: random.Random, say: Say, patience_s: float = PATIENCE_S
    ) -> None:
        """Begin without processes.

        Args:
            system: The system.
            outside: World around the system.
            chance: Source of the order and of the times between steps.
            say: Called with the current turn.
            patience_s: Seconds after a restart within which a surviving turn is answered.
        """
        self._system, self._outside, self._chance, self._say = system, outside, chance, say
        self._patience_s = patience_s
        self._turn = 0

    def run(self, instants: Sequence[Instant], calm_turns: int = CALM_TURNS) -> tuple[list[Outcome], Figures]:
        """Outcomes of a turn for each instant, counted when all are over, and the cost of a step."""
        try:
            self._system.start()
            timelines, cost = self._play_calmly(calm_turns)
            gaps = median_gaps(timelines)
            killed: dict[int, tuple[Instant, Restart]] = {}
            for number, instant in enumerate(self._chance.sample(instants, len(instants)), 1):
                self._say(f"kill {number} of {len(instants)}, {instant}")
                restart = self._kill_at(instant, self._chance.uniform(0, gaps.get(instant, 0.0)))
                killed[self._turn] = instant, restart
            _pause(QUIET_S)
            return self._count(killed), cost
        finally:
            self._system.kill()
            self._system.wait()

    def _count(self, killed: Mapping[int, tuple[Instant, Restart]]) -> list[Outcome]:
        effects, answers = self._outside.lines("effects"), self._outside.answers()
        given_up = self._system.dead_letters()
        return [
            Outcome(
                instant=instant,
                effects=effects[turn],
                answers=answers[turn],
                is_stopped=turn in given_up,
                goes_on_s=restart.goes_on_s,
                restart_cpu_s=restart.cpu_s,
            )
            for turn, (instant, restart) in killed.items()
        ]

    def _play_calmly(self, turns: int) -> tuple[list[Timeline], Figures]:
        """Times of turns without a kill, their CPU for each step, and the memory afterwards."""
        self._play_turn()  # which imports what is no cost of a step
        before, timelines = self._system.usage(), list[Timeline]()
        for number in range(1, turns + 1):
            self._say(f"turn {number} of {turns} without a kill")
            timelines.append(self._play_turn())
        after = self._system.usage()
        vectors_s, steps = after.vectors_s - before.vectors_s, turns * STEPS
        return timelines, {
            "cpu_ms": 1000 * (after.cpu_s - before.cpu_s - vectors_s) / steps,
            "vectors_ms": 1000 * vectors_s / steps,
            "rss_mb": after.rss_mb,
        }

    def _play_turn(self) -> Timeline:
        """Times of a turn without a kill."""
        self._begin(Plan(self._turn + 1))
        if not self._is_settled(PATIENCE_S):
            raise MeasurementError(f"turn {self._turn} was not answered, though nothing was killed")
        _pause(QUIET_S)
        return self._outside.timeline()

    def _kill_at(self, instant: Instant, delay_s: float) -> Restart:
        """Play a turn, kill the process at an instant of the turn, and let the next process finish the turn."""
        plan = Plan(self._turn + 1, instant, delay_s, self._system.kill)
        self._begin(plan)
        self._outside.play()
        self._system.wait()
        has_answer, begun = self._outside.answers()[plan.turn] > 0, self._outside.lines("begun")[plan.turn]
        since = CLOCK.now().timestamp()
        self._system.start()
        is_settled, cpu_s = self._is_settled(self._patience_s), self._system.usage().cpu_s
        _pause(QUIET_S)
        sign = self._outside.first_sign(since, begun)
        return Restart() if has_answer or not is_settled or sign is None else Restart(sign - since, cpu_s)

    def _begin(self, plan: Plan) -> None:
        self._turn = plan.turn
        self._outside.prepare(plan)
        self._system.say(plan.turn)

    def _is_settled(self, patience_s: float) -> bool:
        """True once the turn has an answer or is given up; False if neither comes in time."""
        ends_at = CLOCK.monotonic() + patience_s
        while CLOCK.monotonic() < ends_at:
            if self._outside.answers()[self._turn] or self._turn in self._system.dead_letters():
                return True
            _pause(LOOK_S)
        return False


DURABLE = Benchmark(
    name="durable",
    measure=measure,
    targets=(
        Target("turns lost", "lost", 0, row=OURS),
        Target("turns whose effect came twice", "effects_doubled", 0, row=OURS),
        Target("turns whose answer came twice", "answers_doubled", 0, row=OURS),
    ),
    columns=(
        Column("kills", "kills", ".0f"),
        Column("gave up", "stopped", ".0f"),
        Column("lost", "lost", ".0f"),
        Column("ran twice", "effects_doubled", ".0f"),
        Column("never ran", "effects_missing", ".0f"),
        Column("said twice", "answers_doubled", ".0f"),
        Column("goes on, s", "goes_on_s", ".2f"),
        Column("by CPU, s", "restart_cpu_s", ".2f"),
        Column("a step, ms", "cpu_ms", ".1f"),
        Column("MiB", "rss_mb", ".0f"),
    ),
    note=f"Peers are measured with --peer PEERS/bin/python, after: {INSTALL}",
)
