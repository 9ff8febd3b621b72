"""Upkeep: model calls besides answers by each layer in talk of ordinary length, all four layers together."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from actors.kernel import ManualClock
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.continuity.modes import behave_as
from lab.bench.continuity.walk import BETWEEN_S, HISTORY_TOKENS
from lab.bench.facts.rules import reconcile_facts, summary_of
from lab.bench.measure import Figures, silence_log
from lab.bench.process import measure_each
from lab.bench.workspace.agent import BenchAgent, Late, window_of
from lab.bench.workspace.place import embed, folder
from lab.bench.workspace.talk import talk
from lab.bench.workspace.workers import ScriptedWorkers
from messages.model import ModelRequest

LAYERS = ("workspace", "facts", "curated", "objects")
EACH = 0.2
"""Most calls a turn of one layer."""
TOGETHER = 0.5
WINDOWS = 3
TURNS = 40
QUICK_S = 2.0
SLOW_S = 900.0


@dataclass(frozen=True, slots=True)
class Case:
    """One row: behaviour of the model in upkeep, and seconds from one turn to the next."""

    mode: str
    between_s: float = BETWEEN_S


CASES = {
    "on": Case("on"),
    "on, quick talk": Case("on", QUICK_S),
    "on, slow talk": Case("on", SLOW_S),
    "failing": Case("failing"),
    "failing, quick talk": Case("failing", QUICK_S),
    "failing_late": Case("failing_late"),
    "garbage": Case("garbage"),
    "hanging": Case("hanging"),
    "slow": Case("slow"),
}


def count_calls(case: Case, *, turns: int, windows: int) -> Figures:
    """Calls a turn by layer and of all layers, in windows with parallel conversations."""
    calls: Counter[str] = Counter()
    workers, answer_text = ScriptedWorkers(()), ""

    def answer(request: ModelRequest) -> str | Late | None:
        if not request.purpose:
            return answer_text
        layer = request.purpose.partition(".")[0]
        calls[layer] += 1
        return behave_as(case.mode, workers.answer(request) if layer == "workspace" else answer_facts(request))

    settings: dict[str, object] = {"model.max_history_tokens": HISTORY_TOKENS, "memory.enabled": False}
    settings |= {f"layers.{layer}": True for layer in LAYERS}
    settings |= {f"workspace.{name}": True for name in ("recall", "session", "compaction", "llm")}
    settings |= {"facts.ingest_discord": True, "facts.openai_base_url": "http://127.0.0.1:9/v1"}
    settings |= {"facts.embedding_model": "local"}
    talks = [talk("en", turns, seed=f"upkeep {number}") for number in range(windows)]
    with folder() as root, BenchAgent(root, answer, embed, settings, clock=ManualClock()) as agent:
        for turn in range(turns):
            for number, words in enumerate(map(next, talks)):
                text, answer_text = words
                agent.say(window_of(number), text, windows * turn + number)
            agent.rest(case.between_s)
    return figures_of(calls, turns * windows)


def figures_of(calls: Counter[str], turns: int) -> Figures:
    """Calls a turn, by layer and in all."""
    figures = {layer: calls[layer] / turns for layer in LAYERS}
    figures |= {"all": calls.total() / turns, "other": sum(calls[each] for each in calls if each not in LAYERS) / turns}
    return figures | {"turns": float(turns)}


def answer_facts(request: ModelRequest) -> str:
    """A fact of each third message, all new facts added, and a summary."""
    text = request.messages[-1].text
    if request.purpose == "facts.reconcile":
        return json.dumps(reconcile_facts(text))
    if request.purpose != "facts.extract":
        return summary_of(text)
    quoted: Any = json.loads(text.partition("\n")[2])
    messages: list[Any] = [{"message": 1, "text": quoted}] if isinstance(quoted, str) else quoted
    facts = [
        {"message": each["message"], "fact": f"The user said: {each['text']}"}
        for each in messages
        if len(each["text"]) % 3 == 0
    ]
    return json.dumps(facts)


def measure(say: Callable[[str], object], *, quick: bool) -> Rows:
    """Case -> calls a turn, each in a process of its own.

    Args:
        say: Called with the finished case.
        quick: One window.

    Raises:
        MeasurementError: a process did not return figures.
    """
    sizes = {"turns": TURNS, "windows": 1 if quick else WINDOWS}
    return measure_each("lab.bench.continuity.upkeep", "case", tuple(CASES), sizes, say)


UPKEEP = Benchmark(
    name="upkeep",
    measure=measure,
    targets=(
        *(Target(f"calls a turn, {layer}", layer, EACH) for layer in LAYERS),
        Target("calls a turn, all layers", "all", TOGETHER),
        Target("calls that belong to no layer", "other", 0),
    ),
    columns=(*(Column(layer, layer, ".2f") for layer in (*LAYERS, "all")), Column("turns", "turns", ".0f")),
    note=(
        "Calls of a model besides answers, for each of the first 40 turns of three windows with all four layers on, a "
        "fact in each third message and cuts of the history. A minute between turns; 2 s in quick talk, 15 minutes in "
        "slow talk. failing: at once; failing_late: after 29 s; slow: answers after 12 s."
    ),
)


def main() -> None:
    """Print the figures of the case and the sizes in `argv[1]`, for `lab.bench.process`."""
    silence_log()
    sizes = json.loads(sys.argv[1])
    figures = count_calls(CASES[sizes["case"]], turns=sizes["turns"], windows=sizes["windows"])
    sys.stdout.write(json.dumps(figures))
