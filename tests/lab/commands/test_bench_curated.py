"""`agent bench curated` in small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from lab.bench.curated.report import TARGETS
from lab.commands import agent
from tests.actors.cli.command import digest, run


def test_small_sizes_show_that_it_works_and_leave_nothing_behind(tmp_path: Path) -> None:
    done = run("agent", "bench", "curated", "--quick", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert document["quick"]
    assert document["machine"]["cores"] >= 1
    figures = document["figures"]
    assert [figures[name] for name in ("files_read", "blocks_unequal", "blocks_empty", "changes_not_shown")] == [0] * 4
    assert digest(tmp_path) == {}


@pytest.mark.parametrize(("unchanged_ms", "reads", "code"), [(1.0, 0, 0), (1.1, 0, 1), (1.0, 1, 1)])
def test_a_broken_promise_or_a_missed_target_is_the_commands_exit_code(
    monkeypatch: pytest.MonkeyPatch, unchanged_ms: float, reads: int, code: int
) -> None:
    phases = ("unchanged", "changed")
    figures = {
        f"{name}_{each}": 1.0 for name in phases for each in ("p50_ms", "p99_ms", "floor_p95_ms", "p95_to_floor")
    }
    figures |= {target.figure: 0.0 for target in TARGETS} | {"turns": 1, "changes": 1, "windows": 1}
    figures |= {"unchanged_p95_ms": unchanged_ms, "files_read": reads}
    monkeypatch.setattr("lab.bench.curated.run.measure", lambda *_: figures)

    told = CliRunner().invoke(agent, ["bench", "curated"])
    document = CliRunner().invoke(agent, ["bench", "curated", "--json"])

    assert (told.exit_code, document.exit_code) == (code, code)
    assert "times the floor's" in told.stdout
    assert ("NO" in told.stdout) == (code == 1)
    assert len(json.loads(document.stdout)["targets"]) == len(TARGETS)
