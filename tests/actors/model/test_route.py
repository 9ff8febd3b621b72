"""Routes: the form of requests, and prices."""

from __future__ import annotations

import pytest

from actors.model.route import Listing, Tier, base_address, cost_usd, named_route, reads_text_alone, route_to

TIERS = (Tier(0, 2e-6, 1e-5, 2e-7), Tier(200_000, 4e-6, 1.5e-5, 4e-7))
LISTING = Listing(provider="xai", name="m", address="https://api.x.ai/v1", sees_images=True, tiers=TIERS)


def test_a_route_has_the_form_of_litellms_requests_and_shows_no_key() -> None:
    route = route_to(LISTING, "http://127.0.0.1:8000/v1/", "sk-1", "litellm/1")

    assert (route.address, route.model) == ("http://127.0.0.1:8000/v1/chat/completions", "m")
    assert route.headers == {"user-agent": "litellm/1", "authorization": "Bearer sk-1"}
    assert route.fields == {"stream": True, "stream_options": {"include_usage": True}}
    assert route_to(Listing(provider="x", name="m", streams_usage=False), "http://h", "", "").fields == {"stream": True}
    whole = "http://h/v1/chat/completions"
    assert route_to(LISTING, whole, "", "").address == whole
    assert route_to(LISTING, "http://h", "", "", streams=False).fields == {}
    assert "sk-1" not in repr(route)


def test_an_own_server_comes_before_the_providers_address() -> None:
    assert base_address(LISTING, "http://own/v1") == "http://own/v1"
    assert base_address(LISTING, "") == "https://api.x.ai/v1"
    assert base_address(Listing(provider="openai", name="m"), "") == "https://api.openai.com/v1"
    assert base_address(Listing(provider="hosted_vllm", name="m"), "") == ""


def test_a_named_server_is_asked_for_a_whole_answer_and_states_its_own_cost() -> None:
    route = named_route("small", "http://h/v1/", "")

    assert (route.address, route.headers, route.fields) == ("http://h/v1/chat/completions", {}, {})
    assert named_route("small", "http://h", "k").headers == {"Authorization": "Bearer k"}
    costs = [(0.5, 0.5), (1, 1.0), (True, 0.0), ("1", 0.0), (-1, 0.0), (1e300, 0.0), (float("nan"), 0.0), (None, 0.0)]
    assert [route.usage({"prompt_tokens": 1, "cost": cost}).cost_usd for cost, _ in costs] == [usd for _, usd in costs]


def test_a_price_is_that_of_the_highest_tier_that_the_prompt_is_above() -> None:
    cases = [
        (0, 0, 0, 0.0),
        (0, 1000, 0, 0.01),
        (1000, 0, 0, 0.002),
        (200_000, 1000, 0, 0.41),
        (200_001, 1000, 0, 0.800004 + 0.015),
        (1_000_000, 0, 0, 4.0),
        (1000, 0, 600, 0.00092),
        (1000, 0, 1000, 0.0002),
        (1000, 0, 5000, 0.0002),
        (300_000, 0, 200_000, 0.48),
    ]
    got = [cost_usd(TIERS, prompt, completion, cached) for prompt, completion, cached, _ in cases]
    assert got == pytest.approx([usd for *_, usd in cases])
    said = {"prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 600}}
    assert route_to(LISTING, "http://h", "", "").usage(said).cost_usd == pytest.approx(0.00092)
    assert cost_usd((), 1000, 1000) == 0.0


@pytest.mark.req("X-213")
def test_only_providers_that_serve_their_own_models_are_known_to_read_text_alone() -> None:
    known = {
        "openai/gpt-4o": True,
        "gpt-4.1-mini": True,
        "anthropic/claude-sonnet-4-5": True,
        "gemini/gemini-2.5-flash": True,
        "vertex_ai/gemini-2.5-pro": True,
        "vertex_ai/meta/llama-4": False,
        "gemini/gemma-3-27b-it": False,
        "openrouter/openai/gpt-4o": False,
        "hosted_vllm/qwen3": False,
        "groq/llama-3.3-70b": False,
        "together_ai/x": False,
        "ollama_chat/qwen3": False,
        "deepseek/deepseek-chat": False,
        "bedrock/meta.llama3": False,
        "nobody-knows-this": False,
    }
    assert {name: reads_text_alone(name, is_own_server=False, variables=()) for name in known} == known
    assert not any(reads_text_alone(name, is_own_server=True, variables=()) for name in known)
    assert not reads_text_alone("openai/gpt-4o", is_own_server=False, variables=("OPENAI_BASE_URL",))
