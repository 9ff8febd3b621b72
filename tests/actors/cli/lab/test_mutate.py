from __future__ import annotations

import json
from pathlib import Path

from tests.actors.cli.command import run

MODULE = "domain/log/watermark.py"


def test_a_fault_of_a_module_is_noticed_by_its_tests_and_counted(tmp_path: Path) -> None:
    done = run("agent", "mutate", "--mutants", "1", "--module", MODULE, "--durable-only", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    (outcome,) = report["outcomes"]
    assert (outcome["module"], outcome["is_durable"], outcome["is_killed"]) == (MODULE, True, True)
    assert (report["killed"], report["share"], report["sound"]) == (1, 1.0, True)


def test_a_module_that_is_no_target_is_said(tmp_path: Path) -> None:
    done = run("agent", "mutate", "--module", "no/such.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "no target 'no/such.py'" in done.stderr
