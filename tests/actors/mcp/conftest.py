from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.mcp.config import ServerConfig
from tests.actors.mcp.bench import Bench
from tests.actors.shell.bench import level


@pytest.fixture
def require_sandbox() -> None:
    """A machine on which a sandbox works."""
    if level("auto").refusal:
        pytest.skip(level("auto").refusal)


@pytest.fixture
def make_bench(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    """Maker of benches."""
    if level("auto").refusal:
        pytest.skip(level("auto").refusal)
    made: list[Bench] = []

    def make(*servers: ServerConfig, **settings: Any) -> Bench:
        made.append(Bench(tmp_path, *servers, **settings))
        return made[-1]

    yield make
    for bench in made:
        bench.system.stop()


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    """The small server."""
    return make_bench()
