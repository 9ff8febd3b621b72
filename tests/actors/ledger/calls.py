"""Calls that are entered in a ledger, for its tests."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

from actors.ledger.file import LedgerFiles
from actors.linux.disk import RealDisk
from messages.model import CallKind, CallOutcome, CallSpent

NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)
_CLOSE = os.close


class FullDisk(RealDisk):
    """Disk that takes so many bytes, and no more."""

    def __init__(self, room: int) -> None:
        self.room = room

    def write(self, fd: int, data: bytes, /) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "full")
        count = super().write(fd, data[: self.room])
        self.room -= count
        return count


def close_late(fd: int) -> None:
    """Close as a file system does that says only then that a write before has failed."""
    _CLOSE(fd)
    raise OSError(errno.EIO, "Input/output error")


def usage_of(call_id: str = "a", at: datetime = NOON, tokens: int = 5) -> CallSpent:
    """Usage of a call."""
    return CallSpent(
        at=at,
        kind=CallKind.MODEL,
        owner="discord-channel/1",
        call_id=call_id,
        attempt=1,
        model="m",
        prompt_tokens=tokens,
        outcome=CallOutcome.ANSWERED,
    )


def enter(folder: Path, *calls: CallSpent) -> None:
    """Have an earlier life's files hold these."""
    files = LedgerFiles(folder)
    for call in calls:
        files.append(call)
