"""`agent chaos curated` in small; the large numbers are for people with time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from lab.chaos.curated.documents import try_documents
from lab.commands import agent
from tests.actors.cli.command import digest, run

SMALL = ("--edits", "4", "--kills", "3", "--documents", "100", "--seed", "7")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc who stems from whom")
def test_a_small_campaign_loses_and_doubles_nothing_and_leaves_nothing_behind(tmp_path: Path) -> None:
    done = run("agent", "chaos", "curated", *SMALL, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert document["seed"] == "7"
    assert {row["saver"]: (row["agent_edits"], row["human_lost"]) for row in document["races"]} == {
        "rename": (2, 0),
        "in-place": (2, 0),
    }
    assert [document["kills"][key] for key in ("kills", "lost", "doubled", "strange", "harmed")] == [3, 0, 0, 0, 0]
    assert document["documents"]["documents"] == 100
    assert digest(tmp_path) == {}


def test_one_broken_law_is_the_commands_exit_code_and_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = try_documents(1, "7")
    object.__setattr__(broken, "altered", 1)
    monkeypatch.setattr("lab.chaos.curated.documents.try_documents", lambda *_: broken)
    done = CliRunner().invoke(agent, ["chaos", "curated", "--edits", "1", "--kills", "0"])
    assert done.exit_code == 1
    assert "error: something was lost, doubled or altered (seed 1)" in done.stderr
    assert "race with rename saver: 1 writes of the agent, 0 lost" in done.stdout
    assert "1 altered" in done.stdout


def test_the_help_says_when_the_exit_code_is_1() -> None:
    done = CliRunner().invoke(agent, ["chaos", "curated", "--help"])
    assert done.exit_code == 0
    assert "exit 1" in " ".join(done.stdout.split())
