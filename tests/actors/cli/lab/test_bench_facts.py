"""`agent bench facts` in small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from actors.cli import agent
from lab.bench.facts.systems import Ours
from tests.actors.cli.command import digest, run
from tests.lab.bench.facts.test_report import FIGURES


@pytest.mark.slow
def test_small_sizes_show_that_it_works(tmp_path: Path) -> None:
    done = run("agent", "bench", "facts", "--quick", "--json", "--kills", "0", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    figures = document["figures"][Ours.name]
    assert document["quick"]
    assert document["ratios"] == {}
    assert figures["few_shown"] == 1
    assert figures["first_embeddings"] >= 1
    assert figures["start_texts"] == 0
    assert figures["calls_extract"] == 1
    assert figures["rss_mb"] > figures["threads"] > 1
    assert digest(tmp_path) == {}


@pytest.mark.parametrize(("lost", "code"), [(0, 0), (1, 1)])
def test_a_missed_target_is_the_commands_exit_code(monkeypatch: pytest.MonkeyPatch, lost: int, code: int) -> None:
    monkeypatch.setattr("lab.bench.facts.run.measure", lambda *_: {Ours.name: FIGURES | {"facts_lost": lost}})

    told = CliRunner().invoke(agent, ["bench", "facts"])
    document = CliRunner().invoke(agent, ["bench", "facts", "--json"])

    assert (told.exit_code, document.exit_code) == (code, code)
    assert ("NO" in told.stdout) == (code == 1)
    assert json.loads(document.stdout)["figures"][Ours.name]["facts_lost"] == lost


def test_a_peer_that_is_not_there_is_refused() -> None:
    assert CliRunner().invoke(agent, ["bench", "facts", "--peer", "/no/such/agent-cli"]).exit_code == 2
