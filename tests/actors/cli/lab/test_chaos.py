"""`agent chaos` in small; the large numbers are for people with time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.actors.cli.command import digest, run


def test_a_small_campaign_loses_and_doubles_nothing_and_leaves_nothing_behind(tmp_path: Path) -> None:
    done = run("agent", "chaos", "reminders", "--rounds", "5", "--years", "0", "--seed", "7", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert {row["saver"]: row["human_lost"] for row in document["races"]} == {"rename": 0, "in-place": 0}
    crashes = document["crashes"]
    assert (crashes["kills"], crashes["lost"], crashes["doubled"], crashes["lines_left"]) == (104, 0, 0, 0)
    assert document["replay"]["looks"] == 0
    assert digest(tmp_path) == {}


def test_faults_between_discord_and_the_bot_cost_nothing(tmp_path: Path) -> None:
    done = run("agent", "chaos", "discord", "--turns", "60", "--windows", "6", "--seed", "7", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["turns"] == 60
    assert outcome["faults"] >= 10
    assert [outcome[key] for key in ("missed", "doubled", "out_of_order", "unexpected", "crashes")] == [0] * 5
    assert digest(tmp_path) == {}


def test_fifteen_messages_around_a_kill_are_answered_once_each(tmp_path: Path) -> None:
    done = run("agent", "chaos", "--scene", "fifteen", "--times", "2", "--jobs", "1", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    made = json.loads(done.stdout)
    assert (made["is_sound"], made["kills"], made["said"], made["answered"]) == (True, 2, 30, 30)
    assert digest(tmp_path) == {}


@pytest.mark.slow
def test_a_few_kills_cost_nothing(tmp_path: Path) -> None:
    done = run("agent", "chaos", "--kills", "4", "--seed", "test", "--jobs", "1", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    made = json.loads(done.stdout)
    assert (made["is_sound"], made["seed"], made["kills"], len(made["at"])) == (True, "test", 4, 4)
    assert made["said"] >= 4
    assert made["exactly_once"] == 1.0
    assert digest(tmp_path) == {}


@pytest.mark.parametrize("rows", ["48", "one"])
def test_rows_that_cannot_be_had_are_refused(tmp_path: Path, rows: str) -> None:
    done = run("agent", "chaos", "--kills", "1", "--rows", rows, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: row")
