"""Routes as litellm tells them, in a process of its own."""

from __future__ import annotations

import asyncio
import logging

import pytest

from actors.model import kept_routes, routes
from actors.model.config import ModelConfig
from actors.model.question import question_for
from actors.model.route import cost_usd
from actors.model.routes import NoAnswerError, Way, Ways
from tests.actors.model.warm_litellm import WarmLitellm

KEYS = {"OPENAI_API_KEY": "sk-1", "XAI_API_KEY": "xai-1", "ANTHROPIC_API_KEY": "sk-ant-1"}


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """litellm itself is asked."""
    monkeypatch.delenv(kept_routes.FOLDER)


@pytest.fixture
def warm(warm_process: WarmLitellm, monkeypatch: pytest.MonkeyPatch) -> None:
    """litellm answers without being imported anew."""
    monkeypatch.setattr(routes, "_said", warm_process.said)


def way_to(model: str, api_base: str = "", keys: dict[str, str] | None = None) -> Way | None:
    ways = Ways(ModelConfig(name=model, api_base=api_base, api_keys=KEYS if keys is None else keys))
    return asyncio.run(ways.to(model))


def test_a_provider_is_reached_at_its_own_address_with_its_key() -> None:
    way = way_to("openai/gpt-4o")

    assert way is not None
    assert way.route.address == "https://api.openai.com/v1/chat/completions"
    assert way.headers["authorization"] == "Bearer sk-1"
    assert (way.route.model, way.route.sees_images) == ("gpt-4o", True)
    assert way.route.fields == {"stream": True, "stream_options": {"include_usage": True}}
    assert cost_usd(way.route.tiers, 1_000_000, 0) > 0.1


@pytest.mark.usefixtures("warm")
def test_a_server_of_ones_own_is_reached_where_it_is() -> None:
    way = way_to("hosted_vllm/x", "http://127.0.0.1:8000/v1", {})

    assert way is not None
    assert way.route.address == "http://127.0.0.1:8000/v1/chat/completions"
    assert way.headers["authorization"] == "Bearer none"
    assert way.route.tiers == ()


@pytest.mark.usefixtures("warm")
def test_another_provider_than_that_of_ones_own_server_is_reached_where_it_is() -> None:
    ways = Ways(ModelConfig(name="hosted_vllm/x", api_base="http://127.0.0.1:8000/v1", api_keys=KEYS))

    way = asyncio.run(ways.to("xai/grok-3"))

    assert way is not None
    assert way.route.address == "https://api.x.ai/v1/chat/completions"
    assert way.headers["authorization"] == "Bearer xai-1"


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-4-20250514", "nobody-knows-this", "gemini/gemini-2.5-pro"])
def test_what_is_not_openais_is_left_to_litellm(model: str) -> None:
    assert way_to(model) is None


@pytest.mark.usefixtures("warm")
def test_an_empty_key_is_litellms_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XAI_API_KEY", "")

    assert way_to("xai/grok-3", keys={}) is None


@pytest.mark.usefixtures("warm")
def test_whoever_has_litellm_trust_others_has_it_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_VERIFY", "False")

    assert way_to("openai/gpt-4o") is None
    assert way_to("hosted_vllm/x", "http://127.0.0.1:8000/v1", {}) is not None


@pytest.mark.usefixtures("warm")
def test_a_way_goes_through_the_proxy_that_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    through, past = way_to("openai/gpt-4o"), way_to("hosted_vllm/x", "http://127.0.0.1:8000/v1", {})

    assert through is not None
    assert past is not None
    assert (through.proxy, past.proxy) == ("http://proxy.example:3128", None)


@pytest.mark.parametrize("program", ["import sys; sys.exit(3)", "print('nonsense')", "import time; time.sleep(60)"])
def test_no_answer_says_so(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "_START", program)
    monkeypatch.setattr(routes, "CHILD_S", 3.0)
    question = question_for("openai/unheard-of", "", [], {})

    with pytest.raises(NoAnswerError, match="litellm cannot be asked beside this process about openai/unheard-of"):
        asyncio.run(routes._resolve(question))


def test_who_gave_no_answer_is_asked_again_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ways = Ways(ModelConfig(name="openai/heard-of-late"))
    monkeypatch.setattr(routes, "AGAIN_S", 0.3)

    async def ask() -> list[bool]:
        there = []
        with monkeypatch.context() as patch:
            patch.setattr(routes, "_START", "raise SystemExit(3)")
            there.append(await ways.to("openai/heard-of-late") is not None)
        there.append(await ways.to("openai/heard-of-late") is not None)
        await asyncio.sleep(0.4)
        there.append(await ways.to("openai/heard-of-late") is not None)
        return there

    with caplog.at_level(logging.WARNING):
        assert asyncio.run(ask()) == [False, False, True]

    assert "it makes the calls of openai/heard-of-late itself for 0.005 minutes" in caplog.text
