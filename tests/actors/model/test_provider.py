"""Calls through litellm that only litellm makes; recipes and the comparison of both ways hold the rest."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from actors.kernel import LoopThread
from actors.model.backend import AttemptProgress
from actors.model.config import ModelConfig
from actors.model.provider import LitellmBackend
from lab.loopback_model.answers import Answer
from lab.loopback_model.server import LoopbackModel
from messages.base import Address, RequestId
from messages.model import ModelRequest, Usage
from tests.actors.model.bench import user, window
from tests.patience import PATIENCE_S

MODEL = "openai/gpt-4o"
REQUEST = ModelRequest(
    request_id=RequestId("r1"),
    reply_to=Address("test"),
    window=window(),
    system_prompt="You are an agent.",
    messages=(user("hello"),),
    tools=(),
)


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize(
    ("counted", "tokens"), [((-1000, -5), (0, 0)), ((10**30, 10**12), (0, 0)), ((7, -5), (7, 0)), ((-7, 5), (0, 5))]
)
def test_what_a_server_counts_oddly_is_not_counted_and_costs_nothing(
    server: LoopbackModel, counted: tuple[int, int], tokens: tuple[int, int]
) -> None:
    server.script(Answer("x", usage=counted))
    config = ModelConfig(name=MODEL, api_base=server.api_base, api_keys={"OPENAI_API_KEY": "sk-none"})
    backend, heard, loop = (
        LitellmBackend(config, lambda: datetime.now(UTC)),
        AttemptProgress(lambda _: None),
        LoopThread("test"),
    )
    loop.start()
    try:
        said = loop.submit(backend.complete(MODEL, REQUEST, heard)).result(PATIENCE_S).usage
    finally:
        loop.submit(backend.close()).result(PATIENCE_S)
        loop.stop()

    assert (said.prompt_tokens, said.completion_tokens) == tokens
    assert 0 <= said.cost_usd < 0.001
    assert heard.usage == said == Usage(prompt_tokens=tokens[0], completion_tokens=tokens[1], cost_usd=said.cost_usd)
