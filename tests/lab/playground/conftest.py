"""A fresh playground and a fresh bot for every test that asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lab.playground.server import PlaygroundServer
from tests.lab.playground.real_client import Bot, Client


@pytest.fixture
def playground() -> Iterator[PlaygroundServer]:
    with PlaygroundServer() as server:
        yield server


@pytest.fixture
def start_bot(playground: PlaygroundServer) -> Iterator[Callable[..., Bot]]:
    """Makes bots that are ready, and stops them after the test."""
    bots: list[Bot] = []

    def start(client_type: type[Client] = Client, **options: Any) -> Bot:
        bot = Bot(playground, client_type, **options)
        bots.append(bot)
        bot.start()
        return bot

    yield start
    for bot in bots:
        bot.stop()


@pytest.fixture
def bot(start_bot: Callable[..., Bot]) -> Bot:
    return start_bot()
