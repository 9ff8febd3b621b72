"""Requests whose confirmations are owed, processes that die before they are posted, and disks that fail."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from actors.scheduler.owed import FOLDER
from domain.reminder.owed import OwedConfirmation
from lab.chaos.reminders.world import Channel, Process
from messages.base import Message, RequestId, Surface, Window
from messages.scheduler import CreateReminder, DeleteReminder, ModifyReminder, RelayConfirmation
from tests.actors.scheduler.conftest import START, StartProcess
from tests.actors.scheduler.lines import line
from tests.recording_disk import RecordingDisk

THREAD = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")
OLD = line("old", "2027-01-01 09:00", "none", "rid_OLD") + f" in={THREAD.address.key}"
CREATE: dict[str, Any] = {"msg": "tea", "date": "2026-04-01", "time": "09:00"}
REQUESTS = {
    "Reminder set": (CreateReminder, CREATE),
    "Reminder changed": (ModifyReminder, {"id": "rid_OLD", "time": "11:00"}),
    "Reminder deleted": (DeleteReminder, {"id": "rid_OLD"}),
}


def spoil(
    disk: RecordingDisk, name: str, number: int = errno.EIO, when: Callable[[bytes], bool] = lambda _data: True
) -> None:
    """Have one of the disk's calls fail from now on, where `when` says so of what is written."""

    def fail(call: str, data: bytes) -> None:
        if call == name and when(data):
            raise OSError(number, os.strerror(number))

    disk.before = fail


def mend(disk: RecordingDisk) -> None:
    """Have all calls work again."""
    disk.before = lambda _call, _data: None


def ask(process: Process, what: str, request_id: str = "r1", **more: str) -> None:
    """Ask for one of `REQUESTS`, and let come of it what needs no time.

    Args:
        more: Fields that are other than there.
    """
    kind, fields = REQUESTS[what]
    given = {**fields, **more}
    process.tell(kind(request_id=RequestId(request_id), reply_to=process.asker.address, window=THREAD, **given))


def wish(process: Process, what: str, request_id: str = "r1", **more: str) -> Message | None:
    """What is answered to one of `REQUESTS`, if anything; as for `ask`."""
    ask(process, what, request_id, **more)
    process.settle()
    return next(iter(process.asker.drain()), None)


def notes(file: Path) -> list[Path]:
    """Notes that are kept beside the reminders' `file`."""
    return list((file.parent / "spare" / FOLDER).glob("*"))


def relayed(process: Process, window: Window = THREAD) -> Message:
    """What is answered to a command line that has its confirmation posted."""
    process.tell(
        RelayConfirmation(
            request_id=RequestId("r1"),
            reply_to=process.asker.address,
            window=window,
            what="Reminder set",
            line=OLD,
            notes="",
        )
    )
    process.settle()
    (answer,) = process.asker.drain()
    return answer


def after(process: Process, start: StartProcess, minutes: float = 1) -> Process:
    """The process that follows one that is killed."""
    process.kill()
    return start(process.clock.now() + timedelta(minutes=minutes))


def note(text: str = "words", request_id: str = "confirm-r1") -> OwedConfirmation:
    """A note of a confirmation that is posted whatever the file holds."""
    return OwedConfirmation(request_id=RequestId(request_id), window=THREAD, text=text, nonce="n", at=START)


def killed_before_people_were_told(start: StartProcess, channel: Channel, what: str = "Reminder set") -> Process:
    """A process that did what was asked for, and whose confirmation got nowhere."""
    process = start()
    channel.is_mute = True
    assert wish(process, what) is not None
    process.kill()
    channel.is_mute = False
    return process
