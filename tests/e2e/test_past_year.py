"""A year of made-up past: imported by the bot, and quoted in a new thread."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from actors.cli.asking import OPERATOR
from actors.socket.client import ask_operator
from domain.log.parser import parse
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.cli.command import run
from tests.e2e.stage import Stage
from tests.patience import PATIENCE_S, eventually

QUESTION = "The rhubarb cake: how many minutes?"
ANSWER = "> Rhubarb cake, for whoever asks again: 300 g of rhubarb, three eggs, cardamom, 40 minutes at 180 degrees."


def message_ids(data: Path) -> Counter[str]:
    """Ids of people's messages in all imported logs."""
    ids = Counter[str]()
    for path in (data / "logs").rglob("imported-*.md"):
        ids.update(str(each.event.meta_dict()["message_id"]) for each in parse(path.read_bytes()).events)
    return ids


@pytest.mark.req("X-272")
@pytest.mark.slow
def test_the_bot_quotes_a_message_of_last_spring_and_a_second_start_takes_no_message_twice(tmp_path: Path) -> None:
    command = ("try", "--past-year", "--data", str(tmp_path / "data"), "--say", QUESTION)

    first, second = (run("agent", *command, cwd=tmp_path) for _ in range(2))

    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert ANSWER in first.stdout
    ids = message_ids(tmp_path / "data")
    assert len(ids) > 365
    assert set(ids.values()) == {1}
    assert f"imported: {len(ids):,} messages of the past year" in first.stderr + second.stderr


@pytest.mark.req("X-272")
@pytest.mark.slow
def test_a_new_thread_is_answered_with_what_was_said_before_the_bot_was_there(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    planted = server.plant_year()
    stage = Stage(server, tmp_path / "data")
    ask_operator(stage.data, "import.discord", PATIENCE_S, window=OPERATOR)

    def status() -> dict[str, Any]:
        return ask_operator(stage.data, "import.status", PATIENCE_S, window=OPERATOR)

    eventually(lambda: status()["state"] == "done")
    assert status()["kept"] == planted
    thread = server.create_thread(GENERAL_ID, "Baking")
    said = server.say(thread, QUESTION)

    reply = server.wait_for_reply(thread, after=said, timeout_s=PATIENCE_S)

    assert ANSWER in reply["content"]
    stage.stop()
