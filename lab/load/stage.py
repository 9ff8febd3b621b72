"""Stages: the playground with its crowd, and the loopback model, each held by `remote.py` in its own process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from lab.load.crowd import Crowd
from lab.load.plan import Counted, Phase, State
from lab.load.tally import LoadThread, Standing
from lab.load.wording import answer
from lab.loopback_model.server import LoopbackModel
from lab.playground.config import PlaygroundConfig
from lab.playground.server import PlaygroundServer

_MOST_CONNECTIONS = 16_384
"""Limit above the simultaneous connections of one bot in the largest campaign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Addresses of the playground for a bot."""

    api_base: str
    gateway_url: str
    bot_token: str


class DiscordStage:
    """Playground with its crowd, for use by another process."""

    def __init__(self, server: PlaygroundServer, crowd: Crowd) -> None:
        """Take the server and the crowd, both on the server's loop.

        Args:
            server: A running server.
            crowd: People of the server.
        """
        self._server = server
        self._crowd = crowd

    def addresses(self) -> Addresses:
        """Addresses for a bot."""
        server = self._server
        return Addresses(api_base=server.api_base, gateway_url=server.gateway_url, bot_token=server.bot_token)

    def is_online(self, timeout_s: float) -> bool:
        """True if the bot comes online within `timeout_s` seconds."""
        try:
            self._server.wait_until_online(timeout_s=timeout_s)
        except TimeoutError:
            return False
        return True

    def open_threads(self, count: int) -> None:
        """Open so many more."""
        self._server.wait(self._crowd.open_threads(count), 600.0)

    def begin(self, phase: Phase) -> None:
        """Begin a phase."""
        self._server.run(lambda: self._crowd.begin(phase))

    def state(self) -> State:
        """Progress of the phase."""
        return self._server.run(self._crowd.state)

    def end(self) -> Counted:
        """End the phase, over or not."""
        return self._server.run(self._crowd.end)

    def standing(self) -> Standing:
        """Present messages of all phases."""
        return self._server.run(self._crowd.standing)

    def threads(self) -> Mapping[int, LoadThread]:
        """All threads, by channel."""
        return self._server.run(lambda: dict(self._crowd.threads))


@contextmanager
def discord_stage(seed: str, latency_s: float) -> Iterator[DiscordStage]:
    """Running playground with a crowd."""
    config = PlaygroundConfig(history_limit=200, requests_kept=0)
    with PlaygroundServer(config, most_connections=_MOST_CONNECTIONS) as server:
        crowd = Crowd(server, seed, latency_s)
        server.subscribe(crowd.on_event)
        yield DiscordStage(server, crowd)


class ModelStage:
    """Loopback model, for use by another process."""

    def __init__(self, model: LoopbackModel) -> None:
        """Take a running model.

        Args:
            model: The model.
        """
        self._model = model

    def api_base(self) -> str:
        """Base address for a bot."""
        return self._model.api_base

    def request_count(self) -> int:
        """Number of requests so far."""
        return self._model.request_count


@contextmanager
def model_stage(latency_s: float) -> Iterator[ModelStage]:
    """Running loopback model with the answers of `wording.py`."""
    with LoopbackModel(answer, latency_s=latency_s, kept_requests=0) as model:
        yield ModelStage(model)
