"""Course of a measurement: a piece of work with its constraints, hundreds of turns of other talk, and the reach.

Each work has a window of its own; all live in one agent, with a log, a memory and files on the disk.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from actors.kernel import ManualClock
from domain.log.event import Kind
from domain.log.parser import parse
from domain.workspace.files.memory_file import MEMORY_TEMPLATE
from domain.workspace.files.session_state import SessionState, rendered_session
from lab.bench.measure import Figures, silence_log
from lab.bench.workspace.agent import BenchAgent, window_of
from lab.bench.workspace.constraints import WORKS, Constraint, Work
from lab.bench.workspace.place import embed, files_of, folder
from lab.bench.workspace.reach import beginnings, breaks, is_reached
from lab.bench.workspace.talk import talk
from lab.bench.workspace.workers import ScriptedWorkers
from messages.base import Window
from messages.model import ModelRequest

HISTORY_TOKENS = 10_000
"""Bound low enough to cut each work several times."""
BETWEEN_S = 61.0
"""Seconds from one turn to the next: work postponed for a minute is done by then."""
UNDERSTOOD = "Understood, I will go by that from now on."
SURE = "I will see to it."
PROBES = ("continue", "act", "direct")
_SWITCHES = ("recall", "session", "compaction")


@dataclass(frozen=True, slots=True)
class Condition:
    """Way of introducing constraints into the work, with a setting of the layer."""

    name: str
    in_files: bool = False
    """True if SESSION and MEMORY have the constraints from the beginning; else the first turns state the constraints.
    """
    layer: bool = True
    llm: bool = False
    memory: bool = False
    """True if the usual memory block exists too; otherwise only the layer is measured."""

    def settings(self) -> dict[str, object]:
        """By dotted key."""
        options: dict[str, object] = {"model.max_history_tokens": HISTORY_TOKENS, "memory.enabled": self.memory}
        if self.layer:
            options |= {"layers.workspace": True, **{f"workspace.{name}": True for name in _SWITCHES}}
            options["workspace.llm"] = self.llm
        return options


CONDITIONS = (
    Condition("files", in_files=True),
    Condition("said_llm", llm=True),
    Condition("said", memory=True),
    Condition("off", layer=False, memory=True),
)


@dataclass(slots=True)
class Reach:
    """Number of constraints reached by each probe, with the total."""

    reached: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PROBES, 0))
    purposes: int = 0

    def share(self, probe: str) -> float:
        """Share of constraints reached by a probe."""
        return self.reached[probe] / self.purposes


@dataclass(slots=True)
class Outcome:
    """Result of one condition."""

    condition: str
    turns: int = 0
    cuts: int = 0
    """Cuts in the log; without the layer, visible cuts."""
    breaks: int = 0
    """Requests of a log with a beginning different from the request before."""
    least_cuts: int = 0
    """Of any work."""
    old: Reach = field(default_factory=Reach)
    """After cuts and a restart."""
    new: Reach = field(default_factory=Reach)
    """After `/new`, too."""
    worker_calls: int = 0
    missed: list[str] = field(default_factory=list)
    """Probes without their constraint after `/new`."""

    def figures(self) -> Figures:
        """Whole outcome as numbers."""
        reaches = {"old": self.old, "new": self.new}
        shares = {f"{when}_{probe}": reach.share(probe) for when, reach in reaches.items() for probe in PROBES}
        least = {f"{when}_least": min(map(reach.share, PROBES)) for when, reach in reaches.items()}
        counts = {
            name: float(getattr(self, name)) for name in ("turns", "cuts", "breaks", "least_cuts", "worker_calls")
        }
        return {**shares, **least, **counts, "breaks_no_cuts": abs(self.breaks - self.cuts)}


class Course:
    """Run of a condition in its own folder."""

    def __init__(self, root: Path, condition: Condition, works: Iterable[Work]) -> None:
        """Begin without messages.

        Args:
            root: An empty folder.
            condition: Condition of the run.
            works: Works to be done, each in a window.
        """
        self._root = root
        self._condition = condition
        self._works = {window_of(number): work for number, work in enumerate(works)}
        self._clock = ManualClock()
        self._numbers = count(1)
        self._workers = ScriptedWorkers(each for work in self._works.values() for each in work.constraints)
        self._answer = ""
        self._requests: dict[Window, list[ModelRequest]] = {window: [] for window in self._works}
        """First requests of the turns of the log in hand."""
        self.outcome = Outcome(condition.name)

    def run(self, turns: int) -> Outcome:
        """Everything; so many turns of other talk in each window."""
        if self._condition.in_files:
            for window, work in self._works.items():
                self._write(window, work)
        with self._agent() as agent:
            for window, work in self._works.items():
                self._begin(agent, window, work)
                for text, answer in talk(work.language, turns, seed=work.title):
                    self._turn(agent, window, text, answer)
        with self._agent() as agent:  # that is the restart
            for window, work in self._works.items():
                self._probe(agent, window, work, self.outcome.old)
            self._account()
            for window, work in self._works.items():
                agent.start_new(window)
                agent.rest(BETWEEN_S)
                self._requests[window] = []
                self._probe(agent, window, work, self.outcome.new, self.outcome.missed)
        self.outcome.breaks += sum(breaks(requests) for requests in self._requests.values())
        self.outcome.worker_calls = len(self._workers.purposes)
        return self.outcome

    def _agent(self) -> BenchAgent:
        return BenchAgent(self._root, self._behave, embed, self._condition.settings(), clock=self._clock)

    def _behave(self, request: ModelRequest) -> str:
        return self._workers.answer(request) if request.purpose else self._answer

    def _begin(self, agent: BenchAgent, window: Window, work: Work) -> None:
        """The first turns of a work."""
        self._turn(agent, window, work.begins, SURE)
        for constraint in () if self._condition.in_files else work.constraints:
            self._turn(agent, window, constraint.utterance, UNDERSTOOD)

    def _turn(self, agent: BenchAgent, window: Window, text: str, answer: str) -> ModelRequest:
        self._answer = answer
        answered = agent.say(window, text, next(self._numbers))
        agent.rest(BETWEEN_S)
        self.outcome.turns += 1
        self._requests[window].append(answered.requests[0])
        return answered.requests[0]

    def _probe(
        self, agent: BenchAgent, window: Window, work: Work, reach: Reach, missed: list[str] | None = None
    ) -> None:
        """Ask all probes of one work: first to go on, then acts under constraints, then the constraints themselves."""
        went_on = self._turn(agent, window, work.go_on, SURE)
        acts = [(each, self._turn(agent, window, each.act, SURE)) for each in work.constraints]
        direct = [(each, self._turn(agent, window, each.direct, SURE)) for each in work.constraints]
        pairs_by_probe: dict[str, list[tuple[Constraint, ModelRequest]]] = {
            "continue": [(each, went_on) for each in work.constraints],
            "act": acts,
            "direct": direct,
        }
        reach.purposes += len(work.constraints)
        for probe, pairs in pairs_by_probe.items():
            for constraint, request in pairs:
                is_shown = is_reached(request, constraint.key)
                reach.reached[probe] += is_shown
                if not is_shown and missed is not None:
                    missed.append(f"{probe}: {constraint.key}")

    def _account(self) -> None:
        """Count cuts and breaks of the ending logs."""
        cuts = []
        for window, requests in self._requests.items():
            self.outcome.breaks += breaks(requests)
            cuts.append(self._logged_cuts(window) if self._condition.layer else beginnings(requests))
        self.outcome.cuts, self.outcome.least_cuts = sum(cuts), min(cuts)

    def _logged_cuts(self, window: Window) -> int:
        logs = (self._root / "data" / "logs" / window.surface.value / window.id).glob("*.md")
        events = (logged.event for path in logs for logged in parse(path.read_bytes()).events)
        return sum(event.kind is Kind.SYSTEM and event.meta_dict().get("what") == "cut" for event in events)

    def _write(self, window: Window, work: Work) -> None:
        """Write files with the constraints of a work, half of the constraints in each."""
        folder = files_of(self._root, window)
        folder.mkdir(parents=True)
        state = SessionState(
            title=work.title,
            current_state=("The first half is done.",),
            next_steps=("The second half.",),
            constraints=tuple(each.fact for each in work.constraints[::2]),
        )
        (folder / "SESSION.md").write_bytes(rendered_session(state, b""))
        bullets = "".join(f"- {each.fact}\n" for each in work.constraints[1::2]).encode()
        heading = b"## Constraints\n"
        memory = MEMORY_TEMPLATE.replace(heading, heading + b"\n" + bullets, 1)
        (folder / "MEMORY.md").write_bytes(memory)


def measure_condition(condition: Condition, works: Iterable[Work], turns: int) -> Outcome:
    """Result of a condition in a folder of its own."""
    with folder() as root:
        return Course(root, condition, works).run(turns)


def main() -> None:
    """Print the figures of the condition and the sizes in `argv[1]`, for `lab.bench.process`."""
    silence_log()
    sizes = json.loads(sys.argv[1])
    condition = next(each for each in CONDITIONS if each.name == sizes["condition"])
    sys.stdout.write(json.dumps(measure_condition(condition, WORKS[: sizes["works"]], sizes["turns"]).figures()))
