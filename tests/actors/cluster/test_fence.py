from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import pytest

from actors.cluster import fence
from actors.cluster.fence import FencedDisk, LeaseWatchdog, hold_hosts_lock
from actors.cluster.lease import Lease
from actors.context.log.data_root import HOSTS_LOCK_NAME, DataRoot, DataRootError
from actors.context.log.file import LogUnwritable, WindowLog
from actors.kernel import boot_seconds
from actors.linux.disk import RealDisk
from messages.base import Surface, Window
from tests.patience import PATIENCE_S
from tests.recording_disk import RecordingDisk

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="100000000000000012")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class LapsedError(Exception):
    pass


def lapse() -> NoReturn:
    raise LapsedError


class Time:
    at = 1.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def disk(time: Time) -> FencedDisk:
    lease = Lease(time)
    lease.renew(2.0)
    return FencedDisk(RealDisk(), lease, lapse)


def test_syncs_are_those_of_the_disk_below(time: Time, tmp_path: Path) -> None:
    lease, below, path = Lease(time), RecordingDisk(), tmp_path / "log"
    lease.renew(2.0)
    disk = FencedDisk(below, lease, lapse)
    fd = disk.open(path, os.O_RDWR | os.O_CREAT)
    for words in (b"one", b"two"):
        disk.write(fd, words)
        assert below.at_risk(tmp_path) == {"log"}
        if words == b"one":
            disk.sync(fd)
            disk.sync_folder(tmp_path)
        else:
            disk.sync_all()
        assert below.at_risk(tmp_path) == set()
    os.close(fd)


CHANGES: dict[str, Callable[[FencedDisk, int, Path], object]] = {
    "open": lambda disk, _fd, path: disk.open(path, os.O_RDWR),
    "write": lambda disk, fd, _path: disk.write(fd, b"x"),
    "sync": lambda disk, fd, _path: disk.sync(fd),
    "make_folder": lambda disk, _fd, path: disk.make_folder(path.with_name("folder")),
    "link": lambda disk, _fd, path: disk.link(path, path.with_name("other")),
    "replace": lambda disk, _fd, path: disk.replace(path, path.with_name("other")),
    "exchange": lambda disk, _fd, path: disk.exchange(path, path),
    "unlink": lambda disk, _fd, path: disk.unlink(path),
    "change_mode": lambda disk, fd, _path: disk.change_mode(fd, 0o400),
}


@pytest.mark.parametrize("name", CHANGES)
def test_nothing_is_changed_without_a_lease(name: str, disk: FencedDisk, time: Time, tmp_path: Path) -> None:
    path = tmp_path / "log"
    fd = disk.open(path, os.O_RDWR | os.O_CREAT)
    time.at = 2.0
    with pytest.raises(LapsedError):
        CHANGES[name](disk, fd, path)

    assert [each.name for each in tmp_path.iterdir()] == ["log"]
    assert path.read_bytes() == b""
    assert path.stat().st_mode & 0o777 == 0o600
    os.close(fd)


@pytest.mark.req("X-156")
def test_a_host_that_was_stopped_and_goes_on_keeps_its_log_from_the_next_owner(tmp_path: Path) -> None:
    """Its look at the lease came before the stop, so its write is under way; the lock holds until it ends."""
    leases = [Lease(boot_seconds), Lease(boot_seconds)]
    for lease in leases:
        lease.renew(boot_seconds() + PATIENCE_S)
    stopped, successor = (FencedDisk(RealDisk(), lease, lapse, 0.2) for lease in leases)
    log = WindowLog.create(tmp_path, WINDOW, NOW, "1", stopped)
    before = log.path.read_bytes()
    with pytest.raises(LogUnwritable, match="another host has it open"):
        WindowLog.open_newest(tmp_path, WINDOW, successor)

    assert log.path.read_bytes() == before
    log.close()
    opened = WindowLog.open_newest(tmp_path, WINDOW, successor)
    assert opened is not None
    opened[0].close()


def test_a_file_is_emptied_only_by_who_has_its_lock(tmp_path: Path) -> None:
    lease = Lease(boot_seconds)
    lease.renew(boot_seconds() + PATIENCE_S)
    disk = FencedDisk(RealDisk(), lease, lapse, 0.1)
    path = tmp_path / ".new"
    path.write_bytes(b"half a log")
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(OSError, match="another host has it open"):
            disk.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    assert path.read_bytes() == b"half a log"

    os.close(disk.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC))
    assert path.read_bytes() == b""


def test_the_watchdog_ends_a_host_whose_lease_ran_out_and_none_that_has_not_begun() -> None:
    time, ended = Time(), threading.Event()
    lease = Lease(time)
    watchdog = LeaseWatchdog(lease, ended.set, 0.01)
    watchdog.start()
    assert not ended.wait(0.1)
    lease.renew(2.0)
    assert not ended.wait(0.1)
    time.at = 2.0
    assert ended.wait(PATIENCE_S)


def test_no_agent_starts_on_a_data_root_where_a_host_of_an_earlier_one_lives(
    tmp_path: Path,
) -> None:
    one, two = hold_hosts_lock(tmp_path), hold_hosts_lock(tmp_path)
    assert fence.HOSTS_LOCK == HOSTS_LOCK_NAME
    with pytest.raises(DataRootError, match=r"a host of an earlier agent still uses it"):
        DataRoot(tmp_path, hosts_wait_s=0.3).hold()
    os.close(one)
    ends = threading.Event()

    def end() -> None:
        ends.set()
        os.close(two)

    timer = threading.Timer(0.1, end)
    timer.start()
    root = DataRoot(tmp_path, hosts_wait_s=PATIENCE_S)
    root.hold()
    assert ends.is_set(), "it has waited for the last one"
    root.release()
    timer.join()
