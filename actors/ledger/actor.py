"""LedgerActor: enters the cost of every model call, and reports a day's sums."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from pathlib import Path

from msgspec import structs

from actors.kernel import Actor, not_understood
from actors.ledger.file import LedgerFiles, entries, entries_on
from actors.linux.disk import Disk
from domain.policy.spending import By, Total, sums
from messages.base import RequestId
from messages.context import TellUsage, UsageTold
from messages.model import (
    SPENT,
    CallSpent,
    ConfirmEntries,
    DayUsage,
    EntriesConfirmed,
    ReadUsage,
    UsageRead,
    UsageSum,
)
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

SYNC_S = 1.0
"""Longest delay of a line's sync to disk."""
AGAIN_S = 5.0
"""After a failure to write."""
MOST_WAITING = 20_000
"""Lines waiting for a disk that refuses writes; beyond the limit, the oldest are lost."""
MOST_WINDOWS = 20
"""Windows named in a sum of recent calls."""
ANSWER_S = 60.0
"""Longest wait for a window's answer."""


class LedgerActor(Actor):
    """Owner of the ledger: a line for each attempt at a call, of any caller and with any outcome.

    Owns: the files in `usage/`, and the sums of this day.
    Asks: a window for the usage of its conversation, for `/usage`.
    Crashes on: any defect; not on a full or broken disk, as lines then wait in memory.
    Callers publish to the topic `SPENT`; a model's answer goes to its window after `EntriesConfirmed`.
    """

    def __init__(self, folder: Path | None, disk: Disk | None = None) -> None:
        """Begin without reading.

        Args:
            folder: Folder of the ledger; None to keep nothing.
            disk: Disk to write to; None for the usual disk.
        """
        super().__init__()
        self._folder = folder
        self._files = None if folder is None else LedgerFiles(folder, disk)
        self._waiting: deque[CallSpent] = deque()
        self._lost = 0
        self._is_failing = False
        self._tick: RequestId | None = None
        self._day = date.min
        self._today = Total()
        self._owners: dict[str, Total] = {}

    def on_start(self) -> None:
        """Follow calls, and sum this day's usage so far."""
        self.follow(SPENT)
        self._begin_day()

    def _begin_day(self) -> None:
        """Sum this day's usage so far, unless done: a clock that was set may bring any day."""
        now = self.now()
        if now.date() == self._day:
            return
        self._day, self._today, self._owners = now.date(), Total(), {}
        if self._folder is None:
            return
        with self.blocking():
            for spent in entries_on(self._folder, now):
                self._add(spent)

    def on_stop(self) -> None:
        """Write waiting lines once more, and sync."""
        if self._files is None:
            return
        self._write_and_sync()
        if self._waiting:
            log.error("%d lines of the ledger could not be written and are lost", len(self._waiting))

    def handle(
        self,
        message: CallSpent | ConfirmEntries | TellUsage | UsageTold | ReadUsage | Refused | DescribeYourself,
    ) -> None:
        """Enter a call, or report sums."""
        match message:
            case CallSpent():
                self._count(message)
                self._enter(message)
            case ConfirmEntries(request_id=request_id, reply_to=reply_to):
                self.tell(reply_to, EntriesConfirmed(request_id=request_id))
            case TellUsage():
                self._ask_window(message)
            case UsageTold() | Refused():
                pass  # An answer behind its deadline.
            case ReadUsage():
                self._read(message)
            case DescribeYourself():
                self._describe(message)
            case _:
                not_understood(message)

    def _enter(self, spent: CallSpent) -> None:
        """Have a line written, now if the disk takes the line."""
        if self._files is None:
            return
        self._waiting.append(spent)
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popleft()
            self._lost += 1
        if not self._is_failing:
            with self.blocking():
                self._write()
        self._tick_in(AGAIN_S if self._is_failing else SYNC_S)

    def _write_and_sync(self) -> None:
        assert self._files is not None
        self._tick = None
        with self.blocking():
            self._write()
            try:
                self._files.sync()
            except OSError as error:
                self._fail(error)

    def _write(self) -> None:
        assert self._files is not None
        try:
            while self._waiting:
                self._files.append(self._waiting[0])
                self._waiting.popleft()
        except OSError as error:
            self._fail(error)
        else:
            if self._is_failing:
                log.info("the ledger can be written again; %d lines were lost", self._lost)
            self._is_failing = False

    def _fail(self, error: OSError) -> None:
        if not self._is_failing:
            log.error("the ledger cannot be written, its lines wait in memory: %s", error)
        self._is_failing = True
        self._tick_in(AGAIN_S)

    def _tick_in(self, delay_s: float) -> None:
        if self._tick is None:
            self._tick = self.wait(delay_s, self._write_and_sync)

    def _count(self, spent: CallSpent) -> None:
        self._begin_day()
        if spent.at.date() == self._day:
            self._add(spent)

    def _add(self, spent: CallSpent) -> None:
        self._today.add(spent)
        self._owners.setdefault(spent.owner, Total()).add(spent)

    def _ask_window(self, request: TellUsage) -> None:
        """Ask the window for its conversation's part of the answer, and pass the part on with the sum of the day."""
        make = partial(TellUsage, window=request.window)

        def go_on(answer: UsageTold | Refused | None) -> None:
            if isinstance(answer, UsageTold):
                self._begin_day()
                today = self._owners.get(request.window.address.key, Total())
                answer = structs.replace(
                    answer,
                    today=DayUsage(
                        calls=today.calls,
                        prompt_tokens=today.prompt_tokens,
                        completion_tokens=today.completion_tokens,
                        cost_usd=today.cost_usd,
                        estimated_tokens=today.estimated_tokens,
                        cached_tokens=today.cached_tokens,
                    ),
                )
            if answer is not None:
                self.tell(request.reply_to, structs.replace(answer, request_id=request.request_id))

        self.ask(request.window.address, make, ANSWER_S, go_on)

    def _read(self, request: ReadUsage) -> None:
        """Sum the entries of the last days."""
        midnight = datetime.combine(self.now().date(), time(), UTC)
        try:
            with self.blocking():
                rows = entries(self._folder, midnight - timedelta(days=request.days - 1)) if self._folder else ()
                days, windows = sums(rows, By.DAY, By.WINDOW)
        except OSError as error:
            reason = f"the ledger cannot be read: {error.strerror}"
            self.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))
            return
        by_window = sorted(_sums(windows), key=lambda each: (-each.cost_usd, -each.prompt_tokens, each.key))
        answer = UsageRead(
            request_id=request.request_id,
            by_day=tuple(_sums(days)),
            by_window=tuple(by_window[:MOST_WINDOWS]),
        )
        self.tell(request.reply_to, answer)

    def _describe(self, message: DescribeYourself) -> None:
        self._begin_day()
        today = self._today
        figures: tuple[tuple[str, str | int | float], ...] = (
            ("calls_today", today.calls),
            ("prompt_tokens_today", today.prompt_tokens),
            ("cached_tokens_today", today.cached_tokens),
            ("completion_tokens_today", today.completion_tokens),
            ("estimated_tokens_today", today.estimated_tokens),
            ("cost_today_usd", round(today.cost_usd, 6)),
            ("lines_waiting", len(self._waiting)),
            ("lines_lost", self._lost),
        )
        self.tell(
            message.reply_to,
            SelfDescription(
                request_id=message.request_id, about=self.address.kind, figures=(), operator_figures=figures
            ),
        )


def _sums(totals: Mapping[str, Total]) -> list[UsageSum]:
    return [
        UsageSum(
            key=key,
            calls=total.calls,
            prompt_tokens=total.prompt_tokens,
            completion_tokens=total.completion_tokens,
            estimated_tokens=total.estimated_tokens,
            cost_usd=total.cost_usd,
            cached_tokens=total.cached_tokens,
        )
        for key, total in totals.items()
    ]
