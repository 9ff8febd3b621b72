"""Rows 32-35: clocks that jump, zones that change, both changes of the clocks, and a sleep of eight hours."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import pytest

from actors.scheduler.zone import ZoneMissingError, load_zone
from domain.log.event import Kind
from lab.chaos.reminders.world import Channel
from messages.context import ResumeWindow
from messages.discord import PostMessage
from tests.actors.context.rig import CHANNEL, Rig, of_type
from tests.actors.scheduler.conftest import START, StartProcess
from tests.actors.scheduler.lines import at, line
from tests.domain.reminder.test_recurrence import ONE_OFFS, RECURRING

JUMPS = [timedelta(hours=1), timedelta(hours=-1), timedelta(days=1), timedelta(days=-3653)]


@pytest.mark.parametrize("jump", JUMPS, ids=str)
def test_row_32_a_clock_that_jumps_and_comes_back_fires_everything_once(
    start: StartProcess, file: Path, channel: Channel, jump: timedelta
) -> None:
    file.write_text(f"{line('once', '2026-03-28 12:02')}\n{line('daily', '2026-03-01 12:02', 'daily', 'rid_D')}\n")
    process = start()
    process.pass_minutes(3)
    assert len(channel.postings) == 2
    process.clock.jump(jump)
    process.pass_minutes(10)
    process.clock.jump(-jump)
    process.pass_minutes(10)
    again = [text for text in channel.texts() if "once" in text]
    assert len(again) == 1, "a one-off never comes again"
    daily = [message.at.strftime("%Y-%m-%d") for message in channel.postings if "daily" in message.text]
    assert len(daily) == len(set(daily)), "no day's reminder comes twice"


@pytest.mark.parametrize("jump", JUMPS, ids=str)
def test_row_32_a_window_goes_on_in_its_order_whatever_the_clock_does(tmp_path: Path, jump: timedelta) -> None:
    rig = Rig(tmp_path)
    rig.say("one", 1)
    rig.answer("1")
    rig.deliver()
    rig.clock.jump(jump)
    rig.say("two", 2)
    rig.answer("2")
    assert rig.deliver().text == "2"
    assert rig.kinds() == [Kind.USER, Kind.AGENT, Kind.DELIVERY] * 2
    assert of_type(PostMessage, rig.surface.drain()) == []
    rig.stop()


@pytest.mark.parametrize("jump", JUMPS, ids=str)
def test_row_32_a_turn_begun_on_another_clock_ends_once_also_after_a_kill(tmp_path: Path, jump: timedelta) -> None:
    """A second machine that goes on with a data root has a clock of its own."""
    rig = Rig(tmp_path)
    rig.say("one", 1)
    rig.clock.jump(jump)
    rig.answer("1")
    rig.deliver()
    rig.say("two", 2)
    rig.kill()
    other = Rig(tmp_path)
    other.clock.jump(2 * jump)
    other.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=other.surface.address))
    other.answer("2")
    assert other.deliver().text == "2"
    answers = [event.content for event in other.events() if event.kind is Kind.AGENT]
    assert answers == ["1", "2"]
    other.stop()


@pytest.mark.parametrize("change", ["2026-03-29T00:59:59Z", "2026-10-25T00:59:59Z"])
def test_row_34_a_turn_across_a_change_of_the_clocks_is_one_turn(tmp_path: Path, change: str) -> None:
    rig = Rig(tmp_path)
    rig.clock.jump(at(change) - rig.clock.now())
    rig.say("one", 1)
    rig.advance(2.0)
    rig.answer("1")
    assert rig.deliver().text == "1"
    assert rig.kinds() == [Kind.USER, Kind.AGENT, Kind.DELIVERY]
    assert rig.events()[-1].at == at(change) + timedelta(seconds=2)
    rig.stop()


def test_row_33_the_zone_is_londons_whatever_the_machine_says(
    start: StartProcess, file: Path, channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("PYTHONTZPATH", "/nowhere")
    file.write_text(line("tea", "2026-07-10 09:00") + "\n")
    process = start(at("2026-07-10T07:58:30Z"))
    process.pass_minutes(1)
    assert channel.postings == []
    process.pass_minutes(1)
    assert "Fri 2026-07-10 09:00 BST" in channel.texts()[0]


def test_row_33_missing_rules_are_an_error_at_the_start_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "tzdata"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tzdata", None)
    with pytest.raises(ZoneMissingError, match="install the package tzdata"):
        load_zone()


@pytest.mark.parametrize("case", [case for case in ONE_OFFS.split("\n") if case], ids=str)
def test_row_34_a_one_off_is_said_in_the_minute_that_the_table_says(
    start: StartProcess, file: Path, channel: Channel, case: str
) -> None:
    local, _, instant = case.partition(" -> ")
    due = at(instant)
    file.write_text(line("tea", local) + "\n")
    process = start(due - timedelta(minutes=2, seconds=30))
    process.pass_minutes(2)
    assert channel.postings == []
    process.pass_minutes(1)
    (shown,) = channel.postings
    assert timedelta(0) <= shown.at - due < timedelta(seconds=1)
    process.pass_minutes(65)
    assert len(channel.postings) == 1, "not again where the clocks show the hour twice"


@pytest.mark.parametrize("case", RECURRING, ids=str)
def test_row_34_a_recurring_one_keeps_its_wall_clock(
    start: StartProcess, file: Path, channel: Channel, case: tuple[str, str, str, str]
) -> None:
    recur, first, _, instants = case
    file.write_text(line("tea", first, str(getattr(recur, "value", recur))) + "\n")
    for number, instant in enumerate(instants.split(), 1):
        process = start(at(instant) - timedelta(minutes=1, seconds=30))
        process.pass_minutes(2)
        assert len(channel.postings) == number
        assert timedelta(0) <= channel.postings[-1].at - at(instant) < timedelta(seconds=1)
        process.kill()


def test_row_35_after_a_sleep_of_eight_hours_each_comes_once_and_says_that_it_is_late(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(
        f"{line('once', '2026-03-28 13:00')}\n{line('daily', '2026-01-01 14:00', 'daily', 'rid_D')}\n"
        f"{line('later', '2026-03-28 23:00', reminder_id='rid_L')}\n"
    )
    process = start(START)
    process.pass_minutes(1)
    process.clock.jump(timedelta(hours=8))
    process.pass_minutes(3)
    assert sorted(" late" in text for text in channel.texts()) == [True, True]
    assert {word for word in ("once", "daily", "later") for text in channel.texts() if word in text} == {
        "once",
        "daily",
    }
