"""A window without memory, through the whole agent: byte searches of the data root find no planted word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from actors.socket.client import ask_operator
from domain.turn.debt import LOST
from lab.loopback_model.server import LoopbackModel, Stall
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.cli.command import run
from tests.actors.importer.test_export_file import export, message, write
from tests.e2e.stage import Process, Stage, bot_texts
from tests.patience import PATIENCE_S, eventually

WORDS = ("aardvark", "bumblebee", "caterpillar", "dromedary", "elephant")
PNG = b"\x89PNG\r\n\x1a\n" + b"aardvark" * 20


def find_planted(root: Path) -> list[str]:
    """Files below a data root with a planted word in their bytes, or in their names."""
    found = []
    for file in root.rglob("*"):
        data = file.read_bytes() if file.is_file() and not file.is_symlink() else b""
        if any(word.encode() in data or word in file.name for word in WORDS):
            found.append(str(file.relative_to(root)))
    return found


def slash(server: PlaygroundServer, command: str, channel: int = GENERAL_ID, **options: Any) -> str:
    """The answer to a command, which the caller alone sees."""
    answer = server.wait_for_answer(server.slash(channel, command, options).id)
    assert answer is not None
    return str(answer["content"])


def switch(server: PlaygroundServer, command: str, channel: int = GENERAL_ID) -> str:
    """The answer to a switch of memory, once its line stands in the channel."""
    before = len(lines(server, channel))
    answer = slash(server, command, channel)
    eventually(lambda: len(lines(server, channel)) > before)
    return answer


def lines(server: PlaygroundServer, channel: int = GENERAL_ID) -> list[str]:
    """Lines in a channel that tell of switches."""
    return [text for text in bot_texts(server, channel) if text.startswith("-# Memory is")]


@pytest.mark.req("X-251")
def test_nothing_said_while_memory_is_off_is_in_any_file_or_is_brought_up(stage: Stage) -> None:
    server = stage.server
    stage.ask("My bicycle is locked with the number 4711")
    assert "Memory is off here" in switch(server, "memory off")
    assert "Memory is off here: no message is kept." in slash(server, "status")
    said = server.say(
        GENERAL_ID,
        "my aardvark is called bumblebee",
        attachments=[("caterpillar.txt", b"a dromedary"), ("elephant.png", PNG)],
    )
    answer = str(server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)["content"])
    assert "caterpillar.txt" in answer
    assert "4711" not in stage.ask("Which number is my bicycle, the aardvark, locked with?")
    stage.ask("run: echo dromedary > elephant.txt")
    assert "Memory is off" in slash(server, "remember", what="the aardvark")
    assert find_planted(stage.data) == []
    assert "Memory is on again" in switch(server, "memory on")
    assert "4711" in stage.ask("Which number is my bicycle locked with?")
    assert "bumblebee" not in stage.ask("What do you know of my pets?")
    stage.stop()
    assert find_planted(stage.data) == []


@pytest.mark.req("X-251")
def test_memory_stays_off_over_a_restart_and_holds_in_threads(server: PlaygroundServer, tmp_path: Path) -> None:
    stage = Stage(server, tmp_path / "data")
    switch(server, "memory off")
    assert slash(server, "memory off") == "Memory is off here already."
    stage.stop()
    again = Stage(server, tmp_path / "data")
    again.ask("my aardvark")
    thread = server.create_thread(GENERAL_ID, "pets")
    again.ask("my bumblebee", thread)
    quoted = server.say(GENERAL_ID, "the elephant")
    server.wait_for_reply(GENERAL_ID, after=quoted, timeout_s=PATIENCE_S)
    switch(server, "memory on", thread)
    again.ask("a giraffe", thread)
    switch(server, "memory on")
    reply = server.say(GENERAL_ID, "what of this?", reply_to=quoted)
    server.wait_for_reply(GENERAL_ID, after=reply, timeout_s=PATIENCE_S)
    server.edit(GENERAL_ID, quoted, "my dromedary")
    again.ask("and a zebra")
    again.stop()
    assert find_planted(tmp_path / "data") == []
    assert any(b"giraffe" in file.read_bytes() for file in (tmp_path / "data" / "logs").rglob("*.md"))


@pytest.mark.req("X-251")
def test_no_layer_hears_of_what_is_said_while_memory_is_off(server: PlaygroundServer, tmp_path: Path) -> None:
    layers: dict[str, Any] = {f"layers.{name}": True for name in ("workspace", "objects", "curated")}
    layers["curated.global_folder"] = str(tmp_path / "data" / "kept")
    stage = Stage(server, tmp_path / "data", **layers)
    switch(server, "memory pause")
    stage.ask("my aardvark is called bumblebee")
    stage.ask("run: echo dromedary > elephant.txt")
    assert "Memory is off" in slash(server, "memory remember", scope="global", text="the caterpillar")
    stage.stop()
    assert find_planted(tmp_path / "data") == []


@pytest.mark.req("X-251")
def test_a_channels_table_switches_memory_off_and_people_may_switch_it_on(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    table: dict[str, Any] = {f"channels.{GENERAL_ID}": {"memory": "off"}}
    stage = Stage(server, tmp_path / "data", **table)
    stage.ask("my aardvark")
    assert "Memory is off here" in slash(server, "status")
    switched = ask_operator(stage.data, "memory.switch", window=f"discord-channel/{GENERAL_ID}", is_off=False)
    assert switched["is_new"]
    eventually(lambda: len(lines(server)) == 1)
    stage.ask("a giraffe")
    stage.stop()
    assert find_planted(stage.data) == []
    assert any(b"giraffe" in file.read_bytes() for file in (stage.data / "logs").rglob("*.md"))


@pytest.mark.req("X-251")
def test_a_kill_in_the_middle_of_a_turn_leaves_no_word_and_a_notice_once(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    with LoopbackModel(lambda _request: Stall()) as model:
        process = Process(server, tmp_path / "data", model="hosted_vllm/test", api_base=model.api_base)
        try:
            process.start()
            switched = {"window": f"discord-channel/{GENERAL_ID}", "is_off": True}
            assert ask_operator(tmp_path / "data", "memory.switch", **switched)["is_new"]
            server.say(GENERAL_ID, "my aardvark is called bumblebee")
            eventually(lambda: bool(model.requests()))
            process.kill()
            assert find_planted(tmp_path / "data") == []
            process.start()
            eventually(lambda: LOST in bot_texts(server))
            process.kill()
            process.start()
        finally:
            process.terminate()
    assert bot_texts(server).count(LOST) == 1
    assert find_planted(tmp_path / "data") == []


@pytest.mark.req("X-251")
def test_what_is_said_while_memory_is_off_and_the_agent_away_is_answered_and_neither_kept_nor_imported(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    stage = Stage(server, data)
    switched = run("agent", "memory", "off", f"discord-channel/{GENERAL_ID}", "--data", str(data), cwd=tmp_path)
    assert "Memory is off here" in switched.stdout, switched.stderr
    eventually(lambda: len(lines(server)) == 1)
    stage.stop()
    said = server.say(GENERAL_ID, "my aardvark is called bumblebee")
    again = Stage(server, data)
    server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)
    switch(server, "memory on")
    ask_operator(data, "import.discord", window="cli/operator")
    eventually(lambda: ask_operator(data, "import.status", window="cli/operator")["state"] == "done")
    again.stop()
    assert find_planted(data) == []
    third = Stage(server, data)
    assert "4711" in third.ask("run: echo 4711")
    third.stop()
    assert find_planted(data) == []
    answers = [text for text in bot_texts(server) if "aardvark" in text]
    assert len(answers) <= 1


@pytest.mark.req("X-251")
def test_an_import_leaves_out_what_was_said_where_memory_is_off(server: PlaygroundServer, tmp_path: Path) -> None:
    for word in WORDS:
        server.say(GENERAL_ID, f"the {word} of long ago")
    table: dict[str, Any] = {f"channels.{GENERAL_ID}": {"memory": "off"}}
    stage = Stage(server, tmp_path / "data", **table)
    ask_operator(stage.data, "import.discord", window="cli/operator")
    eventually(lambda: ask_operator(stage.data, "import.status", window="cli/operator")["state"] == "done")
    channel = {"id": str(GENERAL_ID), "type": "GuildTextChat"}
    file = write(
        tmp_path / "general.json", export(*(message(at, word) for at, word in enumerate(WORDS)), channel=channel)
    )
    told = ask_operator(stage.data, "import.export", window="cli/operator", files=[str(file)])
    assert (told["messages"], told["kept"]) == (len(WORDS), 0)
    stage.stop()
    assert find_planted(stage.data) == []
