from __future__ import annotations

import json
import warnings
from pathlib import Path

from tests.actors.cli.command import run

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # discord.py imports audioop, which Python 3.11 deprecates
    from lab.bench.discord.figures import percentiles


def test_percentiles_are_times_that_were_measured() -> None:
    found = percentiles([number / 1000 for number in range(100, 0, -1)])
    assert (found.count, found.p50, found.p95, found.p99, found.most) == (100, 50.0, 95.0, 99.0, 100.0)
    assert percentiles([0.002]).p50 == percentiles([0.002]).most == 2.0


def test_the_figures_can_be_measured(tmp_path: Path) -> None:
    done = run("agent", "bench", "discord", "--quick", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["windows"], found["answers"], found["typing_ms"]["count"]) == (20, 20, 5)
    assert found["loopback_ms"]["p50"] > 0
    assert found["typing_ms"]["p50"] > 0
    assert found["loop_lag_ms"]["count"] > 10
    assert list(tmp_path.iterdir()) == []
