"""Turns as these tests need them."""

from __future__ import annotations

from datetime import UTC, datetime

from messages.base import TurnId
from messages.turn import SpokenTurn

AT = datetime(2026, 11, 22, 16, 20, tzinfo=UTC)
PATH = "logs/discord-dm/67/2026-11-22.md"


def turn(text: str, answer: str = "", *results: str, line: int = 1, author: str = "Ann") -> SpokenTurn:
    return SpokenTurn(
        turn_id=TurnId(f"u{line}"),
        path=PATH,
        line=line,
        at=AT,
        author=author,
        text=text,
        answer=answer,
        results=results,
    )
