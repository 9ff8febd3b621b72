"""Checks of the scheduler: the rules of London's clocks, and the reminders' file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.edited_file.file import LIMIT_BYTES, EditedFile, reason_of
from actors.part import Finding, Level
from actors.scheduler.zone import ZoneMissingError, load_zone
from domain.edit.encoding import encoding_flaw
from domain.reminder.document import scan

_HARD_LINKS = (
    "names are hard links to it: the agent's edits replace the file of this name and not of the others; use symbolic "
    "links"
)


def findings(file: Path) -> Iterator[Finding]:
    """Findings on clocks and file: readable or not, and the number of faulty lines."""
    try:
        load_zone()
    except ZoneMissingError as error:
        yield Finding("clocks", Level.FAIL, str(error))
        return
    try:
        look = EditedFile(file, file.parent).look()
        names = 1 if look is None else file.stat().st_nlink
    except OSError as error:
        yield Finding("reminders", Level.WARN, reason_of(error))
        return
    if look is not None and (flaw := encoding_flaw(look.data)):
        yield Finding("reminders", Level.WARN, f"{file}: {flaw}")
        return
    document = scan(look.data if look is not None else b"")
    if look is not None and look.left_out_bytes:
        yield Finding("reminders", Level.WARN, f"{file}: only its first {LIMIT_BYTES // 2**20} MiB are read")
        return
    if names > 1:
        yield Finding("reminders", Level.WARN, f"{file}: {names} {_HARD_LINKS}")
        return
    faults = len(document.faults) + len(document.repeated) + len(document.failed)
    hint = f", {faults} lines that need mending: `agent reminders check`" if faults else ""
    yield Finding("reminders", Level.WARN if faults else Level.OK, f"{len(document.entries)} in {file}{hint}")
