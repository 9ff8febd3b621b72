"""Status of the scheduler, for whoever asks."""

from __future__ import annotations

from datetime import datetime, tzinfo

from actors.scheduler.edit_queue import TROUBLE, reason_of
from actors.scheduler.listing import by_next
from actors.scheduler.reminder_file import ReminderFile
from domain.reminder.document import scan
from domain.reminder.text import shown_time
from messages.base import RequestId
from messages.status import SelfDescription

SOONEST = 3


def describe(
    request_id: RequestId,
    file: ReminderFile,
    *,
    now: datetime,
    zone: tzinfo,
    watermark: datetime,
    took_s: float,
    outgoing: int,
    trouble: str,
) -> SelfDescription:
    """The last look; for the operator counts, the soonest reminders by id (never what they say), and what is wrong."""
    private: list[tuple[str, str | int | float]] = [("file", str(file.path))]
    try:
        look = file.look()
        reminders = scan(look.data if look is not None else b"")
    except TROUBLE as error:
        trouble = trouble or reason_of(error)
    else:
        private += [("reminders", len(reminders.entries)), ("invalid_lines", len(reminders.faults))]
        for number, (due, entry) in enumerate(by_next(reminders, now, zone)[:SOONEST], 1):
            when = shown_time(due, zone) if due is not None else "now"
            private.append((f"next_{number}", f"{when} {entry.reminder.id}".rstrip()))
    private.append(("outgoing", outgoing))
    if trouble:
        private.append(("trouble", trouble))
    return SelfDescription(
        request_id=request_id,
        about="scheduler",
        figures=(
            ("state", "in trouble" if trouble else "working"),
            ("last_look", watermark.isoformat(timespec="seconds")),
            ("last_look_ms", round(took_s * 1000, 1)),
        ),
        operator_figures=tuple(private),
    )
