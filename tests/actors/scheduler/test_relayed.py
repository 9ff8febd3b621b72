"""Reminder changes from the command line are posted again where people read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.reminder.text import confirmation
from lab.chaos.reminders.world import Channel, Process
from messages.base import RequestId, Surface, Window
from messages.scheduler import ConfirmationRelayed, RelayConfirmation
from messages.socket import Refused
from tests.actors.scheduler.conftest import StartProcess

THREAD = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")


LINE = '- [ ] date=2026-03-30 time=09:00 recur=none msg="x" id=rid_AAAAAAAAAAAA'
NEXT = "Next: Mon 2026-03-30 09:00 BST"
SAID = f"Reminder set:\n```\n{LINE}\n```\n{NEXT}"


def relay(process: Process, window: Window, line: str = LINE) -> object:
    command = RelayConfirmation(
        request_id=RequestId("r1"),
        reply_to=process.asker.address,
        window=window,
        what="Reminder set",
        line=line,
        notes=NEXT,
    )
    process.tell(command)
    process.settle()
    (answer,) = process.asker.drain()
    return answer


@pytest.mark.req("S0-144", "X-27")
def test_it_is_shown_once_in_its_window(start: StartProcess, channel: Channel, file: Path) -> None:
    file.write_text(LINE + "\n")
    process = start()
    for _ in range(2):
        answer = relay(process, THREAD)
        assert isinstance(answer, ConfirmationRelayed)
    (posting, again) = channel.requests
    assert (posting.window, posting.text, posting.exact) == (THREAD, SAID, "")
    assert again.nonce == posting.nonce
    assert channel.texts() == [SAID]


def test_a_line_that_hides_something_is_spelled_out_with_the_exact_one_beside_it(
    start: StartProcess, channel: Channel, file: Path
) -> None:
    line = LINE.replace('"x"', '"x\u202ey ```"')
    file.write_text(line + "\n")
    assert isinstance(relay(start(), THREAD, line), ConfirmationRelayed)
    (posting,) = channel.requests
    assert posting.exact == line
    assert posting.text == confirmation("Reminder set", line, NEXT).text


def test_a_window_that_nobody_reads_is_refused(start: StartProcess, channel: Channel) -> None:
    answer = relay(start(), Window(surface=Surface.CLI, id="operator"))
    assert answer == Refused(request_id=RequestId("r1"), reason="window cli/operator: it has no readers")
    assert channel.requests == []


@pytest.mark.parametrize("line", ["", f"{LINE}\n- [ ] another"])
def test_what_is_not_one_line_is_refused(start: StartProcess, channel: Channel, line: str) -> None:
    answer = relay(start(), THREAD, line)
    assert isinstance(answer, Refused)
    assert answer.reason == f"line {line[:60]!r}: must be one line of the file"
    assert channel.requests == []
