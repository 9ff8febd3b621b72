"""Requests to rooms to take out what they made from forgotten events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from messages.base import Address, EventId, MessageId, RequestId, TurnId, Window
from messages.forget import ForgetDerived, ForgottenEvent


def forget_request(reply_to: Address, window: Window, *turns: str, whole: bool = False, **fields: Any) -> ForgetDerived:
    """Request about the first events of some turns; `fields` are those of each event."""
    events = tuple(
        ForgottenEvent(
            window=window,
            path="logs/x.md",
            line=number,
            event_id=EventId(turn),
            turn_id=fields.pop("turn_id", TurnId(turn)),
            message_id=MessageId(turn) if turn.isdecimal() else MessageId(""),
            **fields,
        )
        for number, turn in enumerate(turns, 1)
    )
    return ForgetDerived(
        request_id=RequestId("forget"),
        reply_to=reply_to,
        forget_id="f1",
        window=window,
        events=events,
        whole_window=whole,
    )


def files_with(root: Path, word: str) -> list[str]:
    """Names of the files below a folder that have a word in their bytes."""
    files = (path for path in root.rglob("*") if path.is_file())
    return sorted(path.name for path in files if word.encode() in path.read_bytes())
