"""A folder with a reminders' file, a channel, and processes that end with the test and promise nothing that is not safe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from actors.scheduler.actor import SchedulerActor
from lab.chaos.reminders.world import Channel, Process, ProcessConfig
from tests.actors.scheduler.promises import watch
from tests.recording_disk import RecordingDisk

START = datetime(2026, 3, 28, 12, 0, 30, tzinfo=UTC)
StartProcess = Callable[..., Process]


@pytest.fixture
def channel() -> Channel:
    return Channel()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "reminders.md"


@pytest.fixture
def disk() -> RecordingDisk:
    return RecordingDisk()


@pytest.fixture
def start(
    tmp_path: Path, channel: Channel, disk: RecordingDisk, monkeypatch: pytest.MonkeyPatch
) -> Iterator[StartProcess]:
    """Starts processes and ends them after the test; each of their promises is held against the disk."""
    processes: list[Process] = []
    monkeypatch.setattr(SchedulerActor, "tell", watch(SchedulerActor.tell))

    def begin(at: datetime = START, **how: Any) -> Process:
        process = Process(tmp_path, channel, at, ProcessConfig(disk=disk, **how))
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.system.stop()


@pytest.fixture
def start_in(start: StartProcess, disk: RecordingDisk) -> Callable[..., Process]:
    """Starts a process in another folder, before another channel."""
    del start  # holds its promises against the disk

    def begin(folder: Path, channel: Channel, at: datetime = START) -> Process:
        return Process(folder, channel, at, ProcessConfig(disk=disk, catchup_hours=12))

    return begin
