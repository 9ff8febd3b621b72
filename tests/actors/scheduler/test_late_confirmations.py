"""Search for owed postings: a wrong clock causes no second posting of the same text."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from pathlib import Path

import pytest

from lab.chaos.reminders.world import Channel
from tests.actors.scheduler.conftest import START, StartProcess
from tests.actors.scheduler.owing import OLD, THREAD, notes, wish
from tests.actors.scheduler.readers import OPEN


@pytest.mark.parametrize("ahead_h", [-5, 0, 3, 20])
def test_what_people_were_shown_by_a_clock_that_was_wrong_is_not_shown_again_when_it_is_right(
    start: StartProcess, channel: Channel, file: Path, ahead_h: int
) -> None:
    channel.readers[THREAD] = OPEN
    file.write_text(OLD + "\n")
    process = start(START + timedelta(hours=ahead_h))
    wish(process, "Reminder set")
    process.kill()
    channel.postings = [dataclasses.replace(message, at=START) for message in channel.postings]
    start(START + timedelta(minutes=10)).pass_minutes(2)
    assert len(channel.texts(THREAD)) == 1
    assert notes(file) == []
