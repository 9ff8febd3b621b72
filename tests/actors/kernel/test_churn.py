"""Memory stays flat however many windows come and go; `agent bench kernel --only churn_10m` is the same at full size."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[3]
CHILD = "from lab.bench.child import main; main()"


@pytest.mark.slow
def test_two_hundred_thousand_messages_through_windows_that_come_and_go_leave_memory_flat() -> None:
    sizes = {"messages": 200_000, "windows": 500, "messages_each": 10}
    done = subprocess.run(
        [sys.executable, "-c", CHILD, "remembrancer", "churn", json.dumps(sizes)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        timeout=PATIENCE_S,
    )
    figures = json.loads(done.stdout)

    assert figures["messages"] == 200_000
    assert figures["windows"] == 20_000
    assert figures["rss_end_mb"] <= figures["rss_tenth_mb"] * 1.05
