"""Recorded exchanges through litellm, and without it: the same requests, answers, errors, usage and cost."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from actors.kernel import LoopThread
from actors.model.backend import AttemptError, AttemptProgress, Backend
from actors.model.config import ModelConfig
from actors.model.provider import LitellmBackend
from actors.model.routed import RoutedBackend
from actors.model.routes import Routes
from lab.loopback_model.server import LoopbackModel
from messages.base import Address, RequestId
from messages.model import ModelRequest
from tests.actors.model.bench import window
from tests.actors.model.exchanges import Exchange, exchanges
from tests.patience import PATIENCE_S

EXCHANGES = tuple(exchanges())
NOW = datetime(2026, 11, 26, tzinfo=UTC)
PLAIN = ("hosted_vllm/test", "openai/gpt-4o", "openai/test")
MODELS = (*PLAIN, "xai/grok-3", "deepseek/deepseek-chat")
NO_ANSWER = tuple(f"refusal: {name}" for name in ("a page", "no bytes", "broken JSON", "only comments", "only the end"))
REPEATED = tuple(f"text of {size}" for size in (1000, 3000, 10_000, 30_000, 100_000))


@dataclass(frozen=True)
class Seen:
    """All that the server and the agent learn of a call."""

    request: tuple[str, str, tuple[str | None, ...]]
    """Path, body, and the headers that matter."""
    answer: dict[str, Any] | None
    fault: tuple[object, ...] | None
    said: str

    def at_the_price_of(self, other: Seen, request: tuple[str, str, tuple[str | None, ...]]) -> Seen:
        """The same outcome for another model, with the other's request and cost."""
        answer = self.answer
        if answer is not None and other.answer is not None:
            cost_usd = other.answer["usage"].cost_usd
            answer = answer | {"usage": msgspec.structs.replace(answer["usage"], cost_usd=cost_usd)}
        return replace(self, request=request, answer=answer)


class Pair:
    """Both backends of a model before one server."""

    def __init__(self, model: str, server: LoopbackModel) -> None:
        config = ModelConfig(name=model, api_base=server.api_base, api_keys={"OPENAI_API_KEY": "sk-1"})
        self.model, self.server = model, server
        self.routes = Routes(config)
        self.ours = RoutedBackend(config, lambda: NOW, self.routes)
        self.litellms = LitellmBackend(config, lambda: NOW)
        self._loop = LoopThread("pair")
        self._loop.start()
        self.run(self.ours.warm_up())
        self.run(self.litellms.warm_up())

    def run(self, coroutine: Any) -> Any:
        return self._loop.submit(coroutine).result(PATIENCE_S)

    def run_exchange(self, backend: Backend, exchange: Exchange) -> Seen:
        """Outcome of an exchange."""
        said: list[str] = []
        request = ModelRequest(
            request_id=RequestId("r1"),
            reply_to=Address("test"),
            window=window(),
            system_prompt="You are an agent.",
            messages=exchange.messages,
            tools=exchange.tools,
        )
        self.server.script(exchange.answer)
        answer, fault = None, None
        try:
            answer = msgspec.structs.asdict(
                self.run(backend.complete(self.model, request, AttemptProgress(said.append)))
            )
        except AttemptError as error:
            fault = (error.fault.kind, error.fault.status, error.fault.asked_wait_s)
        received = self.server.requests()[-1]
        headers = tuple(received.headers.get(name) for name in ("authorization", "content-type", "user-agent"))
        return Seen((received.path, json.dumps(received.body, sort_keys=True), headers), answer, fault, "".join(said))

    def close(self) -> None:
        self.run(self.ours.close())
        self.run(self.litellms.close())
        self._loop.stop()


@pytest.fixture(scope="module")
def pairs(litellm: None) -> Iterator[dict[str, Pair]]:
    """Pairs by their models, before one server."""
    with warnings.catch_warnings(), LoopbackModel() as server:
        warnings.simplefilter("ignore")  # litellm's wrapper makes pydantic complain
        made = {model: Pair(model, server) for model in MODELS}
        yield made
        for pair in made.values():
            pair.close()


@pytest.fixture(scope="module")
def outcomes(pairs: dict[str, Pair]) -> dict[str, tuple[Seen, Seen]]:
    """Name of an exchange -> outcome without litellm, and expected outcome.

    All are made before the first test, since litellm leaves threads behind.
    """
    made, plain = dict[str, tuple[Seen, Seen]](), pairs["hosted_vllm/test"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as for `pairs`, which another test may have made before
        for exchange in EXCHANGES:
            pair = pairs[model_of(exchange)]
            ours, theirs = pair.run_exchange(pair.ours, exchange), pair.run_exchange(pair.litellms, exchange)
            if excuse(pair.model, exchange):
                theirs = plain.run_exchange(plain.litellms, exchange).at_the_price_of(ours, theirs.request)
            made[exchange.name] = ours, theirs
    return made


def model_of(exchange: Exchange) -> str:
    """The model that an exchange is tried with."""
    return MODELS[EXCHANGES.index(exchange) % len(MODELS)]


def excuse(model: str, exchange: Exchange) -> str:
    """Why litellm's answer is no measure; empty where it is.

    Of providers but `openai/` and `hosted_vllm/` the answers went through a wrapper of litellm's that ours does without.
    """
    if model in PLAIN:
        return ""
    said, _, _ = exchange.name.partition(",")
    if said.endswith("broken off") or said in NO_ANSWER:
        return "takes what is broken off, or no answer at all, for a whole one"
    if said.startswith(("crlf", "tight")) or said == "usage: none":
        return "makes up what was counted where it overlooks what the server says, or the server says nothing"
    if said in REPEATED:
        return "gives up an answer in which the same piece comes a hundred times"
    return ""


@pytest.mark.req("X-150", "S0-18")
def test_an_exchange_is_the_same_both_ways(
    outcomes: dict[str, tuple[Seen, Seen]], pairs: dict[str, Pair], subtests: pytest.Subtests
) -> None:
    assert len(outcomes) == len(EXCHANGES) >= 200
    assert all(pair.run(pair.routes.find(model)) is not None for model, pair in pairs.items())
    for name, (ours, theirs) in outcomes.items():
        with subtests.test(exchange=name):
            assert ours == theirs
