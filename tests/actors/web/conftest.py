from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

import pytest

from tests.actors.web.bench import Bench
from tests.actors.web.site import Site


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.fixture
def make_bench(site: Site) -> Iterator[Callable[..., Bench]]:
    """Benches before the same site, stopped at the end."""
    made: list[Bench] = []

    def make(**settings: object) -> Bench:
        made.append(Bench(site, **settings))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for bench in made:
        bench.system.stop()


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()


@pytest.fixture
def free_port() -> Iterator[int]:
    """A port of loopback on which nobody listens; it stays bound, so that nobody else takes it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]
