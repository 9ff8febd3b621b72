"""The memory's data are safe, and the tests notice unsafe data."""

from __future__ import annotations

from pathlib import Path

import pytest

from messages.memory import MemoryRebuilt, RebuildMemory
from tests.actors.context import durability
from tests.actors.context.durability import WatchedSystem
from tests.actors.memory.rig import MemoryRig
from tests.actors.memory.test_faults import is_well
from tests.recording_disk import RecordingDisk, Unsynced


def test_a_window_that_does_not_wait_for_the_disk_is_caught_before_the_memory_hears_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RecordingDisk, "sync", lambda _disk, _fd: None)
    with pytest.raises(Unsynced):
        MemoryRig(tmp_path).exchange("My cat is called Zorro", "Fine.")
    durability.violations.clear()


def test_an_index_of_what_a_window_has_not_waited_for_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RecordingDisk, "sync", lambda _disk, _fd: None)
    monkeypatch.setattr(WatchedSystem, "_require_safe", lambda _system, _message: None)
    with pytest.raises(Unsynced, match="the index has what a power loss would take"):
        MemoryRig(tmp_path).exchange("My cat is called Zorro", "Fine.")
    durability.violations.clear()


def test_a_rebuilt_index_has_what_a_power_loss_would_leave(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("My cat is called Zorro", "Fine.")
    rig.stop()
    durability.disk_of(tmp_path).lose_power()

    rig = MemoryRig(tmp_path)
    assert isinstance(rig.ask(RebuildMemory), MemoryRebuilt)
    is_well(rig, 2)
    rig.stop()
