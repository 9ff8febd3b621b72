"""When somebody says nothing but that the agent is to stop."""

from __future__ import annotations

import pytest

from domain.turn.stop_request import says_stop


@pytest.mark.parametrize(
    "text", ["stop", "Stop", "STOP!!", " *stop*. ", "_stop_", "/stop", "<@910000000000000001> stop", "¡stop!"]
)
def test_the_word_alone_stops(text: str) -> None:
    assert says_stop(text)


@pytest.mark.parametrize(
    "text", ["", "stop it", "don't stop", "stops", "s t o p", "stop stop", "stop" + "!" * 200, "停"]
)
def test_anything_else_does_not(text: str) -> None:
    assert not says_stop(text)
