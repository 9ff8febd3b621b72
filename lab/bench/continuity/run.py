"""Continuity of rules stated only in conversation: a row for each behaviour of the workers."""

from __future__ import annotations

from collections.abc import Callable

from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.continuity.modes import MODES
from lab.bench.continuity.rules import RULES
from lab.bench.process import measure_each

LEAST_SHARE = 0.95
LEAST_CUTS = 3
LEAST_TURNS_A_CALL = 5.0
OTHER_LISTS = tuple(f"{mode}, {rules} list" for rules in ("second", "third") for mode in ("off", "on"))
"""Rows of the lists of rules beside the first."""


def measure(say: Callable[[str], object], *, quick: bool) -> Rows:
    """Row -> figures, each in a process of its own.

    Args:
        say: Called with the finished row.
        quick: One language and few turns.

    Raises:
        MeasurementError: a process did not return figures.
    """
    sizes = {"languages": 1, "turns": 60} if quick else {"languages": len(RULES), "turns": 90}
    return measure_each("lab.bench.continuity.walk", "row", (*MODES, *OTHER_LISTS), sizes, say)


CONTINUITY = Benchmark(
    name="continuity",
    measure=measure,
    targets=(
        Target("share of rules in sight, after cuts and kills", "cut_share", LEAST_SHARE, at_least=True),
        Target("share of rules in sight, after /new, too", "new_share", LEAST_SHARE, at_least=True),
        Target("breaks of the beginning that are no cuts", "breaks_no_cuts", 0),
        Target("turns that waited for upkeep a second time", "delayed", 0),
        Target("cuts of each conversation", "least_cuts", LEAST_CUTS, at_least=True, is_speed=True),
        Target("turns for each call of upkeep", "turns_a_call", LEAST_TURNS_A_CALL, "on", at_least=True, is_speed=True),
    ),
    columns=(
        Column("after cuts", "cut_share", ".2f"),
        Column("after /new", "new_share", ".2f"),
        Column("rules", "rules", ".0f"),
        Column("turns", "turns", ".0f"),
        Column("cuts", "cuts", ".0f"),
        Column("other breaks", "breaks_no_cuts", ".0f"),
        Column("waits", "delayed", ".0f"),
        Column("longest s", "longest_s", ".0f"),
        Column("upkeep calls", "calls", ".0f"),
    ),
    note=(
        "Each rule was said once; shares are of the request of a turn that only says to go on. Waits: "
        "turns that waited for upkeep more than 2 s although a turn of their conversation had before. off: without "
        "llm; failing: at once; failing_late: after 29 s."
    ),
)
