from __future__ import annotations

import json
import warnings
from pathlib import Path

from tests.actors.cli.command import run

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # discord.py imports audioop, which Python 3.11 deprecates
    from lab.bench.discord.figures import percentiles


def test_percentiles_are_times_that_were_measured() -> None:
    figures = percentiles([number / 1000 for number in range(100, 0, -1)])
    assert figures == {"count": 100, "p50": 50.0, "p95": 95.0, "p99": 99.0, "most": 100.0}
    assert percentiles([0.002])["p50"] == percentiles([0.002])["most"] == 2.0


def test_the_figures_can_be_measured(tmp_path: Path) -> None:
    done = run("agent", "bench", "discord", "--quick", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)["figures"]
    assert (figures["typing, agent"]["count"], figures["typing, bare client"]["count"]) == (5, 5)
    assert figures["typing, agent"]["p50"] > 0 < figures["typing, bare client"]["p50"]
    assert figures["loop lag"]["count"] > 10
    assert list(tmp_path.iterdir()) == []
