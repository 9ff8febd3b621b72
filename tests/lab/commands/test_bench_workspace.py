"""`agent bench workspace` in small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from actors.embedder.local import is_installed
from lab.commands import agent
from tests.actors.cli.command import digest, run
from tests.lab.bench.recall import conversations
from tests.lab.bench.workspace import recorded
from tests.lab.bench.workspace.test_report import FIGURES


def test_small_sizes_show_that_it_works_without_recorded_conversations(tmp_path: Path) -> None:
    done = run("agent", "bench", "workspace", "--quick", "--json", "--data", str(tmp_path / "none"), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no rows of evidence" in done.stderr
    document = json.loads(done.stdout)
    assert document["quick"]
    assert "questions" not in document["figures"]
    assert all(target["met"] for target in document["targets"])
    assert digest(tmp_path) == {}


@pytest.mark.slow
@pytest.mark.skipif(not is_installed(), reason="the local model is an extra")
def test_recorded_conversations_give_rows_of_evidence(tmp_path: Path) -> None:
    for folder in ("data", "facts"):
        (tmp_path / folder).mkdir()
    conversations.write(tmp_path / "data")
    recorded.write(tmp_path / "facts", {**recorded.sample(), "sample_id": "tiny"})
    where = ("--data", str(tmp_path / "data"), "--facts", str(tmp_path / "facts"), "--cache", str(tmp_path / "cache"))

    done = run("agent", "bench", "workspace", "--quick", *where, cwd=tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "over 2 questions" in done.stdout
    assert "note" not in done.stderr


@pytest.mark.parametrize(("wrong", "code"), [(0.10, 0), (0.11, 1)])
def test_a_missed_target_is_the_commands_exit_code(monkeypatch: pytest.MonkeyPatch, wrong: float, code: int) -> None:
    monkeypatch.setattr("lab.bench.workspace.run.measure", lambda *_: FIGURES | {"held_wrong": wrong})

    told = CliRunner().invoke(agent, ["bench", "workspace"])
    document = CliRunner().invoke(agent, ["bench", "workspace", "--json"])

    assert (told.exit_code, document.exit_code) == (code, code)
    assert ("NO" in told.stdout) == (code == 1)
    assert json.loads(document.stdout)["figures"]["held_wrong"] == wrong


@pytest.mark.skipif(not is_installed(), reason="the local model is an extra")
@pytest.mark.parametrize("given", [None, "another"])
def test_facts_of_other_conversations_are_refused_with_the_names_of_these(tmp_path: Path, given: str | None) -> None:
    for folder in ("data", "facts"):
        (tmp_path / folder).mkdir()
    conversations.write(tmp_path / "data")
    if given:
        recorded.write(tmp_path / "facts", {**recorded.sample(), "sample_id": given})
    where = ["--data", str(tmp_path / "data"), "--facts", str(tmp_path / "facts")]
    told = CliRunner().invoke(agent, ["bench", "workspace", *where])
    assert told.exit_code == 1
    assert f"{tmp_path / 'facts'}: must have the facts of one of tiny" in told.stderr


def test_data_that_cannot_be_read_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    where = ["--data", str(tmp_path), "--facts", str(tmp_path)]
    told = CliRunner().invoke(agent, ["bench", "workspace", *where])
    assert told.exit_code == 1
    assert "a.json" in told.stderr
