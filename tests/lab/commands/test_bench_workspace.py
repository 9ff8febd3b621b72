"""`agent bench workspace` in small."""

from __future__ import annotations

import json
from pathlib import Path

from lab.bench.workspace.course import CONDITIONS
from tests.actors.cli.command import digest, run


def test_small_sizes_show_that_it_works_and_leave_nothing_behind(tmp_path: Path) -> None:
    done = run("agent", "bench", "workspace", "--quick", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert document["quick"]
    assert document["machine"]["cores"] >= 1
    assert set(document["figures"]) == {each.name for each in CONDITIONS}
    assert all(target["met"] for target in document["targets"])
    assert digest(tmp_path) == {}
