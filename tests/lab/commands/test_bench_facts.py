"""`agent bench facts` in small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from actors.embedder.local import is_installed
from lab.bench.facts.systems import Ours
from lab.commands import agent
from tests.actors.cli.command import digest, run
from tests.lab.bench.facts.test_report import FIGURES
from tests.lab.bench.recall import conversations
from tests.lab.bench.workspace import recorded


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


def test_conversations_without_their_facts_are_refused(tmp_path: Path) -> None:
    told = CliRunner().invoke(agent, ["bench", "facts", "--data", str(tmp_path)])
    assert told.exit_code == 2
    assert "--facts" in told.stderr


@pytest.mark.skipif(not is_installed(), reason="the local model is an extra")
def test_recorded_conversations_give_figures_of_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.bench.facts.run.measure", lambda *_: {Ours.name: dict(FIGURES)})
    for folder in ("data", "facts"):
        (tmp_path / folder).mkdir()
    conversations.write(tmp_path / "data")
    recorded.write(tmp_path / "facts", {**recorded.sample(), "sample_id": "tiny"})
    where = ["--data", str(tmp_path / "data"), "--facts", str(tmp_path / "facts"), "--cache", str(tmp_path / "cache")]

    document = CliRunner().invoke(agent, ["bench", "facts", "--json", *where])

    assert json.loads(document.stdout)["figures"][Ours.name]["recall_questions"] == 2
    assert (tmp_path / "cache").is_dir()
