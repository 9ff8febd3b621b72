"""A running playground, as a fixture: whoever needs one imports it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.playground.server import PlaygroundServer


@pytest.fixture
def server() -> Iterator[PlaygroundServer]:
    """A running playground."""
    made = PlaygroundServer()
    made.start()
    yield made
    made.stop()
