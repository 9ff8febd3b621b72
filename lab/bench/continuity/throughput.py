"""Throughput of a whole agent process with the layer and without, the two in turn."""

from __future__ import annotations

import json
import sys
from statistics import median

from lab.bench.measure import Figures, silence_log
from lab.load.campaign import Plan, run
from lab.load.report import Report

LAYER = "[layers]\nworkspace = true\n[workspace]\nrecall = true\nsession = true\ncompaction = true\n"
_TIMEOUT_S = 240.0


def throughput(threads: int, turns: int, rounds: int) -> Figures:
    """Turns a second with the layer, to those without.

    Args:
        threads: That speak at once.
        turns: Of each.
        rounds: Of which the medians count.

    Raises:
        LoadError: an agent did not come online, or did not answer.
    """
    bare, layered = list[Report](), list[Report]()
    for number in range(rounds):
        kinds = ((bare, ""), (layered, LAYER))
        for found, more in kinds if number % 2 else reversed(kinds):  # a machine's speed drifts
            plan = Plan(
                threads=threads,
                turns=turns,
                model_latency_s=0.05,
                seed=f"continuity {number}",
                timeout_s=_TIMEOUT_S,
                more=more,
            )
            found.append(run(plan, lambda _progress: None))
    reports = [*bare, *layered]
    return {
        "load_threads": threads,
        "load_turns": threads * turns,
        "load_bare_per_s": median(each.turns_per_s for each in bare),
        "load_layer_per_s": median(each.turns_per_s for each in layered),
        "load_bare_cpu_ms": median(each.cpu_ms_per_turn or 0.0 for each in bare),
        "load_layer_cpu_ms": median(each.cpu_ms_per_turn or 0.0 for each in layered),
        "load_ratio": median(
            on.turns_per_s / max(off.turns_per_s, 0.001) for off, on in zip(bare, layered, strict=True)
        ),
        "load_faults": sum(each.lost + each.doubled + each.cross_talk + each.restarts for each in reports),
    }


def main() -> None:
    """Print the figures of the sizes in `argv[1]`, for `lab.bench.process`."""
    silence_log()
    sys.stdout.write(json.dumps(throughput(**json.loads(sys.argv[1]))))
