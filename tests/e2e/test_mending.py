"""A conversation goes on although its model's server refuses its history, and people are told of it."""

from __future__ import annotations

import json
from pathlib import Path

from lab.loopback_model.server import Answer, Behaviour, LoopbackModel, Received, Refusal
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.model.test_picture import PNG
from tests.e2e.stage import Stage, bot_texts, eventually


def blind(received: Received) -> Behaviour:
    has_picture = "image_url" in json.dumps(received.body)
    return Refusal(400, "Could not process image") if has_picture else Answer("fine")


def small(received: Received) -> Behaviour:
    is_long = len(json.dumps(received.body["messages"])) > 22_000
    return Refusal(400, "no, thank you") if is_long else Answer("fine")


def test_a_picture_that_is_refused_is_left_out_from_then_on(server: PlaygroundServer, tmp_path: Path) -> None:
    """anthropics/claude-code#25592: each message after such a picture failed."""
    with LoopbackModel(blind) as model:
        stage = Stage(server, tmp_path / "data", model={"name": "hosted_vllm/test", "api_base": model.api_base})
        try:
            server.say(GENERAL_ID, "look", attachments=[("photo.png", PNG)])
            eventually(lambda: "fine" in bot_texts(server))
            eventually(lambda: any("1 picture" in text and "/new" in text for text in bot_texts(server)))
            assert model.request_count == 2
            server.say(GENERAL_ID, "and now?")
            eventually(lambda: bot_texts(server).count("fine") == 2)
            assert model.request_count == 3
        finally:
            stage.stop()


def test_a_conversation_goes_on_when_its_server_takes_no_more(server: PlaygroundServer, tmp_path: Path) -> None:
    """The server's words are not known."""
    with LoopbackModel(small) as model:
        stage = Stage(server, tmp_path / "data", model={"name": "hosted_vllm/test", "api_base": model.api_base})
        try:
            for number in range(14):
                server.say(GENERAL_ID, f"{number} " + "word " * 350)
                eventually(lambda number=number: bot_texts(server).count("fine") == number + 1)
            assert any("oldest message" in text and "/new" in text for text in bot_texts(server))
            assert model.request_count <= 15
        finally:
            stage.stop()
