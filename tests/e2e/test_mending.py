"""A conversation goes on although its model's server refuses its history, and people are told of it."""

from __future__ import annotations

import itertools
import json
from functools import partial
from pathlib import Path

import pytest

from lab.loopback_model.server import Answer, Behaviour, LoopbackModel, Received, Refusal
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID, ELSEWHERE_ID, GENERAL_ID
from tests.actors.model.test_picture import PNG
from tests.e2e.stage import Stage, bot_texts
from tests.patience import eventually


def blind(received: Received) -> Behaviour:
    has_picture = "image_url" in json.dumps(received.body)
    return Refusal(400, "Could not process image") if has_picture else Answer("fine")


def small(received: Received) -> Behaviour:
    is_long = len(json.dumps(received.body["messages"])) > 22_000
    return Refusal(400, "no, thank you") if is_long else Answer("fine")


def has_answered(server: PlaygroundServer, times: int) -> bool:
    return bot_texts(server).count("fine") == times


def test_a_picture_that_is_refused_is_left_out_from_then_on(server: PlaygroundServer, tmp_path: Path) -> None:
    """anthropics/claude-code#25592: each message after such a picture failed."""
    with LoopbackModel(blind) as model:
        stage = Stage(
            server,
            tmp_path / "data",
            {"OPENAI_API_KEY": "no key"},
            model={"name": "openai/gpt-4o", "api_base": model.api_base},
        )
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


@pytest.mark.req("X-205")
def test_a_conversation_goes_on_when_its_server_takes_no_more(server: PlaygroundServer, tmp_path: Path) -> None:
    """The server's words are not known."""
    with LoopbackModel(small) as model:
        stage = Stage(
            server,
            tmp_path / "data",
            {"OPENAI_API_KEY": "no key"},
            model={"name": "openai/gpt-4o", "api_base": model.api_base},
        )
        try:
            for number in range(14):
                server.say(GENERAL_ID, f"{number} " + "word " * 350)
                eventually(partial(has_answered, server, number + 1))
            assert any("oldest message" in text and "/new" in text for text in bot_texts(server))
            assert model.request_count <= 15
        finally:
            stage.stop()


def alternating(received: Received) -> Behaviour:
    roles = [message["role"] for message in received.body["messages"]]
    if any(first == second for first, second in itertools.pairwise(roles)):
        return Refusal(400, "Conversation roles must alternate user/assistant/user/assistant/...")
    return Answer("fine")


def test_overheard_messages_do_not_end_a_conversation_whose_template_wants_roles_to_alternate(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    """microsoft/autogen#3597, vllm-project/vllm#6862: two messages of users in a row are refused."""
    with LoopbackModel(alternating) as model:
        settings = {"name": "hosted_vllm/test", "api_base": model.api_base}
        stage = Stage(server, tmp_path / "data", model=settings, discord={"answer": "mentions"})
        try:
            for number in range(3):
                server.say(GENERAL_ID, f"overheard {number}")
            server.say(GENERAL_ID, f"<@{BOT_ID}> and now?")
            eventually(lambda: bot_texts(server).count("fine") == 1)
            assert model.request_count == 2
            server.say(GENERAL_ID, "overheard again")
            server.say(GENERAL_ID, f"<@{BOT_ID}> and then?")
            eventually(lambda: bot_texts(server).count("fine") == 2)
            assert model.request_count == 3
            assert all(f"overheard {number}" in json.dumps(model.requests()[2].body) for number in range(3))
        finally:
            stage.stop()


def test_a_server_that_refuses_everything_is_asked_twice_and_the_notice_names_the_way_out(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    with LoopbackModel(lambda _received: Refusal(400, "no")) as model:
        settings = {"name": "hosted_vllm/test", "api_base": model.api_base}
        stage = Stage(server, tmp_path / "data", model=settings)
        try:
            first = stage.ask("hello")
            second = stage.ask("again")
            assert "refused the request (400)" in first
            assert "/new" in second
            assert model.request_count <= 4
        finally:
            stage.stop()


def textual(received: Received) -> Behaviour:
    has_picture = "image_url" in json.dumps(received.body)
    return Refusal(400, "this model does not support image input") if has_picture else Answer("fine")


def test_the_next_channel_does_not_pay_for_a_model_without_vision_and_is_told(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    """ollama/ollama#17301: each picture is refused."""
    with LoopbackModel(textual) as model:
        settings = {"name": "openai/gpt-4o", "api_base": model.api_base}
        secrets = {"OPENAI_API_KEY": "no key"}
        stage = Stage(server, tmp_path / "data", secrets, channels=(GENERAL_ID, ELSEWHERE_ID), model=settings)
        try:
            for channel in (GENERAL_ID, ELSEWHERE_ID):
                server.say(channel, "look", attachments=[("photo.png", PNG)])
                eventually(partial(lambda where: "fine" in bot_texts(server, where), channel))
                assert "1 picture. /new" in bot_texts(server, channel)[0]
            assert model.request_count == 3
        finally:
            stage.stop()


def crashing(received: Received) -> Behaviour:
    has_picture = "image_url" in json.dumps(received.body)
    return Refusal(500, "Internal Server Error") if has_picture else Answer("fine")


def test_a_server_that_crashes_at_a_picture_is_asked_without_it(server: PlaygroundServer, tmp_path: Path) -> None:
    """Azure/azureml-examples#3619: nothing names the picture."""
    with LoopbackModel(crashing) as model:
        settings = {"name": "openai/gpt-4o", "api_base": model.api_base, "retries": 0}
        stage = Stage(server, tmp_path / "data", {"OPENAI_API_KEY": "no key"}, model=settings)
        try:
            server.say(GENERAL_ID, "look", attachments=[("photo.png", PNG)])
            eventually(partial(has_answered, server, 1))
            server.say(GENERAL_ID, "and now?")
            eventually(partial(has_answered, server, 2))
            assert model.request_count == 3
        finally:
            stage.stop()


def counting(received: Received) -> Behaviour:
    """A tokenizer that takes a token for three bytes."""
    tokens = 700 + sum(len(str(message["content"]).encode()) for message in received.body["messages"]) // 3
    words = f"This model's maximum context length is 4000 tokens. However, your messages resulted in {tokens} tokens."
    return Refusal(400, words) if tokens > 4000 else Answer("fine")


def test_a_conversation_in_another_script_goes_on(server: PlaygroundServer, tmp_path: Path) -> None:
    """goclaw#958: stuck on the length, which was counted by four characters a token."""
    with LoopbackModel(counting) as model:
        stage = Stage(server, tmp_path / "data", model={"name": "hosted_vllm/test", "api_base": model.api_base})
        try:
            for number in range(12):
                server.say(GENERAL_ID, f"{number} " + "слово и дело " * 40)
                eventually(partial(has_answered, server, number + 1))
            assert model.request_count <= 14
            assert any("oldest messages" in text for text in bot_texts(server))
        finally:
            stage.stop()
