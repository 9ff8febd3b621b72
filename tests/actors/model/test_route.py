"""Routes: keys in their places, and prices."""

from __future__ import annotations

import pytest

from actors.model.route import Route, Tier, cost_usd, has_placeholder, placeholder

ROUTE = Route(
    address="https://example.com/v1/chat/completions",
    headers={"authorization": f"Bearer {placeholder('A_KEY')}", "user-agent": "x"},
    model="m",
    fields={},
    fields_without_tools={},
    sees_images=False,
    tiers=(Tier(0, 2e-6, 1e-5, 2e-7), Tier(200_000, 4e-6, 1.5e-5, 4e-7)),
)


def test_keys_are_put_where_their_placeholders_stand() -> None:
    asked: list[str] = []

    def key_of(name: str) -> str:
        asked.append(name)
        return "sk-1"

    assert ROUTE.headers_with(key_of) == {"authorization": "Bearer sk-1", "user-agent": "x"}
    assert asked == ["A_KEY"]
    assert has_placeholder(ROUTE.headers["authorization"])
    assert not has_placeholder("Bearer sk-1")


@pytest.mark.parametrize(
    ("prompt", "completion", "expected"),
    [
        (0, 0, 0.0),
        (0, 1000, 0.01),
        (1000, 0, 0.002),
        (200_000, 1000, 0.41),
        (200_001, 1000, 0.800004 + 0.015),
        (1_000_000, 0, 4.0),
    ],
)
def test_a_price_is_that_of_the_highest_tier_that_the_prompt_is_above(
    prompt: int, completion: int, expected: float
) -> None:
    assert cost_usd(ROUTE.tiers, prompt, completion) == pytest.approx(expected)
    assert cost_usd((), prompt, completion) == 0.0


@pytest.mark.parametrize(
    ("prompt", "cached", "expected"),
    [(1000, 0, 0.002), (1000, 600, 0.00092), (1000, 1000, 0.0002), (1000, 5000, 0.0002), (300_000, 200_000, 0.48)],
)
def test_what_the_provider_had_kept_has_a_price_of_its_own(prompt: int, cached: int, expected: float) -> None:
    said = {"prompt_tokens": prompt, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": cached}}

    assert ROUTE.usage(said).cost_usd == pytest.approx(expected)
