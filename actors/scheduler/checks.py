"""Checks of the scheduler: the rules of London's clocks, and the reminders' file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.part import Finding, Level
from actors.scheduler.reminder_file import FileRefusedError, ReminderFile
from actors.scheduler.zone import ZoneMissingError, load_zone
from domain.reminder.document import scan


def findings(file: Path) -> Iterator[Finding]:
    """Whether clocks and file can be read, and how many lines of the file are no reminders."""
    try:
        load_zone()
    except ZoneMissingError as error:
        yield Finding("clocks", Level.FAIL, str(error))
        return
    try:
        document = scan(ReminderFile(file, file.parent).read() or b"")
    except (FileRefusedError, OSError) as error:
        yield Finding("reminders", Level.WARN, f"{file}: {error}")
        return
    faults = len(document.faults) + len(document.repeated)
    hint = f", {faults} lines that look like some and aren't: `agent reminders check`" if faults else ""
    yield Finding("reminders", Level.WARN if faults else Level.OK, f"{len(document.entries)} in {file}{hint}")
