"""`agent memory`, without an agent and beside a running one; and the memory of `agent-cli`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.context.log.data_root import DataRoot
from tests.actors.cli.command import digest, run
from tests.actors.memory.rig import Brain, MemoryRig
from tests.trusted import write_settings

SPACE = "local/all-MiniLM-L6-v2/384"


@pytest.fixture(scope="module")
def home_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with settings and a data root in which a little was said."""
    home = tmp_path_factory.mktemp("home")
    write_settings(home, 'data_root = "data"\n[embedder]\nprovider = "local"\n')
    root = home / "data"
    root.mkdir()
    rig = MemoryRig(root, brain=Brain(SPACE, 384))
    rig.exchange("My cat is called Zorro and likes tuna", "Noted.")
    rig.exchange("The meeting with Dr. Weber is in Bern", "Fine.")
    rig.stop()
    return home


@pytest.fixture
def home(home_folder: Path) -> Iterator[Path]:
    """The same, and that it is the same afterwards."""
    before = digest(home_folder)
    yield home_folder
    assert digest(home_folder) == before


def test_statistics_need_no_running_agent(home: Path) -> None:
    done = run("agent", "memory", "stats", "--json", cwd=home)

    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert (told["rows"], told["pending"], told["space"], told["state"]) == (4, 0, SPACE, "ready")


def test_a_search_needs_no_running_agent(home: Path) -> None:
    done = run("agent", "memory", "search", "what", "is", "the", "cat", "called", "--limit", "2", "--json", cwd=home)

    found = json.loads(done.stdout)["memories"]
    assert done.returncode == 0
    assert found[0]["excerpt"] == "My cat is called Zorro and likes tuna"
    line = (home / "data" / found[0]["path"]).read_text().split("\n")[found[0]["line"] - 1]
    assert line.startswith("## ")


def test_where_there_is_no_index_that_of_agent_try_is_named(tmp_path: Path) -> None:
    plain_refusal = run("agent", "memory", "stats", cwd=tmp_path)
    tried = tmp_path / "data" / "playground"
    (tried / "memory").mkdir(parents=True)
    (tried / "memory" / "index.sqlite").touch()
    hinted = run("agent", "memory", "stats", cwd=tmp_path)

    assert (plain_refusal.returncode, hinted.returncode) == (1, 1)
    assert "--data" not in plain_refusal.stderr
    assert f"for the one of `agent try` add --data {tried}" in hinted.stderr


def test_people_read_what_was_found_with_its_place(home: Path) -> None:
    done = run("agent", "memory", "search", "cat", cwd=home)

    assert "My cat is called Zorro" in done.stdout
    assert "path=logs/discord-channel/" in done.stdout
    assert " line=" in done.stdout


def test_why_needs_a_running_agent_and_says_so(home: Path) -> None:
    done = run("agent", "memory", "why", cwd=home)

    assert done.returncode == 1
    assert "no agent runs here" in done.stderr
    assert done.stdout == ""


def test_where_nothing_was_ever_remembered_that_is_said_and_nothing_is_made(tmp_path: Path) -> None:
    done = run("agent", "memory", "stats", cwd=tmp_path)

    assert done.returncode == 1
    assert "there is no memory index" in done.stderr
    assert list(tmp_path.iterdir()) == []


WRONG = [
    ("search",),
    ("search", " "),
    ("search", "x", "--limit", "0"),
    ("search", "x", "--window", "y"),
    ("search", "x", "--window", "discord-thread/1"),
    ("me",),
    ("me", " "),
    ("me", "x", "--window", "discord-thread/1"),
    ("stats", "--config", "nowhere.toml"),
    ("rebuild", "--data", "nowhere"),
]


def test_wrong_arguments_are_refused_in_words_and_nothing_is_made(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for number, arguments in enumerate(WRONG):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(arguments=arguments):
            done = run("agent", "memory", *arguments, cwd=place)

            assert done.returncode != 0
            assert "error: " in done.stderr.lower()
            assert "Traceback" not in done.stderr
            assert list(place.iterdir()) == []


def test_a_provider_without_its_model_is_named_in_a_sentence(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, ...]] = [("stats",), ("search", "cat"), ("rebuild",)]
    for number, command in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(command=command):
            write_settings(place, 'data_root = "data"\n[embedder]\nprovider = "litellm"\n')
            (place / "data").mkdir()

            done = run("agent", "memory", *command, cwd=place)

            assert (done.returncode, done.stdout) == (1, "")
            assert done.stderr.startswith("error: embedder.model is empty")


def test_a_data_root_that_is_no_folder_is_named_in_a_sentence(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, ...]] = [("stats",), ("search", "cat"), ("why",), ("rebuild",)]
    for number, command in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(command=command):
            (place / "data").write_text("")

            done = run("agent", "memory", *command, "--data", "data", cwd=place)

            assert (done.returncode, done.stdout) == (1, "")
            assert done.stderr.startswith(f"error: data root {place / 'data'}")
            assert done.stderr.count("\n") == 1


def test_a_rebuild_makes_the_same_index_again(tmp_path: Path) -> None:
    write_settings(tmp_path, 'data_root = "data"\n[embedder]\nprovider = "local"\n')
    (tmp_path / "data").mkdir()
    rig = MemoryRig(tmp_path / "data", brain=Brain(SPACE, 384))
    rig.exchange("My cat is called Zorro", "Noted.")
    rig.stop()

    done = run("agent", "memory", "rebuild", "--json", cwd=tmp_path)

    assert (json.loads(done.stdout)["rows"], json.loads(done.stdout)["pending"]) == (2, 0)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_rebuild_beside_an_agent_that_does_not_answer_is_refused(home: Path) -> None:
    root = DataRoot(home / "data")
    lock = (home / "data" / "agent.lock").exists()
    root.hold()
    try:
        done = run("agent", "memory", "rebuild", cwd=home)
    finally:
        root.release()
        if not lock:
            (home / "data" / "agent.lock").unlink()
            (home / "data" / "work").rmdir()

    assert done.returncode == 1
    assert "no agent is running" in done.stderr or "cannot be asked" in done.stderr


@pytest.mark.parametrize("options", [(), ("--no-memory",)])
def test_a_single_turn_only_reads_what_is_remembered(home: Path, options: tuple[str, ...]) -> None:
    done = run("agent-cli", *options, "What is my cat called?", cwd=home)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
