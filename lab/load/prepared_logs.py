"""Data root with many logs, in the agent's form: each log is a thread with whole, answered turns."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from domain.log.event import Event, Header, Kind, event
from domain.log.format import encode_event, encode_header
from domain.log.metadata import MetaValue
from domain.log.window import log_folder, log_path
from messages.base import Surface, Window

FIRST_ID = 1_300_000_000_000_000_000
"""First id of the threads, whose ids are consecutive; Discord gave such ids in 2024, so no new thread collides."""
_BEGIN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
EVENTS_OF_TURN = 3
_WORDS = ("harbour", "violin", "granite", "lantern", "meadow", "copper", "orchard", "thimble", "glacier", "paprika")


def make_logs(root: Path, logs: int, events: int) -> int:
    """Write `logs` logs below a data root with `events` events in all; return the actual number of events.

    Args:
        root: The data root.
        logs: Number of logs, each in a thread of its own; >= 1.
        events: Number of events, rounded to whole turns; each log has at least one turn.
    """
    turns, rest = divmod(max(logs, events // EVENTS_OF_TURN), logs)
    written = 0
    for number in range(logs):
        window = Window(surface=Surface.DISCORD_THREAD, id=str(FIRST_ID + number))
        started_at = _BEGIN + timedelta(seconds=number)
        folder = root / log_folder(window)
        folder.mkdir(mode=0o700, parents=True)
        data = _log(window, started_at, turns + (number < rest), number)
        fd = os.open(root / log_path(window, started_at, 1), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(data)
        written += (turns + (number < rest)) * EVENTS_OF_TURN
    return written


def _log(window: Window, started_at: datetime, turns: int, number: int) -> bytes:
    record, head = encode_header(Header(window=window, started_at=started_at, seq=1, opened_by="bench"))
    records = [record]
    for turn in range(turns):
        for each in _turn(started_at + timedelta(seconds=10 * turn), number, turn):
            record, head = encode_event(each, head)
            records.append(record)
    return b"".join(records)


def _turn(at: datetime, number: int, turn: int) -> tuple[Event, Event, Event]:
    name = f"t{number}-{turn}"
    words = f"{_WORDS[turn % 10]} {_WORDS[number % 10]} number {number}, {turn}"
    message_id = str(FIRST_ID + (number << 20) + turn)
    question: dict[str, MetaValue] = {"author": "Alice", "author_id": "1", "message_id": message_id}
    delivery: dict[str, MetaValue] = {"event": f"{name}a", "message_ids": [message_id + "1"], "open": 0}
    return (
        event(name, at, Kind.USER, f"What about the {words}?", question),
        event(f"{name}a", at + timedelta(seconds=1), Kind.AGENT, f"The {words}.", {"turn": name, "final": True}),
        event(f"{name}d", at + timedelta(seconds=2), Kind.DELIVERY, "", delivery),
    )
