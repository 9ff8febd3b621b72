"""`agent bench objects` in small."""

from __future__ import annotations

import json
from pathlib import Path

from lab.bench.objects.run import FLOOD, PRICES
from tests.actors.cli.command import digest, run


def test_small_sizes_show_that_it_works_and_leave_nothing_behind(tmp_path: Path) -> None:
    done = run("agent", "bench", "objects", "--quick", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert document["quick"]
    assert document["machine"]["cores"] >= 1
    assert [*document["figures"]] == [*PRICES, FLOOD]
    assert all(target["met"] for target in document["targets"])
    assert digest(tmp_path) == {}
