"""Ledger's files: `usage/YYYY-MM.jsonl`, a line of JSON for each call; append-only."""

from __future__ import annotations

import logging
import os
import re
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import msgspec

from actors.linux.disk import Disk
from actors.linux.notebook import Notebook
from actors.linux.regular_file import open_regular
from messages.model import CallKind, CallSpent

log = logging.getLogger(__name__)

FOLDER = "usage"
_NAME = re.compile(r"[0-9]{4}-[0-9]{2}\.jsonl")
_MOST_UNSYNCED = 20_000
_DECODER = msgspec.json.Decoder(CallSpent)


class LedgerFiles:
    """Writer of a notebook for each month; entries survive the process at once, and a power loss after `sync`."""

    def __init__(self, folder: Path, disk: Disk | None = None) -> None:
        """Begin without a file.

        Args:
            folder: Of the files; made with the first entry.
            disk: Disk to write to; None for the real disk.
        """
        self._folder = folder
        self._disk = disk
        self._month: Notebook | None = None
        self._unsynced: deque[bytes] = deque(maxlen=_MOST_UNSYNCED)
        """Lines that no sync has made safe yet."""
        self._has_failed = False
        """True if the last sync failed: lines may be gone, or never reach the disk though a later sync succeeds."""

    def append(self, spent: CallSpent) -> None:
        """Write a line at the end of the month's file.

        Raises:
            OSError: the line is not written; no part of the line stays.
        """
        path = self._folder / name_of(spent.at)
        if self._month is None or self._month.path != path:
            self.sync()
            self._month = Notebook(path, self._disk)
        line = msgspec.json.encode(spent)
        self._month.append(line + b"\n", is_durable=False)
        self._unsynced.append(line)

    def sync(self) -> None:
        """Return when all entries are on the disk; after a failure, the file is written anew.

        Raises:
            OSError: some may not be.
        """
        if self._month is None:
            return
        try:
            if self._has_failed:
                lines = self._month.lines()
                present = set(lines)
                lines += [line for line in self._unsynced if line not in present]
                self._month.replace(line + b"\n" for line in lines)
            else:
                self._month.sync()
        except OSError:
            self._has_failed = True
            raise
        self._has_failed = False
        self._unsynced.clear()


def name_of(at: datetime) -> str:
    """Name of the file for calls of the given time (UTC)."""
    return f"{at.year:04}-{at.month:02}.jsonl"


def _entry(line: bytes, year: int, month: int) -> CallSpent | None:
    """The call in a line, at its time in UTC; None for a line that is no entry of the given month."""
    try:
        spent = _DECODER.decode(line)
        if spent.at.tzinfo is not UTC:
            spent = msgspec.structs.replace(spent, at=spent.at.astimezone(UTC))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError):
        return None
    return spent if spent.at.month == month and spent.at.year == year else None


class Damage:
    """Count of unreadable lines, by file."""

    def __init__(self) -> None:
        self.lines = 0
        self.files: list[str] = []


def entries(
    folder: Path, since: datetime | None = None, until: datetime | None = None, damage: Damage | None = None
) -> Iterator[CallSpent]:
    """Entries, oldest file first, without an unfinished last line.

    Args:
        folder: Folder of the files; may be missing.
        since: First instant to count; None for all.
        until: First instant after; None for all.
        damage: Counts lines that are no entries.

    Raises:
        OSError: a file cannot be read.
    """
    try:
        names = sorted(path.name for path in folder.iterdir() if _NAME.fullmatch(path.name))
    except FileNotFoundError:
        return
    for name in names:
        if (since is not None and name < name_of(since)) or (until is not None and name > name_of(until)):
            continue
        year, month = int(name[:4]), int(name[5:7])
        with os.fdopen(open_regular(folder / name), "rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                spent = _entry(line, year, month)
                if spent is None:
                    if damage is not None:
                        damage.lines += 1
                        damage.files += [name] if name not in damage.files else []
                elif (since is None or spent.at >= since) and (until is None or spent.at < until):
                    yield spent


def entries_on(folder: Path, at: datetime) -> Iterator[CallSpent]:
    """Entries of the day of `at` (UTC); an unreadable file, and lines that are no entries, cost a warning."""
    damage, midnight = Damage(), datetime.combine(at.date(), time(), UTC)
    try:
        yield from entries(folder, midnight, midnight + timedelta(days=1), damage)
    except OSError as error:
        log.warning("the ledger of this day cannot be read, so a new one begins: %s", error)
    if damage.lines:
        log.warning("%d lines of %s are not entries and are ignored", damage.lines, ", ".join(damage.files))


def spent_on(folder: Path, at: datetime) -> float:
    """Cost in US dollars of the calls of language models on the day of `at` (UTC)."""
    return sum(spent.cost_usd for spent in entries_on(folder, at) if spent.kind is CallKind.MODEL)
