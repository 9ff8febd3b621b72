"""Replay: plays an exchange under the model actor's backend, and compares request and answer with the recording."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from actors.kernel import SystemClock
from actors.model.backend import AttemptError, AttemptProgress
from actors.model.config import ModelConfig
from actors.model.kept_routes import FOLDER, keep
from actors.model.litellm_child import listing_of
from actors.model.provider import load
from actors.model.routed import RoutedBackend
from domain.policy.retrying import Fault
from lab.bench.recorded.archive import Exchange
from lab.bench.recorded.asking import fit, request_of
from lab.bench.recorded.forms import chat, embedding, responses
from lab.bench.recorded.outcome import fault_differences, outcome_differences
from lab.bench.recorded.passing import Passing
from lab.bench.recorded.player import PlayedRequest, Player
from lab.bench.recorded.providers import Endpoint, endpoint_of
from lab.bench.recorded.talk import NOT_SHOWN, LeftOutError, Picture, Talk, Words, differences
from lab.bench.recorded.vectors import replay_vectors
from messages.model import Completion, ModelRequest

_KEY = "recorded"
_UNSEEN = "an image for a model that is not known to see"


@dataclass(frozen=True, slots=True)
class Played:
    """Exchange played in all ways."""

    exchange: Exchange
    endpoint: Endpoint
    ways: tuple[str, ...]
    differences: tuple[str, ...]
    without: tuple[str, ...]


class Replay:
    """Stage of exchanges: the player and the library, for one loop; an async context manager."""

    def __init__(self) -> None:
        self._player = Player()
        self._passing = Passing(self._player)
        self._folder = tempfile.TemporaryDirectory(prefix="agent-recorded-")
        self._library: Any = None
        self._listed: set[str] = set()
        self._backends: dict[tuple[str, str, str, bool], RoutedBackend] = {}
        self._before = os.environ.get(FOLDER)

    async def __aenter__(self) -> Replay:
        await self._player.__aenter__()
        await self._passing.__aenter__()
        os.environ[FOLDER] = str(Path(self._folder.name) / "routes")
        return self

    async def __aexit__(self, *_: object) -> None:
        for backend in self._backends.values():
            await backend.close()
        await self._passing.__aexit__()
        await self._player.__aexit__()
        self._folder.cleanup()
        os.environ.pop(FOLDER)
        if self._before is not None:
            os.environ[FOLDER] = self._before

    async def play(self, exchange: Exchange) -> Played:
        """Play an exchange in each of the agent's ways to the provider.

        Raises:
            LeftOutError: the exchange is not played; the text is the reason.
        """
        endpoint = endpoint_of(exchange)
        if not exchange.request:
            raise LeftOutError("a request that is not JSON")
        if endpoint.form is embedding:
            lines = await replay_vectors(self._player, exchange, endpoint)
            return Played(exchange, endpoint, ("named",), tuple(lines), ())
        try:
            talk = fit(endpoint.form.read_request(exchange))
            answer = endpoint.form.read_answer(exchange) if exchange.status == 200 else None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LeftOutError(f"a body that this replay cannot read ({error!r:.60})") from error
        ways, faults = [], []
        for way, config in self._ways(exchange, endpoint, talk):
            ways.append(way)
            with self._attachments() as folder:
                request = request_of(talk, folder)
                result, requests = await self._ask(config, exchange, request)
            faults += [f"{way}: {line}" for line in self._compare_request(exchange, endpoint, talk, requests)]
            if answer is None or answer.fault or isinstance(result, Fault):
                kind = "" if answer is None else answer.fault
                faults += [f"{way}: {line}" for line in fault_differences(exchange.status, exchange.body, result, kind)]
            else:
                faults += [f"{way}: {line}" for line in outcome_differences(answer, result)]
        if endpoint.form is chat:
            ways.append("gateway")
            faults += [f"gateway: {line}" for line in await self._passing.play(exchange, answer)]
        return Played(exchange, endpoint, tuple(ways), tuple(faults), tuple(sorted(talk.without)))

    def _ways(self, exchange: Exchange, endpoint: Endpoint, talk: Talk) -> Iterator[tuple[str, ModelConfig]]:
        """The agent's own calls of a server in OpenAI's form, and the way of the provider's name."""
        name = endpoint.model(talk.model)
        config = ModelConfig(
            name=name,
            api_base=self._player.address + endpoint.base,
            streams=exchange.is_stream,
            idle_timeout_s=10.0,
        )
        yield "named", config
        if endpoint.form is chat and endpoint.prefix not in ("openai", "hosted_vllm", "groq", "deepseek", "cerebras"):
            yield "own", replace(config, api="openai")

    async def _ask(
        self, config: ModelConfig, exchange: Exchange, request: ModelRequest
    ) -> tuple[Completion | Fault, list[PlayedRequest]]:
        if self._library is None:
            import asyncio

            self._library = await asyncio.wrap_future(load(config.name))
        if config.name not in self._listed:
            self._listed.add(config.name)
            keep(config.name, listing_of(self._library, config.name), None)
        self._player.play(exchange)
        place = (config.name, config.api_base, config.api, config.streams)
        if place not in self._backends:
            self._backends[place] = RoutedBackend(config, SystemClock().now)
        try:
            result: Completion | Fault = await self._backends[place].complete(
                config.name, request, AttemptProgress(lambda _piece: None)
            )
        except AttemptError as error:
            result = error.fault
            if result.kind.value in ("unknown", "unreachable"):
                result = replace(result, words=f"{error.__cause__!r}")
        return result, list(self._player.requests)

    def _compare_request(
        self, exchange: Exchange, endpoint: Endpoint, talk: Talk, requests: list[PlayedRequest]
    ) -> Iterator[str]:
        if len(requests) != 1:
            yield f"requests: {len(requests)} for one ({[each.path for each in requests]})"
        if not requests:
            return
        if exchange.is_stream and endpoint.form is responses and not json.loads(requests[0].body).get("stream"):
            raise LeftOutError("a stream of Responses by a model of which litellm asks none")
        sent = replace(exchange, url=f"http://host{requests[0].path}", request=json.loads(requests[0].body))
        try:
            own_endpoint = endpoint_of(sent)
            if own_endpoint.form is not endpoint.form:
                yield f"form: {own_endpoint.form_name} for {endpoint.form_name}"
                return
            ours = own_endpoint.form.read_request(sent)
        except LeftOutError as error:
            yield f"request: {error}"
            return
        wanted = replace(talk)
        if any(isinstance(item, Words) and NOT_SHOWN.search(item.text) for item in ours.items):
            talk.without.add(_UNSEEN)
            wanted = replace(talk, items=[item for item in talk.items if not isinstance(item, Picture)])
        if ours.model != wanted.model:
            yield f"model: {ours.model!r} for {wanted.model!r}"
        yield from differences(wanted, ours)

    @contextmanager
    def _attachments(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(dir=self._folder.name) as folder:
            yield Path(folder)
