"""Routes as litellm's listing and the configuration tell them."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from actors.model import kept_routes
from actors.model.config import ModelConfig
from actors.model.litellm_child import SPEAKERS, listing_of
from actors.model.provider import load
from actors.model.route import Route, cost_usd
from actors.model.routes import Routes
from tests.patience import PATIENCE_S

KEYS = {"OPENAI_API_KEY": "sk-1", "XAI_API_KEY": "xai-1", "ANTHROPIC_API_KEY": "sk-ant-1"}
OWN = "http://127.0.0.1:8000/v1"


@pytest.fixture
def library(litellm: None) -> Any:
    return load("openai/test").result(PATIENCE_S)


def route_to(model: str, api_base: str = "", keys: dict[str, str] | None = None, api: str = "") -> Route | None:
    config = ModelConfig(name=model, api_base=api_base, api_keys=KEYS if keys is None else keys, api=api)
    return asyncio.run(Routes(config).find(model))


@pytest.mark.req("X-151")
def test_litellm_is_asked_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch, library: Any) -> None:
    monkeypatch.delenv(kept_routes.FOLDER)
    route = route_to("openai/gpt-4o")

    assert route is not None
    assert route.address == "https://api.openai.com/v1/chat/completions"
    assert route.headers["authorization"] == "Bearer sk-1"
    assert (route.model, route.sees_images) == ("gpt-4o", True)
    assert route.tiers == getattr(listing_of(library, "openai/gpt-4o"), "tiers", None)


@pytest.mark.req("X-151")
def test_the_process_that_is_asked_has_no_key_and_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kept_routes.FOLDER, str(tmp_path / "routes"))
    monkeypatch.setenv("SECRET_API_KEY", "sk-secret")
    program = """
import json, os, socket, sys
sys.path.append(sys.argv[1])
from actors.model.litellm_child import cut_off
names = sorted(os.environ)
listening = socket.create_server(("127.0.0.1", 0))
cut_off()
for reach in (
    lambda: socket.create_connection(listening.getsockname()),
    lambda: socket.socket().connect(listening.getsockname()),
    lambda: socket.getaddrinfo("127.0.0.1", 80),
):
    try:
        reach()
        names.append("network")
    except OSError as error:
        assert str(error) == "this process has no network"
print(json.dumps({"provider": "openai", "name": " ".join(names)}))
"""
    route = asyncio.run(Routes(ModelConfig(name="openai/asks", api_keys=KEYS), program=program).find("openai/asks"))

    assert route is not None
    assert set(route.model.split()) <= {"PATH", "LC_CTYPE"}


def test_a_route_leads_to_ones_own_server_and_otherwise_to_the_provider(litellm: None) -> None:
    own = route_to("hosted_vllm/x", OWN, {})
    assert own is not None
    assert (own.address, own.headers["authorization"]) == (f"{OWN}/chat/completions", "Bearer none")
    assert own.tiers == ()

    other = asyncio.run(Routes(ModelConfig(name="hosted_vllm/x", api_base=OWN, api_keys=KEYS)).find("xai/grok-3"))
    assert other is not None
    assert (other.address, other.headers["authorization"]) == ("https://api.x.ai/v1/chat/completions", "Bearer xai-1")


def test_models_in_another_form_or_without_an_address_are_left_to_litellm(litellm: None) -> None:
    models = ("anthropic/claude-sonnet-4-20250514", "nobody-knows-this", "gemini/gemini-2.5-pro", "openai/o3-mini")
    assert [route_to(model) for model in (*models, "openai/gpt-5-codex", "hosted_vllm/x")] == [None] * 6
    assert route_to("hosted_vllm/x", f"{OWN}?key=1") is None


@pytest.mark.req("X-216")
def test_a_listing_tells_which_models_take_tools_by_responses_only_and_a_name_of_another_provider_has_no_price(
    library: Any,
) -> None:
    cases = {
        "openai/gpt-4o": True,
        "openai/gpt-5": True,
        "openai/gpt-5.4": False,  # litellm: "Function tools with reasoning_effort are not supported"
        "openai/responses/gpt-4o": False,
        "openai/my-own": True,
        "hosted_vllm/responses/x": True,
    }
    said = {model: listing_of(library, model).speaks_openai for model in cases}  # type: ignore[union-attr]
    assert said == cases
    elsewhere = listing_of(library, "hosted_vllm/claude-sonnet-4-6")
    assert elsewhere is not None
    assert (elsewhere.speaks_openai, elsewhere.tiers) == (True, ())


def test_the_setting_says_that_a_server_speaks_openais_form_and_litellm_is_not_asked() -> None:
    config = ModelConfig(name="mine/some/model", api_base=OWN, api_keys={"MINE_API_KEY": "k"}, api="openai")
    route = asyncio.run(Routes(config, program="raise SystemExit(3)").find("mine/some/model"))

    assert route is not None
    assert (route.address, route.model) == (f"{OWN}/chat/completions", "some/model")
    assert route.headers["authorization"] == "Bearer k"


def test_variables_that_change_litellms_requests_leave_them_to_litellm(
    litellm: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value, model in (
        ("XAI_API_KEY", "", "xai/grok-3"),
        ("OPENAI_BASE_URL", "http://elsewhere/v1", "openai/gpt-4o"),
        ("OPENAI_ORGANIZATION", "org", "openai/gpt-4o"),
        ("SSL_VERIFY", "False", "openai/gpt-4o"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert route_to(model, keys={} if model == "xai/grok-3" else None) is None, name
            assert route_to("hosted_vllm/x", OWN) is not None


def test_the_price_of_every_listed_model_is_litellms(library: Any) -> None:
    failures, tried = [], 0
    for model, prices in library.model_cost.items():
        if prices.get("litellm_provider") not in SPEAKERS or prices.get("mode") != "chat":
            continue
        listing = listing_of(library, model)
        if listing is None or not listing.tiers:
            continue
        tried += 1
        for prompt, cached in ((0, 0), (999, 333), (150_000, 50_000), (300_000, 300_000), (1_500_000, 0)):
            counts = {"prompt_tokens": prompt, "completion_tokens": 700, "cache_read_input_tokens": cached}
            theirs = sum(library.cost_per_token(model=model, **counts))
            if theirs != pytest.approx(cost_usd(listing.tiers, prompt, 700, cached), rel=1e-9, abs=1e-15):
                failures.append(f"{model}: {prompt} tokens")
    assert tried > 50
    assert not failures


def test_a_process_that_gives_no_answer_is_asked_again_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(kept_routes.FOLDER, str(tmp_path / "routes"))
    flag = tmp_path / "flag"
    for number, bad in enumerate(("raise SystemExit(3)", "print('nonsense')")):
        model = f"openai/heard-of-late-{number}"
        good = 'print(\'{"provider": "openai", "name": "late"}\')'
        program = f"import os\nif os.path.exists({str(flag)!r}): {good}\nelse: {bad}"
        routes = Routes(ModelConfig(name=model, api_keys=KEYS), program=program, again_s=0.3)
        flag.unlink(missing_ok=True)

        async def ask(routes: Routes = routes, model: str = model) -> list[bool]:
            there = [await routes.find(model) is not None]
            flag.touch()
            there.append(await routes.find(model) is not None)
            await asyncio.sleep(0.4)
            there.append(await routes.find(model) is not None)
            return there

        with caplog.at_level(logging.WARNING):
            assert asyncio.run(ask()) == [False, False, True]
        assert f"litellm cannot be asked beside this process about {model}" in caplog.text
        assert f"it makes the calls of {model} itself for 0.005 minutes" in caplog.text
