"""`agent objects`, with nobody running and beside a running agent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lab.loopback_model.server import Answer, Call, LoopbackModel
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.cli.command import run
from tests.actors.objects.rig import ObjectsRig
from tests.e2e.stage import Stage
from tests.trusted import write_settings

WINDOW = ("--window", "discord-thread/910000000000000021")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with settings that switch the layer on, and a window that has worked with two versions of a file."""
    write_settings(tmp_path, 'data_root = "data"\n[layers]\nobjects = true\n')
    (tmp_path / "data").mkdir(mode=0o700)
    rig = ObjectsRig(tmp_path / "data", has_store=True)
    rig.clock.jump(timedelta(hours=-1))
    rig.turn()
    for text in ("<one>\n", "<two>\n"):
        rig.write("a.txt", text)
        rig.cat("a.txt")
        rig.word()
    rig.stop()
    return tmp_path


def test_while_the_layer_is_off_it_says_how_it_is_switched_on(tmp_path: Path) -> None:
    done = run("agent", "objects", "list", *WINDOW, cwd=tmp_path)
    assert done.returncode == 1
    assert "[layers] objects = true" in done.stderr


def test_lists_and_histories_are_told_without_an_agent(home: Path) -> None:
    listed = run("agent", "objects", "list", *WINDOW, cwd=home)
    assert listed.returncode == 0, listed.stderr
    assert [line.split()[:2] for line in listed.stdout.splitlines()] == [
        ["chat", "locked"],
        ["system", "locked"],
        ["f1", "active"],
        ["t1", "active"],
        ["t2", "active"],
    ]
    history = run("agent", "objects", "history", "f1", *WINDOW, cwd=home).stdout.splitlines()
    assert [line.split()[0] for line in history] == ["1", "2"]
    as_json = json.loads(run("agent", "objects", "history", "f1", "--json", *WINDOW, cwd=home).stdout)
    assert [each["version"]["status"] for each in as_json["versions"]] == ["text", "text"]
    files = json.loads(run("agent", "objects", "list", "--kind", "files", "--json", *WINDOW, cwd=home).stdout)
    assert [each["id"] for each in files["objects"]] == ["f1"]


def test_what_was_replaced_is_thrown_away(home: Path) -> None:
    kept = run("agent", "objects", "gc", cwd=home)
    assert kept.stdout.startswith("0 texts thrown away")
    gone = run("agent", "objects", "gc", "--keep-days", "0", "--json", cwd=home)
    assert json.loads(gone.stdout)["texts"] == 1
    history = run("agent", "objects", "history", "f1", *WINDOW, cwd=home).stdout.splitlines()
    assert "text not kept" in history[0]
    assert "text not kept" not in history[1]


def test_what_cannot_be_told_is_refused(subtests: pytest.Subtests, home: Path) -> None:
    cases: list[tuple[tuple[str, ...], str]] = [
        (("list", "--window", "nowhere"), "<surface>/<id> is required"),
        (("history", "f9", *WINDOW), "f9: there is no such object"),
        (("history", "x", *WINDOW), "a file's name is needed"),
        (("list", "--window", "discord-thread/1", "--data", "/nowhere"), "there is no data root at /nowhere"),
    ]
    for arguments, said in cases:
        with subtests.test(arguments=arguments, said=said):
            done = run("agent", "objects", *arguments, cwd=home)
            assert done.returncode in (1, 2)
            assert said in done.stderr


@pytest.fixture
def stage(server: PlaygroundServer, tmp_path: Path) -> Iterator[Stage]:
    with LoopbackModel() as model:
        calls = (Call("bash", json.dumps({"command": "printf '<a>' > a.txt; cat a.txt"})),)
        model.script(Answer(calls=calls), Answer("Done."))
        given: dict[str, Any] = {
            "layers.objects": True,
            "model.name": "openai/loopback",
            "model.api_base": model.api_base,
        }
        made = Stage(server, tmp_path / "data", {"OPENAI_API_KEY": "no key"}, **given)
        made.ask("Go on", GENERAL_ID)
        yield made
        made.stop()


def test_a_running_agent_answers_itself(stage: Stage, tmp_path: Path) -> None:
    write_settings(tmp_path, 'data_root = "data"\n[layers]\nobjects = true\n')
    window = ("--window", f"discord-channel/{GENERAL_ID}")
    listed = run("agent", "objects", "list", *window, cwd=tmp_path)
    assert listed.returncode == 0, listed.stderr
    assert "a.txt, version 1" in listed.stdout
    assert run("agent", "objects", "gc", cwd=tmp_path).stdout.startswith("0 texts thrown away")
