"""Walk: conversations with rules stated only in words, over three cuts, kills and `/new`, with workers of one mode."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from actors.kernel import ManualClock
from domain.log.event import Kind
from domain.log.parser import parse
from lab.bench.continuity.modes import behave_as
from lab.bench.continuity.rules import LISTS, Rule
from lab.bench.measure import Figures, silence_log
from lab.bench.workspace.agent import BenchAgent, Late, window_of
from lab.bench.workspace.constraints import Constraint
from lab.bench.workspace.place import embed, folder
from lab.bench.workspace.reach import breaks, is_reached
from lab.bench.workspace.talk import talk
from lab.bench.workspace.workers import ScriptedWorkers
from messages.base import Window
from messages.model import ModelRequest

HISTORY_TOKENS = 4_000
"""Bound low enough for three cuts in few turns."""
BETWEEN_S = 61.0
_SENTENCE = re.compile(r"(?<=[.?。?])")
"""Every third message of talk is as short as a rule."""
LONG_WAIT_S = 2.0
"""Wait of a turn that counts as delayed."""
GO_ON = {"en": "continue", "de": "weiter", "fr": "continue", "es": "sigue", "zh": "继续", "ja": "続けて"}
TALK = {"zh": "zh", "ja": "zh"}
"""Language of the talk between the rules, if not English."""


@dataclass(slots=True)
class Outcome:
    """Result of one mode."""

    rules: int = 0
    cut: int = 0
    """Rules in sight when the person says to go on after the cuts and kills."""
    new: int = 0
    """The same after `/new`."""
    turns: int = 0
    cuts: int = 0
    least_cuts: int = 0
    breaks: int = 0
    delayed: int = 0
    """Turns that waited long after the first long wait of their conversation."""
    longest_s: float = 0.0
    calls: int = 0
    missed: list[str] = field(default_factory=list)

    def figures(self) -> Figures:
        """The whole outcome as numbers."""
        return {
            "cut_share": self.cut / self.rules,
            "new_share": self.new / self.rules,
            "rules": float(self.rules),
            "turns": float(self.turns),
            "cuts": float(self.cuts),
            "least_cuts": float(self.least_cuts),
            "breaks_no_cuts": float(abs(self.breaks - self.cuts)),
            "delayed": float(self.delayed),
            "longest_s": self.longest_s,
            "calls": float(self.calls),
            "turns_a_call": self.turns / self.calls if self.calls else float(self.turns),
        }


class Walk:
    """One mode's run in a separate folder."""

    def __init__(self, root: Path, mode: str, rules: Mapping[str, tuple[Rule, ...]]) -> None:
        self._root = root
        self._rules = rules
        self._mode = mode
        self._windows = {window_of(number): language for number, language in enumerate(rules)}
        self._clock = ManualClock()
        self._numbers = count(1)
        all_rules = [rule for each in rules.values() for rule in each]
        self._workers = ScriptedWorkers(Constraint(each.text, each.text, each.key, "", "") for each in all_rules)
        self._answer = ""
        self._requests: dict[Window, list[ModelRequest]] = {window: [] for window in self._windows}
        self._waits: dict[Window, list[float]] = {window: [] for window in self._windows}
        self.outcome = Outcome()

    def run(self, turns: int) -> Outcome:
        """Everything, with so many turns of talk in each conversation, killed after each third."""
        talks = {window: talk(TALK.get(each, "en"), turns, seed=each) for window, each in self._windows.items()}
        agent = self._agent()
        for third in range(3):
            for window, language in self._windows.items():
                rules = list(self._rules[language])
                for number in range(turns // 3):
                    at = third * (turns // 3) + number
                    if at < 2 * len(rules) and at % 2 == 0:
                        self._turn(agent, window, rules[at // 2].text, "I will go by that.")
                    text, answer = next(talks[window])
                    self._turn(agent, window, text if number % 3 else _SENTENCE.split(text)[0], answer)
            agent.kill()
            agent = self._agent()
        for window, language in self._windows.items():
            self.outcome.cut += self._probe(agent, window, language, "after cuts")
        self._count_cuts()
        for window, language in self._windows.items():
            agent.start_new(window)
            agent.rest(BETWEEN_S)
            self.outcome.new += self._probe(agent, window, language, "after /new")
        agent.stop()
        self.outcome.rules = sum(map(len, self._rules.values()))
        self.outcome.calls = len(self._workers.purposes)
        for waits in self._waits.values():
            long = [wait for wait in waits if wait > LONG_WAIT_S]
            self.outcome.delayed += max(0, len(long) - 1)
            self.outcome.longest_s = max(self.outcome.longest_s, *waits)
        return self.outcome

    def _agent(self) -> BenchAgent:
        settings: dict[str, object] = {"model.max_history_tokens": HISTORY_TOKENS, "memory.enabled": False}
        settings |= {f"workspace.{name}": True for name in ("recall", "session", "compaction")}
        settings |= {"layers.workspace": True, "workspace.llm": self._mode != "off"}
        return BenchAgent(self._root, self._behave, embed, settings, clock=self._clock)

    def _behave(self, request: ModelRequest) -> str | Late | None:
        if not request.purpose:
            return self._answer
        return behave_as(self._mode, self._workers.answer(request))

    def _turn(self, agent: BenchAgent, window: Window, text: str, answer: str) -> ModelRequest:
        self._answer = answer
        answered = agent.say(window, text, next(self._numbers))
        agent.rest(BETWEEN_S)
        self.outcome.turns += 1
        self._waits[window].append(answered.waited_s)
        self._requests[window].append(answered.requests[0])
        return answered.requests[0]

    def _probe(self, agent: BenchAgent, window: Window, language: str, when: str) -> int:
        """Count the rules visible to a turn that only goes on."""
        request = self._turn(agent, window, GO_ON[language], "Yes.")
        rules = self._rules[language]
        missed = [rule.key for rule in rules if not is_reached(request, rule.key)]
        self.outcome.missed += [f"{when}, {language}: {key}" for key in missed]
        return len(rules) - len(missed)

    def _count_cuts(self) -> None:
        cuts = []
        for window, requests in self._requests.items():
            self.outcome.breaks += breaks(requests)
            logs = (self._root / "data" / "logs" / window.surface.value / window.id).glob("*.md")
            events = (logged.event for path in logs for logged in parse(path.read_bytes()).events)
            cuts.append(sum(each.kind is Kind.SYSTEM and each.meta_dict().get("what") == "cut" for each in events))
            self._requests[window] = []
        self.outcome.cuts, self.outcome.least_cuts = sum(cuts), min(cuts)


def measure_mode(mode: str, languages: tuple[str, ...], turns: int, rules: str = "first") -> Outcome:
    """Result of a mode with a list of rules, in a separate folder."""
    with folder() as root:
        return Walk(root, mode, {language: LISTS[rules][language] for language in languages}).run(turns)


def main() -> None:
    """Print the figures of the row and the sizes in `argv[1]`, for `lab.bench.process`."""
    silence_log()
    sizes = json.loads(sys.argv[1])
    mode, _, rules = sizes["row"].partition(", ")
    languages = tuple(LISTS["first"])[: sizes["languages"]]
    outcome = measure_mode(mode, languages, sizes["turns"], rules.removesuffix(" list") or "first")
    sys.stderr.write("".join(f"{each}\n" for each in outcome.missed))
    sys.stdout.write(json.dumps(outcome.figures()))
