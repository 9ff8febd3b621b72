"""Calls of upkeep that all four layers make together."""

from __future__ import annotations

import pytest

from lab.bench.continuity.upkeep import CASES, EACH, LAYERS, TOGETHER, count_calls


@pytest.mark.req("X-226", "X-232")
def test_each_layer_asks_a_model_once_in_five_turns_at_most_and_all_once_in_two_whatever_the_model_does() -> None:
    failures: list[tuple[str, object]] = []
    for name in ("on", "on, quick talk", "failing", "garbage", "hanging"):
        figures = count_calls(CASES[name], turns=40, windows=1)
        if max(figures[layer] for layer in LAYERS) > EACH or figures["all"] > TOGETHER or figures["other"]:
            failures.append((name, figures))
        if not (figures["workspace"] and figures["facts"]):
            failures.append((name, "nothing was asked at all"))
    assert not failures
