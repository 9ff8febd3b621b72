from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from actors.context.log import reserve
from actors.context.log.data_root import DataRoot
from actors.context.log.file import WindowLog
from actors.context.log.reserve import ReservedDisk
from actors.linux.disk import RealDisk
from tests.domain.log.logs import START, WINDOW, message_event

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class FullUntilSpent(RealDisk):
    """A disk without a free byte but those that the reserve holds."""

    def __init__(self, root: Path, room: int = 0) -> None:
        self._root, self._room = root, room

    def write(self, fd: int, data: bytes, /) -> int:
        place = self._root / reserve.NAME
        if place.exists() and place.stat().st_size:
            if not self._room:
                raise FULL
            data = data[: self._room]
        return super().write(fd, data)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "data"
    root.mkdir()
    assert reserve.keep(root)
    return root


def test_space_is_taken_while_an_agent_runs_and_given_back_when_it_ends(tmp_path: Path) -> None:
    held = DataRoot(tmp_path / "data")
    held.hold()
    place = held.path / reserve.NAME
    assert place.stat().st_blocks * 512 >= reserve.RESERVE_BYTES
    assert place.stat().st_mode & 0o777 == 0o600
    held.release()
    assert not place.exists()


def test_what_does_not_fit_is_written_with_the_space_in_reserve(root: Path) -> None:
    for room in (0, 3):
        assert reserve.keep(root)
        file = os.open(root / f"log{room}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        assert ReservedDisk(root, FullUntilSpent(root, room)).write(file, b"0123456789") == 10
        os.close(file)
        assert (root / f"log{room}").read_bytes() == b"0123456789"
        assert (root / reserve.NAME).stat().st_size == 0


def test_a_new_window_is_opened_on_a_full_disk(root: Path) -> None:
    log = WindowLog.create(root, WINDOW, START, "test", ReservedDisk(root, FullUntilSpent(root)))
    log.append(message_event(1, "said on a full disk"))
    log.close()
    assert b"said on a full disk" in log.path.read_bytes()


def test_without_a_reserve_a_full_disk_is_a_full_disk(root: Path) -> None:
    reserve.drop(root)

    class Full(RealDisk):
        def write(self, fd: int, data: bytes, /) -> int:
            raise FULL

    with pytest.raises(OSError, match="No space left"):
        ReservedDisk(root, Full()).write(1, b"x")
    assert not reserve.spend(root)


def test_it_comes_back_when_there_is_room_but_only_where_there_was_one(root: Path) -> None:
    assert reserve.spend(root)
    assert not reserve.spend(root)
    reserve.renew(root)
    assert (root / reserve.NAME).stat().st_size == reserve.RESERVE_BYTES
    reserve.drop(root)
    reserve.renew(root)
    assert not (root / reserve.NAME).exists()


def test_a_disk_that_is_nearly_full_gives_nothing_for_it(root: Path) -> None:
    reserve.drop(root)
    assert not reserve.keep(root, roomy=1 << 50)
