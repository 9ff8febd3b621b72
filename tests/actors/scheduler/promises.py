"""Promises of the scheduler, held against what a power loss would leave at the moment when they are made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from actors.scheduler.actor import SchedulerActor
from actors.scheduler.confirmations import CONFIRMATION
from domain.edit.lines import BOM
from messages.base import Address, Message
from messages.discord import PostMessage
from messages.scheduler import ReminderCreated, ReminderDeleted, ReminderModified
from tests.recording_disk import RecordingDisk


def check_promise(actor: Any, _to: Address, message: Message) -> None:
    """Fail unless what `message` says of the file would be so after a power loss now."""
    config = actor._config
    assert isinstance(config.disk, RecordingDisk), "the scheduler of a test stores on a disk that knows what is safe"
    there, gone = _lines(message)
    if not (there or gone):
        return
    path = Path(os.path.realpath(config.file))
    lines = _lines_of(config.disk.surviving(path) or b"")
    if isinstance(message, PostMessage) and message.look_first:  # it tells of what was so when it was owed
        now = _lines_of(path.read_bytes() if path.exists() else b"")
        there, gone = there & now, gone - now
    assert there <= lines, f"{type(message).__name__} promises a line that a power loss would take away"
    assert not gone & lines, f"{type(message).__name__} promises that a line is gone that a power loss would bring back"


def watch(tell: Any) -> Any:
    """`SchedulerActor.tell`, with each message held against the disk first."""

    def watched(actor: SchedulerActor, to: Address, message: Message) -> None:
        check_promise(actor, to, message)
        tell(actor, to, message)

    return watched


def _lines_of(data: bytes) -> set[str]:
    return {line.rstrip(b"\r").decode(errors="surrogateescape") for line in data.removeprefix(BOM).split(b"\n")}


def _lines(message: Message) -> tuple[set[str], set[str]]:
    """Lines that stand in the file, and lines that do not, if `message` is true."""
    match message:
        case ReminderCreated(line=line):
            return {line}, set()
        case ReminderModified(line=line, old_line=old):
            return {line}, {old.rstrip()} - {line}
        case ReminderDeleted(line=line):
            return set(), {line}
        case PostMessage(request_id=request_id, text=text, exact=exact) if request_id.startswith(CONFIRMATION):
            what, _, shown, *_ = text.split("\n")
            line = exact or shown
            return (set(), {line}) if what == "Reminder deleted:" else ({line}, set())
        case _:
            return set(), set()
