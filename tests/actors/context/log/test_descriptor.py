"""Descriptors of logs: few are open, and none notices."""

from __future__ import annotations

import errno
import os
import resource
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from actors.context.log.descriptor import OpenLogs, most_open
from actors.context.log.file import LogChanged, LogUnwritable, WindowLog, check_file
from actors.linux.disk import Disk, RealDisk
from domain.log.parser import parse
from messages.base import Window
from tests.domain.log.logs import START, WINDOW, message_event
from tests.patience import PATIENCE_S
from tests.recording_disk import RecordingDisk


def make_log(root: Path, number: int, open_logs: OpenLogs, disk: Disk | None = None) -> WindowLog:
    window: Window = msgspec.structs.replace(WINDOW, id=str(123456789012345678 + number))
    log = WindowLog.create(root, window, START, "alice", disk)
    log.share(open_logs)
    return log


def open_below(root: Path) -> int:
    """Number of open files of this process below a folder."""
    count = 0
    for link in Path("/proc/self/fd").iterdir():
        try:
            count += link.readlink().is_relative_to(root / "logs")
        except OSError:  # the listing's own
            continue
    return count


def contents(log: WindowLog) -> list[str]:
    return [logged.event.content for logged in parse(log.path.read_bytes()).events]


class Replaced(RealDisk):
    """The system's, some call of which does something else."""

    def __init__(self, **calls: Callable[..., int | None]) -> None:
        for name, call in calls.items():
            setattr(self, name, call)


@pytest.mark.req("X-172")
def test_more_logs_are_written_than_are_open(tmp_path: Path) -> None:
    open_logs = OpenLogs(3)
    logs = [make_log(tmp_path, number, open_logs) for number in range(10)]
    most = 0
    for turn in range(5):
        for log in logs:
            log.append(message_event(turn, f"turn {turn}"))
            log.sync()
            most = max(most, open_below(tmp_path))
    stay = len(open_logs)
    for log in logs:
        log.close()

    assert (most, stay, open_below(tmp_path), len(open_logs)) == (3, 3, 0, 0)
    assert [contents(log) for log in logs] == [[f"turn {turn}" for turn in range(5)]] * 10
    assert not [finding for log in logs for finding in check_file(log.path)]


def test_the_log_that_was_used_longest_ago_is_let_go(tmp_path: Path) -> None:
    opened: list[str] = []

    def note(path: Path, flags: int, mode: int = 0o600) -> int:
        opened.append(path.parent.name[-1:])
        return os.open(path, flags, mode)

    disk, open_logs = Replaced(open=note), OpenLogs(2)
    logs = [make_log(tmp_path, number, open_logs, disk) for number in range(3)]  # ...8, ...9 and ...0
    opened.clear()
    for number in (2, 1, 2, 0, 2, 0, 1):
        logs[number].append(message_event(1))
    for log in logs:
        log.close()

    assert opened == ["8", "9"]


def test_what_was_written_to_a_log_is_safe_before_it_is_let_go(tmp_path: Path) -> None:
    disk, open_logs = RecordingDisk(), OpenLogs(1)
    first = make_log(tmp_path, 0, open_logs, disk)
    first.append(message_event(1, "a"))
    assert disk.surviving(first.path) != first.path.read_bytes()
    second = make_log(tmp_path, 1, open_logs, disk)

    assert disk.surviving(first.path) == first.path.read_bytes()
    first.sync()
    assert open_below(tmp_path) == 1, "what is safe is not opened to be synced"
    first.close()
    second.close()


def test_a_log_that_was_changed_while_it_was_let_go_is_not_written_to(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, (is_looked_at, how) in enumerate(
        [(is_looked_at, how) for is_looked_at in [True, False] for how in ["replaced", "longer", "altered", "removed"]]
    ):
        with subtests.test(is_looked_at=is_looked_at, how=how):
            root = tmp_path / str(number)
            root.mkdir()
            open_logs = OpenLogs(1)
            log = make_log(root, 0, open_logs)
            log.append(message_event(1, "a"))
            other = make_log(root, 1, open_logs)
            whole = log.path.read_bytes()
            if how == "replaced":
                log.path.rename(log.path.with_suffix(".kept"))
                log.path.write_bytes(whole)
            elif how == "longer":
                log.path.write_bytes(whole + b"a remark\n")
            elif how == "altered":
                log.path.write_bytes(whole[:-20] + whole[-19:] + b"\n")
            else:
                log.path.unlink()
            before = log.path.read_bytes() if log.path.exists() else b""

            with pytest.raises(LogUnwritable if how == "removed" else LogChanged):
                log.append(message_event(2, "b"), is_looked_at=is_looked_at)
            assert (log.path.read_bytes() if log.path.exists() else b"") == before
            other.append(message_event(1))
            log.close()
            other.close()


@pytest.mark.req("C-31")
def test_a_log_that_cannot_be_synced_when_others_need_its_place_is_lost_alone(tmp_path: Path) -> None:
    failing = [False]

    def sync(fd: int) -> None:
        if failing[0]:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        os.fdatasync(fd)

    open_logs = OpenLogs(1)
    bad, good = make_log(tmp_path, 0, open_logs, Replaced(sync=sync)), make_log(tmp_path, 1, open_logs)
    bad.append(message_event(1, "a"))
    failing[0] = True
    good.append(message_event(1, "b"))
    good.sync()
    failing[0] = False

    with pytest.raises(LogUnwritable, match="Input/output error"):
        bad.sync()
    with pytest.raises(LogUnwritable, match="given up earlier"):
        bad.append(message_event(2))
    good.append(message_event(2, "c"))
    good.close()
    bad.close()
    assert contents(good) == ["b", "c"]


def test_others_are_let_go_when_descriptors_run_out(tmp_path: Path) -> None:
    room = [99]

    def open_limited(path: Path, flags: int, mode: int = 0o600) -> int:
        if open_below(tmp_path) >= room[0]:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return os.open(path, flags, mode)

    disk, open_logs = Replaced(open=open_limited), OpenLogs(6)
    logs = [make_log(tmp_path, number, open_logs, disk) for number in range(8)]
    room[0] = 4
    for turn in range(3):
        for log in logs:
            log.append(message_event(turn))
    for log in logs:
        log.close()

    assert [len(contents(log)) for log in logs] == [3] * 8


def test_no_room_is_made_for_other_trouble_nor_where_nothing_is_open(tmp_path: Path) -> None:
    open_logs = OpenLogs(2)
    log = make_log(tmp_path, 0, open_logs)
    assert not open_logs.make_room(OSError(errno.ENOSPC, "full"))
    assert not open_logs.make_room(None)
    assert open_below(tmp_path) == 1
    assert open_logs.make_room(OSError(errno.EMFILE, "too many"))
    assert not open_logs.make_room(OSError(errno.EMFILE, "too many"))
    log.close()


def test_a_log_in_use_is_not_let_go(tmp_path: Path) -> None:
    """Another thread is writing to the log while a further log needs a descriptor."""
    writing, go_on = threading.Event(), threading.Event()

    def slow(fd: int, data: bytes) -> int:
        if data.startswith(b"## "):
            writing.set()
            assert go_on.wait(PATIENCE_S)
        return os.write(fd, data)

    open_logs = OpenLogs(1)
    log = make_log(tmp_path, 0, open_logs, Replaced(write=slow))
    writer = threading.Thread(target=lambda: log.append(message_event(1, "slow")))
    writer.start()
    assert writing.wait(PATIENCE_S)
    other = make_log(tmp_path, 1, open_logs)
    go_on.set()
    writer.join()
    log.sync()
    log.close()
    other.close()

    assert contents(log) == ["slow"]


def test_threads_that_take_each_others_places_lose_nothing(tmp_path: Path) -> None:
    open_logs = OpenLogs(2)
    logs = [make_log(tmp_path, number, open_logs) for number in range(8)]

    def work(mine: list[WindowLog]) -> None:
        for turn in range(100):
            for log in mine:
                log.append(message_event(turn, str(turn)))

    threads = [threading.Thread(target=work, args=(logs[number::4],)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    still_open = open_below(tmp_path)
    for log in logs:
        log.close()

    assert still_open <= 2
    assert [contents(log) for log in logs] == [[str(turn) for turn in range(100)]] * 8


@pytest.mark.parametrize(
    ("soft", "most"), [(256, 64), (1024, 256), (20, 8), (1_000_000, 512), (resource.RLIM_INFINITY, 512)]
)
def test_the_limit_is_a_share_of_what_the_process_may_open(soft: int, most: int) -> None:
    assert most_open(soft) == most


def test_a_limit_that_leaves_no_log_open_is_refused() -> None:
    with pytest.raises(ValueError, match="most 0 must be >= 1"):
        OpenLogs(0)


def test_a_file_system_that_fails_a_close_is_a_log_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close = os.close

    def close_late(fd: int) -> None:
        is_logs = Path(f"/proc/self/fd/{fd}").readlink().is_relative_to(tmp_path)
        close(fd)
        if is_logs:
            raise OSError(errno.EIO, "Input/output error")

    def write(fd: int, data: bytes) -> int:
        if is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return os.write(fd, data)

    open_logs, disk, is_full = OpenLogs(2), Replaced(write=write), False
    first, second = make_log(tmp_path, 0, open_logs), make_log(tmp_path, 1, open_logs, disk)
    monkeypatch.setattr(os, "close", close_late)
    assert open_logs.make_room(OSError(errno.EMFILE, "Too many open files"))
    first.append(message_event(1, "one"))
    is_full = True
    with pytest.raises(LogUnwritable, match="cannot be written: No space left on device"):
        second.append(message_event(2, "two"))
    assert contents(first) == ["one"]
