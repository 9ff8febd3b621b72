"""Messages from before the agent was there are imported once, found, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.socket.client import ask_operator
from domain.log.parser import parse
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import Stage
from tests.patience import eventually

WORDS = "The boiler's serial number is QX-7719"


@pytest.fixture
def stage(server: PlaygroundServer, tmp_path: Path) -> Iterator[Stage]:
    """An agent that comes to a server in which much was said."""
    for number in range(250):
        server.say(GENERAL_ID, WORDS if number == 20 else f"idle talk number {number}")
    made = Stage(server, tmp_path / "data")
    yield made
    made.stop()


def past_words(data: Path) -> list[str]:
    """Words of the past, log by log."""
    logs = sorted((data / "logs").glob("*/*/imported-*.md"))
    return [logged.event.content for path in logs for logged in parse(path.read_bytes()).events]


def import_all(data: Path) -> dict[str, object]:
    """Import everything; what the importer says at the end."""
    ask_operator(data, "import.discord", window="cli/operator")

    def is_done() -> bool:
        return bool(ask_operator(data, "import.status", window="cli/operator")["state"] == "done")

    eventually(is_done)
    return ask_operator(data, "import.status", window="cli/operator")


@pytest.mark.req("X-254")
def test_the_past_of_a_channel_is_imported_once_and_found(stage: Stage) -> None:
    told = import_all(stage.data)
    assert told["kept"] == 250
    words = past_words(stage.data)
    assert len(words) == len(set(words)) == 250
    found = ask_operator(stage.data, "memory.search", window="cli/operator", query="serial number of the boiler")
    (memory,) = [each for each in found["memories"] if WORDS in each["excerpt"]]
    assert "/imported-" in memory["path"]
    again = import_all(stage.data)
    assert (again["kept"], len(past_words(stage.data))) == (250, 250)
    assert stage.ask("run: grep -rho 'serial number is QX-7719' .log/").count("QX-7719") >= 1
