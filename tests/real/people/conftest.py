"""The whole agent at the loopback Discord, with a model that tells what it was wait_for_request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.loopback_model.server import Answer, LoopbackModel
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.discord.conftest import life as life
from tests.actors.discord.conftest import playground as playground
from tests.actors.discord.conftest import start_life as start_life
from tests.e2e.stage import Stage
from tests.running_playground import server as server

Ask = Callable[..., str]


class People:
    """People in a channel, the agent, and the newest request that its model got."""

    def __init__(self, server: PlaygroundServer, model: LoopbackModel, data: Path) -> None:
        self.server = server
        self.model = model
        self.data = data
        self._stage: Stage | None = None
        self.channel = GENERAL_ID

    def start(self, **given: Any) -> None:
        """Start a life of the agent."""
        more: dict[str, Any] = {"model.name": "openai/loopback", "model.api_base": self.model.api_base}
        self._stage = Stage(self.server, self.data, {"OPENAI_API_KEY": "no key"}, **more, **given)

    def stop(self) -> None:
        """End the life."""
        if self._stage is not None:
            self._stage.stop()
            self._stage = None
            self.server.wait_until_online(online=False)

    def ask(self, text: str = "", channel: int = GENERAL_ID, **said: Any) -> str:
        """Say something; all that the model is wait_for_request before the answer comes."""
        message_id = self.server.say(channel, text, **said)
        return self.wait_for_request(message_id, channel)

    def wait_for_request(self, message_id: int, channel: int = GENERAL_ID) -> str:
        """All that the model was wait_for_request before the first answer after a message, but for memories."""
        self.server.wait_for_reply(channel, after=message_id)
        messages = self.model.requests()[-1].body["messages"][1:]
        lines = "\n".join(str(message["content"]) for message in messages).splitlines()
        return "\n".join(line for line in lines if not line.startswith(("INJECTED_CONTEXT", "{", "[{")))


@pytest.fixture
def people(server: PlaygroundServer, tmp_path: Path) -> Iterator[People]:
    """People, before the agent's first life."""
    with LoopbackModel(lambda _request: Answer("Noted.")) as model:
        made = People(server, model, tmp_path / "data")
        yield made
        made.stop()
