"""Calls that are entered in a ledger, for its tests."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from actors.ledger.file import LedgerFiles
from messages.model import CallKind, CallOutcome, CallSpent

NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)


def spent(call_id: str = "a", at: datetime = NOON, tokens: int = 5) -> CallSpent:
    """What a call took."""
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
    files.close()
