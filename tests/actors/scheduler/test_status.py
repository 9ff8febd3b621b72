"""Reports of trouble to people: once when it begins, once when it is over, and nothing more for a quarter of an hour."""

from __future__ import annotations

import logging
from itertools import pairwise
from pathlib import Path

import pytest

from actors.edited_file.file import EditedFile
from actors.scheduler.status import REPORT_AGAIN_S, Troubles
from lab.chaos.reminders.world import Channel, Process
from tests.actors.scheduler.conftest import StartProcess
from tests.actors.scheduler.lines import line


class Rig:
    def __init__(self) -> None:
        self.seconds = 0.0
        self.told: list[tuple[float, str]] = []
        self.troubles = Troubles(lambda text: self.told.append((self.seconds, text)), lambda: self.seconds)

    def minutes(self, count: int, trouble: str) -> None:
        for _ in range(count):
            self.troubles.report("the disk", trouble, f" ({self.seconds} s)")
            self.seconds += 60


TWIN = '- [ ] date=2027-03-28 time=09:00 recur=none msg="no id"\n'
"""A line that the agent edits, since it lacks an id."""
BROKEN, WELL = "⚠️ Reminders: it is full (0.0 s)", "✅ Reminders: the disk: in order again"


def test_trouble_is_told_once_when_it_begins_and_once_when_it_is_over() -> None:
    rig = Rig()
    rig.minutes(1, "")
    assert rig.told == []
    rig.seconds = 0.0
    rig.minutes(60, "it is full")
    rig.minutes(60, "")
    assert rig.told == [(0, BROKEN), (3600, WELL)]
    assert str(rig.troubles) == ""


def test_what_comes_and_goes_is_told_no_more_than_once_in_a_quarter_of_an_hour() -> None:
    rig = Rig()
    for _ in range(30):
        rig.minutes(1, "it is full")
        rig.minutes(1, "")
    times = [at for at, _ in rig.told]
    assert len(times) >= 3
    assert all(later - earlier >= REPORT_AGAIN_S for earlier, later in pairwise(times))


def test_what_was_over_before_it_could_be_told_so_is_told_later() -> None:
    rig = Rig()
    rig.minutes(1, "it is full")
    rig.minutes(30, "")
    assert rig.told == [(0, BROKEN), (REPORT_AGAIN_S, WELL)]


def test_the_log_has_each_change_and_no_repetition(caplog: pytest.LogCaptureFixture) -> None:
    rig = Rig()
    with caplog.at_level(logging.WARNING):
        rig.minutes(5, "it is full")
        rig.minutes(5, "")
        rig.minutes(5, "it is full")
    assert len(caplog.records) == 3


def slow(process: Process, monkeypatch: pytest.MonkeyPatch, seconds: float) -> pytest.MonkeyPatch:
    """Every look at the file takes so long from now on."""
    look = EditedFile.look

    def slowly(file: EditedFile) -> object:
        process.clock.advance(seconds)
        return look(file)

    monkeypatch.setattr(EditedFile, "look", slowly)
    return monkeypatch


@pytest.mark.req("S0-136")
def test_a_folder_that_becomes_slow_is_one_alert_and_one_more_when_it_is_well_again(
    start: StartProcess, file: Path, channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(line("tea", "2026-03-28 13:30") + "\n")
    process = start()
    with monkeypatch.context() as patch:
        slow(process, patch, 4.0)
        process.pass_minutes(20)
        (alert,) = channel.texts()
    process.pass_minutes(20)
    assert alert.startswith("⚠️ Reminders: ")
    assert "more than 5 s" in alert
    assert channel.texts()[1:] == ["✅ Reminders: looking at the reminders' file: in order again"]
    process.pass_minutes(60)
    assert "tea" in channel.texts()[-1]


@pytest.mark.req("S0-136")
@pytest.mark.parametrize("fails", [1, 5])
def test_an_alert_that_discord_cannot_take_is_told_once_when_it_can(
    start: StartProcess, file: Path, channel: Channel, fails: int
) -> None:
    process = start()
    file.mkdir()
    channel.fails = fails
    process.pass_minutes(20)
    (alert,) = channel.texts()
    channel.fails = fails
    file.rmdir()
    file.write_text(line("tea", "2026-03-28 13:30") + "\n")
    process.pass_minutes(20)
    assert alert.startswith("⚠️ Reminders: ")
    assert channel.texts()[1:] == ["✅ Reminders: the reminders' file: in order again"]


@pytest.mark.req("S0-136")
def test_a_file_that_cannot_be_read_is_one_alert_and_one_more_when_it_can(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    process = start()
    file.mkdir()
    process.pass_minutes(20)
    (alert,) = channel.texts()
    file.rmdir()
    file.write_text(line("tea", "2026-03-28 13:30") + "\n")
    process.pass_minutes(20)
    assert alert.startswith("⚠️ Reminders: ")
    assert channel.texts()[1:] == ["✅ Reminders: the reminders' file: in order again"]


@pytest.mark.req("S0-136")
@pytest.mark.parametrize(("more", "restarts"), [("", False), (TWIN, False), (TWIN, True)])
def test_a_folder_that_is_gone_is_one_alert_and_one_more_when_it_is_back(
    start: StartProcess, file: Path, channel: Channel, more: str, restarts: bool
) -> None:
    """As a vault whose disk is not mounted; after a restart the agent knows from its own backup that there was one."""
    file.write_text(line("tea", "2026-03-28 13:30") + "\n" + more)
    process = start()
    process.pass_minutes(2)
    elsewhere = file.rename(file.with_suffix(".away"))
    process.pass_minutes(1)
    assert channel.texts() == []
    if restarts:
        process.kill()
        process = start(process.clock.now())
    process.pass_minutes(20)
    assert channel.texts() == [f"⚠️ Reminders: {file}: is gone, so no reminder is due until it is back"]
    elsewhere.rename(file)
    process.pass_minutes(20)
    assert channel.texts()[1:] == ["✅ Reminders: the reminders' file: in order again"]


def test_a_file_that_was_never_there_is_no_trouble(start: StartProcess, channel: Channel) -> None:
    process = start()
    process.pass_minutes(20)
    assert channel.texts() == []


def test_a_file_that_is_not_there_for_a_moment_is_no_trouble(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text("# Mine\n")
    process = start()
    for _ in range(5):
        process.pass_minutes(1)
        held = file.read_bytes()
        file.unlink()
        process.pass_minutes(1)
        file.write_bytes(held)
    assert channel.texts() == []
