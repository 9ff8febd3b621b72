"""Measurement of continuity: every condition, a person's edits, kills, hanging workers, speed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from lab.bench.continuity.course import Outcome, Reach
from lab.bench.continuity.report import Results
from lab.bench.measure import Figures
from lab.bench.process import measure_continuity

Say = Callable[[str], None]
_AT_A_TIME = 2
"""Processes; those that measure speed have the machine to themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is measured."""

    works: int
    """Of six; four constraints each."""
    turns: int
    """Of other talk, in each work."""
    edits: int
    kills: int
    hanging_turns: int
    prepared_turns: int
    load: Mapping[str, int]


WHOLE = Size(
    works=6,
    turns=420,
    edits=1_000,
    kills=200,
    hanging_turns=60,
    prepared_turns=600,
    load={"threads": 100, "turns": 30, "rounds": 4},
)
QUICK = Size(
    works=1,
    turns=130,
    edits=60,
    kills=4,
    hanging_turns=20,
    prepared_turns=60,
    load={"threads": 4, "turns": 1, "rounds": 1},
)
COURSES = ("said", "off", "files files_llm said_llm")
"""Conditions that are measured one after the other."""


def measure(say: Say, size: Size = WHOLE) -> Results:
    """All figures.

    Args:
        say: Is told what is done.
        size: How much of it.

    Raises:
        MeasurementError: a process that measures did not give its figures.
    """
    jobs: list[tuple[str, dict[str, Any]]] = [
        ("course", {"conditions": names, "works": size.works, "turns": size.turns}) for names in COURSES
    ]
    jobs += [("kills", {"kills": size.kills // 2, "seed": f"continuity {half}"}) for half in range(2)]
    jobs += [("edits", {"edits": size.edits, "rounds": 2}), ("hanging", {"turns": size.hanging_turns})]
    say("constraints, kills and edits")
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        found = list(pool.map(lambda job: _measured(say, *job), jobs))
    found.append(_measured(say, "preparing", {"turns": size.prepared_turns}))
    found.append(_measured(say, "throughput", dict(size.load)))
    outcomes = tuple(_outcome(each) for part in found for each in part.get("outcomes", ()))
    figures: Counter[str] = Counter()
    for part in found:
        figures.update({name: value for name, value in part.items() if name != "outcomes"})
    return Results(outcomes, Figures(figures))


def _measured(say: Say, module: str, sizes: dict[str, Any]) -> dict[str, Any]:
    figures = measure_continuity(module, sizes)
    say(f"{module} {sizes.get('conditions', '')}: done")
    return figures


def _outcome(fields: dict[str, Any]) -> Outcome:
    return Outcome(**{**fields, "old": Reach(**fields["old"]), "new": Reach(**fields["new"])})
