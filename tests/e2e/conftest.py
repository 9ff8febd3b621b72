"""What end-to-end tests stand on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.playground.server import PlaygroundServer
from tests.e2e.stage import Process, Stage
from tests.running_playground import server as server


@pytest.fixture
def stage(server: PlaygroundServer, tmp_path: Path) -> Iterator[Stage]:
    """The agent in this process, online, with the offline model."""
    made = Stage(server, tmp_path / "data")
    yield made
    made.stop()


@pytest.fixture
def process(server: PlaygroundServer, tmp_path: Path) -> Iterator[Process]:
    """The agent in a process of its own, not yet started."""
    made = Process(server, tmp_path / "data")
    yield made
    made.terminate()
