"""A fresh loopback Discord and fresh lives of the bot for every test that asks."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lab.playground.server import PlaygroundServer
from tests.actors.discord.life import Life

StartLife = Callable[..., Life]


@pytest.fixture
def playground() -> Iterator[PlaygroundServer]:
    with PlaygroundServer() as server:
        yield server


@pytest.fixture
def start_life(playground: PlaygroundServer) -> Iterator[StartLife]:
    """Starts lives and ends them after the test."""
    lives: list[Life] = []

    def start(*, wait: bool = True, **options: Any) -> Life:
        life = Life(playground, **options)
        lives.append(life)
        return life.start(wait=wait)

    yield start
    for life in lives:
        life.stop()


@pytest.fixture
def life(start_life: StartLife) -> Life:
    return start_life()


@pytest.fixture
def disk_of_a_thousand_bytes() -> Iterator[None]:
    """No file may have more than a thousand bytes, as on a disk that is nearly full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
