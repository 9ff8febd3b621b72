from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from actors.context.log.file import WindowLog
from actors.context.log.follow import NEWEST_LOGS, Line, LogFollower
from domain.log.event import Event
from domain.log.parser import Gap
from messages.base import Surface, Window
from tests.domain.log.logs import START, WINDOW, message_event

OTHER = Window(surface=Surface.DISCORD_CHANNEL, id="223456789012345678")


def begin(root: Path, *events: Event, window: Window = WINDOW, later_s: int = 0) -> WindowLog:
    log = WindowLog.create(root, window, START + timedelta(seconds=later_s), "a")
    log.append(*events)
    return log


def words(lines: list[Line]) -> list[str]:
    return [line.what.content if isinstance(line.what, Event) else line.what.reason for line in lines]


def test_the_last_events_come_over_the_ends_of_logs_in_order(tmp_path: Path) -> None:
    begin(tmp_path, message_event(0, "zero"), message_event(1, "one")).close()
    begin(tmp_path, message_event(2, "two"), later_s=1).close()

    assert words(LogFollower(tmp_path / "logs", WINDOW).last(2)) == ["one", "two"]
    assert words(LogFollower(tmp_path / "logs", WINDOW).last(10)) == ["zero", "one", "two"]


def test_all_windows_are_one_stream_in_the_order_of_time(tmp_path: Path) -> None:
    begin(tmp_path, message_event(0, "zero"), message_event(3, "three")).close()
    begin(tmp_path, message_event(1, "one"), message_event(2, "two"), window=OTHER).close()

    lines = LogFollower(tmp_path / "logs").last(3)

    assert words(lines) == ["one", "two", "three"]
    assert [line.window for line in lines] == [OTHER, OTHER, WINDOW]


def test_what_is_said_later_is_told_once_in_new_windows_and_new_logs_too(tmp_path: Path) -> None:
    log = begin(tmp_path, message_event(0, "zero"))
    follower = LogFollower(tmp_path / "logs")
    follower.last(0)

    assert follower.more() == []
    log.append(message_event(1, "one"))
    begin(tmp_path, message_event(2, "two"), window=OTHER).close()
    begin(tmp_path, message_event(3, "three"), later_s=1).close()
    assert words(follower.more()) == ["one", "two", "three"]
    assert follower.more() == []
    log.append(message_event(4, "four"))
    log.close()
    assert words(follower.more()) == ["four"]


def test_a_record_that_is_half_written_is_told_when_it_is_whole(tmp_path: Path) -> None:
    log = begin(tmp_path, message_event(0, "zero"))
    follower = LogFollower(tmp_path / "logs", WINDOW)
    follower.last(1)
    before = log.path.stat().st_size
    log.append(message_event(1, "one"))
    log.close()
    whole = log.path.read_bytes()
    log.path.write_bytes(whole[: before + 40])

    assert follower.more() == []
    with log.path.open("ab") as file:
        file.write(whole[before + 40 :])
    assert words(follower.more()) == ["one"]


def test_damage_is_told_and_so_is_what_comes_behind_it(tmp_path: Path) -> None:
    log = begin(tmp_path, message_event(0, "zero"))
    follower = LogFollower(tmp_path / "logs", WINDOW)
    follower.last(1)
    with log.path.open("ab") as file:
        file.write(b"put in by somebody\n")
    os.utime(log.path)
    data = log.path.read_bytes()
    log.close()
    copy = begin(tmp_path / "copy", message_event(0, "zero"), message_event(1, "one"))
    copy.close()
    whole = copy.path.read_bytes()
    log.path.write_bytes(data + whole[len(data) - len(b"put in by somebody\n") :])

    lines = follower.more()

    assert [isinstance(line.what, Gap) for line in lines] == [False, True]
    assert words(lines)[0] == "one"


def test_of_very_many_windows_the_newest_are_looked_into(tmp_path: Path) -> None:
    for number in range(NEWEST_LOGS + 4):
        window = Window(surface=Surface.DISCORD_THREAD, id=str(10**17 + number))
        log = begin(tmp_path, message_event(number, f"n{number}"), window=window)
        log.close()
        os.utime(log.path, (number, number))

    assert words(LogFollower(tmp_path / "logs").last(2)) == [f"n{NEWEST_LOGS + 2}", f"n{NEWEST_LOGS + 3}"]


def test_a_window_that_keeps_no_logs_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="12"):
        LogFollower(tmp_path / "logs", Window(surface=Surface.DISCORD_THREAD, id="12"))
