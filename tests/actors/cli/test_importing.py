"""`agent import`: exports without an agent and beside one, and what the commands say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from actors.socket.wire import LONGEST_LINE_BYTES
from domain.log.parser import parse
from lab.playground.server import PlaygroundServer
from tests.actors.cli.command import run
from tests.actors.importer.test_export_file import FIRST, export, message, write
from tests.e2e.stage import Stage


def past_words(root: Path) -> list[str]:
    logs = sorted((root / "data" / "logs").glob("*/*/imported-*.md"))
    return [logged.event.content for path in logs for logged in parse(path.read_bytes()).events]


@pytest.mark.req("X-256")
def test_exports_are_imported_without_an_agent_once(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    file = write(tmp_path / "general.json", export(*(message(number, f"word {number}") for number in range(1_200))))
    other = write(tmp_path / "thread.json", export(message(5_000, "in a thread"), kind="GuildPublicThread"))
    for kept in (1_201, 0):
        done = run("agent", "import", "export", "--data", "data", "--json", str(file), str(other), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert (told["files"], told["messages"], told["kept"], told["windows"]) == (2, 1_201, kept, 2)
    assert sorted(past_words(tmp_path)) == sorted(["in a thread", *(f"word {number}" for number in range(1_200))])
    checked = run("agent", "logs", "check", "data/logs", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    assert (tmp_path / "data" / "logs" / "discord-thread" / str(FIRST)).is_dir()


@pytest.mark.req("X-256")
def test_an_unsound_file_among_others_takes_nothing_in(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    sound = write(tmp_path / "sound.json", export(message(1)))
    bad = write(tmp_path / "bad.json", export(message(1), {**message(2), "id": "x"}))
    done = run("agent", "import", "export", "--data", "data", str(sound), str(bad), cwd=tmp_path)
    assert done.returncode == 1
    assert f"nothing is imported: {bad}: messages[1]: " in done.stderr
    assert "`$.id`" in done.stderr
    assert past_words(tmp_path) == []


@pytest.mark.req("X-256")
def test_a_running_agent_imports_exports_and_finds_them(server: PlaygroundServer, tmp_path: Path) -> None:
    file = write(tmp_path / "general.json", export(message(1, "the cat is called Zorro"), message(2)))
    stage = Stage(server, tmp_path / "data")
    try:
        done = run("agent", "import", "export", "--data", "data", str(file), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "1 file with 2 messages: 2 were new" in done.stdout
        found = run("agent", "memory", "search", "--data", "data", "cat called Zorro", cwd=tmp_path)
        assert "Zorro" in found.stdout
        write(file, [])
        refused = run("agent", "import", "export", "--data", "data", str(file), cwd=tmp_path)
        assert refused.returncode == 1
        assert "nothing is imported" in refused.stderr
        told = run("agent", "import", "discord", "--data", "data", cwd=tmp_path)
        assert told.returncode == 0, told.stderr
        assert told.stdout.startswith("The past is imported: ")
        assert run("agent", "import", "stop", "--data", "data", cwd=tmp_path).stdout == told.stdout
    finally:
        stage.stop()


@pytest.mark.req("X-251", "X-256")
def test_without_an_agent_what_was_said_where_memory_is_off_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "agent.toml").write_text(f'[channels.{FIRST}]\nmemory = "off"\n')
    file = write(tmp_path / "general.json", export(message(1, "secret")))
    done = run("agent", "import", "export", "--data", "data", "--config", "agent.toml", str(file), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 file with 1 message" in done.stdout
    assert past_words(tmp_path) == []


@pytest.mark.req("X-256")
def test_more_files_than_a_request_holds_are_all_checked_and_then_imported(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    """A server with its threads is exported to hundreds of files with long names, more than fit into one request."""
    folder = tmp_path / ("Müllers Server - Threads " * 8)
    folder.mkdir()
    files = [str(write(folder / f"{number} {'ß' * 60}.json", export(message(number)))) for number in range(100)]
    assert len(json.dumps(files)) > LONGEST_LINE_BYTES
    unsound = write(tmp_path / "unsound.json", [])
    stage = Stage(server, tmp_path / "data")
    try:
        refused = run("agent", "import", "export", "--data", "data", *files, str(unsound), cwd=tmp_path)
        assert f"nothing is imported: {unsound}" in refused.stderr
        assert past_words(tmp_path) == []
        done = run("agent", "import", "export", "--data", "data", "--json", *files, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert (told["files"], told["messages"], told["kept"], told["windows"]) == (100, 100, 100, 1)
        assert len(past_words(tmp_path)) == 100
    finally:
        stage.stop()


def test_without_an_agent_discords_history_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    for command in ("discord", "status", "stop"):
        done = run("agent", "import", command, "--data", "data", cwd=tmp_path)
        assert done.returncode == 1
        assert "is read by the running agent" in done.stderr
