"""What turns of the whole agent ask of Discord, by its own list of calls."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import Stage
from tests.patience import PATIENCE_S, eventually


def reacting_after(seconds: float) -> dict[str, Any]:
    return {"discord.reaction_after_s": seconds}


@pytest.fixture
def lasting(server: PlaygroundServer, tmp_path: Path) -> Iterator[Stage]:
    """The agent with reactions after half a second."""
    made = Stage(server, tmp_path / "data", **reacting_after(0.5))
    yield made
    made.stop()


def calls(server: PlaygroundServer) -> Counter[str]:
    """Kind of call -> how many of them; reading is none."""
    paths = ((record.method, unquote(record.path)) for record in server.requests(path_part="/channels/"))
    return Counter(f"{method} {re.sub('[0-9]{5,}', 'N', path)}" for method, path in paths if method != "GET")


@pytest.mark.req("X-160", "X-161", "X-162")
def test_a_turn_that_is_answered_soon_is_a_sign_of_typing_and_a_post(server: PlaygroundServer, tmp_path: Path) -> None:
    """Not even the sign where the answer is there before that call goes out, as on a busy machine."""
    stage = Stage(server, tmp_path / "data", **reacting_after(600.0))
    try:
        for number in range(3):
            stage.ask(f"hello {number}")
    finally:
        stage.stop()
    made = calls(server)
    assert made.pop("POST /channels/N/typing", 0) <= 3
    assert made == {"POST /channels/N/messages": 3}


@pytest.mark.req("X-160")
def test_a_turn_that_lasts_shows_so_once_and_then_that_it_was_answered(lasting: Stage) -> None:
    server = lasting.server
    said = server.say(GENERAL_ID, "run: sleep 2; echo done")
    server.wait_for_reply(
        GENERAL_ID, after=said, timeout_s=PATIENCE_S, until=lambda reply: "\ndone" in reply["content"]
    )

    def shown() -> list[str]:
        (message,) = (each for each in server.messages(GENERAL_ID) if each["id"] == str(said))
        return [reaction["emoji"]["name"] for reaction in message.get("reactions") or []]

    eventually(lambda: shown() == ["✅"])
    reactions = {call: count for call, count in calls(server).items() if "/reactions/" in call}
    at = "/channels/N/messages/N/reactions/{}/@me"
    assert reactions == {f"PUT {at.format('👀')}": 1, f"PUT {at.format('✅')}": 1, f"DELETE {at.format('👀')}": 1}
