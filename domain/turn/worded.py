"""Wording of a request by another part: texts in the places of results, and blocks before prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from domain.log.event import Event
from domain.turn.bash_tool import BashArguments, read_call
from messages.base import EventId, TurnId
from messages.model import OwnThoughts, ToolCall
from messages.turn import CallShown


@dataclass(frozen=True, slots=True)
class Worded:
    """Wording of one request; results without an entry stand as in the log."""

    results: Mapping[EventId, str] = field(default_factory=lambda: MappingProxyType({}))
    """Event of a result -> the text in the result's place."""
    notes: Mapping[TurnId, str] = field(default_factory=lambda: MappingProxyType({}))
    """Turn -> the block before all else in the turn's first message."""
    thoughts: Mapping[EventId, OwnThoughts] = field(default_factory=lambda: MappingProxyType({}))
    """Event of the model's words before calls, in the turn in hand -> the model's thoughts at this point."""


AS_LOGGED = Worded()
"""Wording of a request with all texts as in the log."""


def call_shown(event: Event, meta: Mapping[str, Any], call: ToolCall | None, asked_at: datetime | None) -> CallShown:
    """A call with its result, for the part that words results.

    Args:
        event: The result.
        meta: Metadata of the result.
        call: The call; None if the log does not have the call.
        asked_at: Time of the call; None if the log does not have the call.
    """
    arguments = read_call(call) if call is not None else ""
    exit_code = meta.get("exit_code")
    return CallShown(
        event=event.id,
        call_id=str(meta.get("call_id", "")),
        command=arguments.command if isinstance(arguments, BashArguments) else "",
        text=event.content,
        outcome=str(meta.get("outcome", "")),
        exit_code=exit_code if isinstance(exit_code, int) else None,
        asked_at=asked_at or event.at,
        ended_at=event.at,
        full_output=str(meta.get("full_output", "")),
    )
