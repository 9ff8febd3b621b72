"""A folder with a reminders' file, a channel, and processes that end with the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lab.chaos.reminders.world import Channel, Process, ProcessConfig

START = datetime(2026, 3, 28, 12, 0, 30, tzinfo=UTC)
StartProcess = Callable[..., Process]


@pytest.fixture
def channel() -> Channel:
    return Channel()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "reminders.md"


@pytest.fixture
def start(tmp_path: Path, channel: Channel) -> Iterator[StartProcess]:
    """Starts processes and ends them after the test."""
    processes: list[Process] = []

    def begin(at: datetime = START, **how: Any) -> Process:
        process = Process(tmp_path, channel, at, ProcessConfig(**how))
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.system.stop()
