"""`agent bench objects` in small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from lab.bench.objects.report import PRICES, TARGETS
from lab.commands import agent
from tests.actors.cli.command import digest, run
from tests.lab.bench.objects.test_report import FIGURES, results


def test_small_sizes_show_that_it_works_and_leave_nothing_behind(tmp_path: Path) -> None:
    done = run("agent", "bench", "objects", "--quick", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert document["quick"]
    assert document["machine"]["cores"] >= 1
    assert [row["workload"] for row in document["rows"]] == [*PRICES, "flood"]
    assert {target.figure for target in TARGETS} <= document["figures"].keys()
    assert all(target["met"] for target in document["targets"])
    assert digest(tmp_path) == {}


@pytest.mark.parametrize(("added_ms", "lost", "code"), [(5.0, 0, 0), (5.1, 0, 1), (5.0, 1, 1)])
def test_a_broken_promise_or_a_missed_target_is_the_commands_exit_code(
    monkeypatch: pytest.MonkeyPatch, added_ms: float, lost: int, code: int
) -> None:
    found = results(figures=FIGURES | {"added_p95_ms": added_ms, "lost": lost})
    monkeypatch.setattr("lab.bench.objects.run.measure", lambda *_: found)

    told = CliRunner().invoke(agent, ["bench", "objects"])
    document = CliRunner().invoke(agent, ["bench", "objects", "--json"])

    assert (told.exit_code, document.exit_code) == (code, code)
    assert "E1 and E2 are one turn each" in told.stdout
    assert ("NO" in told.stdout) == (code == 1)
    assert len(json.loads(document.stdout)["rows"]) == len(PRICES) + 1
