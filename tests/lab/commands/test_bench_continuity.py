"""`agent bench continuity` in small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from lab.bench.continuity.report import NAMES, TARGETS
from lab.commands import agent
from tests.actors.cli.command import digest, run
from tests.lab.bench.continuity.test_report import FIGURES, results


def test_small_sizes_show_that_it_works_and_leave_nothing_behind(tmp_path: Path) -> None:
    done = run("agent", "bench", "continuity", "--quick", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert document["quick"]
    assert document["machine"]["cores"] >= 1
    assert sorted(row["condition"] for row in document["conditions"]) == sorted(NAMES)
    assert {target.figure for target in TARGETS} <= document["figures"].keys()
    assert all(target["met"] for target in document["targets"])
    assert digest(tmp_path) == {}


@pytest.mark.parametrize(("lost", "code"), [(0, 0), (1, 1)])
def test_a_missed_target_is_the_commands_exit_code(monkeypatch: pytest.MonkeyPatch, lost: int, code: int) -> None:
    found = results(figures=FIGURES | {"human_lost": lost})
    monkeypatch.setattr("lab.bench.continuity.run.measure", lambda *_: found)

    told = CliRunner().invoke(agent, ["bench", "continuity"])
    document = CliRunner().invoke(agent, ["bench", "continuity", "--json"])

    assert (told.exit_code, document.exit_code) == (code, code)
    assert ("NO" in told.stdout) == (code == 1)
    assert len(json.loads(document.stdout)["conditions"]) == len(NAMES)
