"""`agent memory curated`, without and beside a running agent; and its text in `agent-cli`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.loopback_model.server import Answer, LoopbackModel
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.cli.command import digest, run
from tests.e2e.stage import Stage
from tests.trusted import trust, write_settings

ON = '[layers]\ncurated = true\n[curated]\nglobal_folder = "{folder}"\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with settings that switch the layer on."""
    write_settings(tmp_path, 'data_root = "data"\n' + ON.format(folder=tmp_path / "memory"))
    return tmp_path


def index(home: Path) -> str:
    return (home / "memory" / "MEMORY.md").read_text()


def test_while_the_layer_is_off_it_says_how_it_is_switched_on(tmp_path: Path) -> None:
    done = run("agent", "memory", "curated", "status", cwd=tmp_path)
    assert done.returncode == 1
    assert "[layers] curated = true" in done.stderr


@pytest.mark.req("S1-78")
def test_a_fact_is_staged_committed_found_and_listed_without_an_agent(home: Path) -> None:
    staged = run("agent", "memory", "curated", "remember", "global", "Tea at four", "--section", "Habits", cwd=home)
    assert staged.returncode == 0
    assert not (home / "memory" / "MEMORY.md").exists()
    flushed = run("agent", "memory", "curated", "flush", cwd=home)
    assert "Committed: 1; rejected: 0" in flushed.stdout
    assert index(home) == "## Habits\n\n- Tea at four\n"
    recalled = run("agent", "memory", "curated", "recall", "tea", "--json", cwd=home)
    assert json.loads(recalled.stdout)["facts"][0][1]["text"] == "Tea at four"
    assert "page-table.jsonl exists and is valid" in run("agent", "memory", "curated", "pages", cwd=home).stdout


def test_looking_changes_nothing(home: Path) -> None:
    (home / "memory").mkdir()
    (home / "memory" / "MEMORY.md").write_text("- one\n- one\n")
    before = digest(home)
    for command in ("status", "pages", "faults", "traces", "stale"):
        assert run("agent", "memory", "curated", command, cwd=home).returncode == 0
    assert run("agent", "memory", "curated", "recall", "nothing", cwd=home).returncode == 0
    assert digest(home) == before


def test_what_is_wrong_is_refused_by_its_rule(subtests: pytest.Subtests, home: Path) -> None:
    cases: list[tuple[tuple[str, ...], str]] = [
        (("remember", "local", "x"), "'local' is not one of 'global', 'project'"),
        (("remember", "global", ""), "the text is empty"),
        (("remember", "project", "x y"), "denied: this conversation has no project that is trusted"),
        (("trace", "zebra"), "there is none of that id here"),
        (("off",), "--window is required"),
        (("off", "--window", "discord-channel/123456789012345678"), "no agent runs on the data root"),
        (("status", "--window", "nowhere"), "'nowhere': <surface>/<id> is required"),
        (("import",), "curated.claude_folder"),
    ]
    for arguments, rule in cases:
        with subtests.test(arguments=arguments, rule=rule):
            done = run("agent", "memory", "curated", *arguments, cwd=home)
            assert done.returncode != 0
            assert rule in done.stderr
            assert not (home / "memory").exists()


def test_a_folder_that_depends_on_where_one_is_is_refused(home: Path) -> None:
    with (home / "agent.toml").open("a") as file:
        file.write('claude_folder = "projects"\n')
    trust(home)
    done = run("agent", "memory", "curated", "status", cwd=home)
    assert "curated.claude_folder" in done.stderr
    assert "begins with / or ~" in done.stderr


def test_a_recall_that_cannot_be_answered_fails_with_its_code(home: Path) -> None:
    done = run("agent", "memory", "curated", "recall", "?!", cwd=home)
    assert (done.returncode, done.stdout.split(":")[0]) == (1, "malformed")


def test_beside_a_running_agent_that_one_is_asked(server: PlaygroundServer, home: Path) -> None:
    given: dict[str, Any] = {"layers.curated": True, "curated.global_folder": str(home / "memory")}
    stage = Stage(server, home / "data", **given)
    window = f"discord-channel/{GENERAL_ID}"
    try:
        stage.ask("hello")
        off = run("agent", "memory", "curated", "off", "--window", window, cwd=home)
        status = run("agent", "memory", "curated", "status", "--window", window, cwd=home)
        traces = run("agent", "memory", "curated", "traces", "--json", cwd=home)
    finally:
        stage.stop()
    assert "until `agent memory curated on`" in off.stdout
    assert "Memory in prompts: off" in status.stdout
    assert json.loads(traces.stdout)["traces"][0]["context"] == window


@pytest.mark.req("S1-57", "S1-62")
def test_agent_cli_shows_the_memory_to_the_model_unless_told_otherwise(home: Path) -> None:
    (home / "memory").mkdir()
    (home / "memory" / "MEMORY.md").write_text("- Tea at four\n")
    with LoopbackModel() as model:
        with (home / "agent.toml").open("a") as file:
            file.write(f'[model]\nname = "openai/loopback"\napi_base = "{model.api_base}"\n')
        trust(home)
        model.script(Answer("Yes."), Answer("No."))
        run("agent-cli", "When is tea?", cwd=home, environment={"OPENAI_API_KEY": "no key"})
        run("agent-cli", "--no-memory", "When is tea?", cwd=home, environment={"OPENAI_API_KEY": "no key"})
        with_memory, without = (str(each.body["messages"][0]["content"]) for each in model.requests())
    assert "### Global MEMORY.md\n- Tea at four" in with_memory
    assert "Persistent memory" not in without
