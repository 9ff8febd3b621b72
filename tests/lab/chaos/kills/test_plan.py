from __future__ import annotations

from pathlib import Path

from lab.chaos.kills.plan import LifePlan


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    for plan in (LifePlan(3), LifePlan(0, is_last=True), LifePlan(4, cut=7, ends=True)):
        assert LifePlan.read(plan.write(tmp_path)) == plan
