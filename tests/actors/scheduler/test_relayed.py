"""What a command line has said is said again where people read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.chaos.reminders.world import Channel, Process
from messages.base import RequestId, Surface, Window
from messages.scheduler import ConfirmationRelayed, RelayConfirmation
from messages.socket import Refused
from tests.actors.scheduler.conftest import StartProcess

THREAD = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")


LINE = '- [ ] date=2026-03-30 time=09:00 recur=none msg="x" id=rid_AAAAAAAAAAAA'
SAID = f"Reminder set:\n```\n{LINE}\n```"


def relay(process: Process, window: Window, text: str = SAID, exact: str = "") -> object:
    command = RelayConfirmation(
        request_id=RequestId("r1"), reply_to=process.asker.address, window=window, text=text, exact=exact
    )
    process.tell(command)
    process.settle()
    (answer,) = process.asker.drain()
    return answer


@pytest.mark.req("S0-144", "X-27")
def test_it_is_shown_once_in_its_window_with_the_exact_line_beside_it(
    start: StartProcess, channel: Channel, file: Path
) -> None:
    file.write_text(LINE + "\n")
    process = start()
    for _ in range(2):
        answer = relay(process, THREAD, exact=LINE)
        assert isinstance(answer, ConfirmationRelayed)
    (posting, again) = channel.asked
    assert (posting.window, posting.text, posting.exact) == (THREAD, SAID, LINE)
    assert again.nonce == posting.nonce
    assert channel.texts() == [SAID]


def test_a_window_that_nobody_reads_is_refused(start: StartProcess, channel: Channel) -> None:
    answer = relay(start(), Window(surface=Surface.CLI, id="operator"))
    assert answer == Refused(request_id=RequestId("r1"), reason="window cli/operator: nobody reads it")
    assert channel.asked == []
