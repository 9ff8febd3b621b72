"""Editors that save an old or converted copy of the file while a reminder is on the way to people."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.chaos.reminders.world import Channel
from tests.actors.scheduler.conftest import StartProcess
from tests.actors.scheduler.lines import line


@pytest.mark.parametrize("by_rename", [True, False])
@pytest.mark.parametrize("steps", range(6))
def test_a_line_that_an_editor_saves_without_the_id_while_it_is_said_is_not_said_again(
    start: StartProcess, file: Path, channel: Channel, steps: int, *, by_rename: bool
) -> None:
    file.write_text(typed := line("tea", "2026-03-28 12:01", reminder_id="") + "\n")
    process = start()
    process.settle()
    assert " id=rid_" in file.read_text()
    process.clock.advance(29)
    while not channel.postings:
        process.steps(1)
    process.steps(steps)
    draft = file.with_name("draft") if by_rename else file
    draft.write_text("# Words\n" + typed)
    draft.replace(file)
    process.pass_minutes(4)
    assert (len(channel.postings), file.read_text()) == (1, "# Words\n")
