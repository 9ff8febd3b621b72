"""`agent chaos` in small; the large numbers are for people with time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from actors.linux.processes import descendants
from lab.commands import agent
from tests.actors.cli.command import CHECKOUT, digest, run
from tests.patience import PATIENCE_S, eventually


def test_a_small_campaign_loses_and_doubles_nothing_and_leaves_nothing_behind(tmp_path: Path) -> None:
    done = run("agent", "chaos", "reminders", "--rounds", "5", "--years", "0", "--seed", "7", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert {row["saver"]: row["human_lost"] for row in document["races"]} == {"rename": 0, "in-place": 0}
    crashes = document["crashes"]
    assert (crashes["kills"], crashes["lost"], crashes["doubled"], crashes["lines_left"]) == (104, 0, 0, 0)
    assert document["replay"]["looks"] == 0
    assert digest(tmp_path) == {}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc who stems from whom")
def test_kills_of_a_layer_cost_nothing_and_leave_nothing_behind(tmp_path: Path) -> None:
    done = run("agent", "chaos", "layers", "--kills", "2", "--only", "objects", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["seed"], set(report)) == ("1", {"seed", "objects"})
    assert [report["objects"][name] for name in ("kills", "lost", "doubled", "faults", "failures")] == [2, 0, 0, 0, []]
    assert digest(tmp_path) == {}


def test_a_small_race_of_curated_memory_loses_and_doubles_nothing(tmp_path: Path) -> None:
    done = run("agent", "chaos", "curated", "--edits", "4", "--seed", "7", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    races = json.loads(done.stdout)["races"]
    assert {row["saver"]: (row["agent_edits"], row["human_lost"]) for row in races} == {
        "rename": (2, 0),
        "in-place": (2, 0),
    }
    assert digest(tmp_path) == {}


def test_fifteen_messages_around_a_kill_are_answered_once_each(tmp_path: Path) -> None:
    done = run("agent", "chaos", "--scene", "fifteen", "--times", "1", "--jobs", "1", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert (report["is_sound"], report["kills"], report["said"], report["answered"]) == (True, 1, 15, 15)
    assert digest(tmp_path) == {}


@pytest.mark.slow
def test_a_few_kills_cost_nothing(tmp_path: Path) -> None:
    command = ("agent", "chaos", "--kills", "6", "--seed", "test", "--jobs", "1", "--resume", "batches", "--json")
    done = run(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert (report["is_sound"], report["seed"], report["kills"], report["batches"]) == (True, "test", 6, 1)
    assert report["said"] >= 2
    assert report["exactly_once"] == 1.0
    assert [path.name for path in tmp_path.iterdir()] == ["batches"]
    assert json.loads(run(*command, cwd=tmp_path).stdout) == report  # nothing is left to be done
    assert json.loads(run("agent", "chaos", "sum", "batches", "--json", cwd=tmp_path).stdout) == report


def test_a_file_of_batches_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = run("agent", "chaos", "sum", "missing.jsonl", cwd=tmp_path)
    assert (done.returncode, "missing.jsonl: no such file" in done.stderr) == (2, True)


def test_rows_that_cannot_be_had_are_refused() -> None:
    for rows in ("48", "one"):
        done = CliRunner().invoke(agent, ["chaos", "--kills", "1", "--rows", rows])
        assert (done.exit_code, done.stderr.partition(" ")[0]) == (2, "error:"), rows


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc who stems from whom")
def test_a_campaign_that_is_told_to_end_ends_its_agents_too(tmp_path: Path) -> None:
    code = "from lab.commands import agent; agent()"
    tool = subprocess.Popen(
        [sys.executable, "-P", "-c", code, "chaos", "--kills", "1000"],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    eventually(lambda: any(tmp_path.glob("agent-chaos-*/1/data/logs")))
    # Two processes that start agents, and an agent of each. One look counts them: the next may come after a kill.
    family = eventually(lambda: family if len(family := descendants(tool.pid)) >= 4 else set())

    tool.send_signal(signal.SIGTERM)

    assert tool.wait(PATIENCE_S) == 128 + signal.SIGTERM
    eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family))
    assert [*tmp_path.rglob("*")] == []
