from __future__ import annotations

import os
from pathlib import Path

import pytest

from messages.base import RequestId
from messages.status import DescribeYourself
from tests.recording_disk import RecordingDisk, Unsynced
from tests.safe_system import SafeSystem


def test_a_promise_is_told_when_its_files_are_safe(tmp_path: Path) -> None:
    disk = RecordingDisk()
    system = SafeSystem(disk, tmp_path, lambda _to, message: isinstance(message, DescribeYourself))
    edge = system.edge("asker")
    promise = DescribeYourself(request_id=RequestId("r"), reply_to=edge.address)
    fd = disk.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT)
    with pytest.raises(Unsynced, match=r"DescribeYourself rests on .*\['file'\]"):
        system.tell(edge.address, promise)
    disk.sync(fd)
    disk.sync_folder(tmp_path)
    system.tell(edge.address, promise)
    assert edge.drain() == [promise]
    os.close(fd)
    system.stop()
