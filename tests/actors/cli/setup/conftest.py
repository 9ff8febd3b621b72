from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.playground.server import PlaygroundServer


@pytest.fixture
def server() -> Iterator[PlaygroundServer]:
    made = PlaygroundServer()
    made.start()
    yield made
    made.stop()
