"""Reports on llama.cpp's server, tried on a real engine: SmolLM2 cut to one layer."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lab.bench.cache.engine import Engine, open_engine
from messages.base import RequestId, Surface, Window
from messages.model import ChatMessage, ModelRequest, Role
from tests.actors.local_model.one_layer import cut_to_one_layer
from tests.actors.local_model.rig import MODEL, NAME, Rig, weights

CONVERSATIONS = 5
"""More than the engine has places."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cut_to_one_layer(weights(), tmp_path_factory.mktemp("model") / "one.gguf")


@pytest.fixture
def engine(model: Path) -> Iterator[Engine]:
    with open_engine(f"local/{model}") as engine:
        yield engine


def conversation(number: int) -> dict[str, Any]:
    """Request that begins like no other conversation's."""
    words = f"You are helper {number}. " + f"Word{number} thing {number * 7} " * 60
    return {"messages": [{"role": "system", "content": words}, {"role": "user", "content": f"Question {number}"}]}


@pytest.mark.slow
@pytest.mark.req("X-229")
def test_conversations_that_take_turns_on_fewer_places_each_find_their_own_prompt_kept(engine: Engine) -> None:
    """llama.cpp#14470 and #10993, 0xku/kon#4: the last conversation had the cache, and all others began anew.

    hermes-agent#18547, opencode#23595, zed#63808 and gsd-pi#108 are of prompts that change at their beginning; the
    whole agent's are counted in `tests/lab/bench/cache/test_engine.py`.
    """
    first = [engine.count(conversation(number)) for number in range(CONVERSATIONS)]
    second = [engine.count(conversation(number)) for number in range(CONVERSATIONS)]
    with ThreadPoolExecutor(3) as pool:
        order = [number * 3 % CONVERSATIONS for number in range(4 * CONVERSATIONS)]
        third = list(pool.map(lambda number: engine.count(conversation(number)), order))

    assert all(counted.cached < 0.2 * counted.prompt for counted in first)
    assert [number for number, counted in enumerate(second) if counted.cached < 0.95 * counted.prompt] == []
    assert sum(counted.cached for counted in third) > 0.5 * sum(counted.prompt for counted in third)


@pytest.mark.slow
def test_no_conversation_gets_the_answer_to_another_one_s_prompt(engine: Engine) -> None:
    """llama.cpp#27148: the kept prompt of a finished conversation came back in a place that served another."""
    for number in range(CONVERSATIONS):
        engine.first_token(conversation(number))
    alone = [engine.first_token(conversation(number)) for number in range(CONVERSATIONS)]
    with ThreadPoolExecutor(4) as pool:
        order = [number * 3 % CONVERSATIONS for number in range(12 * CONVERSATIONS)]
        together = list(pool.map(lambda number: engine.first_token(conversation(number)), order))

    nearest = [min(range(CONVERSATIONS), key=lambda number: distance(told, alone[number])) for told in together]
    assert nearest == order


def distance(one: dict[str, float], other: dict[str, float]) -> float:
    """Sum of the differences of logarithms of the likeliest tokens."""
    return sum(abs(value - other.get(token, -12)) for token, value in one.items())


@pytest.mark.slow
def test_a_history_that_the_engine_refuses_as_too_long_is_cut_and_answered(model: Path, tmp_path: Path) -> None:
    """hermes-agent#89502, llama.cpp#17284 and code-insights#271: sessions ended for good at the engine's context."""
    rig = Rig(tmp_path)
    rig.store.add(NAME, model, lambda *_: None)
    rig.system.start()
    try:
        talk = (ChatMessage(role=Role.USER, text="tide " * 150), ChatMessage(role=Role.ASSISTANT, text="ebb " * 150))
        request = ModelRequest(
            request_id=RequestId("long"),
            reply_to=rig.edge.address,
            window=Window(surface=Surface.DISCORD_THREAD, id="1"),
            system_prompt="You help.",
            messages=(*talk * 8, ChatMessage(role=Role.USER, text="Which tide is it?")),
            tools=(),
            turn_messages=1,
            recent_messages=3,
        )
        rig.system.tell(MODEL, request)
        reply = rig.reply(request.request_id)
    finally:
        rig.system.stop()

    assert reply.left_out
    assert 0 < reply.usage.prompt_tokens < 2_048
