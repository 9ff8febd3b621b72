"""Status of the scheduler: present troubles, guarded access to the disk, and the self-description."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TypeVar

from actors.edited_file.file import EditedFile, reason_of
from actors.scheduler.listing import by_next
from domain.reminder.document import scan
from domain.reminder.text import shown_time
from messages.base import RequestId
from messages.status import SelfDescription

log = logging.getLogger(__name__)

_T = TypeVar("_T")
SOONEST = 3


REPORT_AGAIN_S = 900.0
"""Shortest time in seconds between two alerts on the same cause, however often the trouble comes and goes."""


@dataclass(slots=True)
class _Report:
    """Last report to users about a cause."""

    trouble: str
    """Empty for: all is well."""
    at: float


class Troubles:
    """Causes of trouble, each with its effect now; people hear of the beginning and of the end of trouble."""

    def __init__(self, tell: Callable[[str], None], monotonic: Callable[[], float]) -> None:
        """Begin without trouble.

        Args:
            tell: Sends a text to users.
            monotonic: Seconds of a clock that never goes back.
        """
        self._tell = tell
        self._monotonic = monotonic
        self._by_cause: dict[str, str] = {}
        self._reports: dict[str, _Report] = {}

    def __str__(self) -> str:
        """All present troubles; empty if all is well."""
        return "; ".join(self._by_cause.values())

    def report(self, cause: str, trouble: str, detail: str = "", *, tells: bool = True) -> None:
        """Note a trouble, and report it unless already reported.

        Args:
            cause: Subject with at most one trouble at a time.
            trouble: Description; empty if all is well. The same words are the same trouble.
            detail: Further text that may differ between reports.
            tells: True to tell people, and not only the log.
        """
        if trouble != self._by_cause.get(cause, ""):
            if trouble:
                self._by_cause[cause] = trouble
                log.error("%s%s", trouble, detail)
            else:
                del self._by_cause[cause]
                log.warning("%s: in order again", cause)
        if tells:
            self._tell_of(cause, trouble, detail)

    def _tell_of(self, cause: str, trouble: str, detail: str) -> None:
        report, now = self._reports.get(cause), self._monotonic()
        if trouble == (report.trouble if report else "") or (report and now - report.at < REPORT_AGAIN_S):
            return
        self._reports[cause] = _Report(trouble, now)
        self._tell(f"⚠️ Reminders: {trouble}{detail}" if trouble else f"✅ Reminders: {cause}: in order again")

    def guard_disk(
        self, cause: str, act: Callable[[], _T], otherwise: _T, *, consequence: str, tells: bool = True
    ) -> _T:
        """Access the disk, and note the success or failure.

        Args:
            cause: As of `report`.
            act: Accesses the disk.
            otherwise: Result after a failure of the disk.
            consequence: Effect of the failure, in words for users.
            tells: As of `report`.
        """
        try:
            result = act()
        except OSError as error:
            self.report(cause, f"{consequence}: {reason_of(error)}", tells=tells)
            return otherwise
        self.report(cause, "", tells=tells)
        return result


def describe(
    request_id: RequestId,
    file: EditedFile,
    *,
    now: datetime,
    zone: tzinfo,
    watermark: datetime,
    took_s: float,
    outgoing: int,
    trouble: str,
) -> SelfDescription:
    """The last look; for the operator counts, the soonest reminders by id (never their words), and present trouble."""
    private: list[tuple[str, str | int | float]] = [("file", str(file.path))]
    try:
        look = file.look()
        reminders = scan(look.data if look is not None else b"")
    except OSError as error:
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
